// Runs whose process dies at any write, or whose kb is damaged and repaired, resume to the digests
// of a run that was left alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "absl/strings/str_cat.h"
#include "kb/repair.h"
#include "kb/store_internal.h"
#include "rocksdb/env.h"
#include "rounds/engine.h"
#include "tests/kb/faulty_disk.h"
#include "tests/rounds/rounds_testing.h"

namespace hearsay {
namespace {

namespace fs = std::filesystem;

class DurabilityTest : public KbTest, public ::testing::WithParamInterface<size_t> {
 protected:
  DurabilityTest() { options_.ingest_threshold_bytes = GetParam(); }

  // Goes on with run 1, or begins it where it is not there, and expects its digests.
  void ExpectResumes(const std::string& kb, const std::vector<uint64_t>& digests) {
    const std::unique_ptr<rocksdb::Env> env =
        rocksdb::NewCompositeEnv(std::make_shared<FaultyDisk>());
    const auto store = OpenWithEnv(kb, Store::Mode::kWrite, options_, env.get());
    ASSERT_TRUE(store.ok()) << store.status();
    const auto run = (*store)->Run(1);
    if (!run.ok()) {
      Execute(plan_, store->get());
    } else if (run->state() != RunRecord::COMPLETE) {
      const auto resumed = ResumeRun(1, RunOptions(), store->get());
      ASSERT_TRUE(resumed.ok()) << resumed.status();
      EXPECT_EQ(resumed->state(), RunRecord::COMPLETE);
    }
    EXPECT_EQ(Digests(**store, 1), digests);
    ExpectHealthy(**store);
  }

  const Plan plan_ = PlanOf("problems: 'p09,p71' lanes: 6 rounds: 4 topology: 'pool:2,best'");
  StoreOptions options_;
};

INSTANTIATE_TEST_SUITE_P(BothPaths, DurabilityTest, ::testing::Values(0, size_t{1} << 40),
                         [](const auto& info) { return info.param == 0 ? "Ingested" : "Logged"; });

TEST_P(DurabilityTest, KilledAtAnyWriteResumesToTheSameDigests) {
  std::vector<uint64_t> digests;
  int64_t writes = 0;
  for (int64_t nth = INT64_MAX; nth == INT64_MAX || nth <= writes; nth += 1 + nth / 8) {
    const std::string kb = (dir_ / absl::StrCat("kb", nth)).string();
    SCOPED_TRACE(absl::StrCat("killed at write ", nth));
    const auto disk = std::make_shared<FaultyDisk>();
    const std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(disk);
    disk->FailAt(FaultyDisk::Fault::kDead, nth);
    {
      const auto store = OpenWithEnv(kb, Store::Mode::kWrite, options_, env.get());
      ASSERT_TRUE(store.ok() || nth < INT64_MAX);
      if (store.ok()) {
        const auto run = ExecutePlan(plan_, RunOptions(), store->get());
        EXPECT_TRUE(!run.ok() || !disk->failed());
      }
      if (nth == INT64_MAX) {  // the run left alone
        digests = Digests(**store, 1);
        ASSERT_EQ(digests.size(), 4u);
        writes = disk->changes();
        nth = 0;
        continue;
      }
    }
    ExpectResumes(kb, digests);
    if (HasFailure()) return;
  }
  EXPECT_GT(writes, 40);
}

TEST_P(DurabilityTest, DamagedAndRepairedResumesToTheSameDigests) {
  const std::string kb = (dir_ / "kb").string();
  std::vector<uint64_t> digests;
  {
    const auto store = Store::Open(kb, Store::Mode::kWrite, options_);
    ASSERT_TRUE(store.ok());
    Execute(plan_, store->get());
    digests = Digests(**store, 1);
  }
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kb)) {
    if (entry.path().extension() == ".sst") files.push_back(entry.path());
  }
  int shortened = 0, kept_runs = 0;
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename());
    // In the middle of the data, whose blocks come first.
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekg(10);
    const int sound = bytes.get();
    bytes.seekp(10);
    bytes.put(static_cast<char>(sound ^ 0x40));
    bytes.flush();
    const std::string saved = (dir_ / "saved").string();
    const auto report = RepairKb(kb, saved, 1);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_FALSE(report->losses.empty());
    shortened += report->rounds < 4;
    kept_runs += report->runs == 1;
    ExpectResumes(saved, digests);
    fs::remove_all(saved);
    bytes.seekp(10);
    bytes.put(static_cast<char>(sound));
    bytes.close();
    if (HasFailure()) return;
  }
  EXPECT_GT(shortened, 0);
  EXPECT_GT(kept_runs, 0);
}

}  // namespace
}  // namespace hearsay
