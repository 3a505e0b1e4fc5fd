// A file system that fails or dies at a chosen write, for tests.
#ifndef HEARSAY_TESTS_KB_FAULTY_DISK_H_
#define HEARSAY_TESTS_KB_FAULTY_DISK_H_

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "rocksdb/file_system.h"

namespace hearsay {

// Counts everything that changes the disk: files made, appended to, renamed, linked, removed. From
// the n-th on
//  - kFull: appends fail as on a full disk, until Heal(); all else goes on;
//  - kDead: nothing changes the disk any more, as if the process had been killed there. Of an
//    append that is the n-th, the first half was written. The store can only be closed.
// Only files whose name contains `part` count, "" for all. Nothing is synced: what a process wrote
// outlives it without, and tests that write thousands of times would wait for disks only.
class FaultyDisk : public rocksdb::FileSystemWrapper {
 public:
  enum class Fault { kFull, kDead };

  FaultyDisk() : rocksdb::FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "FaultyDisk"; }

  // REQUIRES: no other thread uses the disk.
  void FailAt(Fault fault, int64_t nth, std::string part = "") {
    fault_ = fault;
    part_ = std::move(part);
    done_ = 0;
    nth_ = nth;
  }
  void Heal() { nth_ = INT64_MAX; }
  bool failed() const { return done_ >= nth_; }
  int64_t changes() const { return done_; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus s = Change(name);
    if (s.ok()) s = target()->NewWritableFile(name, options, file, debug);
    if (s.ok()) *file = std::make_unique<File>(std::move(*file), name, this);
    return s;
  }
  // Syncs an ingested file.
  rocksdb::IOStatus ReopenWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSWritableFile>* file,
                                       rocksdb::IODebugContext* debug) override {
    const rocksdb::IOStatus s = target()->ReopenWritableFile(name, options, file, debug);
    if (s.ok()) *file = std::make_unique<File>(std::move(*file), name, this);
    return s;
  }
  rocksdb::IOStatus NewDirectory(const std::string& name, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* directory,
                                 rocksdb::IODebugContext* debug) override {
    const rocksdb::IOStatus s = target()->NewDirectory(name, options, directory, debug);
    if (s.ok()) *directory = std::make_unique<Directory>();
    return s;
  }
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override {
    const rocksdb::IOStatus s = Change(to);
    return s.ok() ? target()->RenameFile(from, to, options, debug) : s;
  }
  rocksdb::IOStatus LinkFile(const std::string& from, const std::string& to,
                             const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override {
    const rocksdb::IOStatus s = Change(to);
    return s.ok() ? target()->LinkFile(from, to, options, debug) : s;
  }
  rocksdb::IOStatus DeleteFile(const std::string& name, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override {
    const rocksdb::IOStatus s = Change(name);
    return s.ok() ? target()->DeleteFile(name, options, debug) : s;
  }
  rocksdb::IOStatus CreateDirIfMissing(const std::string& name, const rocksdb::IOOptions& options,
                                       rocksdb::IODebugContext* debug) override {
    const rocksdb::IOStatus s = Change(name);
    return s.ok() ? target()->CreateDirIfMissing(name, options, debug) : s;
  }

 private:
  class Directory : public rocksdb::FSDirectory {
   public:
    rocksdb::IOStatus Fsync(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
      return rocksdb::IOStatus::OK();
    }
  };

  class File : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    File(std::unique_ptr<rocksdb::FSWritableFile> file, std::string name, FaultyDisk* disk)
        : rocksdb::FSWritableFileOwnerWrapper(std::move(file)),
          name_(std::move(name)),
          disk_(*disk) {}
    using rocksdb::FSWritableFileOwnerWrapper::Append;
    rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override {
      bool torn = false;
      const rocksdb::IOStatus s = disk_.Change(name_, &torn);
      if (s.ok()) return FSWritableFileOwnerWrapper::Append(data, options, debug);
      if (torn) {
        const rocksdb::Slice half(data.data(), data.size() / 2);
        FSWritableFileOwnerWrapper::Append(half, options, debug).PermitUncheckedError();
      }
      return s;
    }
    rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                             const rocksdb::DataVerificationInfo&,
                             rocksdb::IODebugContext* debug) override {
      return Append(data, options, debug);
    }
    rocksdb::IOStatus Sync(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
      return disk_.dead() ? Dead() : rocksdb::IOStatus::OK();
    }
    rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options,
                            rocksdb::IODebugContext* debug) override {
      return Sync(options, debug);
    }
    rocksdb::IOStatus RangeSync(uint64_t, uint64_t, const rocksdb::IOOptions& options,
                                rocksdb::IODebugContext* debug) override {
      return Sync(options, debug);
    }
    // Closing cuts off what was allocated beforehand, which a killed process leaves.
    rocksdb::IOStatus Truncate(uint64_t size, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override {
      if (disk_.dead()) return rocksdb::IOStatus::OK();
      return FSWritableFileOwnerWrapper::Truncate(size, options, debug);
    }

   private:
    const std::string name_;
    FaultyDisk& disk_;
  };

  bool dead() const { return failed() && fault_ == Fault::kDead; }

  // `torn`, where given, says that this is an append, and becomes true for the n-th of a dying
  // disk.
  rocksdb::IOStatus Change(const std::string& name, bool* torn = nullptr) {
    if (dead()) return Dead();
    if (name.find(part_) == std::string::npos) return rocksdb::IOStatus::OK();
    const int64_t change = ++done_;
    if (change < nth_) return rocksdb::IOStatus::OK();
    if (fault_ == Fault::kDead) {
      if (torn != nullptr) *torn = change == nth_;
      return Dead();
    }
    return torn != nullptr ? rocksdb::IOStatus::NoSpace("No space left on device")
                           : rocksdb::IOStatus::OK();
  }
  static rocksdb::IOStatus Dead() { return rocksdb::IOStatus::IOError("the process was killed"); }

  Fault fault_ = Fault::kFull;
  std::string part_;
  std::atomic<int64_t> done_{0};
  std::atomic<int64_t> nth_{INT64_MAX};
};

}  // namespace hearsay

#endif  // HEARSAY_TESTS_KB_FAULTY_DISK_H_
