// The engine: executes a plan round by round into a store, or resumes a run that was stopped.
#ifndef HEARSAY_ROUNDS_ENGINE_H_
#define HEARSAY_ROUNDS_ENGINE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "executor/executor.h"
#include "kb/store.h"
#include "rounds/plan.pb.h"

namespace hearsay {

struct RunProgress {
  int run = 0;
  std::string executor;  // Executor::name()
  int rounds_done = 0;
  int rounds = 0;
  int64_t attempts_done = 0;  // by this process
  int64_t attempts = 0;       // that this process has to do
};

struct RunOptions {
  int threads = 1;
  ExecutorKind executor = ExecutorKind::kCpu;
  // Told of every round once it is computed, from the engine's thread. May be empty.
  std::function<void(const RunProgress&)> progress;
  // With a retention that drops rounds (kb/retention.h): the run is folded when it has grown by
  // this many rounds, and half as many as it keeps whole.
  int rounds_to_fold = 16;
  // Becomes true when the run is to stop after the round in flight. May be null.
  const std::atomic<bool>* stop = nullptr;
};

// The record of a run as the store has it after the engine is done with it.
// Errors of both: those of the store; a round that could not be committed is named, and all before
// it stand; kInvalidArgument where a round is committed in which nobody wrote a pinned claim.

// Executes a new run. REQUIRES: `plan` is complete.
absl::StatusOr<RunRecord> ExecutePlan(const Plan& plan, const RunOptions& options, Store* store);

// Goes on with run `run`, or with the latest run that is not complete where `run` is 0.
// Errors: kNotFound (no such run), kFailedPrecondition (the run is complete, or this build models
// other landscapes than the run began with), kDataLoss (a round computed again has another digest).
absl::StatusOr<RunRecord> ResumeRun(int run, const RunOptions& options, Store* store);

}  // namespace hearsay

#endif  // HEARSAY_ROUNDS_ENGINE_H_
