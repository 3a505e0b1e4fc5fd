#include "kb/store.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kb/codec.h"
#include "kb/rocks.h"
#include "rocksdb/db.h"
#include "tests/kb/kb_testing.h"

namespace hearsay {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<Store> MustOpen(const std::string& path, Store::Mode mode,
                                const StoreOptions& options = {}) {
  absl::StatusOr<std::unique_ptr<Store>> store = Store::Open(path, mode, options);
  EXPECT_TRUE(store.ok()) << store.status();
  return store.ok() ? *std::move(store) : nullptr;
}

// The two ways a round is written: through the log, and as sorted files.
class StoreTest : public ::testing::TestWithParam<size_t> {
 protected:
  std::string path() const { return dir_.Sub("kb"); }
  StoreOptions options() const { return {.ingest_threshold_bytes = GetParam()}; }
  std::unique_ptr<Store> Write() { return MustOpen(path(), Store::Mode::kWrite, options()); }
  std::unique_ptr<Store> Read() { return MustOpen(path(), Store::Mode::kRead); }

  TempDir dir_;
};

INSTANTIATE_TEST_SUITE_P(BothPaths, StoreTest, ::testing::Values(0, size_t{1} << 40),
                         [](const auto& info) { return info.param == 0 ? "Ingested" : "Logged"; });

// All that `contents` holds is in `store`.
void ExpectHolds(const Store& store, const KbContents& contents) {
  const int run = contents.run.run();
  const absl::StatusOr<RunRecord> record = store.Run(run);
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(record->SerializeAsString(), contents.run.SerializeAsString());
  const absl::StatusOr<std::vector<RoundRecord>> rounds = store.Rounds(run);
  ASSERT_TRUE(rounds.ok()) << rounds.status();
  ASSERT_EQ(rounds->size(), contents.rounds.size());
  for (size_t r = 0; r < rounds->size(); ++r) {
    EXPECT_EQ((*rounds)[r].SerializeAsString(), contents.rounds[r].SerializeAsString());
  }
  std::vector<const AttemptBlock*> expected;
  for (const auto& blocks : contents.blocks) {
    for (const AttemptBlock& block : blocks) expected.push_back(&block);
  }
  size_t at = 0;
  ASSERT_TRUE(store
                  .ScanRun(run,
                           [&](const AttemptBlock& block) {
                             EXPECT_LT(at, expected.size());
                             if (at == expected.size()) return false;
                             EXPECT_TRUE(block == *expected[at++]);
                             return true;
                           })
                  .ok());
  EXPECT_EQ(at, expected.size());
  for (size_t r = 0; r < contents.blocks.size(); ++r) {
    for (size_t b = 0; b < contents.blocks[r].size(); ++b) {
      const AttemptBlock& block = contents.blocks[r][b];
      for (int i = 0; i < block.size(); i += 7) {
        const absl::StatusOr<std::vector<uint32_t>> receivers = store.Receivers(block.id(i));
        ASSERT_TRUE(receivers.ok()) << receivers.status();
        EXPECT_EQ(*receivers, contents.receivers[r][b][i]) << Format(block.id(i));
      }
    }
  }
  for (size_t p = 0; p < contents.baselines.size(); ++p) {
    const absl::StatusOr<BaselineBlock> baselines =
        store.Baselines(run, contents.run.problems(static_cast<int>(p)));
    ASSERT_TRUE(baselines.ok()) << baselines.status();
    EXPECT_EQ(baselines->outcomes, contents.baselines[p].outcomes);
  }
}

TEST_P(StoreTest, KeepsWhatWasWritten) {
  KbShape shape;
  shape.lanes = kBlockLanes + 44;  // two blocks a problem
  shape.topology = TestTopology::kPool;
  const KbContents contents = RandomContents(1, shape);
  {
    std::unique_ptr<Store> store = Write();
    ASSERT_TRUE(WriteContents(contents, store.get()).ok());
    ExpectHolds(*store, contents);
    ASSERT_TRUE(store->Sync().ok());
  }
  ExpectHolds(*Read(), contents);
  ExpectHolds(*Write(), contents);
}

TEST_P(StoreTest, FlushingEmptiesTheLog) {
  const KbContents contents = RandomContents(2, {.lanes = kBlockLanes + 44});
  {
    std::unique_ptr<Store> store = Write();
    ASSERT_TRUE(WriteContents(contents, store.get()).ok());
    const absl::StatusOr<StoreSizes> before = store->Sizes();
    ASSERT_TRUE(before.ok()) << before.status();
    ASSERT_TRUE(store->Flush().ok());
    const absl::StatusOr<StoreSizes> after = store->Sizes();
    ASSERT_TRUE(after.ok()) << after.status();
    EXPECT_GT(before->log_bytes, 4000);
    EXPECT_LT(after->log_bytes, 1000);
    EXPECT_GT(after->families[kAttempts].bytes, before->log_bytes / 10);
    int64_t blocks = 0;
    for (const auto& round : contents.blocks) blocks += static_cast<int64_t>(round.size());
    EXPECT_EQ(after->families[kAttempts].name, "attempts");
    EXPECT_EQ(after->families[kAttempts].entries, blocks);
    int64_t on_disk = 0;
    for (const auto& file : std::filesystem::recursive_directory_iterator(path())) {
      if (file.is_regular_file()) on_disk += static_cast<int64_t>(file.file_size());
    }
    EXPECT_EQ(after->total_bytes(), on_disk);
    ExpectHolds(*store, contents);
  }
  ExpectHolds(*Read(), contents);
}

TEST_P(StoreTest, KeepsRunsApart) {
  std::unique_ptr<Store> store = Write();
  std::vector<KbContents> all;
  for (int run = 1; run <= 3; ++run) {
    const absl::StatusOr<int> next = store->NextRun();
    ASSERT_TRUE(next.ok()) << next.status();
    ASSERT_EQ(*next, run);
    KbShape shape;
    shape.run = run;
    all.push_back(RandomContents(static_cast<uint64_t>(run), shape));
    ASSERT_TRUE(WriteContents(all.back(), store.get()).ok());
  }
  for (const KbContents& contents : all) ExpectHolds(*store, contents);
  EXPECT_EQ(store->Runs()->size(), 3u);
  const absl::Status missing = store->Run(9).status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(missing.message()), HasSubstr("has no run R9; its last is R3"));
}

