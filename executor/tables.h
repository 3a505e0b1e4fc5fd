// What the lanes of a run share, as plain values and pointers: the same on host and device.
#ifndef HEARSAY_EXECUTOR_TABLES_H_
#define HEARSAY_EXECUTOR_TABLES_H_

#include <cstdint>

#include "executor/agent.h"
#include "executor/beliefs.h"
#include "executor/intake.h"
#include "executor/note.h"
#include "executor/policy.h"
#include "tasks/outcome.h"
#include "tasks/world.h"

namespace hearsay {

enum class TopologyKind : uint8_t { kRelay = 0, kFanout = 1, kPool = 2 };
enum class Selection : uint8_t { kUniform = 0, kBest = 1, kStanding = 2 };

struct Topology {
  TopologyKind kind = TopologyKind::kRelay;
  int32_t fan = 1;      // kFanout: receivers of a note
  int32_t sources = 1;  // kPool: notes a lane reads, at most kMaxSources
  Selection selection = Selection::kUniform;
};

enum class DslSchedule : uint8_t {
  kAlternate = 0,  // every lane changes DSL from round to round
  kFixed = 1,      // every lane keeps the DSL it begins with
  kRandom = 2,     // drawn anew each round
  kCuteOnly = 3,
  kTirxOnly = 4,
};

// Problems are counted by slot: position among the run's problems. A lane of a slot is one of
// `lanes`.
struct RunTables {
  uint64_t seed = 0;
  int32_t problem_count = 0;
  int32_t lanes = 0;
  int32_t agent_count = 0;
  bool agents_rotate = false;
  DslSchedule dsl_schedule = DslSchedule::kAlternate;
  Topology topology;
  Policies policies;
  const World* worlds = nullptr;           // [problem_count][kDslCount]
  const PriorTable* priors = nullptr;      // [problem_count][kDslCount]
  const PriorNoise* biases = nullptr;      // [agent_count][problem_count]
  const int32_t* problem_index = nullptr;  // [problem_count]: index among all problems
  const AgentProfile* agents = nullptr;    // [agent_count]
  const Outcome* baselines = nullptr;      // [problem_count][lanes][agent_slots()][kDslCount]

  HEARSAY_HD int agent_slots() const { return agents_rotate ? agent_count : 1; }
  HEARSAY_HD int AgentOf(int round, int lane) const {
    return agents_rotate ? (lane + round) % agent_count : lane % agent_count;
  }
  HEARSAY_HD const World& WorldOf(int slot, Dsl dsl) const {
    return worlds[slot * kDslCount + static_cast<int>(dsl)];
  }
  HEARSAY_HD const PriorTable& PriorsOf(int slot, Dsl dsl) const {
    return priors[slot * kDslCount + static_cast<int>(dsl)];
  }
  HEARSAY_HD const PriorNoise& BiasOf(int agent, int slot) const {
    return biases[agent * problem_count + slot];
  }
  HEARSAY_HD const Outcome& BaselineOf(int slot, int lane, int agent, Dsl dsl) const {
    const int agent_slot = agents_rotate ? agent : 0;
    return baselines[((static_cast<int64_t>(slot) * lanes + lane) * agent_slots() + agent_slot) *
                         kDslCount +
                     static_cast<int>(dsl)];
  }
};

// The state of a run after one round, lane by lane: element slot * lanes + lane.
struct RoundState {
  Outcome* outcomes = nullptr;
  WrittenNote* notes = nullptr;
};

// What selecting sources needs to know of the round before, computed once a round for each problem.
struct Ranking {
  // [problem_count][lanes]: lanes in order of preference. For kBest by result, best first; for
  // kStanding by tier, highest first, then by lane.
  const uint32_t* order = nullptr;
  // [problem_count][2]: how many lanes stand at tier 2, and at tier 1 or above.
  const uint32_t* tier_ends = nullptr;
  const Retractions* retractions = nullptr;  // [problem_count]
};

}  // namespace hearsay

#endif  // HEARSAY_EXECUTOR_TABLES_H_
