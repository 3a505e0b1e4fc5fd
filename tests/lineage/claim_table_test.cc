#include "lineage/claim_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lineage/lineage_testing.h"

namespace hearsay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kProblem = 70;

TEST(ClaimTableTest, CountsWhoCarriedReadAndTested) {
  TestRun run({4, kProblem}, 3);
  const ClaimId born = run.Make(0, kProblem, 1, Closure(3).WithHedged(true));
  run.At(0, kProblem, 1).outcome.agent = 1;
  run.Carry(1, kProblem, 0, born);
  run.Carry(1, kProblem, 1, born);
  TestAttempt& reader = run.At(1, kProblem, 2);
  reader.outcome.adopted = reader.outcome.refuted = run.Read(1, kProblem, 2, born);
  const ClaimId changed = run.Make(2, kProblem, 0, Closure(3), Change::kHedgeLost, born);
  run.CommitUpTo(4);

  TinyAtlas atlas;
  const auto table = LoadTable(run, atlas);
  ASSERT_EQ(table->size(), 2);
  EXPECT_EQ(table->round_count(), 4);
  const ClaimRow& first = table->row(table->Find(born));
  EXPECT_EQ(first.id, born);
  EXPECT_EQ(first.first_round, 0);
  EXPECT_EQ(first.last_round, 1);
  EXPECT_EQ(first.carriers, 3);
  EXPECT_EQ(first.carriers_at_end, 0);
  EXPECT_EQ(first.tested, 1);
  EXPECT_EQ(first.refuted, 1);
  EXPECT_EQ(first.confirmed, 0);
  EXPECT_EQ(first.adopted, 1);
  EXPECT_EQ(table->AgentName(first.agent), "bob");
  EXPECT_THAT(table->children(table->Find(born)), ElementsAre(table->Find(changed)));
  EXPECT_THAT(table->children(table->Find(changed)), IsEmpty());
  EXPECT_EQ(table->row(table->Find(changed)).parents[0], table->Find(born));
  EXPECT_EQ(atlas.asked(), 0);  // no landscape before a truth is asked for
}

TEST(ClaimTableTest, CountsCarriersOfTheLastRoundOnly) {
  TestRun run({kProblem}, 3);
  const ClaimId born = run.Make(0, kProblem, 0, Closure(3));
  run.Carry(1, kProblem, 0, born);
  run.Carry(1, kProblem, 1, born);
  TinyAtlas atlas;
  const auto table = LoadTable(run, atlas);
  EXPECT_EQ(table->row(0).carriers, 3);
  EXPECT_EQ(table->row(0).carriers_at_end, 2);
  EXPECT_TRUE(table->alive_at_end(0));
}

TEST(ClaimTableTest, AMergedIntakeCountsForBothOfItsClaims) {
  TestRun run({kProblem}, 2);
  const ClaimId a = run.Make(0, kProblem, 0, Closure(3));
  const ClaimId b = run.Make(0, kProblem, 1, Closure(3).WithHedged(true));
  TestAttempt& reader = run.At(1, kProblem, 0);
  reader.outcome.confirmed = run.Read(1, kProblem, 0, a, b);
  reader.outcome.costly_slot = 0;
  reader.outcome.closure_cost_lg = 512;
  TinyAtlas atlas;
  const auto table = LoadTable(run, atlas);
  EXPECT_EQ(table->row(0).confirmed, 1);
  EXPECT_EQ(table->row(1).confirmed, 1);
  ASSERT_EQ(table->events().size(), 4);
  EXPECT_EQ(table->events()[2].deed, Deed::kPaidMost);
  EXPECT_EQ(table->events()[2].cost_lg, 512);
}

TEST(ClaimTableTest, TruthAndCostByLanguage) {
  TestRun run({kProblem}, 1);
  run.Make(0, kProblem, 0, Closure(2));
  run.Make(0, kProblem, 0, Closure(3));
  run.Make(0, kProblem, 0, Closure(1));
  run.Make(0, kProblem, 0, Advice(3));
  run.Make(0, kProblem, 0, Closure(2).WithKnob(kNoSubject));
  TinyAtlas atlas;
  const auto table = LoadTable(run, atlas);
  EXPECT_EQ(table->TruthOfRow(0), Truth::kTrue);
  EXPECT_EQ(table->TruthIn(0, Dsl::kTirx), Truth::kFalse);
  EXPECT_EQ(table->CostLgIn(0, Dsl::kCute), 0);
  EXPECT_EQ(table->CostLgIn(0, Dsl::kTirx), 1024);
  EXPECT_EQ(table->TruthOfRow(1), Truth::kFalse);
  EXPECT_EQ(table->TruthIn(1, Dsl::kTirx), Truth::kTrue);
  EXPECT_EQ(table->CostLgIn(1, Dsl::kCute), 1024);
  EXPECT_EQ(table->TruthOfRow(2), Truth::kFalse);
  EXPECT_EQ(table->CostLgIn(2, Dsl::kCute), 0);
  EXPECT_EQ(table->TruthOfRow(3), Truth::kTrue);
  EXPECT_EQ(table->CostLgIn(3, Dsl::kCute), 0);  // no closure
  EXPECT_EQ(table->TruthOfRow(4), Truth::kOpen);
  EXPECT_EQ(table->CostLgIn(4, Dsl::kCute), 0);
}