TEST_P(StoreTest, ResolvesNotes) {
  KbShape shape;
  shape.lanes = 270;
  shape.rounds = 8;
  shape.topology = TestTopology::kPool;
  const KbContents contents = RandomContents(2, shape);
  std::unique_ptr<Store> store = Write();
  ASSERT_TRUE(WriteContents(contents, store.get()).ok());
  const absl::StatusOr<std::vector<std::vector<NotedClaim>>> notes = store->NotesOfRound(1, 7, 70);
  ASSERT_TRUE(notes.ok()) << notes.status();
  ASSERT_EQ(notes->size(), 270u);
  size_t old_claims = 0;
  for (const AttemptBlock& block : contents.blocks[7]) {
    if (block.first.problem() != 70) continue;
    for (int i = 0; i < block.size(); ++i) {
      const absl::StatusOr<std::vector<NotedClaim>> note = store->Note(block.id(i));
      ASSERT_TRUE(note.ok()) << note.status();
      const std::vector<NotedClaim>& bulk = (*notes)[block.id(i).lane()];
      ASSERT_EQ(note->size(), block.note_of(i).size());
      ASSERT_EQ(bulk.size(), note->size());
      for (size_t c = 0; c < note->size(); ++c) {
        const NotedClaim& claim = (*note)[c];
        EXPECT_EQ(claim.id, block.note_of(i)[c]);
        EXPECT_EQ(bulk[c].id, claim.id);
        EXPECT_EQ(bulk[c].claim, claim.claim);
        // The slow way: look through the contents for the claim's birth.
        for (const AttemptBlock& birth : contents.blocks[claim.id.attempt().round()]) {
          const int lane = claim.id.attempt().lane() - birth.first.lane();
          if (birth.first.problem() != 70 || lane < 0 || lane >= birth.size()) continue;
          EXPECT_EQ(birth.new_claims_of(lane)[claim.id.place()].claim, claim.claim);
        }
        old_claims += claim.id.attempt().round() < 7;
      }
    }
  }
  EXPECT_GT(old_claims, 100u);
}

