// Requirement 17 of docs/data-model.md: what is left of dropped rounds is checked, and its damage
// is found; and what kb repair makes of it.
#include "kb/fold.h"

#include <filesystem>
#include <fstream>
#include <functional>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kb/check.h"
#include "kb/repair.h"
#include "tests/kb/kb_testing.h"

namespace hearsay {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FoldTest : public ::testing::Test {
 protected:
  // A complete run of 8 rounds that retains so, in the kb "kb".
  std::unique_ptr<Store> Fold(const std::string& retain) {
    contents_ = RandomContents(31, {.lanes = 12, .rounds = 8, .topology = TestTopology::kPool});
    contents_.run.set_retain(retain);
    auto store = Store::Open(dir_.Sub("kb"), Store::Mode::kWrite);
    EXPECT_TRUE(store.ok()) << store.status();
    EXPECT_TRUE(WriteContents(contents_, store->get()).ok());
    const auto retention = ParseRetention(retain);
    EXPECT_TRUE(retention.ok()) << retention.status();
    const absl::Status folded = FoldRun(1, *retention, 2, store->get());
    EXPECT_TRUE(folded.ok()) << folded;
    return *std::move(store);
  }

  static std::vector<RoundRecord> Rounds(const Store& store) {
    const auto rounds = store.Rounds(1);
    EXPECT_TRUE(rounds.ok()) << rounds.status();
    return *rounds;
  }

  static void ExpectFinds(const Store& store, const std::string& where,
                          const std::string& problem) {
    const auto report = CheckStore(store, 100);
    ASSERT_TRUE(report.ok()) << report.status();
    ASSERT_FALSE(report->findings.empty());
    std::string all;
    bool found = false;
    for (const Finding& finding : report->findings) {
      absl::StrAppend(&all, finding.requirement, " ", finding.where, ": ", finding.problem, "\n");
      found = found || (finding.requirement == 17 && finding.where == where &&
                        finding.problem.find(problem) != std::string::npos);
    }
    EXPECT_TRUE(found) << all;
  }

  TempDir dir_;
  KbContents contents_;
};

TEST_F(FoldTest, AFoldedRunIsHealthy) {
  for (const char* retain : {"last:3", "every:3", "ancestral"}) {
    const std::unique_ptr<Store> store = Fold(retain);
    const auto report = CheckStore(*store, 100);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->finding_count, 0)
        << retain << " " << report->findings[0].where << " " << report->findings[0].problem;
    EXPECT_EQ(report->rounds, 8);
    std::filesystem::remove_all(dir_.Sub("kb"));
  }
}

TEST_F(FoldTest, Requirement17KeptClaimsAddUp) {
  const std::unique_ptr<Store> store = Fold("ancestral");
  const auto kept = store->KeptClaims(1, 70);
  ASSERT_TRUE(kept.ok());
  ASSERT_FALSE(kept->empty());
  // One claim fewer, or another count.
  std::vector<KeptClaim> fewer(kept->begin() + 1, kept->end()), other = *kept;
  ++other[0].carriers;
  const std::string where = absl::StrCat("R1:r", other[0].id.attempt().round());
  ASSERT_TRUE(store->CommitFold(1, {{}, {}, ChangedBlocks(*kept, fewer)}).ok());
  ExpectFinds(*store, where, "kept claims, there are");
  ASSERT_TRUE(store->CommitFold(1, {{}, {}, ChangedBlocks(fewer, other)}).ok());
  ExpectFinds(*store, where, "another digest");
  ASSERT_TRUE(
      store->CommitFold(1, {{}, {}, {{ChangedBlocks({}, other)[0].first, "damaged"}}}).ok());
  ExpectFinds(*store, "R1:p71", "KeptClaimsRecord");
}

TEST_F(FoldTest, Requirement17ParentsAreKept) {
  const std::unique_ptr<Store> store = Fold("ancestral");
  const auto kept = store->KeptClaims(1, 70);
  ASSERT_TRUE(kept.ok());
  for (const KeptClaim& child : *kept) {
    const ClaimId parent = child.made.parents[0];
    if (parent.none()) continue;
    std::vector<KeptClaim> fewer = *kept;
    std::erase_if(fewer, [&](const KeptClaim& claim) { return claim.id == parent; });
    ASSERT_TRUE(store->CommitFold(1, {{}, {}, ChangedBlocks(*kept, fewer)}).ok());
    ExpectFinds(*store, Format(child.id), absl::StrCat("its parent ", Format(parent), " is lost"));
    return;
  }
  FAIL() << "no kept claim has a parent";
}

TEST_F(FoldTest, Requirement17DropsWhatTheRunRetains) {
  const std::unique_ptr<Store> store = Fold("last:3");
  RoundRecord round = Rounds(*store)[6];
  round.set_dropped(true);
  ASSERT_TRUE(store->CommitFold(1, {{6}, {round}, {}}).ok());
  ExpectFinds(*store, "R1:r6", "it was dropped, though the run retains last:3");
}

TEST_F(FoldTest, Requirement17CompleteRunsAreFolded) {
  const std::unique_ptr<Store> store = Fold("last:3");
  RunRecord run = contents_.run;
  run.set_retain("last:2");
  run.set_state(RunRecord::COMPLETE);
  ASSERT_TRUE(store->PutRun(run).ok());
  ExpectFinds(*store, "R1:r5", "it is whole, though the run is complete and retains last:2");
}

