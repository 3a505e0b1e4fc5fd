#include "lineage/transfer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/lineage/lineage_testing.h"

namespace hearsay {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;

// Two problems, three lanes, rounds 0 to 2, agents fixed: ada on lanes 0 and 1, bob on lane 2.
// Round 0 in CuTe DSL, round 1 in TIRx, round 2 in CuTe DSL. Baselines: CuTe DSL 4.0x on all lanes;
// TIRx 2.0x, but lane 2 fails.
struct Story {
  TestRun run{{4, 70}, 3};

  Story() {
    for (int problem : {4, 70}) {
      BaselineBlock& solo = run.baselines[problem];
      solo.outcomes = {Passed(2048), Passed(1024), Passed(2048),
                       Passed(1024), Passed(2048), Outcome{}};
      for (int round = 0; round < 3; ++round) {
        for (int lane = 0; lane < 3; ++lane) {
          TestAttempt& attempt = run.At(round, problem, lane);
          attempt.outcome = Passed(round == 1 ? 1024 : 2048);  // as fast as the solo
          Finish(attempt, round, lane);
        }
      }
    }
  }

  static void Finish(TestAttempt& attempt, int round, int lane) {
    attempt.outcome.dsl = round == 1 ? Dsl::kTirx : Dsl::kCute;
    attempt.outcome.agent = lane == 2;
    attempt.outcome.reception = round == 0 ? Reception::kSolo : Reception::kConditioned;
    if (round > 0) attempt.sources = {static_cast<uint32_t>(lane)};
  }
  void Set(int round, int problem, int lane, Outcome outcome) {
    TestAttempt& attempt = run.At(round, problem, lane);
    attempt.outcome = outcome;
    attempt.sources.clear();
    Finish(attempt, round, lane);
  }
};

const TransferGroup& Group(const TransferStudy& study, const std::string& by,
                           const std::string& agent, const std::string& direction, int round) {
  for (const TransferGroup& group : study.groups) {
    if (group.by == by && group.agent == agent && group.direction == direction &&
        group.round == round) {
      return group;
    }
  }
  ADD_FAILURE() << "no group " << by << " " << agent << " " << direction << " " << round;
  static const TransferGroup kNone;
  return kNone;
}

TEST(TransferTest, ByHand) {
  Story story;
  // Problem 4, round 1: lane 0 is eight times as fast as its solo (clipped to 4), lane 1 fails
  // (1/4), lane 2 fails like its solo (1).
  story.Set(1, 4, 0, Passed(1024 + 3072));
  story.Set(1, 4, 1, Outcome{});
  story.Set(1, 4, 2, Outcome{});
  // Problem 70, round 1: lane 0 twice as fast; lane 1 is skipped, whatever is on record; lane 2
  // passes where its solo failed (4).
  story.Set(1, 70, 0, Passed(2048));
  story.Set(1, 70, 1, Passed(0));
  story.run.At(1, 70, 1).outcome.reception = Reception::kSkipped;
  // Round 2: all at their solo's speed but for problem 4, lane 0, at half of it; one is gated.
  story.Set(2, 4, 0, Passed(1024));
  story.run.At(2, 70, 2).outcome.reception = Reception::kGated;

  absl::StatusOr<TransferStudy> study = StudyTransfer(story.run, story.run.record, {});
  ASSERT_TRUE(study.ok()) << study.status();
  const TransferGroup& first = Group(*study, "round", "", "", 1);
  EXPECT_EQ(first.sums.comparisons, 6);
  EXPECT_EQ(first.sums.skipped, 1);
  EXPECT_EQ(first.sums.gated, 0);
  EXPECT_EQ(first.sums.both_failed, 1);
  EXPECT_EQ(first.sums.only_solo_failed, 1);
  EXPECT_EQ(first.sums.only_conditioned_failed, 1);
  EXPECT_EQ(first.sums.helped, 3);
  EXPECT_EQ(first.sums.harmed, 1);
  // 4, 1/4, 1, 2, 1, 4: the logs sum to 3 doublings over six comparisons.
  EXPECT_THAT(*first.sums.Lift(), DoubleNear(std::exp2(3. / 6) - 1, 1e-12));
  EXPECT_EQ(first.problems, 2);
  // Conditioned: 16x, failed, failed, 4x, 2x (its solo), 2x. Solo: 2x four times, failed twice.
  EXPECT_THAT(first.sums.conditioned_reaching, ::testing::ElementsAre(4, 4, 4, 4, 2));
  EXPECT_THAT(first.sums.solo_reaching, ::testing::ElementsAre(4, 4, 4, 4, 0));
  EXPECT_THAT(first.sums.solo_score_sum, DoubleNear(4 * 80, 1e-9));
  EXPECT_THAT(first.sums.conditioned_score_sum, DoubleNear(2 * 80 + 2 * 100, 1e-9));

  const TransferGroup& second = Group(*study, "round", "", "", 2);
  EXPECT_EQ(second.sums.gated, 1);
  EXPECT_EQ(second.sums.harmed, 1);
  EXPECT_THAT(*second.sums.Lift(), DoubleNear(std::exp2(-1. / 6) - 1, 1e-12));

  const TransferGroup& all = study->groups[0];
  EXPECT_EQ(all.by, "all");
  EXPECT_EQ(all.sums.comparisons, 12);
  EXPECT_THAT(*all.sums.HelpedShare(), DoubleNear(3. / 12, 1e-12));
  EXPECT_THAT(*all.sums.HarmedShare(), DoubleNear(2. / 12, 1e-12));
  EXPECT_EQ(Group(*study, "agent", "bob", "", -1).sums.comparisons, 4);
  EXPECT_EQ(Group(*study, "direction", "", "cute->tirx", -1).sums.comparisons, 6);
  EXPECT_EQ(Group(*study, "direction", "", "tirx->cute", -1).sums.comparisons, 6);
  const TransferGroup& ada = Group(*study, "agent+direction", "ada", "cute->tirx", -1);
  EXPECT_EQ(ada.sums.comparisons, 4);
  EXPECT_EQ(ada.sums.helped, 2);
  EXPECT_EQ(study->groups.size(), 1 + 2 + 2 + 4 + 2);
}

TEST(TransferTest, IntervalsAreOfProblems) {
  Story story;
  // On problem 4 all are helped in round 1, on problem 70 none: resampling problems gives 0, 1/2
  // or 1.
  for (int lane = 0; lane < 3; ++lane) {
    story.Set(1, 4, lane, Passed(3072));
    story.Set(1, 70, lane, lane == 2 ? Outcome{} : Passed(1024));
  }
  absl::StatusOr<TransferStudy> study = StudyTransfer(story.run, story.run.record, {});
  ASSERT_TRUE(study.ok());
  const TransferGroup& first = Group(*study, "round", "", "", 1);
  ASSERT_TRUE(first.helped.has_value());
  EXPECT_EQ(first.helped->low, 0);
  EXPECT_EQ(first.helped->high, 1);
  EXPECT_EQ(first.harmed->high, 0);
  EXPECT_THAT(first.lift->high, DoubleNear(3, 1e-9));
  absl::StatusOr<TransferStudy> again = StudyTransfer(story.run, story.run.record, {});
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(study->groups[0].lift->low, again->groups[0].lift->low);
}

TEST(TransferTest, AgentsThatRotateHaveBaselinesOfTheirOwn) {
  TestRun run({70}, 1);
  // [lane][agent][DSL]
  run.baselines[70].agent_slots = 2;
  run.baselines[70].outcomes = {Passed(0), Passed(0), Passed(1024), Passed(2048)};
  run.At(0, 70, 0).outcome = Passed(0);
  TestAttempt& attempt = run.At(1, 70, 0);
  attempt.outcome = Passed(2048);
  attempt.outcome.agent = 1;
  attempt.outcome.dsl = Dsl::kTirx;
  attempt.outcome.reception = Reception::kConditioned;
  attempt.sources = {0};
  absl::StatusOr<TransferStudy> study = StudyTransfer(run, run.record, {});
  ASSERT_TRUE(study.ok());
  EXPECT_EQ(study->groups[0].sums.helped, 0);
  EXPECT_EQ(study->groups[0].sums.Lift(), 0);
  EXPECT_EQ(study->groups[0].lift, std::nullopt);  // one problem
}

TEST(TransferTest, SourcesInBothLanguagesAreMixed) {
  TestRun run({70}, 2);
  run.baselines[70].outcomes.assign(4, Passed(0));
  run.At(0, 70, 0).outcome.dsl = Dsl::kTirx;
  TestAttempt& attempt = run.At(1, 70, 0);
  attempt.outcome.reception = Reception::kConditioned;
  attempt.sources = {0, 1};
  run.At(1, 70, 1).outcome.reception = Reception::kSkipped;
  absl::StatusOr<TransferStudy> study = StudyTransfer(run, run.record, {});
  ASSERT_TRUE(study.ok());
  EXPECT_EQ(Group(*study, "direction", "", "mixed->cute", -1).sums.comparisons, 1);
  EXPECT_EQ(Group(*study, "direction", "", "none->cute", -1).sums.comparisons, 1);
}

TEST(TransferTest, WorksWithoutRecordedClaims) {
  Story story;
  story.run.record.set_claims_recorded(false);
  absl::StatusOr<TransferStudy> study = StudyTransfer(story.run, story.run.record, {});
  ASSERT_TRUE(study.ok());
  EXPECT_EQ(study->groups[0].sums.comparisons, 12);
}

TEST(TransferTest, NamesTheAttemptThatDoesNotFit) {
  Story story;
  story.run.baselines[70].outcomes.resize(3);
  absl::Status status = StudyTransfer(story.run, story.run.record, {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("R3:r1.p71.l1"));
  Story lost;
  lost.run.At(2, 4, 1).sources = {7};
  EXPECT_THAT(std::string(StudyTransfer(lost.run, lost.run.record, {}).status().message()),
              HasSubstr("R3:r2.p05.l1"));
}

TEST(TransferTest, TablesNameTheChoices) {
  Story story;
  TransferOptions options;
  options.scoring.ratio_clip = 8;
  absl::StatusOr<TransferStudy> study = StudyTransfer(story.run, story.run.record, options);
  ASSERT_TRUE(study.ok());
  const std::vector<Table> tables = TransferTables(*study);
  ASSERT_EQ(tables.size(), 3);
  for (const Table& t : tables) {
    EXPECT_EQ(t.rows.size(), study->groups.size());
    for (const std::vector<Cell>& row : t.rows) EXPECT_EQ(row.size(), t.columns.size()) << t.title;
  }
  EXPECT_THAT(tables[0].notes[0], HasSubstr("clipped to [0.125, 8]"));
  EXPECT_THAT(tables[0].notes[1], HasSubstr("rho > 1.05"));
}

TEST(TransferTest, EmptyRun) {
  TestRun run({70}, 2);
  absl::StatusOr<TransferStudy> study = StudyTransfer(run, run.record, {});
  ASSERT_TRUE(study.ok());
  ASSERT_EQ(study->groups.size(), 1);
  EXPECT_EQ(study->groups[0].sums.Lift(), std::nullopt);
  EXPECT_EQ(TransferTables(*study)[0].rows[0][6], Missing());
}

}  // namespace
}  // namespace hearsay
