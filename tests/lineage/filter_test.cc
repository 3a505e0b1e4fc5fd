#include "lineage/filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "kb/skill.h"
#include "tasks/words.h"

#include "tests/lineage/lineage_testing.h"

namespace hearsay {
namespace {

template <typename T>
bool AnyOrIn(const std::vector<T>& asked, T value) {
  return asked.empty() || std::find(asked.begin(), asked.end(), value) != asked.end();
}

bool Says(int problem, Claim claim, const std::string& text) {
  const std::string label = absl::StrReplaceAll(Name(claim.label()), {{"_", " "}});
  for (const std::string& words : {StatementInWords(problem, claim), label}) {
    if (absl::StrContains(absl::AsciiStrToLower(words), absl::AsciiStrToLower(text))) return true;
  }
  return false;
}

bool Matches(const ClaimTable& table, RowIndex i, const ClaimFilter& f) {
  const ClaimRow& row = table.row(i);
  return AnyOrIn(f.labels, row.claim.label()) && AnyOrIn(f.stances, row.claim.stance()) &&
         AnyOrIn(f.changes, row.change) && AnyOrIn(f.truths, table.TruthOfRow(i)) &&
         AnyOrIn(f.problems, row.id.attempt().problem()) &&
         (!f.dsl.has_value() || *f.dsl == row.claim.dsl()) && row.carriers >= f.min_carriers &&
         row.id.attempt().round() >= f.born_from && row.id.attempt().round() <= f.born_to &&
         (!f.alive_at_end || row.last_round == table.round_count() - 1) &&
         Says(row.id.attempt().problem(), row.claim, f.text);
}

std::vector<RowIndex> BruteForce(const ClaimTable& table, const ClaimFilter& f) {
  std::vector<RowIndex> rows;
  for (RowIndex i = 0; i < table.size(); ++i) {
    if (Matches(table, i, f)) rows.push_back(i);
  }
  const auto key = [&](RowIndex i) {
    const ClaimRow& row = table.row(i);
    return f.order == ClaimOrder::kCarriers   ? row.carriers
           : f.order == ClaimOrder::kLifetime ? row.last_round - row.first_round
                                              : 0;
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](RowIndex a, RowIndex b) { return key(a) > key(b); });
  return rows;
}

template <typename Enum>
std::vector<Enum> SomeOf(std::mt19937_64& random, int count) {
  std::vector<Enum> some;
  if (random() % 3 != 0) return some;
  for (int i = 0; i < count; ++i) {
    if (random() % 2 == 0) some.push_back(static_cast<Enum>(i));
  }
  return some;
}

TEST(SelectClaimsTest, AgreesWithBruteForce) {
  int64_t matched = 0;
  int64_t left_out = 0;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE(seed);
    const auto run = RandomRun(seed % 7, 8, 5);
    TinyAtlas atlas;
    const auto table = LoadTable(*run, atlas);
    std::mt19937_64 random(seed);
    ClaimFilter f;
    f.labels = SomeOf<Label>(random, kLabelCount);
    f.stances = SomeOf<Stance>(random, kStanceCount);
    f.changes = SomeOf<Change>(random, kChangeCount);
    f.truths = SomeOf<Truth>(random, 3);
    if (random() % 4 == 0) f.problems = {70};
    if (random() % 4 == 0) f.dsl = static_cast<Dsl>(random() % 2);
    if (random() % 3 == 0) f.min_carriers = static_cast<int>(random() % 4);
    if (random() % 3 == 0) f.born_from = static_cast<int>(random() % 4);
    if (random() % 3 == 0) f.born_to = 3 + static_cast<int>(random() % 4);
    f.alive_at_end = random() % 4 == 0;
    const std::vector<std::string> texts = {"CANNOT work", "worth", "=", "closure", "measured"};
    if (random() % 3 == 0) f.text = texts[random() % texts.size()];
    f.order = static_cast<ClaimOrder>(random() % 3);
    const std::vector<RowIndex> expected = BruteForce(*table, f);
    absl::StatusOr<ClaimSelection> all = SelectClaims(*table, f);
    ASSERT_TRUE(all.ok());
    EXPECT_EQ(all->rows, expected);
    matched += all->total;
    left_out += table->size() - all->total;
    f.limit = 3;
    absl::StatusOr<ClaimSelection> some = SelectClaims(*table, f);
    ASSERT_TRUE(some.ok());
    EXPECT_EQ(some->total, static_cast<int64_t>(expected.size()));
    EXPECT_EQ(some->rows,
              std::vector<RowIndex>(expected.begin(),
                                    expected.begin() + std::min<size_t>(3, expected.size())));
    // Problem by problem it is the same.
    absl::StatusOr<FoundClaims> found = FindClaims(*run, kTestRun, atlas, f);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->total, some->total);
    ASSERT_EQ(found->claims.size(), some->rows.size());
    for (size_t i = 0; i < some->rows.size(); ++i) {
      EXPECT_EQ(found->claims[i].id, table->row(some->rows[i]).id);
    }
  }
  // The filters did something, and not everything.
  EXPECT_GT(matched, 500);
  EXPECT_GT(left_out, 500);
}

TEST(SelectClaimsTest, RefusesNonsense) {
  TestRun run({70}, 1);
  TinyAtlas atlas;
  const auto table = LoadTable(run, atlas);
  ClaimFilter negative;
  negative.limit = -1;
  EXPECT_EQ(SelectClaims(*table, negative).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(FindClaims(run, kTestRun, atlas, negative).status().code(),
            absl::StatusCode::kInvalidArgument);
  ClaimFilter backwards;
  backwards.born_from = 5;
  backwards.born_to = 4;
  EXPECT_EQ(SelectClaims(*table, backwards).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(SelectClaimsTest, EmptyRunAndTable) {
  TestRun run({70}, 1);
  TinyAtlas atlas;
  const auto table = LoadTable(run, atlas);
  absl::StatusOr<ClaimSelection> none = SelectClaims(*table, {});
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(none->total, 0);
  absl::StatusOr<FoundClaims> found = FindClaims(run, kTestRun, atlas, {});
  ASSERT_TRUE(found.ok());
  const Table printed = ClaimsTable(kTestRun, *found);
  EXPECT_TRUE(printed.rows.empty());
  EXPECT_EQ(printed.notes[0], "showing 0 of 0 claims");
}

}  // namespace
}  // namespace hearsay
