#include "tools/output.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lineage/markup.h"

namespace hearsay {
namespace {

// Code points: every byte of UTF-8 but those that go on with one.
size_t WidthOf(absl::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) >> 6) != 2; }));
}

void AppendPadded(absl::string_view text, size_t width, bool right, std::string* out) {
  const size_t own = WidthOf(text);
  const std::string padding(width > own ? width - own : 0, ' ');
  if (right) absl::StrAppend(out, padding, text);
  if (!right) absl::StrAppend(out, text, padding);
}

void AppendAligned(const Table& table, std::string* out) {
  const size_t columns = table.columns.size();
  std::vector<std::vector<std::string>> lines{table.columns};
  // Numbers stand right, but not among words.
  std::vector<bool> right(columns, false), words(columns, false);
  for (const auto& row : table.rows) {
    std::vector<std::string>& line = lines.emplace_back();
    for (size_t c = 0; c < columns; ++c) {
      line.push_back(CellText(row[c]));
      if (IsNumber(row[c])) right[c] = true;
      if (std::holds_alternative<std::string>(row[c])) words[c] = true;
    }
  }
  std::vector<size_t> widths(columns, 0);
  for (const auto& line : lines) {
    for (size_t c = 0; c < columns; ++c) widths[c] = std::max(widths[c], WidthOf(line[c]));
  }
  for (const auto& line : lines) {
    std::string text;
    for (size_t c = 0; c < columns; ++c) {
      if (c > 0) text += "  ";
      AppendPadded(line[c], widths[c], right[c] && !words[c], &text);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    absl::StrAppend(out, text, "\n");
  }
}

std::string JsonCell(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return JsonString(*text);
  if (const auto* integer = std::get_if<int64_t>(&cell)) return absl::StrCat(*integer);
  const auto* real = std::get_if<double>(&cell);
  return real != nullptr && std::isfinite(*real) ? ShortestReal(*real) : "null";
}

template <typename Items, typename Format>
std::string JsonArray(const Items& items, absl::string_view separator, Format format) {
  std::string out;
  for (const auto& item : items) {
    absl::StrAppend(&out, out.empty() ? "" : separator, format(item));
  }
  return out;
}

std::string JsonTable(const Table& table) {
  const std::string rows = JsonArray(table.rows, ",\n    ", [&](const std::vector<Cell>& row) {
    std::string out;
    for (size_t c = 0; c < row.size(); ++c) {
      absl::StrAppend(&out, c == 0 ? "" : ", ", JsonString(table.columns[c]), ": ",
                      JsonCell(row[c]));
    }
    return absl::StrCat("{", out, "}");
  });
  return absl::StrCat("{\"title\": ", JsonString(table.title), ",\n  \"columns\": [",
                      JsonArray(table.columns, ", ", JsonString), "],\n  \"rows\": [", rows,
                      "],\n  \"notes\": [", JsonArray(table.notes, ", ", JsonString), "]}");
}

std::string CsvCell(const Cell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) return "";
  if (const auto* real = std::get_if<double>(&cell)) return ShortestReal(*real);
  return CsvField(CellText(cell));
}

template <typename Items, typename Format>
void AppendCsvLine(const Items& items, Format format, std::string* out) {
  bool first = true;
  for (const auto& item : items) {
    absl::StrAppend(out, first ? "" : ",", format(item));
    first = false;
  }
  absl::StrAppend(out, "\r\n");
}

}  // namespace

std::string CellText(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* integer = std::get_if<int64_t>(&cell)) return absl::StrCat(*integer);
  if (const auto* real = std::get_if<double>(&cell)) return absl::StrFormat("%.4g", *real);
  return "-";
}

bool IsNumber(const Cell& cell) {
  return std::holds_alternative<int64_t>(cell) || std::holds_alternative<double>(cell);
}

std::string FormatText(const std::vector<Table>& tables, bool bold_titles) {
  std::string out;
  for (const Table& table : tables) {
    if (!out.empty()) out += "\n";
    if (!table.title.empty()) {
      absl::StrAppend(&out, bold_titles ? "\x1b[1m" : "", table.title, bold_titles ? "\x1b[0m" : "",
                      "\n");
    }
    if (table.rows.empty()) {
      absl::StrAppend(&out, "(none)\n");
    } else {
      AppendAligned(table, &out);
    }
    for (const std::string& note : table.notes) absl::StrAppend(&out, "  note: ", note, "\n");
  }
  return out;
}

std::string FormatJson(const std::vector<Table>& tables) {
  return absl::StrCat("{\"tables\": [", JsonArray(tables, ",\n", JsonTable), "]}\n");
}

std::string FormatCsv(const std::vector<Table>& tables) {
  std::string out;
  for (const Table& table : tables) {
    if (!out.empty()) out += "\r\n";
    AppendCsvLine(table.columns, CsvField, &out);
    for (const auto& row : table.rows) AppendCsvLine(row, CsvCell, &out);
  }
  return out;
}

void OutputFlags::Declare(ArgParser& args) {
  args.AddChoice("--format", {"text", "json", "csv"}, "How to print rows (text)", &format_);
  args.AddNumber("--table", "Print only the Nth table, from 1", 1, 99, &only_table_);
}

absl::Status OutputFlags::Print(const std::vector<Table>& tables, Console& console) const {
  if (only_table_ > static_cast<int64_t>(tables.size())) {
    return absl::InvalidArgumentError(
        absl::StrCat("--table: there is no table ", only_table_, "; this prints ", tables.size()));
  }
  const std::vector<Table> shown =
      only_table_ == 0 ? tables : std::vector<Table>{tables[static_cast<size_t>(only_table_ - 1)]};
  if (format_ == "json") {
    console.Out(FormatJson(shown));
  } else if (format_ == "csv") {
    console.Out(FormatCsv(shown));
  } else {
    console.Out(FormatText(shown, console.out_takes_colour()));
  }
  return absl::OkStatus();
}

Cell Word(absl::string_view word) { return Text(std::string(word)); }

FactTable::FactTable(std::string title) {
  table_.title = std::move(title);
  table_.columns = {"fact", "value"};
}

void FactTable::Add(const std::string& fact, Cell value) {
  table_.rows.push_back({Text(fact), std::move(value)});
}

}  // namespace hearsay
