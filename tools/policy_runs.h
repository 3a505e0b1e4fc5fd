// Which runs of a kb differ from given ones in their policies alone.
#ifndef HEARSAY_TOOLS_POLICY_RUNS_H_
#define HEARSAY_TOOLS_POLICY_RUNS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "kb/store.h"
#include "lineage/policies.h"
#include "lineage/run_set.h"

namespace hearsay {

// Complete runs of the plans of `runs`, on the same landscapes: each plan once, ascending by run.
// Errors: kFailedPrecondition where a plan has none without policies, saying how to make one.
absl::StatusOr<std::vector<PolicyRuns>> FindPolicyRuns(const Store& store, const RunSet& runs);

}  // namespace hearsay

#endif  // HEARSAY_TOOLS_POLICY_RUNS_H_
