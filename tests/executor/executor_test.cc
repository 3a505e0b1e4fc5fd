#include "executor/executor.h"

#include <gtest/gtest.h>

#include <mutex>
#include <ostream>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "executor/device_executor.h"
#include "executor/ranking.h"
#include "tests/executor/toy_run.h"
#include "tests/executor/twin_device_testing.h"

namespace hearsay {
namespace {

ToyRun MakeRun(const World& world, int lanes = 300) {
  AgentProfile clumsy = FlawlessAgent();
  clumsy.skill[0] = clumsy.skill[1] = 16;
  clumsy.closing_failed = clumsy.closing_untried = clumsy.asserting = kCertain / 2;
  clumsy.hedging = clumsy.hedge_loss = clumsy.generalising = kCertain / 4;
  AgentProfile hopeless = clumsy;  // so that some attempts fail
  hopeless.skill[0] = hopeless.skill[1] = -100;
  return ToyRun(world, 3, lanes, {FlawlessAgent(), clumsy, hopeless});
}

const World& TestWorld() {
  static const ToyWorld& toy =
      *new ToyWorld({{0, 500, 900}, {0, 300, -300}, {0, -100, 200, 600}, {0, 50}}, 10);
  static const World& world = *new World(toy.world());
  return world;
}

using Devices = std::vector<std::unique_ptr<Device>>;
using MadeExecutor = absl::StatusOr<std::unique_ptr<Executor>>;

// A way to run the lanes of a round; all of them are to give the same bits.
struct Backend {
  const char* name;
  MadeExecutor (*make)(const RunTables& run);
};

void PrintTo(const Backend& backend, std::ostream* out) { *out << backend.name; }

MadeExecutor MakeTwin(const RunTables& run) {
  Devices devices;
  devices.push_back(NewTwinDevice());
  return NewDeviceExecutor(run, std::move(devices), 2);
}

// The smallest memory that holds one problem: all is done in batches and pieces.
MadeExecutor MakeSmallTwin(const RunTables& run) {
  for (int64_t memory_bytes = 1 << 18;; memory_bytes += 1 << 14) {
    Devices devices;
    devices.push_back(NewTwinDevice(memory_bytes));
    auto executor = NewDeviceExecutor(run, std::move(devices), 2, kChunkLanes);
    if (executor.ok() || !absl::IsResourceExhausted(executor.status())) return executor;
  }
}

// Two devices for three problems, one of which works in batches.
MadeExecutor MakeTwins(const RunTables& run) {
  for (int64_t memory_bytes = 1 << 18;; memory_bytes += 1 << 14) {
    Devices devices;
    devices.push_back(NewTwinDevice());
    devices.push_back(NewTwinDevice(memory_bytes));
    auto executor = NewDeviceExecutor(run, std::move(devices), 2, 2 * kChunkLanes);
    if (executor.ok() || !absl::IsResourceExhausted(executor.status())) return executor;
  }
}

const Backend kBackends[] = {
    {"Cpu", [](const RunTables& run) -> MadeExecutor { return NewCpuExecutor(run, 3); }},
    {"Twin", MakeTwin},
    {"SmallTwin", MakeSmallTwin},
    {"Twins", MakeTwins},
    {"Cuda", [](const RunTables& run) { return NewExecutor(ExecutorKind::kCuda, run, 2); }},
};

class ExecutorTest : public ::testing::TestWithParam<Backend> {
 protected:
  // An executor ready for round 0; null after a GPU was found missing, which skips the test.
  std::unique_ptr<Executor> Start(ToyRun* run) {
    auto executor = GetParam().make(run->tables);
    EXPECT_TRUE(executor.ok()) << executor.status();
    return executor.ok() ? run->Start(*std::move(executor)) : nullptr;
  }

