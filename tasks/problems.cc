#include "tasks/problems.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "google/protobuf/text_format.h"
#include "tasks/data/embedded.h"
#include "tasks/words.h"

namespace hearsay {
namespace {

std::string IdOf(int index) { return Problems()[index].id(); }

std::vector<std::string> KnownIds() {
  std::vector<std::string> ids;
  for (const ProblemSpec& problem : Problems()) ids.push_back(problem.id());
  return ids;
}

// Families in the order of their first problem.
std::vector<std::string> KnownFamilies() {
  std::vector<std::string> families;
  for (const ProblemSpec& problem : Problems()) {
    if (families.empty() || families.back() != problem.family()) {
      families.push_back(problem.family());
    }
  }
  return families;
}

// Of "p01,p62-p74": "p01" or "p62-p74", "moe", "all".
absl::Status SelectPart(absl::string_view part, std::vector<bool>& chosen) {
  if (part == "all") {
    chosen.assign(chosen.size(), true);
    return absl::OkStatus();
  }
  const std::vector<std::string> families = KnownFamilies();
  if (std::find(families.begin(), families.end(), std::string(part)) != families.end()) {
    for (int i = 0; i < ProblemCount(); ++i) {
      if (Problems()[i].family() == part) chosen[i] = true;
    }
    return absl::OkStatus();
  }
  const std::vector<std::string> ends = absl::StrSplit(part, absl::MaxSplits('-', 1));
  if (ends.size() == 2) {
    const absl::StatusOr<int> first = ParseProblemId(ends[0]);
    if (!first.ok()) return first.status();
    const absl::StatusOr<int> last = ParseProblemId(ends[1]);
    if (!last.ok()) return last.status();
    if (*first > *last) {
      return absl::InvalidArgumentError(
          absl::StrCat("range '", part, "' runs backwards; write '", ends[1], "-", ends[0], "'"));
    }
    for (int i = *first; i <= *last; ++i) chosen[i] = true;
    return absl::OkStatus();
  }
  const absl::StatusOr<int> index = ParseProblemId(part);
  if (index.ok()) {
    chosen[*index] = true;
    return absl::OkStatus();
  }
  // What does not look like an id was meant as a family.
  int number;
  if (part.size() > 1 && part[0] == 'p' && absl::SimpleAtoi(part.substr(1), &number)) {
    return index.status();
  }
  std::vector<std::string> known = families;
  known.push_back("all");
  return UnknownWord("problem or family", part, known);
}

}  // namespace

const std::vector<ProblemSpec>& Problems() {
  static const std::vector<ProblemSpec>& problems = *[] {
    ProblemCatalogue catalogue;
    GOOGLE_CHECK(google::protobuf::TextFormat::ParseFromString(kProblemsText, &catalogue));
    return new std::vector<ProblemSpec>(catalogue.problems().begin(), catalogue.problems().end());
  }();
  return problems;
}

int ProblemCount() { return static_cast<int>(Problems().size()); }

absl::StatusOr<int> ParseProblemId(absl::string_view id) {
  for (int i = 0; i < ProblemCount(); ++i) {
    if (Problems()[i].id() == id) return i;
  }
  const std::vector<std::string> ids = KnownIds();
  const std::string nearest = NearestWord(id, ids);
  if (!nearest.empty()) return UnknownWord("problem", id, ids);
  return absl::InvalidArgumentError(
      absl::StrCat("unknown problem '", id, "'; known: ", ids.front(), " to ", ids.back()));
}

absl::StatusOr<std::vector<int>> ParseProblemSelection(absl::string_view selection) {
  std::vector<bool> chosen(ProblemCount(), false);
  for (absl::string_view part : absl::StrSplit(selection, ',')) {
    part = absl::StripAsciiWhitespace(part);
    if (part.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("empty part in problem selection '", selection, "'"));
    }
    const absl::Status status = SelectPart(part, chosen);
    if (!status.ok()) return status;
  }
  std::vector<int> indexes;
  for (int i = 0; i < ProblemCount(); ++i) {
    if (chosen[i]) indexes.push_back(i);
  }
  return indexes;
}

std::string FormatProblemSelection(const std::vector<int>& problem_indexes) {
  if (static_cast<int>(problem_indexes.size()) == ProblemCount()) return "all";
  std::vector<std::string> parts;
  for (size_t i = 0; i < problem_indexes.size();) {
    size_t end = i + 1;
    while (end < problem_indexes.size() && problem_indexes[end] == problem_indexes[end - 1] + 1) {
      ++end;
    }
    if (end - i == 1) {
      parts.push_back(IdOf(problem_indexes[i]));
    } else if (end - i == 2) {
      parts.push_back(IdOf(problem_indexes[i]));
      parts.push_back(IdOf(problem_indexes[end - 1]));
    } else {
      parts.push_back(absl::StrCat(IdOf(problem_indexes[i]), "-", IdOf(problem_indexes[end - 1])));
    }
    i = end;
  }
  return absl::StrJoin(parts, ",");
}

}  // namespace hearsay
