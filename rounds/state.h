// A recorded run made ready to go on, and its state between two rounds, read back from the store.
#ifndef HEARSAY_ROUNDS_STATE_H_
#define HEARSAY_ROUNDS_STATE_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "executor/intake.h"
#include "executor/note.h"
#include "kb/ids.h"
#include "kb/store.h"
#include "rounds/setup.h"
#include "tasks/outcome.h"

namespace hearsay {

// Lane by lane, for some problems of a run: element slot * lanes + lane.
struct StoredState {
  std::vector<Outcome> outcomes;
  std::vector<WrittenNote> notes;  // claims and sizes only; changes and parents are of no use here
  std::vector<ClaimId> ids;        // [slot * lanes + lane][kMaxNoteClaims]
  std::vector<Retractions> retractions;  // [slot]
};

// The state after `round`. Errors: those of the store; kDataLoss where the round is not whole.
// REQUIRES: the run was recorded with claims.
absl::StatusOr<StoredState> LoadState(const Store& store, int run, int round,
                                      const std::vector<int32_t>& problems, int lanes);

// One problem of a recorded run, with the baselines that are stored. Errors: those of the store and
// of PrepareRun.
absl::StatusOr<std::unique_ptr<RunSetup>> PrepareRecorded(const Store& store,
                                                          const RunRecord& record, int problem,
                                                          int threads);

}  // namespace hearsay

#endif  // HEARSAY_ROUNDS_STATE_H_
