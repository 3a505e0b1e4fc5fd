// The store on a disk that runs full and under a process that dies, at every write: an error in
// words, and nothing committed is lost.
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kb/check.h"
#include "kb/store_internal.h"
#include "rocksdb/env.h"
#include "tests/kb/faulty_disk.h"
#include "tests/kb/kb_testing.h"

namespace hearsay {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Whether rounds are ingested, and what becomes of it at the n-th write to files named so.
struct FaultCase {
  std::string name;
  size_t ingest_threshold_bytes;
  FaultyDisk::Fault fault;
  std::string part;
};

constexpr size_t kNever = size_t{1} << 40;

class StoreFaultTest : public ::testing::TestWithParam<FaultCase> {};

INSTANTIATE_TEST_SUITE_P(
    EveryLayer, StoreFaultTest,
    ::testing::Values(FaultCase{"FullWhenIngesting", 0, FaultyDisk::Fault::kFull, ""},
                      FaultCase{"FullWhenLogging", kNever, FaultyDisk::Fault::kFull, ""},
                      FaultCase{"FullLog", kNever, FaultyDisk::Fault::kFull, ".log"},
                      FaultCase{"FullSortedFile", 0, FaultyDisk::Fault::kFull, ".sst"},
                      FaultCase{"FullManifest", 0, FaultyDisk::Fault::kFull, "MANIFEST"},
                      FaultCase{"FullCurrent", kNever, FaultyDisk::Fault::kFull, ".dbtmp"},
                      FaultCase{"KilledWhenIngesting", 0, FaultyDisk::Fault::kDead, ""},
                      FaultCase{"KilledWhenLogging", kNever, FaultyDisk::Fault::kDead, ""}),
    [](const auto& info) { return info.param.name; });

// All of `contents` as far as the disk lets it: how many rounds were committed.
struct Written {
  absl::Status status;
  bool run = false;
  size_t rounds = 0;
};

Written Write(const KbContents& contents, size_t first_round, Store* store) {
  Written written;
  written.status = store->PutRun(contents.run);
  for (size_t p = 0; p < contents.baselines.size() && written.status.ok(); ++p) {
    written.status =
        store->PutBaselines(1, contents.run.problems(static_cast<int>(p)), contents.baselines[p]);
  }
  if (!written.status.ok()) return written;
  written.run = true;
  for (written.rounds = first_round; written.rounds < contents.rounds.size(); ++written.rounds) {
    written.status = store->CommitRound(contents.rounds[written.rounds],
                                        EncodeRound(contents, static_cast<int>(written.rounds)));
    if (!written.status.ok()) return written;
  }
  written.status = store->Flush();
  return written;
}

TEST_P(StoreFaultTest, LosesNothingCommitted) {
  const KbContents contents = RandomContents(21, {.lanes = 30, .rounds = 4});
  const StoreOptions options{.ingest_threshold_bytes = GetParam().ingest_threshold_bytes};
  const TempDir dir;
  int64_t last = 0;
  // From the first write to the last, with steps that grow, so that all parts are met.
  for (int64_t nth = 1; last == 0; nth += 1 + nth / 12) {
    const std::string kb = dir.Sub(absl::StrCat("kb", nth));
    SCOPED_TRACE(absl::StrCat("write ", nth));
    const auto disk = std::make_shared<FaultyDisk>();
    const std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(disk);
    disk->FailAt(GetParam().fault, nth, GetParam().part);
    Written written;
    {
      absl::StatusOr<std::unique_ptr<Store>> store =
          OpenWithEnv(kb, Store::Mode::kWrite, options, env.get());
      written.status = store.status();
      if (store.ok()) written = Write(contents, 0, store->get());
      if (!disk->failed()) last = disk->changes();
      if (!written.status.ok()) {
        EXPECT_THAT(std::string(written.status.message()), StartsWith(absl::StrCat("kb '", kb)));
        if (GetParam().fault == FaultyDisk::Fault::kFull) {
          EXPECT_EQ(written.status.code(), absl::StatusCode::kUnavailable) << written.status;
          EXPECT_THAT(std::string(written.status.message()), HasSubstr("disk full"));
        }
      }
      if (store.ok() && GetParam().fault == FaultyDisk::Fault::kFull) {
        const absl::StatusOr<std::vector<RoundRecord>> rounds = (*store)->Rounds(1);
        ASSERT_TRUE(rounds.ok()) << rounds.status();
        EXPECT_EQ(rounds->size(), written.rounds) << "a failed round can be seen";
      }
    }
    // On the same disk as it lies there.
    const std::unique_ptr<rocksdb::Env> sound =
        rocksdb::NewCompositeEnv(std::make_shared<FaultyDisk>());
    absl::StatusOr<std::unique_ptr<Store>> store =
        OpenWithEnv(kb, Store::Mode::kWrite, options, sound.get());
    ASSERT_TRUE(store.ok()) << store.status();
    const absl::StatusOr<std::vector<RoundRecord>> rounds = (*store)->Rounds(1);
    ASSERT_TRUE(rounds.ok()) << rounds.status();
    EXPECT_GE(rounds->size(), written.rounds);
    // A process that dies while it commits may have done so; nobody was told.
    EXPECT_LE(rounds->size(), written.rounds + 1);
    EXPECT_TRUE(!written.run || (*store)->Run(1).ok());
    const Written rest = Write(contents, rounds->size(), store->get());
    ASSERT_TRUE(rest.status.ok()) << rest.status;
    const absl::StatusOr<CheckReport> report = CheckStore(**store, 10);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->finding_count, 0);
    EXPECT_EQ(report->rounds, static_cast<int64_t>(contents.rounds.size()));
  }
  EXPECT_GE(last, 2);
}

}  // namespace
}  // namespace hearsay
