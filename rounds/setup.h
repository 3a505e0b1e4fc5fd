// A plan made ready to run: landscapes, agents and the tables that lanes share.
#ifndef HEARSAY_ROUNDS_SETUP_H_
#define HEARSAY_ROUNDS_SETUP_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "executor/tables.h"
#include "rounds/plan.pb.h"
#include "tasks/landscape.h"

namespace hearsay {

// Immutable but for the baselines, which the engine fills in. Not movable: `tables` points into it.
struct RunSetup {
  RunSetup() = default;
  RunSetup(const RunSetup&) = delete;
  RunSetup& operator=(const RunSetup&) = delete;

  Plan plan;
  std::unique_ptr<Atlas> atlas;
  std::vector<int32_t> problems;   // indexes, ascending; a slot is a position in here
  std::vector<World> worlds;       // [slot][DSL]
  std::vector<PriorTable> priors;  // [slot][DSL]
  std::vector<AgentProfile> agents;
  std::vector<PriorNoise> biases;  // [agent][slot]
  std::vector<Outcome> baselines;
  RunTables tables;
  uint64_t worlds_digest = 0;
};

// Models the landscapes of `problems` with `threads` threads and lays out the tables;
// tables.baselines is left null. REQUIRES: `plan` is complete; `problems` are among the plan's,
// ascending.
absl::StatusOr<std::unique_ptr<RunSetup>> PrepareRun(const Plan& plan, std::vector<int> problems,
                                                     int threads);

// The same for all problems of the plan.
absl::StatusOr<std::unique_ptr<RunSetup>> PrepareRun(const Plan& plan, int threads);

}  // namespace hearsay

#endif  // HEARSAY_ROUNDS_SETUP_H_
