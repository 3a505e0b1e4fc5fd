// Which runs of a kb differ from a run in their policies alone.
#ifndef HEARSAY_TOOLS_POLICY_RUNS_H_
#define HEARSAY_TOOLS_POLICY_RUNS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "kb/store.h"

namespace hearsay {

struct PolicyRuns {
  RunRecord without;            // has no policies
  std::vector<RunRecord> with;  // one for each set of policies, ascending by run
};

// Complete runs of the plan of `run`, on the same landscapes. Errors: kFailedPrecondition where
// none is without policies, saying how to make one.
absl::StatusOr<PolicyRuns> FindPolicyRuns(const Store& store, const RunRecord& run);

}  // namespace hearsay

#endif  // HEARSAY_TOOLS_POLICY_RUNS_H_
