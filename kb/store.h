// The store: one RocksDB directory that keeps runs, their rounds and attempts, and notes from
// outside.
//
// Column families and keys are those of docs/data-model.md. A round becomes visible whole or not at
// all. One process at a time may open a kb for writing; any number may read. A Store is thread safe
// for reading; writes come from one thread.
#ifndef HEARSAY_KB_STORE_H_
#define HEARSAY_KB_STORE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kb/block.h"
#include "kb/ids.h"
#include "kb/kb.pb.h"
#include "kb/kept_claims.h"

namespace hearsay {

// A claim as it stands in a note.
struct NotedClaim {
  ClaimId id;
  Claim claim;
};

// What one round adds. `record` carries the digest; `blocks` all lanes of all problems of the run,
// in key order, already encoded (they are encoded in parallel, see EncodeBlock).
struct EncodedBlock {
  AttemptId first;
  std::string attempts;  // value in the column family `attempts`
};

// What folding a run changes (kb/fold.h).
struct KeptBlock {
  AttemptId first;
  std::string claims;  // value in `claims`; empty where nothing of the block is kept any more
};
struct Fold {
  std::vector<int> drop;            // rounds that lose their attempts, ascending
  std::vector<RoundRecord> rounds;  // records of these and others, to replace what is there
  std::vector<KeptBlock> claims;    // likewise
};

// What a kb takes on disk, in bytes. Entries that were written over count until they are merged.
struct StoreSizes {
  struct Family {
    std::string name;
    int64_t entries = 0;
    int64_t files = 0;
    int64_t bytes = 0;  // of its sorted files
  };
  std::vector<Family> families;
  int64_t log_bytes = 0;    // the write-ahead log: what was not moved to sorted files yet
  int64_t other_bytes = 0;  // the database's own records and messages
  int64_t total_bytes() const {
    int64_t total = log_bytes + other_bytes;
    for (const Family& family : families) total += family.bytes;
    return total;
  }
};

struct StoreOptions {
  // Rounds from this size on are written as sorted files and ingested; smaller ones go through the
  // write-ahead log, which spares a run of many small rounds a file each.
  size_t ingest_threshold_bytes = size_t{4} << 20;
};

class Store {
 public:
  enum class Mode { kRead, kWrite };

  // Opens the kb in directory `path`. kWrite creates it where there is none.
  // Errors, each naming the path: kNotFound (kRead, no kb there), kFailedPrecondition (in use by
  // another process; another schema version, naming both), kDataLoss (damaged), kPermissionDenied,
  // kUnavailable (disk full or not writable).
  // kRead sees what was committed when it opened, and no more.
  static absl::StatusOr<std::unique_ptr<Store>> Open(const std::string& path, Mode mode,
                                                     const StoreOptions& options = {});
  virtual ~Store() = default;

  // --- runs ---
  // All runs, ascending by number.
  virtual absl::StatusOr<std::vector<RunRecord>> Runs() const = 0;
  // Errors: kNotFound naming the run and the kb's last run.
  virtual absl::StatusOr<RunRecord> Run(int run) const = 0;
  // The number the next new run will have, from 1.
  virtual absl::StatusOr<int> NextRun() const = 0;
  // Creates or replaces the record of run `record.run()`, durably.
  virtual absl::Status PutRun(const RunRecord& record) = 0;

