#include "lineage/influence.h"
#include "lineage/content.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/lineage/lineage_testing.h"

namespace hearsay {
namespace {

using ::testing::DoubleNear;

// Two problems, four lanes, rounds 0 and 1: round 0 in CuTe DSL, round 1 in TIRx, each lane reading
// itself. Ada has lanes 0 to 2, bob lane 3. All solos run at 2x, and so do all attempts until Set.
struct Story {
  TestRun run{{4, 70}, 4};

  Story() {
    for (int problem : {4, 70}) {
      std::vector<Outcome>& solos = run.baselines[problem].outcomes;
      solos.assign(8, Passed(1024));
      solos[6].agent = solos[7].agent = 1;
      for (int i = 0; i < 8; ++i) solos[i].dsl = static_cast<Dsl>(i % 2);
      for (int lane = 0; lane < 4; ++lane) {
        for (int round = 0; round < 2; ++round) Set(round, problem, lane, Passed(1024));
      }
    }
  }

  TestAttempt& Set(int round, int problem, int lane, Outcome outcome) {
    TestAttempt& attempt = run.At(round, problem, lane);
    attempt.outcome = outcome;
    attempt.outcome.dsl = round % 2 == 0 ? Dsl::kCute : Dsl::kTirx;
    attempt.outcome.agent = lane == 3;
    attempt.outcome.reception = round == 0 ? Reception::kSolo : Reception::kConditioned;
    attempt.sources.clear();
    if (round > 0) attempt.sources = {static_cast<uint32_t>(lane)};
    return attempt;
  }
};

const GroupRow& Row(const GroupStudy& study, const std::string& by, const std::string& agent,
                    const std::string& category) {
  const GroupRow* row = study.Find(by, agent, "", category);
  if (row != nullptr) return *row;
  ADD_FAILURE() << study.title << ": no row " << by << " " << agent << " " << category;
  static const GroupRow kNone;
  return kNone;
}

double Value(const GroupStudy& study, const std::string& category, const std::string& measure,
             const std::string& by = "all", const std::string& agent = "") {
  return study.Get(Row(study, by, agent, category), measure).value.value_or(NAN);
}

InfluenceOptions Quick() {
  InfluenceOptions options;
  options.bootstrap.replicates = 50;
  return options;
}

TEST(StandingTest, ByHand) {
  Story story;
  // Problem 4: the source of lane 0 failed, its reader is half as fast as its solo; lane 1 has a
  // source below 2x; lane 2 one at its own tier, and is helped. Problem 70, lane 2: its solo
  // failed.
  story.Set(0, 4, 0, Outcome{});
  story.Set(1, 4, 0, Passed(0));
  story.Set(0, 4, 1, Passed(1000));
  story.Set(1, 4, 2, Passed(2048));
  story.run.baselines[70].outcomes[5].passed = 0;
  // A skipped attempt has read nothing.
  story.run.At(1, 70, 3).outcome.reception = Reception::kSkipped;
  const GroupStudies studies = StudyStanding(story.run, story.run.record, Quick());
  ASSERT_TRUE(studies.ok()) << studies.status();
  const GroupStudy& study = (*studies)[0];
  EXPECT_EQ(Row(study, "all", "", "below").count, 2);
  EXPECT_THAT(Value(study, "below", "H"), DoubleNear(.5, 1e-12));
  EXPECT_THAT(Value(study, "below", "dGM"), DoubleNear(std::exp2(-.5) - 1, 1e-12));
  EXPECT_EQ(Row(study, "all", "", "equal").count, 4);
  EXPECT_THAT(Value(study, "equal", "T"), DoubleNear(1. / 4, 1e-12));
  EXPECT_EQ(Row(study, "all", "", "above").count, 1);
  EXPECT_EQ(Value(study, "above", "T"), 1);
  EXPECT_EQ(Row(study, "agent", "bob", "equal").count, 1);
  EXPECT_EQ(study.Find("direction", "", "cute->tirx", "equal")->count, 4);
  EXPECT_EQ((*studies)[1].rows.size(), 0);  // one direction only
}

TEST(StandingTest, TheBestOfSeveralSourcesCounts) {
  Story story;
  story.Set(0, 4, 0, Outcome{});
  story.run.At(1, 4, 0).sources = {0, 1};
  const GroupStudies studies = StudyStanding(story.run, story.run.record, Quick());
  ASSERT_TRUE(studies.ok());
  EXPECT_EQ((*studies)[0].Find("all", "", "", "below"), nullptr);
}

TEST(StandingTest, CouplingByHand) {
  // Six problems; into TIRx a problem gains 0, 1/10, ... doublings, into CuTe DSL twice as much:
  // fully correlated. Bob's two directions are opposite.
  std::vector<int> problems = {0, 1, 2, 3, 4, 5};
  TestRun run(problems, 2);
  for (int problem : problems) {
    run.baselines[problem].outcomes.assign(4, Passed(1024));
    for (int round = 0; round < 3; ++round) {
      for (int lane = 0; lane < 2; ++lane) {
        const int gain = problem * 102 * (round == 2 ? (lane == 0 ? 2 : -1) : 1);
        TestAttempt& attempt = run.At(round, problem, lane);
        attempt.outcome = Passed(1024 + (round == 0 ? 0 : gain));
        attempt.outcome.agent = static_cast<uint8_t>(lane);
        attempt.outcome.dsl = static_cast<Dsl>(round % 2);
        attempt.outcome.reception = round == 0 ? Reception::kSolo : Reception::kConditioned;
        if (round > 0) attempt.sources = {static_cast<uint32_t>(lane)};
      }
    }
  }
  const GroupStudies studies = StudyStanding(run, run.record, Quick());
  ASSERT_TRUE(studies.ok()) << studies.status();
  const GroupStudy& coupling = (*studies)[1];
  EXPECT_EQ(Row(coupling, "all", "", "").count, 12);
  EXPECT_THAT(Value(coupling, "", "correlation", "agent", "ada"), DoubleNear(1, 1e-9));
  EXPECT_THAT(Value(coupling, "", "correlation", "agent", "bob"), DoubleNear(-1, 1e-9));
  // 1.05x is 0.07 doublings: all but the first problem gain, and bob parts.
  EXPECT_THAT(Value(coupling, "", "gain_in_both", "agent", "ada"), DoubleNear(5. / 6, 1e-12));
  EXPECT_THAT(Value(coupling, "", "part", "agent", "bob"), DoubleNear(5. / 6, 1e-12));
  EXPECT_EQ(Value(coupling, "", "lose_in_both", "agent", "bob"), 0);
}

TEST(AdoptionTest, ByHand) {
  Story story;
  story.Set(1, 4, 0, Passed(2048)).outcome.following = Following::kFully;
  story.Set(1, 70, 0, Passed(0)).outcome.following = Following::kFully;
  story.Set(1, 70, 1, Passed(1024)).outcome.following = Following::kPartly;
  const GroupStudies studies = StudyAdoption(story.run, story.run.record, Quick());
  ASSERT_TRUE(studies.ok()) << studies.status();
  const GroupStudy& study = (*studies)[0];
  EXPECT_EQ(Row(study, "all", "", "none").count, 5);
  EXPECT_EQ(Row(study, "all", "", "partial").count, 1);
  EXPECT_EQ(Row(study, "all", "", "full").count, 2);
  EXPECT_THAT(Value(study, "full", "T"), DoubleNear(.5, 1e-12));
  EXPECT_THAT(Value(study, "full", "dGM"), DoubleNear(0, 1e-12));
  EXPECT_TRUE(study.Get(Row(study, "all", "", "full"), "T").interval.has_value());
}

TEST(AttributionTest, EachCauseByHand) {
  Story story;
  // Best in TIRx of the tiny world: 2560. All harmed ones run at eager speed, their solos at 2x.
  const auto harm = [&](int problem, int lane, int events, int cost = 0) {
    Outcome outcome = Passed(0);
    outcome.events = static_cast<uint8_t>(events);
    outcome.closure_cost_lg = static_cast<int16_t>(cost);
    story.Set(1, problem, lane, outcome);
  };
  // At 1600 doublings lost 960 is left: less than the solo's 1024. At 1024 lost 1536 is enough.
  harm(4, 0, kEventTruncated | kEventFalseAdopted, 1600);
  harm(4, 1, kEventTruncated | kEventFalseAdopted, 1024);
  harm(4, 2, kEventForeignIdiom | kEventFalseAdopted);
  harm(4, 3, kEventOwnBug | kEventOutOfTime);
  harm(70, 0, kEventOutOfTime);
  harm(70, 1, 0);
  // Ada's other two solos of problem 70 are no faster than this attempt.
  harm(70, 2, kEventFalseAdopted);
  story.run.baselines[70].outcomes[1] = story.run.baselines[70].outcomes[3] = Passed(0);
  for (int i : {1, 3}) story.run.baselines[70].outcomes[i].dsl = Dsl::kTirx;
  TinyAtlas atlas;
  const GroupStudies studies = StudyAttribution(story.run, story.run.record, atlas, Quick());
  ASSERT_TRUE(studies.ok()) << studies.status();
  const GroupStudy& causes = (*studies)[0];
  // Lanes 0 and 1 of problem 70 are not harmed against their new solos.
  for (const char* cause : {"search_truncation", "unverified_adoption", "dsl_mismatch",
                            "execution_error", "baseline_luck"}) {
    EXPECT_EQ(Row(causes, "all", "", cause).count, 1) << cause;
    EXPECT_THAT(Value(causes, cause, "share"), DoubleNear(1. / 5, 1e-12)) << cause;
  }
  EXPECT_EQ(Value(causes, "budget_exhaustion", "share"), 0);
  EXPECT_EQ(Value(causes, "execution_error", "share", "agent", "bob"), 1);
  const GroupStudy& events = (*studies)[1];
  EXPECT_THAT(Value(events, "false_adopted", "in_harmed"), DoubleNear(4. / 5, 1e-12));
  EXPECT_THAT(Value(events, "out_of_time", "in_others"), DoubleNear(1. / 3, 1e-12));
  EXPECT_THAT(Value(events, "out_of_time", "points"), DoubleNear(100 * (1. / 5 - 1. / 3), 1e-9));
}

TEST(AttributionTest, TheRestAndTheLuckOfOneLane) {
  Story story;
  Outcome late = Passed(0);
  late.events = kEventOutOfTime;
  story.Set(1, 4, 0, late);
  story.Set(1, 4, 1, Passed(0));
  // Bob has one solo a problem: whether it was lucky cannot be told.
  story.Set(1, 4, 3, Passed(0));
  TinyAtlas atlas;
  const GroupStudies studies = StudyAttribution(story.run, story.run.record, atlas, Quick());
  ASSERT_TRUE(studies.ok());
  const GroupStudy& causes = (*studies)[0];
  EXPECT_EQ(Row(causes, "all", "", "budget_exhaustion").count, 1);
  EXPECT_EQ(Row(causes, "all", "", "none_recorded").count, 2);
  EXPECT_EQ(Row(causes, "agent", "bob", "none_recorded").count, 1);
  EXPECT_EQ(Row(causes, "all", "", "baseline_luck").count, 0);
}

// Helped: lanes 0 of both problems. Harmed: lane 1 of problem 4, lane 3 of problem 70.
struct NoteStory : Story {
  ClaimId closure[2], assertion, advice;

