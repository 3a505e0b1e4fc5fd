// Which closures cost most, against a count by hand and a slow twin.
#include "lineage/harm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <utility>

#include "lineage/lines.h"
#include "tasks/world.h"
#include "tests/lineage/lineage_testing.h"

namespace hearsay {
namespace {

constexpr int kProblem = 70;

// The attempt believes a claim that it read, and pays for it.
void Pay(TestRun& run, int round, int lane, ClaimId claim, int cost_lg, ClaimId other = {}) {
  const uint32_t bit = run.Read(round, kProblem, lane, claim, other);
  Outcome& outcome = run.At(round, kProblem, lane).outcome;
  outcome.adopted |= bit;
  outcome.costly_slot = static_cast<uint8_t>(__builtin_ctz(bit));
  outcome.closure_cost_lg = static_cast<int16_t>(cost_lg);
}

TEST(HarmTest, ChargesTheLineOnce) {
  TestRun run({kProblem}, 4);
  const ClaimId born = run.Make(0, kProblem, 0, Closure(3));
  const ClaimId child = run.Make(1, kProblem, 0, Closure(3), Change::kStrengthened, born);
  const ClaimId other = run.Make(0, kProblem, 1, Closure(2));
  const ClaimId corrected = run.Make(1, kProblem, 1, Advice(2), Change::kCorrected, other);
  const ClaimId closed_again = run.Make(2, kProblem, 1, Closure(2), Change::kCorrected, corrected);
  Pay(run, 1, 2, born, 1024);
  Pay(run, 2, 2, child, 2048);
  Pay(run, 2, 3, born, 512, child);  // two versions of one line read as one
  Pay(run, 1, 3, other, 512);
  Pay(run, 3, 3, closed_again, 256);  // does not continue what it came from: a line of its own
  TinyAtlas atlas;
  const auto table = LoadTable(run, atlas);
  const std::vector<HarmfulLine> lines = MostHarmfulLines(*table, 10);
  ASSERT_EQ(lines.size(), 3);
  EXPECT_EQ(lines[0].root, born);
  EXPECT_DOUBLE_EQ(lines[0].doublings, 3.5);
  EXPECT_EQ(lines[0].attempts, 3);
  EXPECT_EQ(lines[1].root, other);
  EXPECT_DOUBLE_EQ(lines[1].doublings, 0.5);
  EXPECT_EQ(lines[2].root, closed_again);
  EXPECT_EQ(MostHarmfulLines(*table, 1).size(), 1);
  EXPECT_TRUE(MostHarmfulLines(*table, 0).empty());
}

// The oldest closure that row i continues, by walking to all of them; kNoRow for no closure.
RowIndex SlowRoot(const ClaimTable& table, RowIndex i) {
  if (!table.row(i).claim.is_closure()) return kNoRow;
  RowIndex oldest = kNoRow;
  for (RowIndex root = i; root >= 0; --root) {
    if (!table.row(root).claim.is_closure()) continue;
    const std::vector<RowIndex> versions = VersionsOf(table, root, Kinship::kAnyClosure);
    if (std::find(versions.begin(), versions.end(), i) != versions.end()) oldest = root;
  }
  return oldest;
}

std::vector<HarmfulLine> SlowHarm(const ClaimTable& table) {
  std::map<AttemptId, std::pair<RowIndex, int>> paid;
  for (const ClaimEvent& event : table.events()) {
    if (event.deed != Deed::kPaidMost || event.cost_lg <= 0) continue;
    const RowIndex root = SlowRoot(table, event.row);
    if (root == kNoRow) continue;
    const auto [at, added] = paid.insert({event.attempt, {root, event.cost_lg}});
    if (!added) at->second.first = std::min(at->second.first, root);
  }
  std::map<RowIndex, HarmfulLine> by_root;
  for (const auto& [attempt, what] : paid) {
    HarmfulLine& line = by_root[what.first];
    line.root = table.row(what.first).id;
    line.doublings += static_cast<double>(what.second) / kLgPerDoubling;
    ++line.attempts;
  }
  std::vector<HarmfulLine> lines;
  for (const auto& [root, line] : by_root) lines.push_back(line);
  std::sort(lines.begin(), lines.end(), [](const HarmfulLine& a, const HarmfulLine& b) {
    return a.doublings != b.doublings ? a.doublings > b.doublings : a.root < b.root;
  });
  return lines;
}

TEST(HarmTest, IsAsTheSlowTwinSays) {
  size_t found = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const auto run = RandomRun(seed, 7, 5);
    // Whoever read closures pays for the last of them.
    TinyAtlas atlas;
    std::mt19937_64 random(seed);
    for (int problem : run->record.problems()) {
      for (int round = 1; round < 7; ++round) {
        for (int lane = 0; lane < 5; ++lane) {
          TestAttempt& attempt = run->At(round, problem, lane);
          if (attempt.intake.empty()) continue;
          const size_t slot = random() % attempt.intake.size();
          attempt.outcome.costly_slot = static_cast<uint8_t>(slot);
          attempt.outcome.closure_cost_lg = static_cast<int16_t>(random() % 3000);
        }
      }
    }
    const auto table = LoadTable(*run, atlas);
    const std::vector<HarmfulLine> slow = SlowHarm(*table);
    const std::vector<HarmfulLine> fast = MostHarmfulLines(*table, 1000000);
    ASSERT_EQ(fast.size(), slow.size());
    for (size_t i = 0; i < slow.size(); ++i) {
      EXPECT_EQ(fast[i].root, slow[i].root);
      EXPECT_DOUBLE_EQ(fast[i].doublings, slow[i].doublings);
      EXPECT_EQ(fast[i].attempts, slow[i].attempts);
    }
    found += slow.size();
    // Problem by problem it comes to the same.
    const auto by_problem = MostHarmfulLinesOfRun(*run, kTestRun, atlas, -1, 5);
    ASSERT_TRUE(by_problem.ok()) << by_problem.status();
    ASSERT_EQ(by_problem->size(), std::min<size_t>(5, fast.size()));
    for (size_t i = 0; i < by_problem->size(); ++i) EXPECT_EQ((*by_problem)[i].root, fast[i].root);
  }
  EXPECT_GT(found, 20u);
}

}  // namespace
}  // namespace hearsay
