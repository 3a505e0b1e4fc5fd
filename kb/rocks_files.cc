// What rocks.h does with files: those of a damaged kb, and those of what is no longer wanted.
#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "kb/codec.h"
#include "kb/kept_claims.h"
#include "kb/rocks.h"
#include "rocksdb/convenience.h"
#include "rocksdb/metadata.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/table.h"
#include "rocksdb/write_batch.h"
#include "tasks/thread_pool.h"

namespace hearsay {
namespace {

// A key in words: a run, round, problem's baselines or block.
std::string Words(const std::string& family, const std::string& key) {
  if (family == kFamilyNames[kDefaultFamily]) return key;
  if (key.size() == 16) {
    const absl::StatusOr<AttemptId> first =
        family == kFamilyNames[kClaims] ? ParseKeptKey(key) : ParseBlockKey(key);
    return first.ok() ? Format(*first) : "?";
  }
  std::vector<uint32_t> numbers;
  for (size_t i = 0; i < key.size(); ++i) {
    if (i % 4 == 0) numbers.push_back(0);
    numbers.back() = numbers.back() << 8 | static_cast<uint8_t>(key[i]);
  }
  if (family == kFamilyNames[kTexts] && numbers.size() == 1) return absl::StrCat("T", numbers[0]);
  if (numbers.size() == 1) return absl::StrCat("R", numbers[0]);
  if (numbers.size() != 2) return "?";
  return family == kFamilyNames[kBaselines]
             ? absl::StrCat("R", numbers[0], ":", FormatProblem(static_cast<int>(numbers[1])))
             : absl::StrCat("R", numbers[0], ":r", numbers[1]);
}

std::string Words(const rocksdb::LiveFileMetaData& file) {
  const std::string first = Words(file.column_family_name, file.smallestkey);
  const std::string last = Words(file.column_family_name, file.largestkey);
  return absl::StrCat("holds '", file.column_family_name, "' of ", first,
                      first == last ? "" : absl::StrCat(" to ", last));
}

rocksdb::Status CopyFile(rocksdb::Env* env, const std::string& from, const std::string& to) {
  if (env->LinkFile(from, to).ok()) return rocksdb::Status::OK();
  std::string bytes;
  const rocksdb::Status s = rocksdb::ReadFileToString(env, from, &bytes);
  return s.ok() ? rocksdb::WriteStringToFile(env, bytes, to, /*should_sync=*/false) : s;
}

}  // namespace

absl::Status Rocks::ListFiles() {
  std::vector<std::string> children;
  if (rocksdb::Status s = env_->GetChildren(path_, &children); !s.ok()) return Error(s);
  for (const std::string& child : children) {
    if (absl::EndsWith(child, ".sst")) listed_.push_back(child);
  }
  return absl::OkStatus();
}

std::vector<FileFault> Rocks::FindFaults(int threads) const {
  std::vector<rocksdb::LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  rocksdb::Options options = options_;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory());  // no cache to fill
  std::vector<std::string> problems(files.size());
  ThreadPool pool(threads);
  pool.For(static_cast<int>(files.size()), [&](int f) {
    rocksdb::SstFileReader reader(options);
    rocksdb::Status s = reader.Open(path_ + files[f].name);
    if (s.ok()) s = reader.VerifyChecksum();
    if (!s.ok()) problems[f] = absl::StrCat(Words(files[f]), " and is damaged: ", s.ToString());
  });
  std::vector<FileFault> faults;
  std::set<std::string> known;
  for (size_t f = 0; f < files.size(); ++f) {
    const std::string name = files[f].name.substr(1);  // after its "/"
    known.insert(name);
    if (!problems[f].empty()) faults.push_back({name, problems[f]});
  }
  // A file that the database does not know is a killed writer's, of the round in flight; one with
  // later rounds was known once.
  for (const std::string& name : listed_) {
    if (known.count(name) > 0) continue;
    rocksdb::SstFileReader reader(options);
    if (!reader.Open(absl::StrCat(path_, "/", name)).ok()) continue;
    const auto properties = reader.GetTableProperties();
    const bool attempts = properties->column_family_name == kFamilyNames[kAttempts];
    if (!attempts && properties->column_family_name != kFamilyNames[kRounds]) continue;
    std::unique_ptr<rocksdb::Iterator> last(reader.NewIterator(rocksdb::ReadOptions()));
    last->SeekToLast();
    if (!last->Valid() || last->key().size() < 8) continue;
    // Its last round, and the one before that of the same run.
    std::string round = last->key().ToString().substr(0, 8);
    const std::string words = Words(kFamilyNames[kRounds], round);
    size_t digit = 7;
    while (digit >= 4 && round[digit] == 0) round[digit--] = '\xff';
    if (digit < 4) continue;  // round 0
    --round[digit];
    if (!absl::IsNotFound(Get(kRounds, round).status())) continue;
    faults.push_back({name,
                      absl::StrCat("holds '", properties->column_family_name, "' up to ", words,
                                   ", of which the database's records know nothing"),
                      true});
  }
  return faults;
}

