// The store on a file system that runs full: an error in words, and nothing committed is lost.
#include <atomic>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kb/check.h"
#include "kb/store_internal.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "tests/kb/kb_testing.h"

namespace hearsay {
namespace {

using ::testing::HasSubstr;

// A disk with so many bytes left; files deleted give none back.
class FullDisk : public rocksdb::FileSystemWrapper {
 public:
  FullDisk() : rocksdb::FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "FullDisk"; }

  void set_left_bytes(int64_t bytes) { left_bytes_ = bytes; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus s = target()->NewWritableFile(name, options, file, debug);
    if (s.ok()) *file = std::make_unique<File>(std::move(*file), this);
    return s;
  }

 private:
  class File : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    File(std::unique_ptr<rocksdb::FSWritableFile> file, FullDisk* disk)
        : rocksdb::FSWritableFileOwnerWrapper(std::move(file)), disk_(*disk) {}
    rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override {
      const rocksdb::IOStatus s = disk_.Take(data.size());
      return s.ok() ? FSWritableFileOwnerWrapper::Append(data, options, debug) : s;
    }
    rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                             const rocksdb::DataVerificationInfo& verification,
                             rocksdb::IODebugContext* debug) override {
      const rocksdb::IOStatus s = disk_.Take(data.size());
      return s.ok() ? FSWritableFileOwnerWrapper::Append(data, options, verification, debug) : s;
    }

   private:
    FullDisk& disk_;
  };

  rocksdb::IOStatus Take(size_t bytes) {
    if (left_bytes_.fetch_sub(static_cast<int64_t>(bytes)) >= static_cast<int64_t>(bytes)) {
      return rocksdb::IOStatus::OK();
    }
    return rocksdb::IOStatus::NoSpace("No space left on device");
  }

  std::atomic<int64_t> left_bytes_{INT64_MAX};
};

class FullDiskTest : public ::testing::TestWithParam<size_t> {};

INSTANTIATE_TEST_SUITE_P(BothPaths, FullDiskTest, ::testing::Values(0, size_t{1} << 40),
                         [](const auto& info) { return info.param == 0 ? "Ingested" : "Logged"; });

TEST_P(FullDiskTest, LosesNoCommittedRound) {
  const KbContents contents = RandomContents(21, {.lanes = 30, .rounds = 6});
  const StoreOptions options{.ingest_threshold_bytes = GetParam()};
  TempDir dir;
  int failures = 0;
  for (int64_t left_bytes = 100; left_bytes < 40000; left_bytes = left_bytes * 2) {
    const std::string kb = dir.Sub(absl::StrCat("kb", left_bytes));
    auto disk = std::make_shared<FullDisk>();
    const std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(disk);
    size_t committed = 0;
    {
      absl::StatusOr<std::unique_ptr<Store>> store =
          OpenWithEnv(kb, Store::Mode::kWrite, options, env.get());
      ASSERT_TRUE(store.ok()) << store.status();
      ASSERT_TRUE((*store)->PutRun(contents.run).ok());
      for (size_t p = 0; p < contents.baselines.size(); ++p) {
        ASSERT_TRUE(
            (*store)
                ->PutBaselines(1, contents.run.problems(static_cast<int>(p)), contents.baselines[p])
                .ok());
      }
      disk->set_left_bytes(left_bytes);
      absl::Status status;
      while (committed < contents.rounds.size()) {
        status = (*store)->CommitRound(contents.rounds[committed],
                                       EncodeRound(contents, static_cast<int>(committed)));
        if (!status.ok()) break;
        ++committed;
      }
      if (!status.ok()) {
        ++failures;
        EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
        EXPECT_THAT(std::string(status.message()),
                    HasSubstr(absl::StrCat("kb '", kb, "': disk full")));
        const absl::StatusOr<std::vector<RoundRecord>> rounds = (*store)->Rounds(1);
        ASSERT_TRUE(rounds.ok()) << rounds.status();
        EXPECT_EQ(rounds->size(), committed) << "a failed round can be seen";
      }
    }
    // With room again, what was committed is there, and the run goes on.
    absl::StatusOr<std::unique_ptr<Store>> store = Store::Open(kb, Store::Mode::kWrite, options);
    ASSERT_TRUE(store.ok()) << store.status();
    ASSERT_EQ((*store)->Rounds(1)->size(), committed) << left_bytes;
    for (size_t r = committed; r < contents.rounds.size(); ++r) {
      const absl::Status status =
          (*store)->CommitRound(contents.rounds[r], EncodeRound(contents, static_cast<int>(r)));
      ASSERT_TRUE(status.ok()) << status;
    }
    const absl::StatusOr<CheckReport> report = CheckStore(**store, 10);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->finding_count, 0) << "left " << left_bytes;
  }
  EXPECT_GT(failures, 3);
}

TEST(FullDisk, IsNamedWhenAKbIsCreated) {
  TempDir dir;
  auto disk = std::make_shared<FullDisk>();
  const std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(disk);
  disk->set_left_bytes(64);
  const absl::Status status =
      OpenWithEnv(dir.Sub("kb"), Store::Mode::kWrite, {}, env.get()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("disk full"));
  // What it left is no obstacle once there is room.
  const absl::Status again = Store::Open(dir.Sub("kb"), Store::Mode::kWrite).status();
  EXPECT_TRUE(again.ok()) << again;
}

}  // namespace
}  // namespace hearsay
