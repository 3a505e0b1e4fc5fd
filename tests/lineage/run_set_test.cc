#include "lineage/run_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "lineage/transfer.h"
#include "tests/lineage/lineage_testing.h"

namespace hearsay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A run of that number; all of them can be pooled.
RunRecord Record(int run, std::vector<int> problems = {4, 70}, int lanes = 3, uint64_t seed = 1) {
  RunRecord record = TestRun(std::move(problems), lanes).record;
  record.set_run(run);
  record.set_seed(seed);
  record.set_plan_text(absl::StrCat("plan ", run));
  return record;
}

// Says only how many rounds its runs have: two, but for run 9.
class Counting : public TestRun {
 public:
  Counting() : TestRun({}, 0) {}
  absl::StatusOr<std::vector<RoundRecord>> Rounds(int run) const override {
    return std::vector<RoundRecord>(run == 9 ? 3 : 2);
  }
};

absl::StatusOr<RunSet> Pool(std::vector<RunRecord> runs) {
  return RunSet::Pool(Counting(), std::move(runs));
}

TEST(RunSetTest, OrderAndRepetitionDoNotMatter) {
  const auto set = Pool({Record(7), Record(3), Record(5), Record(4), Record(3)});
  ASSERT_TRUE(set.ok()) << set.status();
  EXPECT_EQ(set->Title(), "runs R3-R5, R7");
  EXPECT_EQ(set->PlaceOf(5), 2);
  EXPECT_EQ(RunSet(Record(3)).Title(), "run R3");
  EXPECT_EQ(Pool({Record(3), Record(4)})->Title(), "runs R3, R4");
}

TEST(RunSetTest, AgentsAreKnownByName) {
  RunRecord other = Record(2);
  other.set_agents(0, "bob");
  other.set_agents(1, "eve");
  const auto set = Pool({Record(1), other});
  ASSERT_TRUE(set.ok()) << set.status();
  EXPECT_EQ(set->agent_count(), 3);
  EXPECT_EQ(set->AgentOf(1, 0), 1);
  EXPECT_EQ(set->AgentName(set->AgentOf(1, 1)), "eve");
  EXPECT_EQ(set->AgentName(7), "agent 7");
}

TEST(RunSetTest, ProblemsAreClustersInWhicheverRun) {
  const auto set = Pool({Record(1, {4, 70}), Record(2, {2, 70}, 5, 9)});
  ASSERT_TRUE(set.ok()) << set.status();
  EXPECT_EQ(set->cluster_count(), 3);
  EXPECT_EQ(set->ClusterOf(AttemptId::Of(1, 0, 70, 2)), set->ClusterOf(AttemptId::Of(2, 1, 70, 4)));
  EXPECT_NE(set->ClusterOf(AttemptId::Of(1, 0, 4, 2)), set->ClusterOf(AttemptId::Of(2, 1, 2, 2)));
  EXPECT_EQ(set->ClustersInWords(), "problems");
}

TEST(RunSetTest, OfOneProblemLanesOfASeedAreClusters) {
  const auto set = Pool({Record(1, {4}, 3, 50), Record(2, {4}, 3, 20), Record(3, {4}, 3, 50)});
  ASSERT_TRUE(set.ok()) << set.status();
  EXPECT_EQ(set->cluster_count(), 6);
  const auto cluster = [&](int run, int lane) {
    return set->ClusterOf(AttemptId::Of(run, 1, 4, lane));
  };
  EXPECT_EQ(cluster(1, 2), cluster(3, 2));
  EXPECT_NE(cluster(1, 2), cluster(2, 2));
  EXPECT_NE(cluster(1, 2), cluster(1, 1));
  // Seeds stand in their own order, so that sets of the same seeds have the same clusters.
  EXPECT_EQ(cluster(2, 0), 0);
}

TEST(RunSetTest, SaysWhatDiffers) {
  RunRecord pool = Record(2, {4, 70}, 3, 9);
  pool.set_topology("pool:4,best");
  EXPECT_THAT(Pool({Record(1), pool})->Notes(),
              ElementsAre(HasSubstr("2 runs pooled"),
                          "the runs differ in seed (1; 9), topology (none; pool:4,best)"));
  EXPECT_THAT(RunSet(pool).Notes(), IsEmpty());
}

TEST(RunSetTest, WhatCannotBePooledIsSaid) {
  const auto why = [](const RunRecord& other) {
    const absl::Status status = Pool({other, Record(1)}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  RunRecord other = Record(2);
  other.set_plan_text("plan 1");
  EXPECT_THAT(why(other),
              HasSubstr("R1 and R2 cannot be pooled: they have the same plan and seed"));
  other = Record(2);
  other.set_hardware("b200");
  EXPECT_THAT(why(other), HasSubstr("of  and of b200"));
  other = Record(2);
  other.set_worlds_digest(5);
  EXPECT_THAT(why(other), HasSubstr("their landscapes differ"));
  EXPECT_THAT(why(Record(9)), HasSubstr("R1 and R9 cannot be pooled: they have 2 and 3 rounds"));
}

// All lanes of problem 4 are helped, none of problem 70.
void Tell(TestRun* run, int lanes) {
  for (int problem : {4, 70}) {
    run->baselines[problem].outcomes.assign(lanes * kDslCount, Passed(0));
    for (int lane = 0; lane < lanes; ++lane) {
      run->At(0, problem, lane).outcome = Passed(0);
      TestAttempt& attempt = run->At(1, problem, lane);
      attempt.outcome = Passed(problem == 4 ? 1024 : 0);
      attempt.outcome.reception = Reception::kConditioned;
      attempt.sources = {static_cast<uint32_t>(lane)};
    }
  }
}

TEST(RunSetTest, MoreRunsOfAProblemAreNoMoreProblems) {
  TestRun run({4, 70}, 3);
  Tell(&run, 3);
  const ManyRuns store({&run, &run, &run});
  const auto one = StudyTransfer(store, Record(0), {});
  ASSERT_TRUE(one.ok()) << one.status();
  const auto set = RunSet::Pool(store, {Record(2), Record(0), Record(1)});
  ASSERT_TRUE(set.ok()) << set.status();
  const auto study = StudyTransfer(store, *set, {});
  ASSERT_TRUE(study.ok()) << study.status();
  const TransferGroup& all = study->groups[0];
  EXPECT_EQ(all.sums.comparisons, 3 * one->groups[0].sums.comparisons);
  EXPECT_EQ(all.problems, 2);
  EXPECT_EQ(all.sums.HelpedShare(), .5);
  // The same data thrice say no more of problems than once.
  EXPECT_EQ(all.helped->low, one->groups[0].helped->low);
  EXPECT_EQ(all.helped->high, one->groups[0].helped->high);
  EXPECT_EQ(all.lift->low, one->groups[0].lift->low);
  for (int place = 0; place < 3; ++place) {
    const TransferGroup& of_run = study->groups[1 + place];
    EXPECT_EQ(of_run.by, "run");
    EXPECT_EQ(of_run.run, absl::StrCat("R", place));
    EXPECT_EQ(of_run.sums.comparisons, one->groups[0].sums.comparisons);
    EXPECT_EQ(of_run.lift->high, one->groups[0].lift->high);
  }
  // One run has no rows by run.
  EXPECT_NE(one->groups[1].by, "run");
}

}  // namespace
}  // namespace hearsay