  NoteStory() {
    Set(1, 4, 0, Passed(2048));
    Set(1, 70, 0, Passed(2048));
    Set(1, 4, 1, Passed(0));
    Set(1, 70, 3, Passed(0));
    advice = run.Make(0, 4, 0, Advice(1));
    assertion = run.Make(0, 70, 0, Advice(3).WithLabel(Label::kUnverifiedAssertion));
    closure[0] = run.Make(0, 4, 1, Closure(3));
    closure[1] = run.Make(0, 70, 3, Closure(1));
    run.Read(1, 4, 0, advice);
    run.Read(1, 70, 0, assertion);
    run.Read(1, 4, 1, closure[0]);
    run.Read(1, 70, 3, closure[1]);
    run.Read(1, 70, 3, run.Make(0, 70, 3, Advice(2)));
  }
};

TEST(ContentTest, ByHand) {
  NoteStory story;
  TinyAtlas atlas;
  const auto table = LoadTable(story.run, atlas);
  const RunSet runs(story.run.record);
  ContentCount count(runs, Quick());
  const absl::Status added = count.Add(story.run, *table);
  ASSERT_TRUE(added.ok()) << added;
  const std::vector<GroupStudy> studies = count.Finish();
  const GroupStudy& study = studies[0];
  EXPECT_EQ(Row(study, "all", "", "unsupported_closure").count, 8);
  EXPECT_EQ(Value(study, "unsupported_closure", "harmful"), 1);
  EXPECT_EQ(Value(study, "unsupported_closure", "helpful"), 0);
  EXPECT_EQ(Value(study, "unsupported_closure", "points"), 100);
  EXPECT_THAT(Value(study, "unsupported_closure", "all"), DoubleNear(2. / 8, 1e-12));
  EXPECT_THAT(Value(study, "measured_gain", "helpful"), DoubleNear(.5, 1e-12));
  EXPECT_THAT(Value(study, "measured_gain", "points"), DoubleNear(0, 1e-12));
  EXPECT_EQ(Value(study, "measured_gain", "harmful", "agent", "bob"), 1);
  EXPECT_EQ(Value(study, "workload_census", "all"), 0);
}

TEST(PropagationTest, ByHand) {
  NoteStory story;
  // One closure is copied, the other loses its hedge on the way; the assertion becomes a measured
  // gain.
  story.run.Carry(1, 4, 1, story.closure[0]);
  story.run.Make(1, 70, 3, Closure(1).WithConfidence(9), Change::kHedgeLost, story.closure[1]);
  story.run.Make(1, 70, 0, Advice(3), Change::kStrengthened, story.assertion);
  TinyAtlas atlas;
  const auto table = LoadTable(story.run, atlas);
  const RunSet runs(story.run.record);
  PropagationCount count(runs, Quick());
  const absl::Status added = count.Add(story.run, *table);
  ASSERT_TRUE(added.ok()) << added;
  const std::vector<GroupStudy> studies = count.Finish();
  const GroupStudy& study = studies[0];
  EXPECT_EQ(Row(study, "all", "", "").count, 2);
  EXPECT_EQ(Value(study, "", "harmed_received"), 1);
  EXPECT_EQ(Value(study, "", "helped_received"), .5);
  EXPECT_EQ(Value(study, "", "harmed_written"), 1);
  EXPECT_EQ(Value(study, "", "helped_written"), 0);
  EXPECT_EQ(Value(study, "", "written_points"), 100);
  EXPECT_EQ(Value(study, "", "harmed_claims"), 1);
  for (const Table& t : GroupTables(studies)) {
    for (const auto& row : t.rows) EXPECT_EQ(row.size(), t.columns.size());
  }
}

TEST(ClusterSumsTest, PairedDifferencesAndUntouchedClusters) {
  ClusterSums sums(4, 4);
  // Clusters 0 and 2: 1 of 2 against 0 of 1; cluster 3 stays out.
  for (int cluster : {0, 2}) {
    sums.Add(cluster, 0, 1);
    sums.Add(cluster, 1, 2);
    sums.Add(cluster, 3, 1);
  }
  EXPECT_EQ(sums.Clusters(), 2);
  EXPECT_EQ(sums.Total(1), 4);
  const Estimate points = sums.Estimates({PointsBetween(0, 1, 2, 3)}, {})[0];
  EXPECT_EQ(points.value, 50);
  EXPECT_EQ(points.interval->low, 50);
  EXPECT_EQ(points.interval->high, 50);
  EXPECT_EQ(ClusterSums(3, 2).Estimates({RatioOf(0, 1)}, {})[0].value, std::nullopt);
}

}  // namespace
}  // namespace hearsay
