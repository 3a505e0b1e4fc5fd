#include "kb/rocks.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "rocksdb/cache.h"
#include "rocksdb/convenience.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/table.h"

namespace hearsay {

const char* const kFamilyNames[kFamilyCount] = {"default",  "runs",  "rounds", "baselines",
                                                "attempts", "texts", "claims"};

namespace {

constexpr char kSchemaKey[] = "schema";
constexpr size_t kBlockCacheBytes = size_t{32} << 20;
// Sorted files are cut here, so that a compaction or a damaged file concerns a part only.
constexpr uint64_t kFileBytes = uint64_t{256} << 20;

// Readers must leave no trace: without this they would write an information log next to the
// writer's.
class SilentLogger : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, va_list) override {}
};

// Files of an empty directory's beginnings: what RocksDB leaves if it dies before its first
// manifest.
bool IsStartOfDatabase(absl::string_view name) {
  return name == "." || name == ".." || name == "LOCK" || name == "IDENTITY" ||
         name == "incoming" || absl::StartsWith(name, "LOG") ||
         absl::StartsWith(name, "MANIFEST-") || absl::EndsWith(name, ".dbtmp") ||
         absl::EndsWith(name, ".log");
}

absl::Status NotAKb(absl::string_view path, absl::string_view why) {
  return absl::FailedPreconditionError(absl::StrCat("'", path, "' is no kb: ", why));
}

absl::Status NoKb(absl::string_view path) {
  return absl::NotFoundError(absl::StrCat("there is no kb at '", path, "'"));
}

bool AreOurs(const std::vector<std::string>& names) {
  return std::all_of(names.begin(), names.end(), [](const std::string& name) {
    return std::find(kFamilyNames, kFamilyNames + kFamilyCount, name) !=
           kFamilyNames + kFamilyCount;
  });
}

}  // namespace