  void SetUp() override {
    if (absl::string_view(GetParam().name) != "Cuda") return;
    const auto devices = CudaDevices();
    if (absl::IsFailedPrecondition(devices.status())) {
      GTEST_SKIP() << "the CUDA executor is NOT tested: " << devices.status().message();
    }
  }
};

INSTANTIATE_TEST_SUITE_P(All, ExecutorTest, ::testing::ValuesIn(kBackends),
                         [](const auto& info) { return std::string(info.param.name); });

bool SameNotes(const std::vector<WrittenNote>& a, const std::vector<WrittenNote>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const WrittenNote& x, const WrittenNote& y) {
                      bool same = x.size == y.size;
                      for (int i = 0; same && i < x.size; ++i) {
                        same = x.claims[i] == y.claims[i] && x.change[i] == y.change[i] &&
                               x.parent[i] == y.parent[i];
                      }
                      return same;
                    });
}

// What an executor showed of a round, chunk by chunk put together again.
struct Shown {
  std::vector<uint64_t> digests;
  std::vector<Outcome> outcomes;
  std::vector<WrittenNote> notes;
  std::vector<LaneTrace> traces;
  int lanes_shown = 0;
};

Shown Show(const RunTables& run, int round, Executor* executor) {
  Shown shown;
  const size_t lanes = static_cast<size_t>(run.problem_count) * run.lanes;
  shown.outcomes.resize(lanes);
  shown.notes.resize(lanes);
  shown.traces.resize(lanes);
  std::mutex mutex;
  const auto visit = [&](int chunk_index, const LaneChunk& chunk) {
    const std::lock_guard<std::mutex> lock(mutex);
    const int chunks_a_problem = (run.lanes + kChunkLanes - 1) / kChunkLanes;
    EXPECT_EQ(chunk_index, chunk.slot * chunks_a_problem + chunk.first_lane / kChunkLanes);
    EXPECT_LE(chunk.count, kChunkLanes);
    for (int i = 0; i < chunk.count; ++i) {
      const int64_t lane = static_cast<int64_t>(chunk.slot) * run.lanes + chunk.first_lane + i;
      shown.outcomes[lane] = chunk.outcomes[i];
      shown.notes[lane] = chunk.notes[i];
      shown.traces[lane] = chunk.traces[i];
      ++shown.lanes_shown;
    }
  };
  EXPECT_TRUE(executor->RunRound(round, visit, &shown.digests).ok());
  return shown;
}

void ExpectEqualTraces(const LaneTrace& a, const LaneTrace& b) {
  ASSERT_EQ(a.source_count, b.source_count);
  for (int s = 0; s < a.source_count; ++s) ASSERT_EQ(a.sources[s], b.sources[s]);
  ASSERT_EQ(a.intake.size, b.intake.size);
  for (int i = 0; i < a.intake.size; ++i) {
    ASSERT_EQ(a.intake.claims[i].bits, b.intake.claims[i].bits);
    ASSERT_EQ(a.intake.origin[i][0], b.intake.origin[i][0]);
    ASSERT_EQ(a.intake.origin[i][1], b.intake.origin[i][1]);
    const int source = a.intake.origin[i][0] >> 5;
    ASSERT_EQ(a.passed_on[source], b.passed_on[source]);
  }
}

// All that can be seen of `rounds` rounds is what the CPU computes with one thread; every second
// round nobody looks at.
void ExpectLikeTheCpu(ToyRun* run, Executor* executor, int rounds) {
  ToyRun again(run->worlds[0], run->tables.problem_count, run->tables.lanes, run->agents);
  again.tables = run->tables;
  const auto cpu = again.Start(1);
  ASSERT_EQ(run->baselines, again.baselines);
  for (int round = 0; round < rounds; ++round) {
    const Shown expected = Show(again.tables, round, cpu.get());
    if (round % 2 == 1) {
      std::vector<uint64_t> digests;
      ASSERT_TRUE(executor->RunRound(round, nullptr, &digests).ok());
      ASSERT_EQ(digests, expected.digests) << "round " << round;
      continue;
    }
    const Shown shown = Show(run->tables, round, executor);
    ASSERT_EQ(shown.digests, expected.digests) << "round " << round;
    ASSERT_EQ(shown.lanes_shown, static_cast<int>(expected.outcomes.size()));
    ASSERT_EQ(shown.outcomes, expected.outcomes);
    ASSERT_TRUE(SameNotes(shown.notes, expected.notes));
    for (size_t i = 0; i < shown.traces.size(); ++i) {
      ExpectEqualTraces(shown.traces[i], expected.traces[i]);
    }
  }
  ASSERT_EQ(run->Outcomes(executor), again.Outcomes(cpu.get()));
  ASSERT_TRUE(SameNotes(run->Notes(executor), again.Notes(cpu.get())));
}

