#include "lineage/policies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "absl/strings/str_cat.h"
#include "tests/lineage/lineage_testing.h"

namespace hearsay {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;

Outcome Passed(int speed_lg, int submissions) {
  Outcome outcome;
  outcome.passed = 1;
  outcome.speed_lg = static_cast<int16_t>(speed_lg);
  outcome.submissions = static_cast<uint8_t>(submissions);
  return outcome;
}

// Two problems, two lanes, three rounds, so that the last round is the late one. All in CuTe DSL,
// solos at 2x. In round 0 every lane closes tile 3 (false) and tile 2 (true); lane 0 hands both on,
// lane 1 nothing.
void Tell(TestRun* run, int speed_lg, int submissions) {
  for (int problem : {4, 70}) {
    run->baselines[problem].outcomes.assign(4, Passed(1024, 8));
    for (int lane = 0; lane < 2; ++lane) {
      const ClaimId wrong = run->Make(0, problem, lane, Closure(3));
      const ClaimId right = run->Make(0, problem, lane, Closure(2));
      for (int round = 1; round < 3; ++round) {
        TestAttempt& attempt = run->At(round, problem, lane);
        attempt.outcome = Passed(speed_lg, submissions);
        attempt.outcome.reception = Reception::kConditioned;
        attempt.sources = {static_cast<uint32_t>(lane)};
        if (lane == 1) continue;
        attempt.outcome.adopted = run->Read(round, problem, lane, wrong);
        run->Read(round, problem, lane, right);
        run->Carry(round, problem, lane, wrong);
        run->Carry(round, problem, lane, right);
      }
    }
  }
}

double Measure(const ClusterSums& sums, const std::string& name) {
  const std::vector<std::string> names = RunMeasureNames();
  const std::vector<Estimate> estimates = RunEstimates(sums, {.replicates = 20});
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return estimates[i].value.value_or(NAN);
  }
  ADD_FAILURE() << name;
  return 0;
}

TEST(RunMeasuresTest, ByHand) {
  TestRun run({4, 70}, 2);
  Tell(&run, 2048, 6);
  TinyAtlas atlas;
  const auto sums = MeasureRun(run, run.record, 0, atlas);
  ASSERT_TRUE(sums.ok()) << sums.status();
  EXPECT_EQ(sums->Total(kRunComparisons), 8);
  EXPECT_EQ(sums->Total(kRunLateAttempts), 4);
  EXPECT_THAT(Measure(*sums, "dGM"), DoubleNear(1, 1e-12));
  EXPECT_EQ(Measure(*sums, "T"), 1);
  EXPECT_EQ(Measure(*sums, "H"), 0);
  EXPECT_EQ(Measure(*sums, "notes_under"), 1);  // lane 1 wrote nothing
  EXPECT_EQ(Measure(*sums, "decisions_under"), .5);
  EXPECT_EQ(Measure(*sums, "true_claims"), 1);
  EXPECT_EQ(Measure(*sums, "false_claims"), 1);
  EXPECT_EQ(Measure(*sums, "submissions"), 6);
}

TEST(RunMeasuresTest, ASummaryHasNoNotes) {
  TestRun run({4, 70}, 2);
  Tell(&run, 2048, 6);
  run.record.set_claims_recorded(false);
  TinyAtlas atlas;
  const auto sums = MeasureRun(run, run.record, 0, atlas);
  ASSERT_TRUE(sums.ok()) << sums.status();
  EXPECT_EQ(Measure(*sums, "T"), 1);
  EXPECT_TRUE(std::isnan(Measure(*sums, "notes_under")));
  EXPECT_EQ(atlas.asked(), 0);
}

TEST(RunMeasuresTest, NamesTheNoteThatFitsNoSource) {
  TestRun run({4, 70}, 2);
  Tell(&run, 2048, 6);
  run.Carry(2, 70, 1, ClaimId::Of(AttemptId::Of(kTestRun, 0, 70, 0), 0));
  TinyAtlas atlas;
  const absl::Status status = MeasureRun(run, run.record, 0, atlas).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("R3:r2.p71.l1: refers to R3:r0.p71.l0#1"));
}

