// One RocksDB database laid out as a kb: opening, errors in words, sorted files, and what to do
// with damaged ones. Private to kb/: with store.cc and rocks_files.cc, the only files that know
// RocksDB.
//
// Notes on RocksDB 7.8.3, which Debian ships: a file ingested over memtable entries of the same key
// range can come out in the wrong order (fixed in 7.10), so every ingested range belongs to one
// round and is never written otherwise; async_io is never set, since that library lacks liburing.
#ifndef HEARSAY_KB_ROCKS_H_
#define HEARSAY_KB_ROCKS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kb/store.h"
#include "rocksdb/db.h"

namespace hearsay {

// Column families, in the order of kFamilyNames.
enum Family : int {
  kDefaultFamily = 0,
  kRuns,
  kRounds,
  kBaselines,
  kAttempts,
  kTexts,
  kClaims,
  kFamilyCount,
};
extern const char* const kFamilyNames[kFamilyCount];

// The version of keys and values this program reads and writes.
inline constexpr int kSchemaVersion = 3;

// A sorted run of keys and values for one family.
struct SortedPairs {
  Family family;
  std::vector<std::pair<std::string, const std::string*>> pairs;  // ascending keys
};

// The keys from `begin` to before `end`.
struct KeyRange {
  Family family;
  std::string begin, end;
  bool all_removed = false;  // no key of it is there any more
};

// A file of the database that is not what was written.
struct FileFault {
  std::string file;      // its name in the directory
  std::string problem;   // one sentence, with what it holds
  bool unknown = false;  // whole, yet the database's own records lost it
};

class Rocks {
 public:
  static absl::StatusOr<std::unique_ptr<Rocks>> Open(const std::string& path, Store::Mode mode,
                                                     rocksdb::Env* env);
  // For reading what is left of a damaged kb. Reads of what is lost fail, one by one; of the log,
  // what lies between damaged records is there. Errors: as Open(), where nothing can be read so.
  static absl::StatusOr<std::unique_ptr<Rocks>> OpenDamaged(const std::string& path,
                                                            rocksdb::Env* env);
  // Links or copies the files of the kb at `path` into the new directory `scratch`, and makes a
  // database of those of them that are whole, whatever the database's own records say. The files at
  // `path` are only read.
  static absl::StatusOr<std::unique_ptr<Rocks>> Rebuild(const std::string& path,
                                                        const std::string& scratch,
                                                        rocksdb::Env* env);
  ~Rocks();
  Rocks(const Rocks&) = delete;
  Rocks& operator=(const Rocks&) = delete;

  rocksdb::DB* db() const { return db_.get(); }
  rocksdb::ColumnFamilyHandle* handle(Family family) const { return handles_[family]; }

  // The value of `key`, or kNotFound with no words: the caller knows what is missing.
  absl::StatusOr<std::string> Get(Family family, const std::string& key) const;
  // The last number in a family whose keys are numbers, 0 where it has none; damaged files are
  // asked by what the database's records say of them.
  int LastNumber(Family family) const;
  // Reads every sorted file, each block's checksum included, on `threads` threads: those that are
  // damaged, missing, or hold rounds that the database's own records lost. REQUIRES: opened for
  // reading.
  std::vector<FileFault> FindFaults(int threads) const;

  // Writes each of `files` as sorted files and ingests them all at once, or none.
  absl::Status Ingest(const std::vector<SortedPairs>& files);
  // Puts all pairs, or removes their keys where values are empty, through the log and at once. Keys
  // are removed one by one: where nothing but a range of removed keys is left to write, a full disk
  // makes RocksDB 7.8.3 abort.
  absl::Status Replace(const std::vector<SortedPairs>& pairs);
  // Gives back the room on disk of what was removed or written over there: files that hold nothing
  // else go as they are, others are written again.
  absl::Status GiveBack(const std::vector<KeyRange>& ranges);
  // Moves what the log holds into sorted files.
  absl::Status Flush();
  absl::StatusOr<StoreSizes> Sizes() const;
  // `status` as a sentence that names the kb.
  absl::Status Error(const rocksdb::Status& status) const;

 private:
  Rocks(std::string path, rocksdb::Env* env) : path_(std::move(path)), env_(env) {}
  static rocksdb::Options MakeOptions(Store::Mode mode, rocksdb::Env* env);
  static rocksdb::Options OptionsOf(absl::string_view family, rocksdb::Options options);
  static absl::StatusOr<std::unique_ptr<Rocks>> TryOpen(const std::string& path, Store::Mode mode,
                                                        bool damaged, rocksdb::Env* env);

  // Whether `path` is a kb, may become one, or is something else: families found, in RocksDB's
  // order.
  absl::StatusOr<std::vector<std::string>> Inspect(Store::Mode mode) const;
  absl::Status OpenFamilies(const std::vector<std::string>& names, Store::Mode mode);
  absl::Status CheckSchema(const std::vector<std::string>& names, Store::Mode mode);
  absl::Status RemoveLeftovers() const;
  absl::Status ListFiles();
  std::string incoming() const { return path_ + "/incoming"; }

  const std::string path_;
  rocksdb::Env* const env_;
  bool damaged_ = false;  // opened by OpenDamaged
  rocksdb::Options options_;
  std::unique_ptr<rocksdb::DB> db_;
  std::array<rocksdb::ColumnFamilyHandle*, kFamilyCount> handles_{};  // owned
  std::vector<rocksdb::ColumnFamilyHandle*> foreign_;                 // owned; families not ours
  uint64_t file_count_ = 0;                                           // of sorted files, for names
  std::vector<std::string> listed_;  // sorted files in the directory just before it was opened
};

}  // namespace hearsay

#endif  // HEARSAY_KB_ROCKS_H_
