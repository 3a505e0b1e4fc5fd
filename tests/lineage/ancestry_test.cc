#include "lineage/ancestry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "tests/lineage/lineage_testing.h"

namespace hearsay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int kProblem = 70;

// born --hedge lost--> bare --generalised--> general;  bare and other --merged--> merged
struct Story {
  TestRun run{{kProblem}, 2};
  ClaimId born, other, bare, general, merged;

  Story() {
    born = run.Make(0, kProblem, 0, Closure(3).WithHedged(true));
    other = run.Make(0, kProblem, 1, Closure(3, Dsl::kTirx));
    run.Carry(1, kProblem, 0, born);
    bare = run.Make(2, kProblem, 0, Closure(3), Change::kHedgeLost, born);
    run.Carry(2, kProblem, 1, other);
    run.At(2, kProblem, 0).outcome.adopted = run.Read(2, kProblem, 0, born);
    general = run.Make(3, kProblem, 0, Closure(3).WithGeneral(true), Change::kGeneralised, bare);
    merged = run.Make(3, kProblem, 1, Closure(3).WithSupport(1), Change::kMerged, bare, other);
    Outcome& outcome = run.At(3, kProblem, 1).outcome;
    // Read both, believed both, found one of them out and lost a doubling by it.
    outcome.adopted = run.Read(3, kProblem, 1, bare) | run.Read(3, kProblem, 1, born);
    outcome.refuted = 1;
    outcome.confirmed = 2;
    outcome.costly_slot = 0;
    outcome.closure_cost_lg = 1024;
  }
};

std::vector<ClaimId> Ids(const Pedigree& pedigree) {
  std::vector<ClaimId> ids;
  for (const ClaimVersion& version : pedigree.versions) ids.push_back(version.id);
  return ids;
}

TEST(AncestryTest, TellsTheWholeStory) {
  Story story;
  TinyAtlas atlas;
  const auto table = LoadTable(story.run, atlas);
  absl::StatusOr<Pedigree> found = Ancestry(*table, story.merged);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_THAT(Ids(*found), ElementsAre(story.born, story.other, story.bare, story.merged));
  EXPECT_EQ(found->version_count, 4);
  EXPECT_THAT(found->births, ElementsAre(story.born, story.other));
  EXPECT_THAT(found->hedges_lost, ElementsAre(story.bare));
  EXPECT_EQ(found->carriers, 2 + 2 + 1 + 1);
  EXPECT_EQ(found->adopting_attempts, 2);
  ASSERT_EQ(found->tests.size(), 2);
  EXPECT_EQ(found->tests[0].version, story.bare);
  EXPECT_FALSE(found->tests[0].confirmed);
  EXPECT_EQ(found->tests[1].version, story.born);
  EXPECT_TRUE(found->tests[1].confirmed);
  ASSERT_TRUE(found->worst.has_value());
  EXPECT_EQ(found->worst->doublings, 1);
  EXPECT_EQ(found->worst->version, story.bare);
  EXPECT_EQ(Format(found->worst->attempt), "R3:r3.p71.l1");

  const ClaimVersion& born = found->versions[0];
  EXPECT_TRUE(born.parents.empty());
  EXPECT_TRUE(born.claim.hedged());
  EXPECT_EQ(born.truth, Truth::kFalse);
  EXPECT_EQ(born.truth_in[static_cast<int>(Dsl::kTirx)], Truth::kTrue);
  EXPECT_EQ(born.cost_doublings, 1);
  EXPECT_EQ(born.last_round, 1);
  EXPECT_EQ(born.distance, 2);
  EXPECT_FALSE(born.alive);
  EXPECT_FALSE(born.words.empty());
  const ClaimVersion& merged = found->versions[3];
  EXPECT_THAT(merged.parents, ElementsAre(story.bare, story.other));
  EXPECT_EQ(merged.change, Change::kMerged);
  EXPECT_EQ(merged.distance, 0);
  EXPECT_TRUE(merged.alive);
}

