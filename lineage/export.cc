// GraphML, Cytoscape JSON and CSV, which have the same nodes, links and fields;
// export_prov.cc has PROV-JSON, export_source.cc what all of them read.
#include "lineage/export.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lineage/export_writers.h"
#include "lineage/markup.h"

namespace hearsay {
namespace {

bool IsMissing(const Cell& cell) { return std::holds_alternative<std::monostate>(cell); }

// As text without quotes; nothing where it is missing.
std::string Plain(const ExportField& field, const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* real = std::get_if<double>(&cell)) return ShortestReal(*real);
  const auto* integer = std::get_if<int64_t>(&cell);
  if (integer == nullptr) return "";
  if (field.type == FieldType::kBoolean) return *integer != 0 ? "true" : "false";
  return absl::StrCat(*integer);
}

std::string JsonValue(const ExportField& field, const Cell& cell) {
  return field.type == FieldType::kText ? JsonString(Plain(field, cell)) : Plain(field, cell);
}

// What the run says of itself: name and value.
std::vector<std::pair<const char*, std::string>> RunFacts(const ExportSource& source) {
  const RunRecord& run = source.run();
  return {{"name", absl::StrCat("hearsay run R", run.run())},
          {"software", run.software()},
          {"seed", absl::StrCat(run.seed())},
          {"topology", run.topology()},
          {"policies", run.policies()},
          {"hardware", run.hardware()}};
}

// Walks once: `node` writes a node, `link` a link, by id and row.
using WriteNode = std::function<void(const std::string& id, const ExportRow& row)>;
using WriteLink = std::function<void(const ExportLink& link, const ExportRow& row)>;
enum Parts { kNodes = 1, kLinks = 2, kBoth = 3 };

absl::Status Walk(ExportSource& source, Parts parts, const WriteNode& write_node,
                  const WriteLink& write_link, ExportText& nodes, ExportText& links,
                  ExportCounts& counts) {
  return source.VisitAll([&](const AttemptBlock& block, int i) -> absl::Status {
    if ((parts & kNodes) != 0) {
      ++counts.attempts;
      write_node(Format(block.id(i)), source.AttemptRow(block, i));
      const int made = block.has_claims() ? static_cast<int>(block.new_claims_of(i).size()) : 0;
      for (int place = 0; place < made; ++place) {
        ++counts.claims;
        write_node(Format(ClaimId::Of(block.id(i), place)), source.ClaimRow(block, i, place));
      }
      const absl::Status status = nodes.Step();
      if (!status.ok()) return status;
    }
    if ((parts & kLinks) == 0) return absl::OkStatus();
    const auto found = source.LinksOf(block, i, counts.left_out);
    if (!found.ok()) return found.status();
    for (const ExportLink& link : *found) {
      ++counts.links[static_cast<int>(link.kind)];
      write_link(link, source.LinkRow(link));
    }
    return links.Step();
  });
}

// --- GraphML ---

const char* GraphMlType(FieldType type) {
  switch (type) {
    case FieldType::kInteger:
      return "long";
    case FieldType::kReal:
      return "double";
    case FieldType::kBoolean:
      return "boolean";
    case FieldType::kText:
      break;
  }
  return "string";
}

// Links have keys of their own, since a key is of nodes or of links.
constexpr char kLinkKey[] = "link_";

void AppendKeys(absl::Span<const ExportField> fields, const char* of, const char* prefix,
                std::string& out) {
  for (const ExportField& field : fields) {
    absl::StrAppend(&out, "<key id=\"", prefix, field.name, "\" for=\"", of, "\" attr.name=\"",
                    field.name, "\" attr.type=\"", GraphMlType(field.type), "\"/>\n");
  }
}

void AppendData(absl::Span<const ExportField> fields, const ExportRow& row, const char* prefix,
                std::string& out) {
  for (size_t f = 0; f < row.size(); ++f) {
    if (IsMissing(row[f])) continue;
    const std::string value = Plain(fields[f], row[f]);
    absl::StrAppend(&out, "<data key=\"", prefix, fields[f].name, "\">",
                    fields[f].type == FieldType::kText ? EscapeMarkup(value) : value, "</data>");
  }
}

// --- Cytoscape JSON ---

void AppendMembers(absl::Span<const ExportField> fields, const ExportRow& row, std::string& out) {
  for (size_t f = 0; f < row.size(); ++f) {
    if (IsMissing(row[f])) continue;
    absl::StrAppend(&out, ",\"", fields[f].name, "\":", JsonValue(fields[f], row[f]));
  }
}

// --- CSV ---

void AppendHeader(const char* ids, absl::Span<const ExportField> fields, std::string& out) {
  out += ids;
  for (const ExportField& field : fields) absl::StrAppend(&out, ",", field.name);
  out += "\r\n";
}

void AppendCells(absl::Span<const ExportField> fields, const ExportRow& row, std::string& out) {
  for (size_t f = 0; f < row.size(); ++f) {
    absl::StrAppend(&out, ",", CsvField(Plain(fields[f], row[f])));
  }
  out += "\r\n";
}

}  // namespace