TEST_P(StoreTest, RefusesARoundThatIsNotTheNext) {
  const KbContents contents = RandomContents(3, {});
  std::unique_ptr<Store> store = Write();
  EXPECT_EQ(store->CommitRound(contents.rounds[0], EncodeRound(contents, 0)).code(),
            absl::StatusCode::kFailedPrecondition)
      << "a run without a record";
  ASSERT_TRUE(store->PutRun(contents.run).ok());
  const absl::Status early = store->CommitRound(contents.rounds[1], EncodeRound(contents, 1));
  EXPECT_EQ(early.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(early.message()), HasSubstr("the next round of R1 is 0, not 1"));
  ASSERT_TRUE(store->CommitRound(contents.rounds[0], EncodeRound(contents, 0)).ok());
  EXPECT_EQ(store->CommitRound(contents.rounds[0], EncodeRound(contents, 0)).code(),
            absl::StatusCode::kFailedPrecondition);
  std::vector<EncodedBlock> shuffled = EncodeRound(contents, 1);
  std::swap(shuffled[0], shuffled[1]);
  EXPECT_EQ(store->CommitRound(contents.rounds[1], shuffled).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(store->Rounds(1)->size(), 1u);
}

TEST_P(StoreTest, MixesBothPathsInOneRun) {
  const KbContents contents = RandomContents(4, {});
  for (size_t round = 0; round < contents.rounds.size(); ++round) {
    std::unique_ptr<Store> store = MustOpen(
        path(), Store::Mode::kWrite,
        {.ingest_threshold_bytes = (round % 2 == 0) == (GetParam() == 0) ? 0 : size_t{1} << 40});
    if (round == 0) {
      ASSERT_TRUE(store->PutRun(contents.run).ok());
    }
    ASSERT_TRUE(
        store->CommitRound(contents.rounds[round], EncodeRound(contents, static_cast<int>(round)))
            .ok());
  }
  KbContents expected = contents;
  expected.baselines.clear();
  ExpectHolds(*Read(), expected);
}

TEST_P(StoreTest, MayBeReadWhileAnotherWrites) {
  const KbContents contents = RandomContents(5, {});
  std::unique_ptr<Store> writer = Write();
  ASSERT_TRUE(writer->PutRun(contents.run).ok());
  ASSERT_TRUE(writer->CommitRound(contents.rounds[0], EncodeRound(contents, 0)).ok());
  std::unique_ptr<Store> reader = Read();
  ASSERT_TRUE(writer->CommitRound(contents.rounds[1], EncodeRound(contents, 1)).ok());
  // A reader sees what there was when it opened.
  EXPECT_EQ(reader->Rounds(1)->size(), 1u);
  EXPECT_EQ(Read()->Rounds(1)->size(), 2u);
  ASSERT_TRUE(reader->BlockOf(AttemptId::Of(1, 0, 0, 3)).ok());
}

TEST_P(StoreTest, KillLosesNoCommittedRound) {
  const KbContents contents = RandomContents(6, {.lanes = 60, .rounds = 16});
  TestRandom random(6);
  int reported_in_all = 0;
  for (int trial = 0; trial < 5; ++trial) {
    const std::string kb = dir_.Sub(absl::StrCat("killed", trial));
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      close(ends[0]);
      absl::StatusOr<std::unique_ptr<Store>> store =
          Store::Open(kb, Store::Mode::kWrite, options());
      if (!store.ok() || !(*store)->PutRun(contents.run).ok()) _exit(1);
      for (size_t r = 0; r < contents.rounds.size(); ++r) {
        const auto blocks = EncodeRound(contents, static_cast<int>(r));
        if (!(*store)->CommitRound(contents.rounds[r], blocks).ok()) _exit(1);
        const char done = 1;
        if (write(ends[1], &done, 1) != 1) _exit(1);
      }
      _exit(0);
    }
    close(ends[1]);
    // Killed somewhere in the round after the `reports`-th, wherever the child has come to.
    const int reports = random.Below(static_cast<int>(contents.rounds.size()));
    size_t committed = 0;
    char done;
    for (int k = 0; k < reports && read(ends[0], &done, 1) == 1; ++k) ++committed;
    kill(child, SIGKILL);
    int how = 0;
    ASSERT_EQ(waitpid(child, &how, 0), child);
    while (read(ends[0], &done, 1) == 1) ++committed;  // reported before it died
    close(ends[0]);
    reported_in_all += static_cast<int>(committed);

    std::unique_ptr<Store> store = MustOpen(kb, Store::Mode::kWrite, options());
    ASSERT_NE(store, nullptr);
    const absl::StatusOr<std::vector<RoundRecord>> rounds = store->Rounds(1);
    ASSERT_TRUE(rounds.ok()) << rounds.status();
    ASSERT_GE(rounds->size(), committed);
    KbContents expected = contents;
    expected.baselines.clear();
    expected.rounds.resize(rounds->size());
    expected.blocks.resize(rounds->size());
    if (!rounds->empty()) {
      expected.receivers.resize(rounds->size());
      for (auto& block : expected.receivers.back()) {
        for (auto& lanes : block) lanes.clear();
      }
      ExpectHolds(*store, expected);
    }
    for (const auto& entry : std::filesystem::directory_iterator(kb + "/incoming")) {
      ADD_FAILURE() << "left behind: " << entry.path();
    }
  }
  EXPECT_GT(reported_in_all, 0);
}