int Rocks::LastNumber(Family family) const {
  rocksdb::ColumnFamilyMetaData files;
  db_->GetColumnFamilyMetaData(handles_[family], &files);
  int last = 0;
  for (const rocksdb::LevelMetaData& level : files.levels) {
    for (const rocksdb::SstFileMetaData& file : level.files) {
      if (file.largestkey.size() == 4) last = std::max(last, LastNumberOf(file.largestkey));
    }
  }
  // What came after them is in the log, where it is found before any file is asked.
  while (Get(family, RunKey(last + 1)).ok()) ++last;
  return last;
}

absl::StatusOr<std::unique_ptr<Rocks>> Rocks::OpenDamaged(const std::string& path,
                                                          rocksdb::Env* env) {
  return TryOpen(path, Store::Mode::kRead, /*damaged=*/true, env);
}

absl::StatusOr<std::unique_ptr<Rocks>> Rocks::Rebuild(const std::string& path,
                                                      const std::string& scratch,
                                                      rocksdb::Env* env) {
  const Rocks from(path, env), to(scratch, env);
  std::vector<std::string> children;
  if (rocksdb::Status s = env->GetChildren(path, &children); !s.ok()) return from.Error(s);
  if (rocksdb::Status s = env->CreateDir(scratch); !s.ok()) return to.Error(s);
  for (const std::string& child : children) {
    // The database's own records are what cannot be trusted.
    if (!absl::EndsWith(child, ".sst") && !absl::EndsWith(child, ".log")) continue;
    const rocksdb::Status s = CopyFile(env, path + "/" + child, scratch + "/" + child);
    if (!s.ok()) return to.Error(s);
  }
  rocksdb::Options options = MakeOptions(Store::Mode::kRead, env);
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (const char* name : kFamilyNames) families.emplace_back(name, OptionsOf(name, options));
  if (rocksdb::Status s = rocksdb::RepairDB(scratch, options, families); !s.ok()) {
    return to.Error(s);
  }
  return Open(scratch, Store::Mode::kWrite, env);
}

absl::Status Rocks::Replace(const std::vector<SortedPairs>& pairs) {
  rocksdb::WriteBatch batch;
  rocksdb::Status s;
  for (const SortedPairs& sorted : pairs) {
    for (const auto& [key, value] : sorted.pairs) {
      s = value->empty() ? batch.Delete(handles_[sorted.family], key)
                         : batch.Put(handles_[sorted.family], key, *value);
      if (!s.ok()) return Error(s);
    }
  }
  s = db_->Write(rocksdb::WriteOptions(), &batch);
  return s.ok() ? absl::OkStatus() : Error(s);
}

absl::Status Rocks::GiveBack(const std::vector<KeyRange>& ranges) {
  // Only then nothing of it is in the log any more either.
  if (absl::Status s = Flush(); !s.ok()) return s;
  for (const KeyRange& range : ranges) {
    const rocksdb::Slice begin = range.begin, end = range.end;
    rocksdb::ColumnFamilyHandle* const family = handles_[range.family];
    rocksdb::Status s = range.all_removed ? rocksdb::DeleteFilesInRange(db_.get(), family, &begin,
                                                                        &end, /*include_end=*/false)
                                          : rocksdb::Status::OK();
    if (s.ok()) s = db_->CompactRange(rocksdb::CompactRangeOptions(), family, &begin, &end);
    if (!s.ok()) return Error(s);
  }
  return absl::OkStatus();
}

}  // namespace hearsay
