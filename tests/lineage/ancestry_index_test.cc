#include "lineage/ancestry_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "lineage/walk.h"
#include "tests/lineage/lineage_testing.h"

namespace hearsay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kProblem = 70;

TEST(ListOffsetsTest, AreThoseOfASum) {
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    std::mt19937 random(seed);
    std::vector<uint32_t> lengths(random() % 300);
    // Mostly short, some longer than many words.
    for (uint32_t& length : lengths) length = random() % 9 == 0 ? random() % 500 : random() % 3;
    const ListOffsets offsets(lengths);
    uint32_t begin = 0;
    for (size_t i = 0; i < lengths.size(); ++i) {
      EXPECT_EQ(offsets[i], std::make_pair(begin, begin + lengths[i])) << seed << " " << i;
      begin += lengths[i];
    }
  }
}

std::vector<RowIndex> Existing(absl::Span<const RowIndex> parents) {
  std::set<RowIndex> rows(parents.begin(), parents.end());
  rows.erase(kNoRow);
  return {rows.begin(), rows.end()};
}

std::vector<RowIndex> Sorted(absl::Span<const RowIndex> rows) {
  std::vector<RowIndex> sorted(rows.begin(), rows.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

// A section is a table of its problem without what is not ancestry.
void ExpectSame(const AncestrySection& section, const ClaimTable& table) {
  ASSERT_EQ(section.size(), table.size());
  EXPECT_EQ(section.round_count(), table.round_count());
  for (RowIndex i = 0; i < table.size(); ++i) {
    const ClaimRow& row = table.row(i);
    EXPECT_EQ(section.IdOf(i), row.id);
    EXPECT_EQ(section.Find(row.id), i);
    EXPECT_EQ(Sorted(section.parents(i)), Existing(row.parents)) << Format(row.id);
    EXPECT_EQ(section.children(i), table.children(i)) << Format(row.id);
    EXPECT_EQ(section.label(i), row.claim.label());
    EXPECT_EQ(section.change(i), row.change);
    EXPECT_EQ(section.hedged(i), row.claim.hedged());
    EXPECT_EQ(section.Find(ClaimId::Of(row.id.attempt(), 31)), kNoRow);
  }
}

TEST(AncestryIndexTest, HoldsWhatTheTablesHold) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    const auto run = RandomRun(seed, 8, 5);
    TinyAtlas atlas;
    AncestryIndex index;
    ASSERT_TRUE(index.Extend(*run, 1 + static_cast<int>(seed % 3)).ok());
    int64_t claims = 0;
    for (const int problem : run->record.problems()) {
      const auto table = LoadTable(*run, atlas, problem);
      const AncestrySection* section = index.Section(kTestRun, problem);
      ASSERT_NE(section, nullptr);
      ExpectSame(*section, *table);
      claims += table->size();
      AncestryIndex one({kTestRun, problem});
      ASSERT_TRUE(one.Extend(*run, 1).ok());
      ExpectSame(*one.Section(kTestRun, problem), *table);
      EXPECT_EQ(one.claim_count(), table->size());
    }
    EXPECT_EQ(index.claim_count(), claims);
    EXPECT_GT(index.size_bytes(), 0);
    EXPECT_EQ(index.Section(kTestRun, 3), nullptr);
    EXPECT_EQ(index.Section(kTestRun + 1, kProblem), nullptr);
  }
}

// RandomRun draws round after round, so the longer run begins as the shorter one.
TEST(AncestryIndexTest, GrowsWithItsRunAndForgetsAnother) {
  TinyAtlas atlas;
  AncestryIndex index;
  const auto expect_same = [&](const TestRun& run) {
    ASSERT_TRUE(index.Extend(run, 2).ok());
    for (const int problem : run.record.problems()) {
      const auto table = LoadTable(run, atlas, problem);
      ExpectSame(*index.Section(kTestRun, problem), *table);
    }
  };
  expect_same(*RandomRun(5, 3, 4));
  expect_same(*RandomRun(5, 7, 4));
  expect_same(*RandomRun(5, 7, 4));
  // Fewer rounds: another run by the same number.
  expect_same(*RandomRun(6, 4, 4));
  auto other = RandomRun(7, 4, 4);
  other->round_digest = 99;
  expect_same(*other);
  TestRun summary({kProblem}, 2);
  summary.record.set_claims_recorded(false);
  ASSERT_TRUE(index.Extend(summary, 1).ok());
  EXPECT_EQ(index.claim_count(), 0);
  EXPECT_EQ(index.Section(kTestRun, kProblem), nullptr);
}

TEST(AncestryIndexTest, NamesWhoRefersToNobody) {
  TestRun run({kProblem}, 2);
  run.Make(1, kProblem, 1, Closure(3), Change::kHedgeLost,
           ClaimId::Of(AttemptId::Of(kTestRun, 0, kProblem, 1), 2));
  AncestryIndex index;
  const absl::Status status = index.Extend(run, 1);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr("R3:r1.p71.l1: refers to R3:r0.p71.l1#3"));
  EXPECT_EQ(index.Section(kTestRun, kProblem), nullptr);
}

// --- walks, against what follows from the definitions ---

struct SlowTwin {
  const ClaimTable& table;
  std::vector<std::set<RowIndex>> ancestors;  // itself among them

