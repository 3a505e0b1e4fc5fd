// Turns what lanes did into blocks for the store, giving every claim its id.
//
// Begin, then Chunk for each chunk of the round, from any thread, then End; one round at a time.
#ifndef HEARSAY_ROUNDS_RECORDER_H_
#define HEARSAY_ROUNDS_RECORDER_H_

#include <vector>

#include "executor/executor.h"
#include "kb/block.h"
#include "kb/store.h"
#include "rounds/setup.h"

namespace hearsay {

// What a round adds to the store.
struct RecordedRound {
  RoundRecord record;
  std::vector<EncodedBlock> blocks;
};

class Recorder {
 public:
  // `setup` must outlive the recorder. Without `with_claims` notes and claims are left out (record
  // mode "summary").
  Recorder(const RunSetup& setup, int run, bool with_claims);

  // The ids of the claims in the notes of the round before, as in StoredState::ids.
  void Restore(std::vector<ClaimId> ids);

  void Begin(int round);
  void Chunk(int chunk_index, const LaneChunk& chunk);
  RecordedRound End(const std::vector<uint64_t>& problem_digests);

 private:
  struct ChunkCounts {
    int64_t passed = 0;
    int64_t claims_born = 0;
    int64_t notes_with_closure = 0;
  };

  void FillBlock(const LaneChunk& chunk, AttemptBlock* block, ChunkCounts* counts);
  void AddClaims(int64_t lane_index, AttemptId attempt, int slot, const LaneTrace& trace,
                 const WrittenNote& note, AttemptBlock* block);

  const RunSetup& setup_;
  const int run_;
  const bool with_claims_;
  const int chunks_a_problem_;
  int round_ = 0;
  std::vector<EncodedBlock> encoded_;
  std::vector<ChunkCounts> counts_;
  std::vector<ClaimId> ids_;       // of the notes of the round before
  std::vector<ClaimId> next_ids_;  // of this round's
};

}  // namespace hearsay

#endif  // HEARSAY_ROUNDS_RECORDER_H_