TEST_F(FoldTest, Requirement17DroppedRoundsHaveNoAttempts) {
  const std::unique_ptr<Store> store = Fold("last:3");
  RoundRecord round = Rounds(*store)[5];
  round.set_dropped(true);
  ASSERT_TRUE(store->CommitFold(1, {{}, {round}, {}}).ok());
  ExpectFinds(*store, "R1:r5.p71.l0", "it is there, though its round was dropped");
}

TEST_F(FoldTest, OfAnotherRetentionNothingIsRead) {
  const std::unique_ptr<Store> store = Fold("last:3");
  RunRecord run = contents_.run;
  run.set_retain("some");
  ASSERT_TRUE(store->PutRun(run).ok());
  const auto report = CheckStore(*store, 100);
  ASSERT_TRUE(report.ok());
  ASSERT_FALSE(report->findings.empty());
  EXPECT_EQ(report->findings[0].requirement, 2);
  EXPECT_THAT(report->findings[0].problem, HasSubstr("unknown retention 'some'"));
}

TEST_F(FoldTest, AFlippedByteIsFoundAndRepaired) {
  for (const char* retain : {"last:3", "ancestral"}) {
    Fold(retain)->Flush().IgnoreError();
    int flipped = 0;
    for (const auto& entry : std::filesystem::directory_iterator(dir_.Sub("kb"))) {
      if (entry.path().extension() != ".sst") continue;
      SCOPED_TRACE(entry.path());
      std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(12);
      const int sound = file.get();
      const auto put = [&file](int byte) {
        file.seekp(12);
        file.put(static_cast<char>(byte));
        file.flush();
      };
      put(sound ^ 0x10);
      const auto report = CheckKb(dir_.Sub("kb"), 10, 1);
      ASSERT_TRUE(report.ok()) << report.status();
      ASSERT_GT(report->finding_count, 0);
      EXPECT_EQ(report->findings[0].requirement, 16);
      const std::string saved = dir_.Sub("saved");
      const auto repaired = RepairKb(dir_.Sub("kb"), saved, 1);
      ASSERT_TRUE(repaired.ok()) << repaired.status();
      EXPECT_FALSE(repaired->losses.empty());
      const auto healthy = CheckKb(saved, 10, 1);
      ASSERT_TRUE(healthy.ok()) << healthy.status();
      EXPECT_THAT(healthy->findings, IsEmpty()) << healthy->findings[0].problem;
      std::filesystem::remove_all(saved);
      put(sound);
      ++flipped;
    }
    EXPECT_GE(flipped, 5);
    std::filesystem::remove_all(dir_.Sub("kb"));
  }
}

// All of the rounds, all but the last, or none are kept.
TEST_F(FoldTest, RepairKeepsWhatCanBeGoneOnFrom) {
  struct Case {
    std::string retain;
    std::function<void(Store*)> damage;
    int rounds;
  };
  const auto lose_last = [](Store* store) {
    RoundRecord round = Rounds(*store)[7];
    round.set_passed(round.passed() + 1);
    ASSERT_TRUE(store->CommitFold(1, {{}, {round}, {}}).ok());
  };
  const auto lose_kept = [](Store* store) {
    const auto kept = store->KeptClaims(1, 70);
    ASSERT_TRUE(kept.ok());
    ASSERT_TRUE(store->CommitFold(1, {{}, {}, {{ChangedBlocks({}, *kept)[0].first, ""}}}).ok());
  };
  const Case cases[] = {{"last:3", [](Store*) {}, 8}, {"last:3", lose_last, 7},
                        {"last:3", lose_kept, 0},     {"every:3", [](Store*) {}, 8},
                        {"every:3", lose_last, 0},    {"ancestral", [](Store*) {}, 8},
                        {"ancestral", lose_last, 0}};
  int number = 0;
  for (const Case& one : cases) {
    SCOPED_TRACE(absl::StrCat("case ", number, ", ", one.retain));
    {
      const std::unique_ptr<Store> store = Fold(one.retain);
      one.damage(store.get());
    }
    const std::string saved = dir_.Sub(absl::StrCat("saved", number++));
    const auto report = RepairKb(dir_.Sub("kb"), saved, 1);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->rounds, one.rounds);
    EXPECT_EQ(report->losses.empty(), one.rounds == 8);
    const auto store = Store::Open(saved, Store::Mode::kRead);
    ASSERT_TRUE(store.ok()) << store.status();
    const auto healthy = CheckStore(**store, 10);
    ASSERT_TRUE(healthy.ok());
    EXPECT_THAT(healthy->findings, IsEmpty()) << healthy->findings[0].problem;
    if (one.rounds == 0) {
      EXPECT_THAT(report->losses.back(), HasSubstr("R1: rounds 0 to 7, since round "));
      EXPECT_TRUE((*store)->KeptClaims(1, 70)->empty());
    } else {
      EXPECT_FALSE((*store)->KeptClaims(1, 70)->empty());
    }
    std::filesystem::remove_all(dir_.Sub("kb"));
  }
}

}  // namespace
}  // namespace hearsay