  explicit SlowTwin(const ClaimTable& t) : table(t), ancestors(t.size()) {
    for (RowIndex i = 0; i < t.size(); ++i) {
      ancestors[i] = {i};
      for (const RowIndex p : Existing(t.row(i).parents)) {
        ancestors[i].insert(ancestors[p].begin(), ancestors[p].end());
      }
    }
  }
  // The shortest of all ways up.
  int Distance(RowIndex from, RowIndex to) const {
    if (from == to) return 0;
    int best = INT32_MAX / 2;
    for (const RowIndex p : Existing(table.row(from).parents)) {
      if (ancestors[p].count(to) > 0) best = std::min(best, 1 + Distance(p, to));
    }
    return best;
  }
  std::set<RowIndex> LastCommon(RowIndex a, RowIndex b) const {
    std::set<RowIndex> common, last;
    for (const RowIndex i : ancestors[a]) {
      if (ancestors[b].count(i) > 0) common.insert(i);
    }
    for (const RowIndex i : common) {
      bool has_later = false;
      for (const RowIndex j : common) has_later |= i != j && ancestors[j].count(i) > 0;
      if (!has_later) last.insert(i);
    }
    return last;
  }
};

template <typename Graph>
void ExpectWalks(const Graph& graph, const SlowTwin& twin, std::mt19937& random) {
  Walker walker(graph);
  for (RowIndex i = 0; i < graph.size(); ++i) {
    const std::vector<Reached> up = walker.Ancestors(i);
    std::set<RowIndex> rows, drops;
    RowIndex unsupported = kNoRow;
    for (const Reached& r : up) {
      rows.insert(r.row);
      EXPECT_EQ(r.distance, twin.Distance(i, r.row));
    }
    EXPECT_EQ(rows, twin.ancestors[i]);
    EXPECT_EQ(up.size(), rows.size());
    for (const RowIndex row : rows) {
      const ClaimRow& facts = twin.table.row(row);
      if (facts.claim.label() == Label::kUnsupportedClosure && unsupported == kNoRow) {
        unsupported = row;
      }
      for (const RowIndex p : Existing(facts.parents)) {
        if (!facts.claim.hedged() && twin.table.row(p).claim.hedged()) drops.insert(row);
      }
    }
    EXPECT_EQ(FirstUnsupported<Graph>(graph, up), unsupported);
    EXPECT_EQ(HedgeDrops<Graph>(graph, up), std::vector<RowIndex>(drops.begin(), drops.end()));
    std::set<RowIndex> below, expected_below;
    for (const Reached& r : walker.Descendants(i)) {
      below.insert(r.row);
      EXPECT_EQ(r.distance, twin.Distance(r.row, i));
    }
    for (RowIndex j = 0; j < graph.size(); ++j) {
      if (twin.ancestors[j].count(i) > 0) expected_below.insert(j);
    }
    EXPECT_EQ(below, expected_below);
    const auto other = static_cast<RowIndex>(random() % graph.size());
    std::set<RowIndex> last;
    int before = 0;
    for (const CommonAncestor& one : walker.LastCommonAncestors(i, other)) {
      last.insert(one.row);
      EXPECT_EQ(one.distance_a, twin.Distance(i, one.row));
      EXPECT_EQ(one.distance_b, twin.Distance(other, one.row));
      EXPECT_GE(one.distance_a + one.distance_b, before);
      before = one.distance_a + one.distance_b;
    }
    EXPECT_EQ(last, twin.LastCommon(i, other));
  }
}

TEST(WalkTest, AgreesWithSlowTwinsOnTablesAndSections) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const auto run = RandomRun(seed, 8, 4);
    TinyAtlas atlas;
    AncestryIndex index;
    ASSERT_TRUE(index.Extend(*run, 1).ok());
    const auto table = LoadTable(*run, atlas, kProblem);
    const SlowTwin twin(*table);
    std::mt19937 random(static_cast<uint32_t>(seed));
    ExpectWalks(*table, twin, random);
    ExpectWalks(*index.Section(kTestRun, kProblem), twin, random);
  }
}

TEST(WalkTest, CommonAncestorsByHand) {
  TestRun run({kProblem}, 2);
  const ClaimId root = run.Make(0, kProblem, 0, Closure(3));
  const ClaimId mid = run.Make(1, kProblem, 0, Closure(3), Change::kStrengthened, root);
  const ClaimId left = run.Make(2, kProblem, 0, Closure(3), Change::kStrengthened, mid);
  const ClaimId right = run.Make(2, kProblem, 1, Closure(3), Change::kGeneralised, mid);
  const ClaimId alone = run.Make(2, kProblem, 1, Closure(1));
  TinyAtlas atlas;
  const auto table = LoadTable(run, atlas);
  Walker walker(*table);
  const auto common = [&](ClaimId a, ClaimId b) {
    return walker.LastCommonAncestors(table->Find(a), table->Find(b));
  };
  EXPECT_THAT(common(left, right), ElementsAre(CommonAncestor{table->Find(mid), 1, 1}));
  EXPECT_THAT(common(left, mid), ElementsAre(CommonAncestor{table->Find(mid), 1, 0}));
  EXPECT_THAT(common(left, left), ElementsAre(CommonAncestor{table->Find(left), 0, 0}));
  EXPECT_THAT(common(left, alone), IsEmpty());
}

}  // namespace
}  // namespace hearsay
