// The form in which studies hand their results on: a titled table of text and numbers. The command
// prints it as text, JSON or CSV.
#ifndef HEARSAY_LINEAGE_TABLE_H_
#define HEARSAY_LINEAGE_TABLE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace hearsay {

// One cell. Missing (std::monostate) means that there is no such number, as with the half-life of a
// curve that never falls to one half; it is never zero.
using Cell = std::variant<std::monostate, std::string, int64_t, double>;

inline Cell Text(std::string text) { return Cell(std::move(text)); }
inline Cell Integer(int64_t number) { return Cell(number); }
inline Cell Real(double number) { return Cell(number); }
inline Cell Real(const std::optional<double>& number) {
  return number.has_value() ? Cell(*number) : Cell();
}
inline Cell Missing() { return {}; }
inline Cell TextOrMissing(const std::string& text) { return text.empty() ? Missing() : Text(text); }

struct Table {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;  // each as long as `columns`
  std::vector<std::string> notes;       // what a reader must know to read it: units, conventions
};

inline void AppendNotes(const std::vector<std::string>& notes, Table* table) {
  table->notes.insert(table->notes.end(), notes.begin(), notes.end());
}

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_TABLE_H_