TEST(Store, KeepsTexts) {
  TempDir dir;
  std::unique_ptr<Store> store = MustOpen(dir.Sub("kb"), Store::Mode::kWrite);
  TextRecord text;
  text.set_name("fold-the-loop");
  text.set_text("---\nname: fold-the-loop\n---\n");
  EXPECT_EQ(*store->PutText(text), 1);
  EXPECT_EQ(*store->PutText(text), 2);
  EXPECT_EQ(store->Text(2)->text(), text.text());
  EXPECT_EQ(store->Text(2)->number(), 2);
  EXPECT_EQ(store->Texts()->size(), 2u);
  EXPECT_EQ(store->Text(3).status().code(), absl::StatusCode::kNotFound);
}

TEST(Store, NamesWhatIsNotThere) {
  TempDir dir;
  std::unique_ptr<Store> store = MustOpen(dir.Sub("kb"), Store::Mode::kWrite);
  ASSERT_TRUE(WriteContents(RandomContents(8, {}), store.get()).ok());
  EXPECT_THAT(std::string(store->BlockOf(AttemptId::Of(1, 0, 70, 20)).status().message()),
              HasSubstr("has no attempt R1:r0.p71.l20"));
  EXPECT_THAT(std::string(store->Note(AttemptId::Of(1, 9, 70, 2)).status().message()),
              HasSubstr("has no attempt R1:r9.p71.l2"));
  const ClaimId claim = ClaimId::Of(AttemptId::Of(1, 0, 70, 2), 30);
  EXPECT_THAT(std::string(store->FindClaim(claim).status().message()),
              HasSubstr("has no claim R1:r0.p71.l2#31"));
  EXPECT_EQ(store->Baselines(1, 5).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(store->NotesOfRound(1, 0, 5).status().code(), absl::StatusCode::kNotFound);
}

TEST(Store, RecordedWithoutClaimsSaysSo) {
  TempDir dir;
  std::unique_ptr<Store> store = MustOpen(dir.Sub("kb"), Store::Mode::kWrite);
  ASSERT_TRUE(WriteContents(RandomContents(8, {.claims_recorded = false}), store.get()).ok());
  EXPECT_THAT(std::string(store->Note(AttemptId::Of(1, 0, 70, 2)).status().message()),
              HasSubstr("recorded without claims"));
  EXPECT_THAT(std::string(store->NotesOfRound(1, 0, 70).status().message()),
              HasSubstr("recorded without claims"));
}

// --- opening ---

TEST(StoreOpen, OneWriterAtATime) {
  TempDir dir;
  const std::string kb = dir.Sub("kb");
  std::unique_ptr<Store> store = MustOpen(kb, Store::Mode::kWrite);
  EXPECT_EQ(Store::Open(kb, Store::Mode::kWrite).status().message(),
            absl::StrCat("kb '", kb, "' is already open for writing in this process"));
  // Another process asks; its answer comes back through a pipe.
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // A process that did not inherit this one's list of locks would be told by the file lock alone,
    // and so is this one once it is asked under another name of the same directory.
    const std::string alias = dir.Sub("alias");
    std::filesystem::create_directory_symlink(kb, alias);
    const std::string answer(Store::Open(alias, Store::Mode::kWrite).status().message());
    _exit(write(ends[1], answer.data(), answer.size()) == static_cast<ssize_t>(answer.size()) ? 0
                                                                                              : 1);
  }
  close(ends[1]);
  char answer[512] = {};
  ASSERT_GT(read(ends[0], answer, sizeof(answer) - 1), 0);
  close(ends[0]);
  int how = 0;
  waitpid(child, &how, 0);
  EXPECT_EQ(std::string(answer),
            absl::StrCat("kb '", dir.Sub("alias"), "' is in use by another process"));
}