rocksdb::Options Rocks::MakeOptions(Store::Mode mode, rocksdb::Env* env) {
  rocksdb::Options options;
  options.env = env;
  options.compression = rocksdb::kLZ4Compression;
  options.level_compaction_dynamic_level_bytes = true;
  // A log that ends in the middle of a record is a killed writer's. Anything else that is wrong
  // with it is damage, and must not pass for an earlier end.
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  options.max_open_files = 512;
  options.write_buffer_size = size_t{32} << 20;
  options.max_total_wal_size = uint64_t{128} << 20;
  options.info_log_level = rocksdb::WARN_LEVEL;
  options.keep_log_file_num = 2;
  options.max_log_file_size = size_t{1} << 20;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  if (mode == Store::Mode::kRead) options.info_log = std::make_shared<SilentLogger>();
  rocksdb::BlockBasedTableOptions table;
  table.block_size = size_t{32} << 10;
  table.format_version = 5;
  table.block_cache = rocksdb::NewLRUCache(kBlockCacheBytes);
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

// Columns too short to be worth compressing by themselves (kb/column.h), those of runs of few
// lanes, are compressed many together, and ZSTD codes their frequencies, which LZ4 does not. The
// other families hold too little to matter, but for kept claims, which nothing else compresses.
rocksdb::Options Rocks::OptionsOf(absl::string_view family, rocksdb::Options options) {
  if (family == kFamilyNames[kAttempts] || family == kFamilyNames[kClaims]) {
    options.compression = rocksdb::kZSTD;
  }
  return options;
}

absl::StatusOr<std::unique_ptr<Rocks>> Rocks::TryOpen(const std::string& path, Store::Mode mode,
                                                      bool damaged, rocksdb::Env* env) {
  std::unique_ptr<Rocks> rocks(new Rocks(path, env));
  rocks->damaged_ = damaged;
  rocks->options_ = MakeOptions(mode, env);
  rocks->options_.paranoid_checks = !damaged;
  const absl::StatusOr<std::vector<std::string>> names = rocks->Inspect(mode);
  if (!names.ok()) return names.status();
  absl::Status status;
  if (mode == Store::Mode::kRead) status = rocks->ListFiles();
  if (status.ok()) status = rocks->OpenFamilies(*names, mode);
  if (status.ok()) status = rocks->CheckSchema(*names, mode);
  if (status.ok() && mode == Store::Mode::kWrite) status = rocks->RemoveLeftovers();
  if (!status.ok()) return status;
  return rocks;
}

absl::StatusOr<std::unique_ptr<Rocks>> Rocks::Open(const std::string& path, Store::Mode mode,
                                                   rocksdb::Env* env) {
  absl::StatusOr<std::unique_ptr<Rocks>> rocks = TryOpen(path, mode, /*damaged=*/false, env);
  // A writer can take files away between the moments a reader lists and opens them.
  for (int i = 1; i < 5 && mode == Store::Mode::kRead &&
                  (absl::IsUnavailable(rocks.status()) || absl::IsDataLoss(rocks.status()));
       ++i) {
    rocks = TryOpen(path, mode, /*damaged=*/false, env);
  }
  return rocks;
}

Rocks::~Rocks() {
  if (db_ == nullptr) return;
  for (rocksdb::ColumnFamilyHandle* handle : handles_) {
    if (handle != nullptr) db_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
  }
  for (rocksdb::ColumnFamilyHandle* handle : foreign_) {
    db_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
  }
  // What the log holds stays there; closing has nothing to add that could fail.
  db_->Close().PermitUncheckedError();
}

absl::StatusOr<std::vector<std::string>> Rocks::Inspect(Store::Mode mode) const {
  const rocksdb::Status exists = env_->FileExists(path_);
  if (exists.IsNotFound()) {
    if (mode == Store::Mode::kRead) return NoKb(path_);
    return std::vector<std::string>{};
  }
  if (!exists.ok()) return Error(exists);
  bool is_directory = false;
  if (rocksdb::Status s = env_->IsDirectory(path_, &is_directory); !s.ok()) return Error(s);
  if (!is_directory) return NotAKb(path_, "it is a file");
  if (env_->FileExists(path_ + "/CURRENT").IsNotFound()) {
    std::vector<std::string> children;
    if (rocksdb::Status s = env_->GetChildren(path_, &children); !s.ok()) return Error(s);
    // A directory lists its files in no order that says anything, so sorted files are looked for
    // first: where there are any, all the rest may be a database's.
    for (const std::string& child : children) {
      if (absl::EndsWith(child, ".sst")) {
        return absl::DataLossError(absl::StrCat("kb '", path_, "' lacks its file 'CURRENT'"));
      }
    }
    for (const std::string& child : children) {
      if (!IsStartOfDatabase(child)) {
        return NotAKb(path_, absl::StrCat("it holds other files, such as '", child, "'"));
      }
    }
    if (mode == Store::Mode::kRead) return NoKb(path_);
    return std::vector<std::string>{};
  }
  std::vector<std::string> names;
  if (rocksdb::Status s = rocksdb::DB::ListColumnFamilies(options_, path_, &names); !s.ok()) {
    return Error(s);
  }
  return names;
}

absl::Status Rocks::OpenFamilies(const std::vector<std::string>& found, Store::Mode mode) {
  // A database with families that are not ours is another version's kb or no kb at all. It is only
  // looked at, so that finding out changes nothing.
  const bool ours = AreOurs(found);
  const bool write = mode == Store::Mode::kWrite && ours;
  std::vector<std::string> names = found;
  if (write) {
    names.assign(kFamilyNames, kFamilyNames + kFamilyCount);
  }
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (const std::string& name : names) families.emplace_back(name, OptionsOf(name, options_));
  rocksdb::DBOptions db_options = options_;
  db_options.create_if_missing = write;
  db_options.create_missing_column_families = write;
  if (!write && db_options.info_log == nullptr) {
    db_options.info_log = std::make_shared<SilentLogger>();
  }
  rocksdb::DB* db = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  const rocksdb::Status s =
      write ? rocksdb::DB::Open(db_options, path_, families, &handles, &db)
            : rocksdb::DB::OpenForReadOnly(db_options, path_, families, &handles, &db);
  if (!s.ok()) return Error(s);
  db_.reset(db);
  for (size_t i = 0; i < names.size(); ++i) {
    const auto* at = std::find(kFamilyNames, kFamilyNames + kFamilyCount, names[i]);
    if (at == kFamilyNames + kFamilyCount) {
      foreign_.push_back(handles[i]);
    } else {
      handles_[at - kFamilyNames] = handles[i];
    }
  }
  return absl::OkStatus();
}

absl::Status Rocks::CheckSchema(const std::vector<std::string>& found, Store::Mode mode) {
  std::string text;
  const rocksdb::Status s =
      db_->Get(rocksdb::ReadOptions(), handles_[kDefaultFamily], kSchemaKey, &text);
  const bool whole = std::count(handles_.begin(), handles_.end(), nullptr) == 0;
  // Of a damaged kb the version itself may be what is lost.
  if (damaged_ && !s.ok() && AreOurs(found) && whole) return absl::OkStatus();
  if (!s.ok() && !s.IsNotFound()) return Error(s);
  if (s.ok()) {
    int version;
    if (!absl::SimpleAtoi(text, &version)) {
      return NotAKb(path_, "it is a database whose schema is no number");
    }
    if (version != kSchemaVersion) {
      return absl::FailedPreconditionError(absl::StrCat("kb '", path_, "' has schema version ",
                                                        version, ", this program needs ",
                                                        kSchemaVersion));
    }
    if (!AreOurs(found) || !whole) {
      return absl::DataLossError(absl::StrCat("kb '", path_, "' lacks some of its tables"));
    }
    return absl::OkStatus();
  }
  // No version yet: new, or its creator died before it wrote one. Anything else is not ours.
  std::unique_ptr<rocksdb::Iterator> entries(
      db_->NewIterator(rocksdb::ReadOptions(), handles_[kDefaultFamily]));
  entries->SeekToFirst();
  if (!AreOurs(found) || entries->Valid()) return NotAKb(path_, "it is another program's database");
  if (!entries->status().ok()) return Error(entries->status());
  if (mode == Store::Mode::kRead) return NoKb(path_);
  rocksdb::WriteOptions durable;
  durable.sync = true;
  const rocksdb::Status put =
      db_->Put(durable, handles_[kDefaultFamily], kSchemaKey, absl::StrCat(kSchemaVersion));
  return put.ok() ? absl::OkStatus() : Error(put);
}

// A writer killed between writing sorted files and ingesting them leaves them behind. Whatever was
// ingested has moved into the database, so all that lies here is garbage.
absl::Status Rocks::RemoveLeftovers() const {
  if (rocksdb::Status s = env_->CreateDirIfMissing(incoming()); !s.ok()) return Error(s);
  std::vector<std::string> children;
  if (rocksdb::Status s = env_->GetChildren(incoming(), &children); !s.ok()) return Error(s);
  for (const std::string& child : children) {
    if (!absl::EndsWith(child, ".sst")) continue;
    if (rocksdb::Status s = env_->DeleteFile(absl::StrCat(incoming(), "/", child)); !s.ok()) {
      return Error(s);
    }
  }
  return absl::OkStatus();
}

absl::Status Rocks::Ingest(const std::vector<SortedPairs>& files) {
  std::vector<rocksdb::IngestExternalFileArg> args;
  rocksdb::Status s;
  for (const SortedPairs& sorted : files) {
    if (sorted.pairs.empty()) continue;
    rocksdb::IngestExternalFileArg arg;
    arg.column_family = handles_[sorted.family];
    arg.options.move_files = true;
    arg.options.write_global_seqno = false;
    rocksdb::Options options = OptionsOf(kFamilyNames[sorted.family], options_);
    // The columns of so large a round are compressed, each by itself.
    if (sorted.family == kAttempts) options.compression = rocksdb::kNoCompression;
    std::unique_ptr<rocksdb::SstFileWriter> writer;
    for (const auto& [key, value] : sorted.pairs) {
      if (writer != nullptr && writer->FileSize() >= kFileBytes) {
        if (s = writer->Finish(); !s.ok()) break;
        writer.reset();
      }
      if (writer == nullptr) {
        writer = std::make_unique<rocksdb::SstFileWriter>(
            rocksdb::EnvOptions(), options,
            handles_[sorted.family]);  // which the file names, so that it can be told without
                                       // records
        arg.external_files.push_back(absl::StrCat(incoming(), "/", ++file_count_, ".sst"));
        if (s = writer->Open(arg.external_files.back()); !s.ok()) break;
      }
      if (s = writer->Put(key, *value); !s.ok()) break;
    }
    if (s.ok()) s = writer->Finish();
    args.push_back(std::move(arg));
    if (!s.ok()) break;
  }
  if (s.ok()) s = db_->IngestExternalFiles(args);
  if (s.ok()) return absl::OkStatus();
  // Best effort, since the disk may be full of just these; the next writer removes the rest.
  RemoveLeftovers().IgnoreError();
  return Error(s);
}

absl::Status Rocks::Flush() {
  const rocksdb::Status s = db_->Flush(rocksdb::FlushOptions(), {handles_.begin(), handles_.end()});
  return s.ok() ? absl::OkStatus() : Error(s);
}

absl::StatusOr<StoreSizes> Rocks::Sizes() const {
  StoreSizes sizes;
  for (int family = 0; family < kFamilyCount; ++family) {
    rocksdb::ColumnFamilyMetaData files;
    db_->GetColumnFamilyMetaData(handles_[family], &files);
    uint64_t entries = 0;
    db_->GetIntProperty(handles_[family], rocksdb::DB::Properties::kEstimateNumKeys, &entries);
    sizes.families.push_back({kFamilyNames[family], static_cast<int64_t>(entries),
                              static_cast<int64_t>(files.file_count),
                              static_cast<int64_t>(files.size)});
  }
  std::vector<std::string> children;
  if (rocksdb::Status s = env_->GetChildren(path_, &children); !s.ok()) return Error(s);
  for (const std::string& child : children) {
    uint64_t bytes = 0;
    bool is_directory = false;
    const std::string file = absl::StrCat(path_, "/", child);
    if (absl::EndsWith(child, ".sst") || !env_->IsDirectory(file, &is_directory).ok() ||
        is_directory || !env_->GetFileSize(file, &bytes).ok()) {
      continue;  // counted above, or gone since it was listed
    }
    const bool log = absl::EndsWith(child, ".log");
    (log ? sizes.log_bytes : sizes.other_bytes) += static_cast<int64_t>(bytes);
  }
  return sizes;
}

absl::StatusOr<std::string> Rocks::Get(Family family, const std::string& key) const {
  std::string value;
  const rocksdb::Status s = db_->Get(rocksdb::ReadOptions(), handles_[family], key, &value);
  if (s.IsNotFound()) return absl::NotFoundError("");
  if (!s.ok()) return Error(s);
  return value;
}

absl::Status Rocks::Error(const rocksdb::Status& status) const {
  // Where a sorted file is not there, RocksDB looks for one by an old name too, and names that.
  const std::string text = absl::StrReplaceAll(status.ToString(), {{".ldb", ".sst"}});
  const std::string kb = absl::StrCat("kb '", path_, "'");
  if (status.IsNoSpace())
    return absl::UnavailableError(absl::StrCat(kb, ": disk full (", text, ")"));
  if (status.IsCorruption()) {
    return absl::DataLossError(absl::StrCat(kb, " is damaged (", text, ")"));
  }
  if (status.IsPathNotFound()) {
    if (absl::StrContains(text, "While mkdir")) {
      return absl::UnavailableError(
          absl::StrCat(kb, " cannot be made: the directory it is to lie in is not there"));
    }
    return absl::DataLossError(absl::StrCat(kb, " lacks a file (", text, ")"));
  }
  if (status.IsNotFound()) return absl::NotFoundError(absl::StrCat(kb, ": not found (", text, ")"));
  if (status.IsIOError()) {
    if (absl::StrContains(text, "lock hold by current process")) {
      return absl::FailedPreconditionError(
          absl::StrCat(kb, " is already open for writing in this process"));
    }
    if (absl::StrContains(text, "LOCK")) {
      if (absl::StrContains(text, std::strerror(EAGAIN)) ||
          absl::StrContains(text, std::strerror(EACCES))) {
        return absl::FailedPreconditionError(absl::StrCat(kb, " is in use by another process"));
      }
    }
    if (absl::StrContains(text, std::strerror(EACCES)) ||
        absl::StrContains(text, std::strerror(EROFS))) {
      return absl::PermissionDeniedError(absl::StrCat(kb, ": not permitted (", text, ")"));
    }
    return absl::UnavailableError(absl::StrCat(kb, " cannot be read or written (", text, ")"));
  }
  if (status.IsInvalidArgument()) {
    // A family that is missing, a file of another format: the database is not what it should be.
    return absl::DataLossError(absl::StrCat(kb, " cannot be used (", text, ")"));
  }
  return absl::InternalError(absl::StrCat(kb, ": ", text));
}

}  // namespace hearsay
