// Worlds in which what must come out is known without simulating.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tasks/truth.h"
#include "tests/executor/toy_run.h"

namespace hearsay {
namespace {

Claim FalseClosure(int knob, int value, Stance stance) {
  return Claim()
      .WithKnob(knob)
      .WithValue(value)
      .WithLabel(Label::kUnsupportedClosure)
      .WithStance(stance)
      .WithGeneral(true)
      .WithConfidence(15);
}

World TwoKnobs() {
  static const ToyWorld& toy = *new ToyWorld({{0, 300}, {0, 300, -200, 600}}, 8);
  return toy.world();
}

// The state after round 0 with `note` in the first `holders` lanes of each problem, nothing
// elsewhere.
void Seed(const ToyRun& run, const std::vector<Claim>& note, int holders, Executor* executor) {
  const size_t lanes = static_cast<size_t>(run.tables.problem_count) * run.tables.lanes;
  std::vector<WrittenNote> notes(lanes);
  for (size_t i = 0; i < lanes; ++i) {
    if (static_cast<int>(i % run.tables.lanes) >= holders) continue;
    notes[i].size = static_cast<uint8_t>(note.size());
    for (size_t c = 0; c < note.size(); ++c) notes[i].claims[c] = note[c];
  }
  ASSERT_TRUE(executor
                  ->Restore(std::vector<Outcome>(lanes), std::move(notes),
                            std::vector<Retractions>(run.tables.problem_count))
                  .ok());
}

void Round(int round, Executor* executor) {
  std::vector<uint64_t> digests;
  ASSERT_TRUE(executor->RunRound(round, nullptr, &digests).ok());
}

int64_t Carriers(const ToyRun& run, Executor* executor) {
  int64_t carriers = 0;
  for (const WrittenNote& note : run.Notes(executor)) carriers += note.size;
  return carriers;
}

// A relay in which claims are copied with chance c and nothing else happens: survival is geometric,
// so that after t rounds a share c^t is left and the half-life is ln 2 / -ln c.
TEST(AnalyticWorld, RelayWithCopyingChanceDecaysGeometrically) {
  constexpr double kCopy = 0.9;
  constexpr int kLanes = 4000;
  ToyRun run(TwoKnobs(), 5, kLanes, {Copyist(static_cast<Chance>(kCopy * kCertain))});
  const auto executor = run.Start(2);
  Seed(run, {FalseClosure(1, 3, Stance::kNotWorthIt)}, kLanes, executor.get());
  const double born = 5.0 * kLanes;
  double half_life = 0;
  double before = born;
  for (int round = 1; round <= 30; ++round) {
    Round(round, executor.get());
    const double left = static_cast<double>(Carriers(run, executor.get()));
    const double share = std::pow(kCopy, round);
    EXPECT_NEAR(left, born * share, 5 * std::sqrt(born * share * (1 - share))) << round;
    if (half_life == 0 && left <= born / 2) {
      half_life = round - 1 + std::log(before / (born / 2)) / std::log(before / left);
    }
    before = left;
  }
  EXPECT_NEAR(half_life, std::log(2) / -std::log(kCopy), 0.15);
}

TEST(AnalyticWorld, PerfectCopyingNeverLosesAClaim) {
  for (const TopologyKind kind : {TopologyKind::kRelay, TopologyKind::kFanout}) {
    ToyRun run(TwoKnobs(), 2, 50, {Copyist(kCertain)});
    run.tables.topology.kind = kind;
    run.tables.topology.fan = 2;
    const auto executor = run.Start(1);
    Seed(run, {FalseClosure(1, 3, Stance::kNotWorthIt), FalseClosure(1, 1, Stance::kInfeasible)},
         50, executor.get());
    for (int round = 1; round <= 100; ++round) Round(round, executor.get());
    EXPECT_EQ(Carriers(run, executor.get()), 2 * 50 * 2);
  }
}

// A neutral pool (each lane copies one lane drawn at random) is a Wright-Fisher population: a claim
// goes to fixation with a chance equal to its frequency at the start.
TEST(AnalyticWorld, NeutralPoolFixesAClaimWithItsStartingFrequency) {
  constexpr int kProblems = 2000;
  constexpr int kLanes = 10;
  constexpr int kHolders = 3;
  ToyRun run(TwoKnobs(), kProblems, kLanes, {Copyist(kCertain)});
  run.tables.topology.kind = TopologyKind::kPool;
  run.tables.topology.sources = 1;
  const auto executor = run.Start(2);
  Seed(run, {FalseClosure(1, 3, Stance::kNotWorthIt)}, kHolders, executor.get());
  for (int round = 1; round <= 200; ++round) Round(round, executor.get());
  const std::vector<WrittenNote> notes = run.Notes(executor.get());
  int fixed = 0;
  for (int p = 0; p < kProblems; ++p) {
    int carriers = 0;
    for (int lane = 0; lane < kLanes; ++lane) carriers += notes[p * kLanes + lane].size;
    ASSERT_TRUE(carriers == 0 || carriers == kLanes) << "neither lost nor fixed after 200 rounds";
    fixed += carriers == kLanes;
  }
  const double share = static_cast<double>(kHolders) / kLanes;
  EXPECT_NEAR(fixed, kProblems * share, 5 * std::sqrt(kProblems * share * (1 - share)));
}

// With verify_gate at 1 and authors without bugs a false closure does not survive contact with an
// attempt that can test it; with the gate at 0 it is obeyed and passed on.
TEST(AnalyticWorld, VerifyGateEndsFalseClosuresAtFirstContact) {
  const std::vector<Claim> note = {FalseClosure(1, 3, Stance::kNotWorthIt),
                                   FalseClosure(1, 1, Stance::kInfeasible)};
  const World world = TwoKnobs();
  for (const Claim claim : note) ASSERT_EQ(TruthOf(world, claim), Truth::kFalse);
  int64_t left[2];
  for (const bool gated : {false, true}) {
    ToyRun run(world, 4, 200, {FlawlessAgent()});
    run.tables.policies.verify_gate = gated ? kCertain : 0;
    const auto executor = run.Start(2);
    Seed(run, note, 200, executor.get());
    Round(1, executor.get());
    left[gated] = 0;
    for (const WrittenNote& written : run.Notes(executor.get())) {
      for (int i = 0; i < written.size; ++i) {
        left[gated] +=
            written.claims[i].is_closure() && TruthOf(world, written.claims[i]) == Truth::kFalse;
      }
    }
  }
  EXPECT_GT(left[0], 800) << "without the gate most of 1,600 false closures must live on";
  EXPECT_EQ(left[1], 0);
}

}  // namespace
}  // namespace hearsay
