// One RocksDB database laid out as a kb: opening, errors in words, sorted files. Private to kb/:
// together with store.cc, the only files that know RocksDB.
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
  kReceivers,
  kTexts,
  kFamilyCount,
};
extern const char* const kFamilyNames[kFamilyCount];

// The version of keys and values this program reads and writes.
inline constexpr int kSchemaVersion = 2;

// A sorted run of keys and values for one family.
struct SortedPairs {
  Family family;
  std::vector<std::pair<std::string, const std::string*>> pairs;  // ascending keys
};

class Rocks {
 public:
  static absl::StatusOr<std::unique_ptr<Rocks>> Open(const std::string& path, Store::Mode mode,
                                                     rocksdb::Env* env);
  ~Rocks();
  Rocks(const Rocks&) = delete;
  Rocks& operator=(const Rocks&) = delete;

  rocksdb::DB* db() const { return db_.get(); }
  rocksdb::ColumnFamilyHandle* handle(Family family) const { return handles_[family]; }

  // Writes each of `files` as sorted files and ingests them all at once, or none.
  absl::Status Ingest(const std::vector<SortedPairs>& files);
  // Moves what the log holds into sorted files.
  absl::Status Flush();
  absl::StatusOr<StoreSizes> Sizes() const;
  // `status` as a sentence that names the kb.
  absl::Status Error(const rocksdb::Status& status) const;

 private:
  Rocks(std::string path, rocksdb::Env* env) : path_(std::move(path)), env_(env) {}

  // Whether `path` is a kb, may become one, or is something else: families found, in RocksDB's
  // order.
  absl::StatusOr<std::vector<std::string>> Inspect(Store::Mode mode) const;
  absl::Status OpenFamilies(const std::vector<std::string>& names, Store::Mode mode);
  absl::Status CheckSchema(const std::vector<std::string>& names, Store::Mode mode);
  absl::Status RemoveLeftovers() const;
  std::string incoming() const { return path_ + "/incoming"; }

  const std::string path_;
  rocksdb::Env* const env_;
  rocksdb::Options options_;
  std::unique_ptr<rocksdb::DB> db_;
  std::array<rocksdb::ColumnFamilyHandle*, kFamilyCount> handles_{};  // owned
  std::vector<rocksdb::ColumnFamilyHandle*> foreign_;                 // owned; families not ours
  uint64_t file_count_ = 0;                                           // of sorted files, for names
};

}  // namespace hearsay

#endif  // HEARSAY_KB_ROCKS_H_