absl::StatusOr<ExportCounts> WriteGraphMl(ExportSource& source, const ExportSink& sink) {
  ExportText out(sink);
  std::string& text = out.text();
  absl::StrAppend(&text,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
  for (const auto& [name, value] : RunFacts(source)) {
    absl::StrAppend(&text, "<key id=\"run_", name, "\" for=\"graph\" attr.name=\"", name,
                    "\" attr.type=\"string\"/>\n");
  }
  AppendKeys(NodeFields(), "node", "", text);
  AppendKeys(LinkFields(), "edge", kLinkKey, text);
  absl::StrAppend(&text, "<graph id=\"R", source.run().run(), "\" edgedefault=\"directed\">\n");
  for (const auto& [name, value] : RunFacts(source)) {
    absl::StrAppend(&text, "<data key=\"run_", name, "\">", EscapeMarkup(value), "</data>\n");
  }
  ExportCounts counts;
  int64_t link_number = 0;
  const auto node = [&](const std::string& id, const ExportRow& row) {
    absl::StrAppend(&text, "<node id=\"", id, "\">");
    AppendData(NodeFields(), row, "", text);
    text += "</node>\n";
  };
  const auto link = [&](const ExportLink& one, const ExportRow& row) {
    absl::StrAppend(&text, "<edge id=\"e", ++link_number, "\" source=\"", one.From(),
                    "\" target=\"", one.To(), "\">");
    AppendData(LinkFields(), row, kLinkKey, text);
    text += "</edge>\n";
  };
  absl::Status status = Walk(source, kBoth, node, link, out, out, counts);
  text += "</graph>\n</graphml>\n";
  if (status.ok()) status = out.Finish();
  if (!status.ok()) return status;
  return counts;
}

absl::StatusOr<ExportCounts> WriteCytoscape(ExportSource& source, const ExportSink& sink) {
  ExportText out(sink);
  std::string& text = out.text();
  absl::StrAppend(&text, "{\"format_version\":\"1.0\",\"generated_by\":",
                  JsonString(absl::StrCat("hearsay ", HEARSAY_VERSION)),
                  ",\"target_cytoscapejs_version\":\"~3.0\",\"directed\":true,\"multigraph\":true,"
                  "\n\"data\":{");
  bool first = true;
  for (const auto& [name, value] : RunFacts(source)) {
    absl::StrAppend(&text, first ? "" : ",", JsonString(name), ":", JsonString(value));
    first = false;
  }
  text += "},\n\"elements\":{\"nodes\":[";
  first = true;
  // "value" and "key" are what networkx tells nodes and parallel links apart by.
  const auto node = [&](const std::string& id, const ExportRow& row) {
    absl::StrAppend(&text, first ? "\n" : ",\n", "{\"data\":{\"id\":\"", id, "\",\"name\":\"", id,
                    "\",\"value\":\"", id, "\"");
    AppendMembers(NodeFields(), row, text);
    text += "}}";
    first = false;
  };
  int64_t link_number = 0;
  const auto link = [&](const ExportLink& one, const ExportRow& row) {
    absl::StrAppend(&text, first ? "\n" : ",\n", "{\"data\":{\"id\":\"e", ++link_number,
                    "\",\"source\":\"", one.From(), "\",\"target\":\"", one.To(),
                    "\",\"interaction\":\"", NameOf(one), "\",\"key\":\"", NameOf(one), "\"");
    AppendMembers(LinkFields(), row, text);
    text += "}}";
    first = false;
  };
  ExportCounts counts;
  absl::Status status = Walk(source, kNodes, node, link, out, out, counts);
  text += "],\n\"edges\":[";
  first = true;
  if (status.ok()) status = Walk(source, kLinks, node, link, out, out, counts);
  text += "]}}\n";
  if (status.ok()) status = out.Finish();
  if (!status.ok()) return status;
  return counts;
}

absl::StatusOr<ExportCounts> WriteCsv(ExportSource& source, const ExportSink& nodes,
                                      const ExportSink& links) {
  ExportText node_text(nodes);
  ExportText link_text(links);
  AppendHeader("id", NodeFields(), node_text.text());
  AppendHeader("source,target", LinkFields(), link_text.text());
  const auto node = [&](const std::string& id, const ExportRow& row) {
    node_text.text() += id;
    AppendCells(NodeFields(), row, node_text.text());
  };
  const auto link = [&](const ExportLink& one, const ExportRow& row) {
    absl::StrAppend(&link_text.text(), one.From(), ",", one.To());
    AppendCells(LinkFields(), row, link_text.text());
  };
  ExportCounts counts;
  absl::Status status = Walk(source, kBoth, node, link, node_text, link_text, counts);
  if (status.ok()) status = node_text.Finish();
  if (status.ok()) status = link_text.Finish();
  if (!status.ok()) return status;
  return counts;
}

absl::StatusOr<ExportCounts> ExportRun(const Store& store, int run, Atlas& atlas,
                                       ExportFormat format, const ExportFilter& filter,
                                       const ExportSink& sink, const ExportSink& links) {
  if (filter.first_round < 0 || filter.first_round > filter.last_round) {
    return absl::InvalidArgumentError(absl::StrCat("no rounds from ", filter.first_round, " to ",
                                                   filter.last_round, " can be exported"));
  }
  absl::StatusOr<RunRecord> record = store.Run(run);
  if (!record.ok()) return record.status();
  for (int problem : filter.problems) {
    if (std::count(record->problems().begin(), record->problems().end(), problem) == 0) {
      return absl::NotFoundError(
          absl::StrCat("run R", run, " has no problem ", FormatProblem(problem)));
    }
  }
  if (filter.first_round > 0) {
    const auto rounds = store.Rounds(run);
    if (!rounds.ok()) return rounds.status();
    if (rounds->empty() || rounds->back().round() < filter.first_round) {
      return absl::NotFoundError(absl::StrCat("run R", run, " has no round ", filter.first_round,
                                              ": it has ", rounds->size(), ", from 0 on"));
    }
  }
  ExportSource source(store, *std::move(record), atlas, filter);
  switch (format) {
    case ExportFormat::kGraphMl:
      return WriteGraphMl(source, sink);
    case ExportFormat::kCytoscape:
      return WriteCytoscape(source, sink);
    case ExportFormat::kProvJson:
      return WriteProvJson(source, sink);
    case ExportFormat::kCsv:
      break;
  }
  return WriteCsv(source, sink, links);
}

}  // namespace hearsay
