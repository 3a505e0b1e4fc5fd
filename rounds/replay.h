// Replays one attempt of a recorded run: what the store does not keep, since it can be computed
// again.
#ifndef HEARSAY_ROUNDS_REPLAY_H_
#define HEARSAY_ROUNDS_REPLAY_H_

#include <vector>

#include "absl/status/statusor.h"
#include "executor/search.h"
#include "kb/store.h"
#include "tasks/outcome.h"

namespace hearsay {

struct Submission {
  int point = 0;  // design point
  Status status = Status::kOk;
  bool bug = false;     // failed by the author's own mistake
  int measured_lg = 0;  // 0 unless kOk
  int seconds = 0;      // that it took
};

struct ReplayedAttempt {
  Outcome outcome;
  std::vector<Submission> submissions;
  bool matches = false;  // outcome and note are those stored
};

// Errors: kNotFound (no such attempt), kFailedPrecondition (recorded without claims, or other
// landscapes than this build models).
absl::StatusOr<ReplayedAttempt> ReplayAttempt(const Store& store, AttemptId attempt);

}  // namespace hearsay

#endif  // HEARSAY_ROUNDS_REPLAY_H_
