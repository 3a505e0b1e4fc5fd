#include "tasks/words.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace hearsay {
namespace {

constexpr absl::string_view kDslNames[kDslCount] = {"cute", "tirx"};
constexpr absl::string_view kLabelNames[kLabelCount] = {
    "workload_census",      "verified_reformulation", "measured_gain",      "measured_loss",
    "bottleneck_diagnosis", "failure_diagnosis",      "validity_condition", "dsl_idiom",
    "open_question",        "unverified_assertion",   "unsupported_closure"};
constexpr absl::string_view kStanceNames[kStanceCount] = {"fact", "use", "infeasible",
                                                          "not_worth_it", "open"};
constexpr absl::string_view kChangeNames[kChangeCount] = {
    "born", "copied", "hedge_lost", "strengthened", "corrected", "merged", "generalised"};
constexpr absl::string_view kTruthNames[] = {"true", "false", "open"};
constexpr absl::string_view kStatusNames[kStatusCount] = {"ok", "compile_error", "runtime_error",
                                                          "incorrect", "timeout"};
constexpr absl::string_view kKnobKindNames[kKnobKindCount] = {
    "move", "fuse", "rewrite", "tile", "vector", "pipeline", "instruction", "precision", "split"};

// A value outside its enumeration can come from damaged bytes; its name says so instead of
// faulting.
template <typename Enum, size_t n>
absl::string_view NameIn(const absl::string_view (&names)[n], Enum value) {
  const auto index = static_cast<size_t>(value);
  return index < n ? names[index] : absl::string_view("invalid");
}

template <typename Enum, size_t n>
absl::StatusOr<Enum> ParseIn(absl::string_view what, const absl::string_view (&names)[n],
                             absl::string_view word) {
  for (size_t i = 0; i < n; ++i) {
    if (names[i] == word) return static_cast<Enum>(i);
  }
  std::vector<std::string> known;
  for (absl::string_view name : names) known.emplace_back(name);
  return UnknownWord(what, word, known);
}

// Levenshtein distance, one row at a time.
int EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<int> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

absl::string_view Name(Dsl dsl) { return NameIn(kDslNames, dsl); }
absl::string_view Name(Label label) { return NameIn(kLabelNames, label); }
absl::string_view Name(Stance stance) { return NameIn(kStanceNames, stance); }
absl::string_view Name(Change change) { return NameIn(kChangeNames, change); }
absl::string_view Name(Truth truth) { return NameIn(kTruthNames, truth); }
absl::string_view Name(Status status) { return NameIn(kStatusNames, status); }
absl::string_view Name(KnobKind kind) { return NameIn(kKnobKindNames, kind); }

absl::StatusOr<Dsl> ParseDsl(absl::string_view word) {
  return ParseIn<Dsl>("DSL", kDslNames, word);
}
absl::StatusOr<Label> ParseLabel(absl::string_view word) {
  return ParseIn<Label>("label", kLabelNames, word);
}
absl::StatusOr<Stance> ParseStance(absl::string_view word) {
  return ParseIn<Stance>("stance", kStanceNames, word);
}
absl::StatusOr<Change> ParseChange(absl::string_view word) {
  return ParseIn<Change>("change", kChangeNames, word);
}

std::string NearestWord(absl::string_view word, const std::vector<std::string>& known) {
  const int allowed = std::max(2, static_cast<int>(word.size()) / 3);
  int best_distance = allowed + 1;
  std::string best;
  for (const std::string& candidate : known) {
    const int distance = EditDistance(word, candidate);
    // A word all of whose letters changed is not near, however short it is.
    if (distance < best_distance && distance < static_cast<int>(candidate.size())) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

absl::Status UnknownWord(absl::string_view what, absl::string_view word,
                         const std::vector<std::string>& known) {
  const std::string nearest = NearestWord(word, known);
  if (!nearest.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("unknown ", what, " '", word, "'; did you mean '", nearest, "'?"));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown ", what, " '", word, "'; known: ", absl::StrJoin(known, ", ")));
}

}  // namespace hearsay