std::vector<Policies> AllPolicies() {
  std::vector<Policies> all(1);
  for (int32_t Policies::*member :
       {&Policies::drop_failed_source, &Policies::standing_gate, &Policies::verify_gate,
        &Policies::evidence_only, &Policies::keep_hedges, &Policies::retract,
        &Policies::retract_false}) {
    all.emplace_back().*member = kCertain / 2;
  }
  all.emplace_back().ttl_rounds = 2;
  return all;
}

const Topology kTopologies[] = {
    {TopologyKind::kRelay, 1, 1, Selection::kUniform},
    {TopologyKind::kFanout, 2, 1, Selection::kUniform},
    {TopologyKind::kPool, 1, 5, Selection::kUniform},
    {TopologyKind::kPool, 1, 5, Selection::kBest},
    {TopologyKind::kPool, 1, 5, Selection::kStanding},
};
const DslSchedule kSchedules[] = {DslSchedule::kAlternate, DslSchedule::kFixed,
                                  DslSchedule::kRandom, DslSchedule::kCuteOnly,
                                  DslSchedule::kTirxOnly};

TEST_P(ExecutorTest, GivesTheBitsOfOneCpuThreadUnderEveryTopologyPolicyAndSchedule) {
  const ToyRun prototype = MakeRun(TestWorld());
  for (const Topology& topology : kTopologies) {
    for (const Policies& policies : AllPolicies()) {
      for (const DslSchedule schedule : kSchedules) {
        for (const bool rotate : {false, true}) {
          ToyRun run(TestWorld(), 3, 25, prototype.agents);
          run.tables.topology = topology;
          run.tables.policies = policies;
          run.tables.dsl_schedule = schedule;
          run.tables.agents_rotate = rotate;
          const auto executor = Start(&run);
          ASSERT_NE(executor, nullptr);
          ASSERT_NO_FATAL_FAILURE(ExpectLikeTheCpu(&run, executor.get(), 3));
        }
      }
    }
  }
}

// More lanes than a chunk holds, and not a whole number of chunks.
TEST_P(ExecutorTest, GivesTheBitsOfOneCpuThreadOverManyChunks) {
  for (const Topology& topology : kTopologies) {
    ToyRun run = MakeRun(TestWorld(), kChunkLanes + 44);
    run.tables.topology = topology;
    run.tables.policies.retract = kCertain / 2;
    const auto executor = Start(&run);
    ASSERT_NE(executor, nullptr);
    ASSERT_NO_FATAL_FAILURE(ExpectLikeTheCpu(&run, executor.get(), 6));
  }
}

TEST_P(ExecutorTest, GoesOnFromAStateThatWasRestored) {
  for (const Topology& topology : kTopologies) {
    ToyRun run = MakeRun(TestWorld());
    run.tables.topology = topology;
    run.tables.policies.retract_false = kCertain / 8;
    const auto whole = Start(&run);
    ASSERT_NE(whole, nullptr);
    Shown shown;
    for (int round = 0; round < 3; ++round) shown = Show(run.tables, round, whole.get());
    std::vector<Retractions> refuted(3);
    for (size_t i = 0; i < shown.outcomes.size(); ++i) {
      AddRefuted(shown.outcomes[i], shown.traces[i].intake, &refuted[i / run.tables.lanes]);
    }
    const auto resumed = Start(&run);
    ASSERT_TRUE(resumed->Restore(shown.outcomes, shown.notes, refuted).ok());
    std::vector<uint64_t> digests;
    std::vector<uint64_t> digests_resumed;
    ASSERT_TRUE(whole->RunRound(3, nullptr, &digests).ok());
    ASSERT_TRUE(resumed->RunRound(3, nullptr, &digests_resumed).ok());
    EXPECT_EQ(digests, digests_resumed);
  }
}

