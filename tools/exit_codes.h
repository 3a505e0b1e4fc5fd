// How the command ends, and which error ends it how. The only place that knows.
#ifndef HEARSAY_TOOLS_EXIT_CODES_H_
#define HEARSAY_TOOLS_EXIT_CODES_H_

#include "absl/status/status.h"

namespace hearsay {

enum class ExitCode : int {
  kOk = 0,
  kFailure = 1,        // the kb or the machine said no, or a check found something
  kUsage = 2,          // what was asked makes no sense: flags, plans, words
  kMismatch = 3,       // two things that should be equal are not
  kInterrupted = 130,  // stopped by a signal, after a clean checkpoint
};

inline ExitCode ExitCodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return ExitCode::kOk;
    case absl::StatusCode::kInvalidArgument:
      return ExitCode::kUsage;
    case absl::StatusCode::kCancelled:
      return ExitCode::kInterrupted;
    default:
      return ExitCode::kFailure;
  }
}

}  // namespace hearsay

#endif  // HEARSAY_TOOLS_EXIT_CODES_H_
