#include "lineage/kinship.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "lineage/ancestry.h"
#include "tests/lineage/lineage_testing.h"

namespace hearsay {
namespace {

constexpr int kProblem = 70;

// Note by note, as the run was written.
TEST(CarriersByRoundTest, CountsTheNotesOfARandomRun) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    const auto run = RandomRun(seed, 7, 4);
    TinyAtlas atlas;
    const auto table = LoadTable(*run, atlas, kProblem);
    Walker walker(*table);
    for (RowIndex i = 0; i < table->size(); ++i) {
      const std::vector<Reached> versions = walker.Descendants(i);
      std::set<ClaimId> ids;
      for (const Reached& r : versions) ids.insert(table->row(r.row).id);
      std::vector<RoundCarriers> expected;
      for (int round = 0; round < 7; ++round) {
        RoundCarriers counts{round, 0, 0};
        for (int lane = 0; lane < 4; ++lane) {
          bool any = false;
          for (const ClaimId id : run->At(round, kProblem, lane).note) {
            any = any || ids.count(id) > 0;
            counts.of_claim += id == table->row(i).id;
          }
          counts.of_any += any;
        }
        expected.push_back(counts);
      }
      // Only from the first to the last round that has any.
      while (!expected.empty() && expected.back().of_any == 0) expected.pop_back();
      while (!expected.empty() && expected.front().of_any == 0) expected.erase(expected.begin());
      const auto found = CarriersByRound(*run, *table, versions);
      ASSERT_TRUE(found.ok()) << found.status();
      EXPECT_EQ(*found, expected);
    }
  }
}

TEST(PedigreeFactsTest, HedgesAndUnsupportedClosures) {
  TestRun run({kProblem}, 1);
  const Label open = Label::kOpenQuestion;
  const ClaimId born = run.Make(0, kProblem, 0, Closure(3).WithLabel(open).WithHedged(true));
  const ClaimId closed =
      run.Make(1, kProblem, 0, Closure(3).WithHedged(true), Change::kMerged, born);
  const ClaimId bare =
      run.Make(2, kProblem, 0, Closure(3).WithSupport(1), Change::kStrengthened, closed);
  const ClaimId last =
      run.Make(3, kProblem, 0, Closure(3).WithGeneral(true), Change::kGeneralised, bare);
  TinyAtlas atlas;
  const auto table = LoadTable(run, atlas);
  const absl::StatusOr<Pedigree> up = Ancestry(*table, last);
  ASSERT_TRUE(up.ok());
  EXPECT_THAT(up->hedges_lost, ::testing::IsEmpty());
  EXPECT_THAT(up->hedges_dropped, ::testing::ElementsAre(bare));
  EXPECT_EQ(up->first_unsupported, closed);
  EXPECT_TRUE(Ancestry(*table, born)->first_unsupported.none());
}

TEST(CommonAncestorsTableTest, NamesWhatIsNotThere) {
  TestRun run({4, kProblem}, 1);
  const ClaimId a = run.Make(0, kProblem, 0, Closure(3));
  const ClaimId elsewhere = run.Make(0, 4, 0, Closure(3));
  const ClaimId missing = ClaimId::Of(AttemptId::Of(kTestRun, 0, kProblem, 0), 9);
  TinyAtlas atlas;
  const auto table = LoadTable(run, atlas);
  EXPECT_EQ(CommonAncestorsTable(*table, a, elsewhere).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CommonAncestorsTable(*table, a, missing).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(CommonAncestorsTable(*table, a, a)->rows.size(), 1);
}

}  // namespace
}  // namespace hearsay