// A lane whose sources wrote nothing, or whose notes are all held back, is scored as its own solo.
TEST_P(ExecutorTest, ScoresALaneWithoutANoteAsItsOwnSolo) {
  for (const bool gated : {false, true}) {
    ToyRun run(TestWorld(), 1, 40, {FlawlessAgent()});
    if (gated) run.tables.policies.drop_failed_source = kCertain;
    const auto executor = Start(&run);
    ASSERT_NE(executor, nullptr);
    WrittenNote note;
    note.size = gated ? 1 : 0;
    note.claims[0] = Claim().WithKnob(1).WithValue(1).WithStance(Stance::kUse);
    ASSERT_TRUE(
        executor
            ->Restore(std::vector<Outcome>(40), std::vector<WrittenNote>(40, note), {Retractions()})
            .ok());
    std::vector<uint64_t> digests;
    ASSERT_TRUE(executor->RunRound(1, nullptr, &digests).ok());
    const std::vector<Outcome> outcomes = run.Outcomes(executor.get());
    for (int lane = 0; lane < 40; ++lane) {
      Outcome solo = run.tables.BaselineOf(0, lane, 0, DslOf(run.tables, 1, 0, lane));
      EXPECT_EQ(solo.reception, Reception::kSolo);
      solo.reception = gated ? Reception::kGated : Reception::kSkipped;
      EXPECT_EQ(outcomes[lane], solo);
    }
  }
}

TEST_P(ExecutorTest, PoolOfTheBestReadsTheBest) {
  ToyRun run(TestWorld(), 1, 20, {FlawlessAgent()});
  run.tables.topology = {TopologyKind::kPool, 1, 3, Selection::kBest};
  const auto executor = Start(&run);
  ASSERT_NE(executor, nullptr);
  std::vector<uint64_t> digests;
  ASSERT_TRUE(executor->RunRound(0, nullptr, &digests).ok());
  const std::vector<Outcome> before = run.Outcomes(executor.get());
  const Shown shown = Show(run.tables, 1, executor.get());
  for (const LaneTrace& trace : shown.traces) {
    ASSERT_EQ(trace.source_count, 3);
    const std::set<uint32_t> sources(trace.sources, trace.sources + 3);
    ASSERT_EQ(sources.size(), 3u);
    for (uint32_t lane = 0; lane < 20; ++lane) {
      if (sources.count(lane) != 0) continue;
      for (uint32_t source : sources) EXPECT_GE(before[source].speed_lg, before[lane].speed_lg);
    }
  }
}

std::vector<uint64_t> LastDigests(const ToyRun& prototype, Policies policies) {
  ToyRun run(TestWorld(), 3, 300, prototype.agents);
  run.tables.policies = policies;
  const auto executor = run.Start(2);
  std::vector<uint64_t> digests;
  for (int round = 0; round < 8; ++round) {
    EXPECT_TRUE(executor->RunRound(round, nullptr, &digests).ok());
  }
  return digests;
}

TEST(Executor, DependsOnEveryPolicy) {
  const ToyRun base = MakeRun(TestWorld());
  std::set<std::vector<uint64_t>> last;
  for (const Policies& policies : AllPolicies()) {
    EXPECT_TRUE(last.insert(LastDigests(base, policies)).second);
  }
}

TEST(DeviceExecutor, SaysHowMuchMemoryOneProblemNeeds) {
  ToyRun run = MakeRun(TestWorld());
  Devices devices;
  devices.push_back(NewTwinDevice(1 << 16));
  const auto executor = NewDeviceExecutor(run.tables, std::move(devices), 1);
  EXPECT_EQ(executor.status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(LaneAtPosition, IsAPermutationThatKeepsAClassTogether) {
  for (int count = 1; count < 60; ++count) {
    for (int period = 1; period < 14; ++period) {
      std::set<int> lanes;
      int changes = 0;
      int last = -1;
      for (int position = 0; position < count; ++position) {
        const int lane = LaneAtPosition(position, count, period);
        EXPECT_TRUE(0 <= lane && lane < count && lanes.insert(lane).second);
        changes += lane % period != last;
        last = lane % period;
      }
      EXPECT_EQ(changes, std::min(count, period));
    }
  }
}

}  // namespace
}  // namespace hearsay
