// Tables on standard output: aligned text for people, JSON and CSV for programs.
//
// JSON is {"tables": [{"title", "columns", "rows": [{column: value}], "notes"}]}; a missing number
// is null. CSV is RFC 4180: one header a table, an empty line between tables, no notes.
#ifndef HEARSAY_TOOLS_OUTPUT_H_
#define HEARSAY_TOOLS_OUTPUT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lineage/table.h"
#include "tools/args.h"
#include "tools/console.h"

namespace hearsay {

std::string FormatText(const std::vector<Table>& tables, bool bold_titles);
std::string FormatJson(const std::vector<Table>& tables);
std::string FormatCsv(const std::vector<Table>& tables);

// One cell as text for people, "-" where there is no number.
std::string CellText(const Cell& cell);
bool IsNumber(const Cell& cell);

// The flags of every command that prints tables.
class OutputFlags {
 public:
  void Declare(ArgParser& args);
  // Errors: kInvalidArgument where --table names none of `tables`.
  absl::Status Print(const std::vector<Table>& tables, Console& console) const;

 private:
  std::string format_ = "text";
  int64_t only_table_ = 0;  // 0: all
};

// A cell with a word from tasks/words.h.
Cell Word(absl::string_view word);

// A table of facts about one thing, one a row.
class FactTable {
 public:
  explicit FactTable(std::string title);
  void Add(const std::string& fact, Cell value);
  Table Take() { return std::move(table_); }

 private:
  Table table_;
};

}  // namespace hearsay

#endif  // HEARSAY_TOOLS_OUTPUT_H_
