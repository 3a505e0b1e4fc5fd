// Whether two executors compute the same, and where they part: the rounds of a plan with both.
#ifndef HEARSAY_TOOLS_RUN_VERIFY_H_
#define HEARSAY_TOOLS_RUN_VERIFY_H_

#include <optional>

#include "absl/status/statusor.h"
#include "executor/executor.h"
#include "rounds/plan.pb.h"
#include "rounds/setup.h"
#include "tools/run_compare.h"

namespace hearsay {

// The plan with so few lanes and rounds that running it twice takes about a second: what `hearsay
// run --verify` runs. All else stays as it is.
Plan SampleOf(const Plan& plan);

// Runs `rounds` rounds with both. nullopt where all baselines, digests, outcomes and notes are
// equal. In what differs "is x, not y" gives what `a` computed first. REQUIRES: both execute
// `setup->tables`. Errors: those of the executors.
absl::StatusOr<std::optional<RunDifference>> CompareExecutors(RunSetup* setup, int rounds,
                                                              Executor* a, Executor* b);

}  // namespace hearsay

#endif  // HEARSAY_TOOLS_RUN_VERIFY_H_