TEST(ClaimTableTest, CountsNotesByRound) {
  TestRun run({4, kProblem}, 3);
  run.Make(0, 4, 0, Closure(2));                                         // unsupported, true
  run.Make(0, 4, 1, Closure(3));                                         // unsupported, false
  run.Make(0, 4, 1, Closure(3));                                         // in the same note
  run.Make(0, kProblem, 2, Closure(3).WithLabel(Label::kMeasuredLoss));  // false, with evidence
  run.Make(0, kProblem, 0, Advice(1));                                   // false, no closure
  TinyAtlas atlas;
  const auto table = LoadTable(run, atlas);
  const RoundCounts counts = table->CountRound(0);
  EXPECT_EQ(counts.attempts, 6);
  EXPECT_EQ(counts.notes, 4);
  EXPECT_EQ(counts.notes_with_unsupported_closure, 2);
  EXPECT_EQ(counts.notes_with_false_closure, 2);
  EXPECT_EQ(counts.notes_with_false_unsupported_closure, 1);
}

TEST(ClaimTableTest, OneProblemOnly) {
  const auto run = RandomRun(3, 5, 4);
  TinyAtlas atlas;
  const auto all = LoadTable(*run, atlas);
  const auto one = LoadTable(*run, atlas, kProblem);
  int expected = 0;
  for (const ClaimRow& row : all->rows()) {
    if (row.id.attempt().problem() != kProblem) {
      EXPECT_EQ(one->Find(row.id), kNoRow);
      continue;
    }
    ++expected;
    const RowIndex found = one->Find(row.id);
    ASSERT_NE(found, kNoRow);
    EXPECT_EQ(one->row(found).carriers, row.carriers);
    EXPECT_EQ(one->row(found).last_round, row.last_round);
    EXPECT_EQ(one->row(found).adopted, row.adopted);
  }
  EXPECT_EQ(one->size(), expected);
  EXPECT_GT(expected, 5);
}

TEST(ClaimTableTest, FindsEveryClaimAndNoOther) {
  const auto run = RandomRun(4, 6, 5);
  TinyAtlas atlas;
  const auto table = LoadTable(*run, atlas);
  ASSERT_GT(table->size(), 20);
  for (RowIndex i = 0; i < table->size(); ++i) {
    EXPECT_EQ(table->Find(table->row(i).id), i);
    if (i > 0) {
      EXPECT_LT(table->row(i - 1).id, table->row(i).id);
    }
  }
  for (ClaimId id : {ClaimId{}, ClaimId::Of(AttemptId::Of(kTestRun, 0, 4, 0), 31),
                     ClaimId::Of(AttemptId::Of(kTestRun, 99, 4, 0), 0),
                     ClaimId::Of(AttemptId::Of(kTestRun, 0, 4, 5), 0),
                     ClaimId::Of(AttemptId::Of(kTestRun, 0, 5, 0), 0),
                     ClaimId::Of(AttemptId::Of(kTestRun + 1, 0, 4, 0), 0)}) {
    EXPECT_EQ(table->Find(id), kNoRow);
    EXPECT_EQ(table->FindOrError(id).status().code(), absl::StatusCode::kNotFound);
  }
}

TEST(ClaimTableTest, MoreLanesThanABlockHolds) {
  TestRun run({kProblem}, kBlockLanes + 10);
  const ClaimId far = run.Make(0, kProblem, kBlockLanes + 9, Closure(3));
  run.Carry(1, kProblem, kBlockLanes + 1, far);
  TinyAtlas atlas;
  const auto table = LoadTable(run, atlas);
  EXPECT_EQ(table->Find(far), 0);
  EXPECT_EQ(table->row(0).carriers, 2);
  EXPECT_EQ(table->CountRound(1).notes, 1);
}

TEST(ClaimTableTest, ARunWithoutRounds) {
  TestRun run({kProblem}, 4);
  TinyAtlas atlas;
  const auto table = LoadTable(run, atlas);
  EXPECT_EQ(table->size(), 0);
  EXPECT_EQ(table->round_count(), 0);
}

TEST(ClaimTableTest, RefusesWhatItCannotRead) {
  TinyAtlas atlas;
  TestRun summary({kProblem}, 1);
  summary.record.set_claims_recorded(false);
  EXPECT_EQ(ClaimTable::Load(summary, kTestRun, atlas).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(ClaimTable::Load(summary, 9, atlas).status().code(), absl::StatusCode::kNotFound);

  TestRun dangling({kProblem}, 1);
  dangling.Carry(0, kProblem, 0, ClaimId::Of(AttemptId::Of(kTestRun, 0, kProblem, 0), 2));
  absl::Status status = ClaimTable::Load(dangling, kTestRun, atlas).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("R3:r0.p71.l0"));

  TestRun unread({kProblem}, 1);
  unread.At(0, kProblem, 0).outcome.adopted = 4;
  EXPECT_EQ(ClaimTable::Load(unread, kTestRun, atlas).status().code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace hearsay