TEST(AncestryTest, OfAClaimThatWasBornIsItself) {
  Story story;
  TinyAtlas atlas;
  const auto table = LoadTable(story.run, atlas);
  absl::StatusOr<Pedigree> found = Ancestry(*table, story.born);
  ASSERT_TRUE(found.ok());
  EXPECT_THAT(Ids(*found), ElementsAre(story.born));
  EXPECT_EQ(found->worst, std::nullopt);
}

TEST(DescendantsTest, ListsTheNearestAndCountsAll) {
  Story story;
  TinyAtlas atlas;
  const auto table = LoadTable(story.run, atlas);
  absl::StatusOr<Pedigree> all = Descendants(*table, story.born, 100);
  ASSERT_TRUE(all.ok());
  EXPECT_THAT(Ids(*all), ElementsAre(story.born, story.bare, story.general, story.merged));
  absl::StatusOr<Pedigree> some = Descendants(*table, story.born, 2);
  ASSERT_TRUE(some.ok());
  EXPECT_THAT(Ids(*some), ElementsAre(story.born, story.bare));
  EXPECT_EQ(some->version_count, 4);
  EXPECT_EQ(some->carriers, all->carriers);
  EXPECT_EQ(some->tests.size(), 2);
  EXPECT_EQ(Descendants(*table, story.born, 0).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(PedigreeTest, UnknownClaim) {
  Story story;
  TinyAtlas atlas;
  const auto table = LoadTable(story.run, atlas);
  const ClaimId unknown = ClaimId::Of(AttemptId::Of(kTestRun, 1, kProblem, 0), 3);
  EXPECT_EQ(Ancestry(*table, unknown).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Descendants(*table, unknown, 5).status().code(), absl::StatusCode::kNotFound);
}

TEST(PedigreeTest, AgreesWithSlowTwinsOnRandomRuns) {
  size_t largest = 0;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    const auto run = RandomRun(seed, 7, 4);
    TinyAtlas atlas;
    const auto table = LoadTable(*run, atlas);
    std::function<void(RowIndex, std::set<RowIndex>&)> up = [&](RowIndex i,
                                                                std::set<RowIndex>& seen) {
      seen.insert(i);
      for (RowIndex parent : table->row(i).parents) {
        if (parent != kNoRow) up(parent, seen);
      }
    };
    for (RowIndex i = 0; i < table->size(); ++i) {
      std::set<RowIndex> ancestors;
      up(i, ancestors);
      std::vector<ClaimId> expected;
      for (RowIndex a : ancestors) expected.push_back(table->row(a).id);
      absl::StatusOr<Pedigree> found = Ancestry(*table, table->row(i).id);
      ASSERT_TRUE(found.ok());
      EXPECT_EQ(Ids(*found), expected);
      largest = std::max(largest, expected.size());
      // A descendant is whatever has this claim among its ancestors.
      std::vector<ClaimId> descendants;
      for (RowIndex j = 0; j < table->size(); ++j) {
        std::set<RowIndex> of_j;
        up(j, of_j);
        if (of_j.count(i) > 0) descendants.push_back(table->row(j).id);
      }
      absl::StatusOr<Pedigree> forward = Descendants(*table, table->row(i).id, 1000);
      ASSERT_TRUE(forward.ok());
      EXPECT_EQ(Ids(*forward), descendants);
    }
  }
  EXPECT_GT(largest, 5);
}

TEST(PedigreeTest, TablesAreRectangular) {
  Story story;
  TinyAtlas atlas;
  const auto table = LoadTable(story.run, atlas);
  absl::StatusOr<Pedigree> found = Descendants(*table, story.born, 2);
  ASSERT_TRUE(found.ok());
  const std::vector<Table> tables = PedigreeTables(*table, *found, "Descendants");
  ASSERT_EQ(tables.size(), 3);
  for (const Table& t : tables) {
    for (const std::vector<Cell>& row : t.rows) EXPECT_EQ(row.size(), t.columns.size()) << t.title;
  }
  EXPECT_EQ(tables[0].title, "Descendants of R3:r0.p71.l0#1");
  EXPECT_EQ(tables[1].rows.size(), 2);
  EXPECT_EQ(tables[1].notes.back(), "showing 2 of 4 versions, nearest first");
}

TEST(LongestLivedTest, ByHand) {
  TestRun run({kProblem}, 3);
  // False; lives through a changed version from 0 to 3: four rounds.
  const ClaimId longest = run.Make(0, kProblem, 0, Closure(3).WithHedged(true));
  run.Carry(1, kProblem, 0, longest);
  const ClaimId version = run.Make(2, kProblem, 0, Closure(3), Change::kHedgeLost, longest);
  run.Carry(3, kProblem, 0, version);
  run.Carry(3, kProblem, 1, version);
  // A change of stance is another claim: "not worth it" is false as well, and in its second round.
  const ClaimId turned = run.Make(4, kProblem, 0, Closure(3, Dsl::kCute, Stance::kNotWorthIt),
                                  Change::kMerged, version);
  run.Carry(5, kProblem, 0, turned);
  // True, and carried all the time.
  const ClaimId right = run.Make(0, kProblem, 2, Closure(2));
  for (int round = 1; round < 6; ++round) run.Carry(round, kProblem, 2, right);
  // False; two rounds, like `turned`, but born before it.
  const ClaimId brief = run.Make(1, kProblem, 1, Closure(1));
  run.Carry(2, kProblem, 1, brief);
  TinyAtlas atlas;
  const auto table = LoadTable(run, atlas);
  const std::vector<LongLived> all = LongestLivedFalseClosures(*table, 10);
  ASSERT_EQ(all.size(), 3);
  EXPECT_EQ(all[0].claim, longest);
  EXPECT_EQ(all[0].rounds, 4);
  EXPECT_EQ(all[0].last_round, 3);
  EXPECT_EQ(all[0].carriers, 5);
  EXPECT_EQ(all[0].versions, 2);
  EXPECT_EQ(all[0].cost_doublings, 1);
  EXPECT_EQ(all[0].ended, "replaced");
  EXPECT_EQ(all[1].claim, brief);
  EXPECT_EQ(all[1].ended, "not_copied");
  EXPECT_EQ(all[2].claim, turned);
  EXPECT_EQ(all[2].ended, "alive");
  // With evidence, and false all the same: ranked among all, not among the unsupported.
  run.Make(5, kProblem, 1, Closure(3).WithLabel(Label::kMeasuredLoss));
  const auto more = LoadTable(run, atlas);
  EXPECT_EQ(LongestLivedFalseClosures(*more, 10).size(), 4);
  EXPECT_EQ(LongestLivedFalseClosures(*more, 10, ClosureKind::kUnsupported).size(), 3);
  EXPECT_EQ(LongestLivedFalseClosures(*table, 1).size(), 1);
  EXPECT_THAT(LongestLivedFalseClosures(*table, 0), IsEmpty());
  EXPECT_EQ(LongestLivedTable(*table, 2).rows.size(), 2);
}

TEST(LongestLivedTest, ProblemByProblemIsAsOfTheWholeRun) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const auto run = RandomRun(seed, 8, 6);
    TinyAtlas atlas;
    const auto table = LoadTable(*run, atlas);
    const std::vector<LongLived> whole = LongestLivedFalseClosures(*table, 1);
    const auto found = LongestLivedOfRun(*run, kTestRun, atlas, -1);
    ASSERT_TRUE(found.ok()) << found.status();
    ASSERT_EQ(found->has_value(), !whole.empty());
    if (whole.empty()) continue;
    EXPECT_EQ((*found)->claim, whole[0].claim);
    EXPECT_EQ((*found)->rounds, whole[0].rounds);
    EXPECT_EQ((*found)->carriers, whole[0].carriers);
    const auto of_one = LongestLivedOfRun(*run, kTestRun, atlas, 4);
    ASSERT_TRUE(of_one.ok());
    if (of_one->has_value()) {
      EXPECT_EQ((*of_one)->claim.attempt().problem(), 4);
    }
  }
  TestRun summary({kProblem}, 1);
  summary.record.set_claims_recorded(false);
  TinyAtlas atlas;
  EXPECT_EQ(LongestLivedOfRun(summary, kTestRun, atlas, -1).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace hearsay
