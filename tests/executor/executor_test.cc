#include "executor/executor.h"

#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <vector>

#include "tests/executor/toy_run.h"

namespace hearsay {
namespace {

ToyRun MakeRun(const World& world) {
  AgentProfile clumsy = FlawlessAgent();
  clumsy.skill[0] = clumsy.skill[1] = 16;
  clumsy.closing_failed = clumsy.closing_untried = clumsy.asserting = kCertain / 2;
  clumsy.hedging = clumsy.hedge_loss = clumsy.generalising = kCertain / 4;
  AgentProfile hopeless = clumsy;  // so that some attempts fail
  hopeless.skill[0] = hopeless.skill[1] = -100;
  return ToyRun(world, 3, 300, {FlawlessAgent(), clumsy, hopeless});
}

const World& TestWorld() {
  static const ToyWorld& toy =
      *new ToyWorld({{0, 500, 900}, {0, 300, -300}, {0, -100, 200, 600}, {0, 50}}, 10);
  static const World& world = *new World(toy.world());
  return world;
}

std::vector<std::vector<uint64_t>> Digests(const ToyRun& prototype, int threads, int rounds) {
  ToyRun run(TestWorld(), 3, 300, prototype.agents);
  run.tables.topology = prototype.tables.topology;
  run.tables.policies = prototype.tables.policies;
  run.tables.dsl_schedule = prototype.tables.dsl_schedule;
  run.tables.agents_rotate = prototype.tables.agents_rotate;
  const auto executor = run.Start(threads);
  std::vector<std::vector<uint64_t>> all;
  for (int round = 0; round < rounds; ++round) {
    std::vector<uint64_t> digests;
    executor->RunRound(round, nullptr, &digests);
    all.push_back(digests);
  }
  return all;
}

TEST(Executor, GivesTheSameBitsWithAnyNumberOfThreads) {
  for (const TopologyKind kind :
       {TopologyKind::kRelay, TopologyKind::kFanout, TopologyKind::kPool}) {
    for (const Selection selection :
         {Selection::kUniform, Selection::kBest, Selection::kStanding}) {
      if (kind != TopologyKind::kPool && selection != Selection::kUniform) continue;
      for (const bool rotate : {false, true}) {
        ToyRun run = MakeRun(TestWorld());
        run.tables.topology = {kind, 2, 5, selection};
        run.tables.agents_rotate = rotate;
        run.tables.dsl_schedule = rotate ? DslSchedule::kRandom : DslSchedule::kAlternate;
        run.tables.policies.retract = kCertain / 2;
        run.tables.policies.standing_gate = rotate ? kCertain / 4 : 0;
        EXPECT_EQ(Digests(run, 1, 6), Digests(run, 3, 6));
      }
    }
  }
}

TEST(Executor, DependsOnTheSeedAndOnEveryPolicy) {
  const ToyRun base = MakeRun(TestWorld());
  std::set<std::vector<uint64_t>> last = {Digests(base, 2, 8).back()};
  const std::vector<int32_t Policies::*> members = {
      &Policies::drop_failed_source, &Policies::standing_gate, &Policies::verify_gate,
      &Policies::evidence_only,      &Policies::keep_hedges,   &Policies::retract,
      &Policies::retract_false};
  for (int32_t Policies::*member : members) {
    ToyRun run = MakeRun(TestWorld());
    run.tables.policies.*member = kCertain;
    EXPECT_TRUE(last.insert(Digests(run, 2, 8).back()).second);
  }
  ToyRun run = MakeRun(TestWorld());
  run.tables.policies.ttl_rounds = 2;
  EXPECT_TRUE(last.insert(Digests(run, 2, 8).back()).second);
}

TEST(Executor, VisitsEveryLaneOnceInChunksInOrder) {
  ToyRun run = MakeRun(TestWorld());
  const auto executor = run.Start(3);
  std::mutex mutex;
  std::set<std::pair<int, int>> seen;
  std::vector<uint64_t> digests;
  executor->RunRound(
      0,
      [&](int chunk_index, const LaneChunk& chunk) {
        const std::lock_guard<std::mutex> lock(mutex);
        EXPECT_EQ(chunk_index, chunk.slot * 2 + chunk.first_lane / kChunkLanes);
        for (int i = 0; i < chunk.count; ++i) {
          EXPECT_TRUE(seen.insert({chunk.slot, chunk.first_lane + i}).second);
        }
      },
      &digests);
  EXPECT_EQ(seen.size(), 900u);
}

// A lane whose sources wrote nothing, or whose notes are all held back, is scored as its own solo.
TEST(Executor, ScoresALaneWithoutANoteAsItsOwnSolo) {
  for (const bool gated : {false, true}) {
    ToyRun run(TestWorld(), 1, 40, {FlawlessAgent()});
    if (gated) run.tables.policies.drop_failed_source = kCertain;
    const auto executor = run.Start(1);
    WrittenNote note;
    note.size = gated ? 1 : 0;
    note.claims[0] = Claim().WithKnob(1).WithValue(1).WithStance(Stance::kUse);
    executor->Restore(std::vector<Outcome>(40), std::vector<WrittenNote>(40, note),
                      {Retractions()});
    std::vector<uint64_t> digests;
    executor->RunRound(1, nullptr, &digests);
    for (int lane = 0; lane < 40; ++lane) {
      Outcome solo = run.tables.BaselineOf(0, lane, 0, DslOf(run.tables, 1, 0, lane));
      EXPECT_EQ(solo.reception, Reception::kSolo);
      solo.reception = gated ? Reception::kGated : Reception::kSkipped;
      EXPECT_EQ(executor->outcomes()[lane], solo);
    }
  }
}

TEST(Executor, PoolOfTheBestReadsTheBest) {
  ToyRun run(TestWorld(), 1, 20, {FlawlessAgent()});
  run.tables.topology = {TopologyKind::kPool, 1, 3, Selection::kBest};
  const auto executor = run.Start(1);
  std::vector<uint64_t> digests;
  executor->RunRound(0, nullptr, &digests);
  const std::vector<Outcome> before = executor->outcomes();
  executor->RunRound(
      1,
      [&](int, const LaneChunk& chunk) {
        for (int i = 0; i < chunk.count; ++i) {
          ASSERT_EQ(chunk.traces[i].source_count, 3);
          std::set<uint32_t> sources(chunk.traces[i].sources, chunk.traces[i].sources + 3);
          ASSERT_EQ(sources.size(), 3u);
          for (uint32_t lane = 0; lane < 20; ++lane) {
            if (sources.count(lane) != 0) continue;
            for (uint32_t source : sources) {
              EXPECT_GE(before[source].speed_lg, before[lane].speed_lg);
            }
          }
        }
      },
      &digests);
}

}  // namespace
}  // namespace hearsay
