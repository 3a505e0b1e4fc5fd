// The state of a run between two rounds, read back from the store.
#ifndef HEARSAY_ROUNDS_STATE_H_
#define HEARSAY_ROUNDS_STATE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "executor/intake.h"
#include "executor/note.h"
#include "kb/ids.h"
#include "kb/store.h"
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

}  // namespace hearsay

#endif  // HEARSAY_ROUNDS_STATE_H_
