// Files damaged on disk, of every kind: the check names the damage, a repair keeps all that is
// whole, and neither ends in a crash or in silence.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kb/check.h"
#include "kb/repair.h"
#include "kb/store_internal.h"
#include "rocksdb/env.h"
#include "tests/kb/faulty_disk.h"
#include "tests/kb/kb_testing.h"

namespace hearsay {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr int kRounds = 4;

std::string Read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class DamageTest : public ::testing::Test {
 protected:
  // Of two runs, the first complete and in sorted files, the second in the log from its third round
  // on, as a killed process leaves it.
  void SetUp() override {
    contents_ = {RandomContents(17, {.lanes = 40, .rounds = kRounds}),
                 RandomContents(18, {.run = 2, .lanes = 30, .rounds = kRounds})};
    contents_[0].run.set_state(RunRecord::COMPLETE);
    contents_[1].run.set_state(RunRecord::RUNNING);
    const std::unique_ptr<rocksdb::Env> env =
        rocksdb::NewCompositeEnv(std::make_shared<FaultyDisk>());
    const auto open = [&](size_t threshold) {
      return OpenWithEnv(kb_, Store::Mode::kWrite, {.ingest_threshold_bytes = threshold},
                         env.get());
    };
    {
      const auto store = open(0);
      ASSERT_TRUE(store.ok() && WriteContents(contents_[0], store->get()).ok());
      TextRecord text;
      text.set_text("from outside");
      ASSERT_TRUE((*store)->PutText(text).ok() && (*store)->PutText(text).ok());
      ASSERT_TRUE((*store)->Flush().ok());
    }
    KbContents begun = contents_[1];
    begun.rounds.resize(2);
    {
      const auto store = open(size_t{1} << 40);
      ASSERT_TRUE(store.ok() && WriteContents(begun, store->get()).ok());
      ASSERT_TRUE((*store)->Flush().ok());
      for (int r = 2; r < kRounds; ++r) {
        ASSERT_TRUE(
            (*store)->CommitRound(contents_[1].rounds[r], EncodeRound(contents_[1], r)).ok());
      }
    }
    for (const auto& entry : fs::directory_iterator(kb_)) {
      if (entry.is_regular_file() && entry.file_size() > 0) files_.push_back(entry.path());
    }
    std::sort(files_.begin(), files_.end());
  }

  // Repairs the damaged kb; the new kb must be sound and hold a beginning of each run, the same as
  // what was written. Returns how many rounds were lost.
  int ExpectRepair(bool damage_found) {
    const std::string saved = dir_.Sub("saved");
    const absl::StatusOr<RepairReport> report = RepairKb(kb_, saved, 2);
    EXPECT_FALSE(fs::exists(saved + ".rebuild"));
    if (!report.ok()) {
      ADD_FAILURE() << report.status();
      return 0;
    }
    EXPECT_TRUE(damage_found || report->losses.empty()) << report->losses[0];
    EXPECT_TRUE(!damage_found || !report->losses.empty()) << "nothing is said to be lost";
    const absl::StatusOr<CheckReport> check = CheckKb(saved, 5, 1);
    EXPECT_TRUE(check.ok() && check->finding_count == 0)
        << (check.ok() ? check->findings[0].problem : check.status().ToString());
    int lost = 0;
    {
      const auto store = Store::Open(saved, Store::Mode::kRead);
      EXPECT_TRUE(store.ok()) << store.status();
      for (const KbContents& contents : contents_) lost += ExpectBeginning(contents, **store);
    }
    fs::remove_all(saved);
    return lost;
  }

  int ExpectBeginning(const KbContents& contents, const Store& store) {
    const absl::StatusOr<RunRecord> run = store.Run(contents.run.run());
    if (!run.ok()) return kRounds;
    EXPECT_EQ(run->seed(), contents.run.seed());
    const absl::StatusOr<std::vector<RoundRecord>> rounds = store.Rounds(contents.run.run());
    EXPECT_TRUE(rounds.ok());
    for (size_t r = 0; r < rounds->size(); ++r) {
      EXPECT_EQ((*rounds)[r].SerializeAsString(), contents.rounds[r].SerializeAsString());
      size_t b = 0;
      EXPECT_TRUE(store
                      .ScanRound(contents.run.run(), static_cast<int>(r), -1,
                                 [&](const AttemptBlock& block) {
                                   EXPECT_TRUE(block == contents.blocks[r][b++]);
                                   return true;
                                 })
                      .ok());
      EXPECT_EQ(b, contents.blocks[r].size());
    }
    const int lost = kRounds - static_cast<int>(rounds->size());
    EXPECT_TRUE(lost == 0 || run->state() == RunRecord::RUNNING) << "it cannot be resumed";
    return lost;
  }

  const TempDir dir_;
  const std::string kb_ = dir_.Sub("kb");
  std::vector<KbContents> contents_;
  std::vector<fs::path> files_;
};

TEST_F(DamageTest, NothingIsLostOfASoundKb) {
  const absl::StatusOr<CheckReport> report = CheckKb(kb_, 5, 2);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->finding_count, 0) << report->findings[0].problem;
  EXPECT_EQ(ExpectRepair(false), 0);
  const absl::Status there = RepairKb(kb_, kb_, 1).status();
  EXPECT_EQ(there.code(), absl::StatusCode::kAlreadyExists);
}

TEST_F(DamageTest, IsFoundAndRepaired) {
  std::set<std::string> kinds;
  int found = 0;
  TestRandom random(9);
  for (const fs::path& file : files_) {
    const std::string name = file.filename().string();
    kinds.insert(absl::StartsWith(name, "MANIFEST") ? "MANIFEST" : file.extension().string());
    const std::string sound = Read(file);
    for (const std::string damage : {"flipped", "flipped", "short", "gone"}) {
      std::string bytes = sound;
      const size_t at = random.Bits() % bytes.size();
      SCOPED_TRACE(absl::StrCat(name, " ", damage, " at byte ", at, " of ", sound.size()));
      if (damage == "flipped") bytes[at] = static_cast<char>(bytes[at] ^ 1 << random.Below(8));
      if (damage == "short") bytes.resize(at);
      // Never written in place: a link to it would be damaged too.
      fs::remove(file);
      if (damage != "gone") std::ofstream(file, std::ios::binary) << bytes;
      const absl::StatusOr<CheckReport> report = CheckKb(kb_, 1000, 2);
      if (!report.ok()) {
        EXPECT_THAT(std::string(report.status().message()), HasSubstr(kb_));
        ADD_FAILURE() << report.status();
      } else {
        const bool damaged = report->finding_count > 0;
        found += damaged;
        const bool sorted = file.extension() == ".sst";
        if (sorted && damaged) {
          bool named = false;
          for (const Finding& finding : report->findings) {
            named = named || finding.where == name || absl::StrContains(finding.problem, name);
          }
          EXPECT_TRUE(named) << report->findings[0].where << ": " << report->findings[0].problem;
        }
        EXPECT_TRUE(damaged || !sorted || damage == "flipped");
        const int lost = ExpectRepair(damaged);
        // The log of a killed process may end anywhere, and so may the database's own records.
        const bool may_end = !sorted && damage != "flipped";
        EXPECT_TRUE(lost == 0 || damaged || may_end) << lost << " rounds lost in silence";
      }
      fs::remove(file);
      std::ofstream(file, std::ios::binary) << sound;
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(found, 20);
  for (const char* kind : {".sst", ".log", "MANIFEST"}) EXPECT_EQ(kinds.count(kind), 1u) << kind;
}

}  // namespace
}  // namespace hearsay
