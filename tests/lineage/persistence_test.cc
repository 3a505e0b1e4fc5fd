#include "lineage/persistence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/lineage/lineage_testing.h"

namespace hearsay {
namespace {

constexpr int kProblem = 70;

const PersistenceGroup& Group(const PersistenceStudy& study, const std::string& kind,
                              const std::string& name, const std::string& truth) {
  for (const PersistenceGroup& group : study.groups) {
    if (group.kind == kind && group.name == name && group.truth == truth) return group;
  }
  ADD_FAILURE() << "no group " << kind << " " << name << " " << truth;
  static const PersistenceGroup kNone;
  return kNone;
}

int64_t Ends(const PersistenceGroup& group, LineEnd end) {
  return group.ends[static_cast<int>(end)];
}

// Six rounds, 0 to 5, five lanes; one line a lane.
struct Story {
  TestRun run{{kProblem}, 5};

  Story() {
    // Lane 0, ada: false; carried in 0 and 1, bare from 2, read in 3 and corrected: three rounds.
    const ClaimId a = run.Make(0, kProblem, 0, Closure(3).WithHedged(true));
    run.Carry(1, kProblem, 0, a);
    const ClaimId bare = run.Make(2, kProblem, 0, Closure(3), Change::kHedgeLost, a);
    run.At(3, kProblem, 0).outcome.refuted = run.Read(3, kProblem, 0, bare);
    run.Make(3, kProblem, 0, Advice(3), Change::kCorrected, bare);
    // Lane 1, bob: false; refuted in 1 and left out: one round.
    run.At(0, kProblem, 1).outcome.agent = 1;
    const ClaimId b = run.Make(0, kProblem, 1, Closure(1));
    run.At(1, kProblem, 1).outcome.refuted = run.Read(1, kProblem, 1, b);
    // Lane 2, ada: true; born in 1, carried to the end, with its stance changed on the way.
    const ClaimId c = run.Make(1, kProblem, 2, Closure(2));
    run.Carry(2, kProblem, 2, c);
    const ClaimId turned =
        run.Make(3, kProblem, 2, Closure(2, Dsl::kCute, Stance::kNotWorthIt), Change::kMerged, c);
    run.Carry(4, kProblem, 2, turned);
    run.Carry(5, kProblem, 2, turned);
    // Lane 3, ada: true in TIRx, where it was born; refuted once on the way, and then not copied.
    const ClaimId d = run.Make(0, kProblem, 3, Closure(3, Dsl::kTirx));
    run.Carry(1, kProblem, 3, d);
    run.At(1, kProblem, 3).outcome.refuted = run.Read(1, kProblem, 3, d);
    // Lane 4, bob: born in the last round. And a closure with evidence, which starts no line.
    run.At(5, kProblem, 4).outcome.agent = 1;
    run.Make(5, kProblem, 4, Closure(3));
    run.Make(5, kProblem, 4, Closure(1).WithLabel(Label::kMeasuredLoss));
  }
};

TEST(PersistenceTest, LinesByHand) {
  Story story;
  TinyAtlas atlas;
  const auto table = LoadTable(story.run, atlas);
  const PersistenceStudy study = StudyPersistence(*table);

  // Lifetimes in rounds: 3, 1, 4+, 2, 0+.
  const PersistenceGroup& all = Group(study, "all", "all", "any");
  EXPECT_EQ(all.curve.count, 5);
  EXPECT_EQ(all.curve.ended, 3);
  ASSERT_EQ(all.curve.steps.size(), 3);
  EXPECT_EQ(all.curve.steps[0].time, 1);
  EXPECT_EQ(all.curve.steps[0].at_risk, 4);  // the one censored at 0 has never been at risk
  EXPECT_DOUBLE_EQ(*all.curve.At(1), 3. / 4);
  EXPECT_DOUBLE_EQ(*all.curve.At(2), 2. / 4);
  EXPECT_DOUBLE_EQ(*all.curve.At(3), 1. / 4);
  EXPECT_EQ(all.curve.At(5), std::nullopt);
  EXPECT_EQ(Ends(all, LineEnd::kCorrected), 1);
  EXPECT_EQ(Ends(all, LineEnd::kRefuted), 1);
  EXPECT_EQ(Ends(all, LineEnd::kAlive), 2);
  EXPECT_EQ(Ends(all, LineEnd::kNotCopied), 1);
  EXPECT_EQ(Ends(all, LineEnd::kReplaced), 0);

  const PersistenceGroup& right = Group(study, "all", "all", "true");
  EXPECT_EQ(right.curve.count, 2);
  EXPECT_EQ(right.curve.ended, 1);
  EXPECT_EQ(right.curve.steps[0].time, 2);
  const PersistenceGroup& wrong = Group(study, "all", "all", "false");
  EXPECT_EQ(wrong.curve.count, 3);
  EXPECT_EQ(wrong.curve.ended, 2);
  EXPECT_EQ(Group(study, "agent", "bob", "false").curve.count, 2);
  EXPECT_EQ(Group(study, "agent", "ada", "true").curve.count, 2);
  EXPECT_EQ(Group(study, "agent", "bob", "true").curve.count, 0);
  EXPECT_EQ(Group(study, "family", "linear_attention", "any").curve.count, 5);
  ASSERT_EQ(study.tests[0].what, "true against false");
  EXPECT_TRUE(study.tests[0].test.has_value());
  EXPECT_EQ(study.tests[1].test->degrees, 1);  // two agents

  // Hazards: of four lines that reach age 1 one ends there.
  EXPECT_EQ(all.hazards[0].at_risk, 4);
  EXPECT_EQ(all.hazards[0].ended, 1);
  // By age 3 one is corrected, and by age 1 one refuted.
  ASSERT_EQ(all.incidence.size(), 3);
  EXPECT_DOUBLE_EQ(all.incidence[2].by_cause[static_cast<int>(LineEnd::kRefuted)], 1. / 4);
  EXPECT_DOUBLE_EQ(all.incidence[2].by_cause[static_cast<int>(LineEnd::kCorrected)], 1. / 4);
  EXPECT_DOUBLE_EQ(all.incidence[2].by_cause[static_cast<int>(LineEnd::kNotCopied)], 1. / 4);

  // Rounds 0-2: a has age 2 and b is gone at 1; c has age 1; d is gone at 2. What is seen in rounds
  // 3-5: a enters at 2 and is gone at 3, c enters at 1 and lives to 4; two are born in round 5.
  const PersistenceGroup& early = Group(study, "period", "rounds 0-2", "any");
  EXPECT_EQ(early.curve.count, 4);
  EXPECT_EQ(early.curve.ended, 2);
  const PersistenceGroup& late = Group(study, "period", "rounds 3-5", "any");
  EXPECT_EQ(late.curve.count, 3);
  ASSERT_EQ(late.curve.steps.size(), 1);
  EXPECT_EQ(late.curve.steps[0].time, 3);
  EXPECT_EQ(late.curve.steps[0].at_risk, 2);
}

TEST(PersistenceTest, RoundsByHand) {
  Story story;
  TinyAtlas atlas;
  const auto table = LoadTable(story.run, atlas);
  const PersistenceStudy study = StudyPersistence(*table);
  ASSERT_EQ(study.rounds.size(), 6);
  EXPECT_EQ(study.rounds[0].counts.notes, 3);
  EXPECT_EQ(study.rounds[0].counts.notes_with_unsupported_closure, 3);
  EXPECT_EQ(study.rounds[0].counts.notes_with_false_closure, 2);
  EXPECT_EQ(study.rounds[0].age_sum, 0);
  // Round 2: the bare version of age 2, and c of age 1.
  EXPECT_EQ(study.rounds[2].carried, 2);
  EXPECT_EQ(study.rounds[2].age_sum, 3);
  EXPECT_EQ(study.rounds[2].lost_hedge, 1);
  // Round 3: lane 0 has the correction, lane 2 the line of c.
  EXPECT_EQ(study.rounds[3].counts.notes, 2);
  EXPECT_EQ(study.rounds[3].carried, 1);
  // Round 5: the measured loss is on no line, but false.
  EXPECT_EQ(study.rounds[5].carried, 2);
  EXPECT_EQ(study.rounds[5].counts.notes_with_false_closure, 1);
}

TEST(PersistenceTest, MergedVersionKeepsBothLinesAlive) {
  TestRun run({kProblem}, 2);
  const ClaimId a = run.Make(0, kProblem, 0, Closure(3));
  const ClaimId b = run.Make(0, kProblem, 1, Closure(3).WithHedged(true));
  const ClaimId both = run.Make(1, kProblem, 0, Closure(3), Change::kMerged, a, b);
  run.Carry(2, kProblem, 1, both);
  run.CommitUpTo(4);
  TinyAtlas atlas;
  const auto table = LoadTable(run, atlas);
  const PersistenceGroup all = Group(StudyPersistence(*table), "all", "all", "any");
  EXPECT_EQ(all.curve.count, 2);
  ASSERT_EQ(all.curve.steps.size(), 1);
  EXPECT_EQ(all.curve.steps[0].time, 3);
  EXPECT_EQ(all.curve.steps[0].ended, 2);
}

TEST(PersistenceTest, ReplacedWhereTheChangeClosesNothing) {
  TestRun run({kProblem}, 1);
  const ClaimId a = run.Make(0, kProblem, 0, Closure(3));
  run.Make(1, kProblem, 0, Closure(3, Dsl::kCute, Stance::kOpen), Change::kMerged, a);
  run.CommitUpTo(3);
  TinyAtlas atlas;
  const auto table = LoadTable(run, atlas);
  const PersistenceGroup all = Group(StudyPersistence(*table), "all", "all", "any");
  EXPECT_EQ(Ends(all, LineEnd::kReplaced), 1);
}

TEST(PersistenceTest, HalfLifeOfARelay) {
  // Every lane starts with one closure and copies it with probability c in every round.
  for (const double copied : {0.6, 0.8, 0.93}) {
    SCOPED_TRACE(copied);
    std::mt19937_64 random(17);
    TestRun run({kProblem}, 700);
    const int rounds = 40;
    for (int lane = 0; lane < 700; ++lane) {
      const ClaimId claim = run.Make(0, kProblem, lane, Closure(3));
      for (int round = 1; round < rounds; ++round) {
        if (static_cast<double>(random() >> 11) * 0x1p-53 >= copied) break;
        run.Carry(round, kProblem, lane, claim);
      }
    }
    run.CommitUpTo(rounds);
    TinyAtlas atlas;
    const auto table = LoadTable(run, atlas);
    const PersistenceStudy study = StudyPersistence(*table);
    const SurvivalCurve& curve = Group(study, "all", "all", "false").curve;
    const double expected = std::log(2) / -std::log(copied);
    ASSERT_TRUE(curve.HalfLifeLow().has_value());
    EXPECT_LE(*curve.HalfLifeLow(), expected);
    EXPECT_GE(*curve.HalfLifeHigh(), expected);
    // And the interval is narrow enough to mean something.
    EXPECT_LT(*curve.HalfLifeHigh() - *curve.HalfLifeLow(), 0.35 * expected);
  }
}

TEST(PersistenceTest, TablesSaySoWhereThereIsNoHalfLife) {
  TestRun run({kProblem}, 1);
  const ClaimId a = run.Make(0, kProblem, 0, Closure(3));
  run.Carry(1, kProblem, 0, a);
  TinyAtlas atlas;
  const auto table = LoadTable(run, atlas);
  const std::vector<Table> tables = PersistenceTables(StudyPersistence(*table));
  ASSERT_EQ(tables.size(), 5);
  for (const Table& t : tables) {
    for (const std::vector<Cell>& row : t.rows) EXPECT_EQ(row.size(), t.columns.size()) << t.title;
  }
  const std::vector<Cell>& all = tables[0].rows[0];
  EXPECT_EQ(all[6], Missing());
  EXPECT_EQ(all.back(), Text("never falls to 1/2 within 1 rounds"));
  EXPECT_EQ(tables[0].rows[1].back(), Text("no lines"));
}

TEST(PersistenceTest, EmptyRun) {
  TestRun run({kProblem}, 3);
  TinyAtlas atlas;
  const auto table = LoadTable(run, atlas);
  const PersistenceStudy study = StudyPersistence(*table);
  EXPECT_EQ(Group(study, "all", "all", "any").curve.count, 0);
  EXPECT_TRUE(study.rounds.empty());
  EXPECT_EQ(PersistenceTables(study)[2].rows.size(), 0);
}

}  // namespace
}  // namespace hearsay
