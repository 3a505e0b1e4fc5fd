// Executors: they run the lanes of a round, on whatever hardware, to the same bits.
//
// An executor keeps the state between rounds; the engine (rounds/) tells it which round comes next
// and reads the results lane by lane. One thread drives an executor.
#ifndef HEARSAY_EXECUTOR_EXECUTOR_H_
#define HEARSAY_EXECUTOR_EXECUTOR_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
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

  // For people: "cpu, threads 2", "cuda, NVIDIA H200".
  virtual std::string name() const = 0;

  // Errors of all below: kResourceExhausted (the plan does not fit the device), kInternal (the
  // device failed). The CPU executor has none.

  // Computes the solo baselines of all lanes, laid out as RunTables::baselines.
  virtual absl::Status RunBaselines(std::vector<Outcome>* baselines) = 0;

  // Runs round `round` from the state after round - 1 and keeps the new state. Adds up the digests
  // of each problem slot in `problem_digests` [problem_count]. REQUIRES: rounds are run in order
  // from 0, or from the round after the one given to Restore.
  virtual absl::Status RunRound(int round, const ChunkVisitor& visit,
                                std::vector<uint64_t>* problem_digests) = 0;

  // Makes outcomes and notes, [problem_count * lanes] each, and what was refuted [problem_count],
  // the state after some round.
  virtual absl::Status Restore(std::vector<Outcome> outcomes, std::vector<WrittenNote> notes,
                               std::vector<Retractions> retractions) = 0;

  // The state after the last round, [problem_count * lanes] each; valid until the next call.
  virtual absl::StatusOr<RoundState> State() = 0;
};

// Lanes of one chunk at most.
inline constexpr int kChunkLanes = 1024;

// Of all executors: `run` and all it points to must outlive the executor, and `run.baselines` must
// be set before the first round after round 0.

// Runs on the CPU with `threads` threads.
std::unique_ptr<Executor> NewCpuExecutor(const RunTables& run, int threads);

enum class ExecutorKind { kAuto, kCpu, kCuda };

// The executor of a kind; kAuto takes the GPUs if there are any and this build can use them, else
// the CPU. `threads` compute on the CPU, or else visit what a GPU computed.
// Errors: kFailedPrecondition (kCuda: no GPU, or a build without CUDA), kResourceExhausted.
absl::StatusOr<std::unique_ptr<Executor>> NewExecutor(ExecutorKind kind, const RunTables& run,
                                                      int threads);

}  // namespace hearsay

#endif  // HEARSAY_EXECUTOR_EXECUTOR_H_
