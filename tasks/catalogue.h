// What there is besides problems: hardware, DSLs and rewrites, from tasks/data/.
//
// Everything is parsed once, on first use, and kept for the life of the process. Thread safe.
#ifndef HEARSAY_TASKS_CATALOGUE_H_
#define HEARSAY_TASKS_CATALOGUE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tasks/claim.h"
#include "tasks/problem.pb.h"

namespace hearsay {

// The names that Atlas::Create takes, in the order of the file.
std::vector<std::string> HardwareNames();

// Errors: kInvalidArgument naming the hardware and the nearest, or all there is.
absl::StatusOr<const HardwareSpec*> FindHardware(absl::string_view name);

const DslSpec& DslSpecOf(Dsl dsl);

// REQUIRES: `name` is in rewrites.textproto.
const RewriteSpec& RewriteOf(absl::string_view name);

}  // namespace hearsay

#endif  // HEARSAY_TASKS_CATALOGUE_H_