TEST(StoreOpen, ReadingCreatesNothing) {
  TempDir dir;
  const absl::Status status = Store::Open(dir.Sub("kb"), Store::Mode::kRead).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(), absl::StrCat("there is no kb at '", dir.Sub("kb"), "'"));
  EXPECT_FALSE(std::filesystem::exists(dir.Sub("kb")));
}

TEST(StoreOpen, ReadingLeavesNoTrace) {
  TempDir dir;
  const std::string kb = dir.Sub("kb");
  ASSERT_TRUE(BuildRandomKb(kb, 1, 10, 3, TestTopology::kRelay).ok());
  const auto list = [&] {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kb)) {
      names.push_back(entry.path());
    }
    std::sort(names.begin(), names.end());
    return names;
  };
  const std::vector<std::string> before = list();
  ASSERT_NE(MustOpen(kb, Store::Mode::kRead), nullptr);
  EXPECT_EQ(list(), before);
}

TEST(StoreOpen, RefusesWhatIsNoKb) {
  TempDir dir;
  const std::string file = dir.Sub("file");
  std::ofstream(file) << "hello";
  std::filesystem::create_directory(dir.Sub("other"));
  std::ofstream(dir.Sub("other/notes.txt")) << "hello";
  for (const Store::Mode mode : {Store::Mode::kRead, Store::Mode::kWrite}) {
    const absl::Status plain = Store::Open(file, mode).status();
    EXPECT_EQ(plain.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_EQ(plain.message(), absl::StrCat("'", file, "' is no kb: it is a file"));
    const absl::Status other = Store::Open(dir.Sub("other"), mode).status();
    EXPECT_EQ(other.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(other.message()),
                HasSubstr("it holds other files, such as 'notes.txt'"));
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.Sub("other")), {}), 1);
}