TEST(PoliciesTest, DifferencesAndFrontierByHand) {
  TestRun none({4, 70}, 2), better({4, 70}, 2), worse({4, 70}, 2);
  Tell(&none, 1024, 6);
  Tell(&better, 2048, 8);
  Tell(&worse, 512, 6);
  // Nobody obeys anything under the better policy, and lane 0 forgets what is true in round 2.
  for (int problem : {4, 70}) {
    for (int round = 1; round < 3; ++round) better.At(round, problem, 0).outcome.adopted = 0;
    better.At(2, problem, 0).note.pop_back();
  }
  const ManyRuns store({&none, &better, &worse});
  std::vector<RunRecord> records(3, none.record);
  for (int run = 0; run < 3; ++run) {
    records[run].set_run(run);
    records[run].set_plan_text(absl::StrCat("plan ", run));
  }
  records[1].set_policies("verify_gate=1");
  records[2].set_policies("ttl=1");
  TinyAtlas atlas;
  const auto study =
      StudyPolicies(store, {{records[0], {records[1], records[2]}}}, atlas, {.replicates = 20});
  ASSERT_TRUE(study.ok()) << study.status();
  ASSERT_EQ(study->effects.size(), 3);
  EXPECT_EQ(study->effects[0].lift_change.value, 0);
  EXPECT_FALSE(study->effects[0].on_frontier);
  const PolicyEffect& gate = study->effects[1];
  EXPECT_EQ(gate.policies, "verify_gate=1");
  EXPECT_THAT(*gate.lift_change.value, DoubleNear(1, 1e-12));
  EXPECT_THAT(gate.lift_change.interval->low, DoubleNear(1, 1e-12));
  EXPECT_EQ(gate.decisions_points.value, -50);
  EXPECT_EQ(gate.notes_points.value, 0);
  EXPECT_EQ(gate.true_claims.value, -1);
  EXPECT_EQ(gate.submissions.value, 2);
  EXPECT_TRUE(gate.on_frontier);
  EXPECT_EQ(study->effects[2].harmed_points.value, 100);
  EXPECT_FALSE(study->effects[2].on_frontier);
  const std::vector<Table> tables = PolicyTables(*study);
  for (const auto& row : tables[0].rows) EXPECT_EQ(row.size(), tables[0].columns.size());
}

TEST(PoliciesTest, PlansArePooledPairByPair) {
  // The gate doubles speed in the first plan and halves it in the second, which is twice as fast
  // without it; the other policy is run in the first plan only.
  TestRun slow({4, 70}, 2), slow_gate({4, 70}, 2), fast({4, 70}, 2), fast_gate({4, 70}, 2);
  Tell(&slow, 1024, 6);
  Tell(&slow_gate, 2048, 8);
  Tell(&fast, 2048, 6);
  Tell(&fast_gate, 1024, 8);
  const ManyRuns store({&slow, &slow_gate, &fast, &fast_gate, &slow_gate});
  std::vector<RunRecord> records(5, slow.record);
  for (int run = 0; run < 5; ++run) {
    records[run].set_run(run);
    records[run].set_plan_text(absl::StrCat("plan ", run));
    records[run].set_seed(run < 2 || run == 4 ? 1 : 2);
    records[run].set_policies(run == 4 ? "ttl=1" : run % 2 == 1 ? "verify_gate=1" : "");
  }
  TinyAtlas atlas;
  const auto study =
      StudyPolicies(store, {{records[0], {records[1], records[4]}}, {records[2], {records[3]}}},
                    atlas, {.replicates = 20});
  ASSERT_TRUE(study.ok()) << study.status();
  // Pooled: none, the gate, the other; then two plans with their own.
  ASSERT_EQ(study->effects.size(), 3 + 3 + 2);
  const PolicyEffect& pooled = study->effects[1];
  EXPECT_EQ(pooled.plan, "all");
  EXPECT_EQ(pooled.run, "2 runs");
  EXPECT_THAT(*pooled.lift_change.value, DoubleNear(0, 1e-12));
  EXPECT_EQ(pooled.submissions.value, 2);
  // It is compared with the runs without policies of the plans that it was run under.
  EXPECT_EQ(study->effects[2].run, "R4");
  EXPECT_THAT(*study->effects[2].lift_change.value, DoubleNear(1, 1e-12));
  EXPECT_FALSE(study->effects[2].on_frontier);
  EXPECT_THAT(*study->effects[4].lift_change.value, DoubleNear(1, 1e-12));
  EXPECT_EQ(study->effects[4].plan, "R0: , seed 1");
  EXPECT_THAT(*study->effects[7].lift_change.value, DoubleNear(-.5, 1e-12));
}

}  // namespace
}  // namespace hearsay
