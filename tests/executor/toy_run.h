// Small worlds whose outcomes can be told by hand, and runs over them.
#ifndef HEARSAY_TESTS_EXECUTOR_TOY_RUN_H_
#define HEARSAY_TESTS_EXECUTOR_TOY_RUN_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "executor/executor.h"
#include "tasks/world.h"

namespace hearsay {

// A separable world: the speed of a point is the sum of the effects of its values, in lg units, and
// every point passes. Knob 0 is the move; where it is 0 the speed is 0 whatever the others say.
class ToyWorld {
 public:
  // effects[k][v]; effects[k][0] is 0. All values but the trivial ones have `difficulty`.
  ToyWorld(const std::vector<std::vector<int>>& effects, int difficulty) {
    world_ = World{};
    world_.knob_count = static_cast<int32_t>(effects.size());
    int stride = 1;
    for (int k = 0; k < kMaxKnobs; ++k) {
      const bool used = k < world_.knob_count;
      world_.value_count[k] = static_cast<uint8_t>(used ? effects[k].size() : 1);
      world_.kind[k] = k == 0 ? KnobKind::kMove : KnobKind::kTile;
      world_.stride[k] = static_cast<uint16_t>(used ? stride : 0);
      if (used) stride *= world_.value_count[k];
      for (int v = 0; v < kMaxValues; ++v) {
        world_.best_with_lg[k][v] = world_.best_without_lg[k][v] = kNoSpeed;
        if (used && v > 0 && v < world_.value_count[k]) {
          world_.difficulty[k][v] = static_cast<uint8_t>(difficulty);
        }
      }
    }
    world_.point_count = stride;
    for (int point = 0; point < stride; ++point) {
      int speed = 0;
      for (int k = 0; k < world_.knob_count; ++k) speed += effects[k][ValueAt(point, k)];
      entries_.push_back(Entry::Speed(ValueAt(point, 0) == 0 ? 0 : speed));
    }
    Derive();
  }

  // Makes every point with this value end in `status`.
  void Break(int knob, int value, Status status) {
    for (int point = 0; point < world_.point_count; ++point) {
      if (ValueAt(point, knob) == value) entries_[point] = Entry::Failure(status);
    }
    Derive();
  }

  World world() const {
    World world = world_;
    world.entries = entries_.data();
    return world;
  }

  int ValueAt(int point, int knob) const {
    return point / world_.stride[knob] % world_.value_count[knob];
  }

 private:
  void Derive() {
    world_.best_lg = 0;
    for (int k = 0; k < world_.knob_count; ++k) {
      for (int v = 0; v < world_.value_count[k]; ++v) {
        world_.best_with_lg[k][v] = world_.best_without_lg[k][v] = kNoSpeed;
        for (int point = 0; point < world_.point_count; ++point) {
          if (!entries_[point].ok()) continue;
          const auto speed = static_cast<int16_t>(entries_[point].speed_lg());
          int16_t& best =
              ValueAt(point, k) == v ? world_.best_with_lg[k][v] : world_.best_without_lg[k][v];
          best = std::max(best, speed);
          world_.best_lg = std::max(world_.best_lg, speed);
        }
      }
    }
  }

  World world_;
  std::vector<Entry> entries_;
};

// An author of average habits who makes no mistakes.
inline AgentProfile FlawlessAgent() {
  AgentProfile agent{};
  agent.skill[0] = agent.skill[1] = 4000;
  agent.pace_seconds = 60;
  agent.note_capacity = 16;
  agent.prior_quality = kCertain / 2;
  agent.boldness = kCertain;
  agent.trust = kCertain;
  agent.hedge_discount = agent.foreign_discount = kCertain;
  agent.measuring = kCertain;
  agent.fidelity = kCertain;
  return agent;
}

// An author who has no time for a submission and no habits but to copy what it reads.
inline AgentProfile Copyist(Chance fidelity) {
  AgentProfile agent{};
  agent.pace_seconds = 1 << 16;
  agent.note_capacity = kMaxNoteClaims;
  agent.fidelity = fidelity;
  return agent;
}

// A run over `problems` copies of one world.
struct ToyRun {
  ToyRun(const World& world, int problems, int lanes, std::vector<AgentProfile> profiles)
      : worlds(problems * kDslCount, world),
        priors(problems * kDslCount, MakePriorTable(world)),
        agents(std::move(profiles)),
        biases(agents.size() * problems) {
    for (size_t i = 0; i < biases.size(); ++i) {
      biases[i].Draw(Draws(1, Stream::kBias, static_cast<uint32_t>(i), 0, 0), 0);
    }
    for (int p = 0; p < problems; ++p) index.push_back(p);
    tables.seed = 1;
    tables.problem_count = problems;
    tables.lanes = lanes;
    tables.agent_count = static_cast<int32_t>(agents.size());
    tables.worlds = worlds.data();
    tables.priors = priors.data();
    tables.biases = biases.data();
    tables.problem_index = index.data();
    tables.agents = agents.data();
  }

  // The CPU executor, ready for round 0.
  std::unique_ptr<Executor> Start(int threads) { return Start(NewCpuExecutor(tables, threads)); }
  // The same of an executor of `tables`.
  std::unique_ptr<Executor> Start(std::unique_ptr<Executor> executor) {
    EXPECT_TRUE(executor->RunBaselines(&baselines).ok());
    tables.baselines = baselines.data();
    return executor;
  }

  // The state after the last round.
  std::vector<Outcome> Outcomes(Executor* executor) const {
    const auto state = executor->State();
    EXPECT_TRUE(state.ok());
    return {state->outcomes, state->outcomes + tables.problem_count * tables.lanes};
  }
  std::vector<WrittenNote> Notes(Executor* executor) const {
    const auto state = executor->State();
    EXPECT_TRUE(state.ok());
    return {state->notes, state->notes + tables.problem_count * tables.lanes};
  }

  std::vector<World> worlds;
  std::vector<PriorTable> priors;
  std::vector<int32_t> index;
  std::vector<AgentProfile> agents;
  std::vector<PriorNoise> biases;
  std::vector<Outcome> baselines;
  RunTables tables;
};

}  // namespace hearsay

#endif  // HEARSAY_TESTS_EXECUTOR_TOY_RUN_H_
