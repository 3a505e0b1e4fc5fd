// Executors: they run the lanes of a round, on whatever hardware, to the same bits.
//
// An executor keeps the state between rounds; the engine (rounds/) tells it which round comes next
// and reads the results lane by lane. One thread drives an executor.
#ifndef HEARSAY_EXECUTOR_EXECUTOR_H_
#define HEARSAY_EXECUTOR_EXECUTOR_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "executor/lane.h"
#include "executor/tables.h"

namespace hearsay {

// Lanes [first_lane, first_lane + count) of one problem slot, with what they did in one round.
struct LaneChunk {
  int slot;
  int first_lane;
  int count;
  const Outcome* outcomes;   // [count]
  const WrittenNote* notes;  // [count]
  const LaneTrace* traces;   // [count]
};

class Executor {
 public:
  // Called for each chunk of a round as soon as it is computed, from any thread, each chunk once.
  // `chunk_index` counts chunks in order of slot and lane.
  using ChunkVisitor = std::function<void(int chunk_index, const LaneChunk& chunk)>;

  virtual ~Executor() = default;

  // Computes the solo baselines of all lanes, laid out as RunTables::baselines.
  virtual void RunBaselines(std::vector<Outcome>* baselines) = 0;

  // Runs round `round` from the state after round - 1 and keeps the new state. Adds up the digests
  // of each problem slot in `problem_digests` [problem_count]. REQUIRES: rounds are run in order
  // from 0, or from the round after the one given to Restore.
  virtual void RunRound(int round, const ChunkVisitor& visit,
                        std::vector<uint64_t>* problem_digests) = 0;

  // Makes outcomes and notes, [problem_count * lanes] each, and what was refuted [problem_count],
  // the state after some round.
  virtual void Restore(std::vector<Outcome> outcomes, std::vector<WrittenNote> notes,
                       std::vector<Retractions> retractions) = 0;

  // The state after the last round.
  virtual const std::vector<Outcome>& outcomes() const = 0;
  virtual const std::vector<WrittenNote>& notes() const = 0;
};

// Lanes of one chunk at most.
inline constexpr int kChunkLanes = 256;

// Runs on the CPU with `threads` threads. `run` and all it points to must outlive the executor, and
// `run.baselines` must be set before the first round after round 0.
std::unique_ptr<Executor> NewCpuExecutor(const RunTables& run, int threads);

}  // namespace hearsay

#endif  // HEARSAY_EXECUTOR_EXECUTOR_H_