TEST(StoreOpen, CreatesInAnEmptyDirectory) {
  TempDir dir;
  std::filesystem::create_directory(dir.Sub("empty"));
  EXPECT_EQ(Store::Open(dir.Sub("empty"), Store::Mode::kRead).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_NE(MustOpen(dir.Sub("empty"), Store::Mode::kWrite), nullptr);
}

TEST(StoreOpen, RefusesAnotherProgramsDatabase) {
  TempDir dir;
  const std::string path = dir.Sub("db");
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::DB* db = nullptr;
  ASSERT_TRUE(rocksdb::DB::Open(options, path, &db).ok());
  ASSERT_TRUE(db->Put(rocksdb::WriteOptions(), "theirs", "data").ok());
  rocksdb::ColumnFamilyHandle* handle = nullptr;
  ASSERT_TRUE(db->CreateColumnFamily(options, "theirs", &handle).ok());
  ASSERT_TRUE(db->DestroyColumnFamilyHandle(handle).ok());
  delete db;
  for (const Store::Mode mode : {Store::Mode::kRead, Store::Mode::kWrite}) {
    EXPECT_THAT(std::string(Store::Open(path, mode).status().message()),
                HasSubstr("is no kb: it is another program's database"));
  }
}

TEST(StoreOpen, NamesBothSchemaVersions) {
  TempDir dir;
  const std::string kb = dir.Sub("kb");
  ASSERT_TRUE(BuildRandomKb(kb, 1, 5, 2, TestTopology::kRelay).ok());
  std::vector<std::string> names;
  ASSERT_TRUE(rocksdb::DB::ListColumnFamilies({}, kb, &names).ok());
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (const std::string& name : names) families.emplace_back(name, rocksdb::ColumnFamilyOptions());
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* db = nullptr;
  ASSERT_TRUE(rocksdb::DB::Open({}, kb, families, &handles, &db).ok());
  ASSERT_TRUE(db->Put(rocksdb::WriteOptions(), "schema", "7").ok());
  // A later version may have more tables, too.
  rocksdb::ColumnFamilyHandle* more = nullptr;
  ASSERT_TRUE(db->CreateColumnFamily({}, "later", &more).ok());
  handles.push_back(more);
  for (rocksdb::ColumnFamilyHandle* handle : handles) {
    ASSERT_TRUE(db->DestroyColumnFamilyHandle(handle).ok());
  }
  delete db;
  for (const Store::Mode mode : {Store::Mode::kRead, Store::Mode::kWrite}) {
    const absl::Status status = Store::Open(kb, mode).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_EQ(
        status.message(),
        absl::StrCat("kb '", kb, "' has schema version 7, this program needs ", kSchemaVersion));
  }
}

TEST(StoreOpen, FinishesACreationThatWasInterrupted) {
  TempDir dir;
  const std::string kb = dir.Sub("kb");
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::DB* db = nullptr;
  ASSERT_TRUE(rocksdb::DB::Open(options, kb, &db).ok());
  rocksdb::ColumnFamilyHandle* handle = nullptr;
  ASSERT_TRUE(db->CreateColumnFamily(options, "runs", &handle).ok());
  ASSERT_TRUE(db->DestroyColumnFamilyHandle(handle).ok());
  delete db;
  EXPECT_EQ(Store::Open(kb, Store::Mode::kRead).status().code(), absl::StatusCode::kNotFound);
  EXPECT_NE(MustOpen(kb, Store::Mode::kWrite), nullptr);
  EXPECT_NE(MustOpen(kb, Store::Mode::kRead), nullptr);
}

TEST(StoreOpen, RemovesWhatAKilledWriterLeft) {
  TempDir dir;
  const std::string kb = dir.Sub("kb");
  ASSERT_NE(MustOpen(kb, Store::Mode::kWrite), nullptr);
  std::ofstream(kb + "/incoming/1.sst") << "half a file";
  ASSERT_NE(MustOpen(kb, Store::Mode::kWrite), nullptr);
  EXPECT_TRUE(std::filesystem::is_empty(kb + "/incoming"));
}

}  // namespace
}  // namespace hearsay
