// The 74 problems, from tasks/data/problems.textproto, which is built into the program.
#ifndef HEARSAY_TASKS_PROBLEMS_H_
#define HEARSAY_TASKS_PROBLEMS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tasks/problem.pb.h"

namespace hearsay {

// All problems in the order of their ids; the index of p01 is 0. Parsed once; thread safe.
const std::vector<ProblemSpec>& Problems();
int ProblemCount();

// "p71" -> 70. Errors: kInvalidArgument with the id and the nearest known one.
absl::StatusOr<int> ParseProblemId(absl::string_view id);

// A selection such as "p01,p62-p74" or "linear_attention,p05" or "all": indexes, ascending, each
// once. Errors: kInvalidArgument naming the part that is no problem, range or family, with the
// nearest.
absl::StatusOr<std::vector<int>> ParseProblemSelection(absl::string_view selection);

// The inverse, as short as may be: "all" or "p01,p62-p74".
std::string FormatProblemSelection(const std::vector<int>& problem_indexes);

}  // namespace hearsay

#endif  // HEARSAY_TASKS_PROBLEMS_H_