  // --- rounds ---
  // Commits a round: all its blocks and its record, atomically.
  // Survives the death of the process as soon as it returns; survives a power cut after Sync().
  // Errors: kFailedPrecondition where the run has no record or the round is not its next one (they
  // are committed in order, from 0); kInvalidArgument where a block is not of this round or out of
  // order; kUnavailable (disk full). After an error nothing of the round is there.
  virtual absl::Status CommitRound(const RoundRecord& record,
                                   const std::vector<EncodedBlock>& blocks) = 0;
  virtual absl::Status Sync() = 0;
  // As Sync(), and moves what the log holds into sorted files, which are compressed. Whoever ends a
  // run calls it; killed before, a kb is as whole, but larger.
  virtual absl::Status Flush() = 0;
  virtual absl::StatusOr<StoreSizes> Sizes() const = 0;
  // Replaces records and kept claims and drops attempts, atomically
  // and as durably as CommitRound(); then gives their room on disk back, as far as it can without
  // writing again what else the run keeps. After an error the run is as it was, or as it should be.
  virtual absl::Status CommitFold(int run, const Fold& fold) = 0;
  // Gives back all that folds of the run have left on disk.
  virtual absl::Status Compact(int run) = 0;
  // The records of the committed rounds, ascending.
  virtual absl::StatusOr<std::vector<RoundRecord>> Rounds(int run) const = 0;

  // That all attempts of the committed rounds from `first` to `last` are there. Errors: those of
  // Rounds(); kFailedPrecondition, one sentence, where the run's retention dropped some.
  absl::Status RequireWhole(int run, int first = 0, int last = INT32_MAX) const;

  // --- baselines ---
  virtual absl::Status PutBaselines(int run, int problem, const BaselineBlock& baselines) = 0;
  virtual absl::StatusOr<BaselineBlock> Baselines(int run, int problem) const = 0;

  // --- attempts ---
  // Of rounds that were dropped there are none (see kb/fold.h): scans pass over them, and errors
  // say that what is asked for was not kept, and by what retention.

  // The block that holds the attempt. Errors: kNotFound naming the attempt.
  virtual absl::StatusOr<AttemptBlock> BlockOf(AttemptId attempt) const = 0;
  // Calls `visit` with every block of the run in key order (round, problem, lane) until it returns
  // false.
  virtual absl::Status ScanRun(int run,
                               const std::function<bool(const AttemptBlock&)>& visit) const = 0;
  // The same for one round, and one problem of it where `problem` is not negative.
  virtual absl::Status ScanRound(int run, int round, int problem,
                                 const std::function<bool(const AttemptBlock&)>& visit) const = 0;
  // The blocks of one round as they are stored, for readers that decode them on threads of their
  // own (kb/codec.h); those whose key is damaged are left out, their error is returned in the end.
  virtual absl::Status ScanEncoded(
      int run, int round,
      const std::function<bool(AttemptId first, absl::string_view bytes)>& visit) const = 0;
  // All kept claims of one problem, ascending; empty where nothing was dropped.
  virtual absl::StatusOr<std::vector<KeptClaim>> KeptClaims(int run, int problem) const = 0;
  // The claim's record, also of one that outlives its attempt. Errors: kNotFound naming the claim.
  virtual absl::StatusOr<NewClaim> FindClaim(ClaimId claim) const = 0;
  // The note of an attempt, claims resolved.
  virtual absl::StatusOr<std::vector<NotedClaim>> Note(AttemptId attempt) const = 0;
  // The notes of all lanes of one problem in one round, claims resolved; [lane]. Reads every block
  // once, where Note() for each lane would read many. Errors: kNotFound where the round has no such
  // problem.
  absl::StatusOr<std::vector<std::vector<NotedClaim>>> NotesOfRound(int run, int round,
                                                                    int problem) const;
  // The lanes of the next round that read this attempt's note, ascending; none where that round is
  // not committed. Reads the sources of the problem in the next round.
  virtual absl::StatusOr<std::vector<uint32_t>> Receivers(AttemptId attempt) const = 0;

  // --- notes from outside ---
  // Keeps a text in full and returns its number, from 1.
  virtual absl::StatusOr<int> PutText(const TextRecord& text) = 0;
  virtual absl::StatusOr<TextRecord> Text(int number) const = 0;
  virtual absl::StatusOr<std::vector<TextRecord>> Texts() const = 0;
};

}  // namespace hearsay

#endif  // HEARSAY_KB_STORE_H_
