// Where two runs part: the first round, problem, lane and field in which they differ.
#ifndef HEARSAY_TOOLS_RUN_COMPARE_H_
#define HEARSAY_TOOLS_RUN_COMPARE_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "kb/store.h"

namespace hearsay {

struct RunDifference {
  int round = 0;
  int problem = -1;  // index; -1: not known
  int lane = -1;     // -1: not known
  std::string what;  // "speed_lg is 12, not 20", or which side lacks it
};

// "round 3, p71, lane 4: speed_lg is 12, not 20", as far as it is known.
std::string WordsFor(const RunDifference& difference);

// By digests; attempts are only looked at in the first round and problem whose digests differ.
// nullopt if the runs are equal. Errors: those of the stores.
absl::StatusOr<std::optional<RunDifference>> CompareRuns(const Store& store_a,
                                                         const RunRecord& run_a,
                                                         const Store& store_b,
                                                         const RunRecord& run_b);

}  // namespace hearsay

#endif  // HEARSAY_TOOLS_RUN_COMPARE_H_
