// The store on RocksDB. Private to kb/: store.cc opens it and has runs, rounds and texts,
// store_attempts.cc has what is found in blocks.
#ifndef HEARSAY_KB_ROCKS_STORE_H_
#define HEARSAY_KB_ROCKS_STORE_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "kb/block_cache.h"
#include "kb/rocks.h"
#include "kb/store.h"

namespace hearsay {

class RocksStore : public Store {
 public:
  RocksStore(std::string path, const StoreOptions& options, std::unique_ptr<Rocks> rocks)
      : path_(std::move(path)), options_(options), rocks_(std::move(rocks)) {}

  absl::StatusOr<std::vector<RunRecord>> Runs() const override {
    return Records<RunRecord>(kRuns, "");
  }
  absl::StatusOr<RunRecord> Run(int run) const override;
  absl::StatusOr<int> NextRun() const override;
  absl::Status PutRun(const RunRecord& record) override;

  absl::Status CommitRound(const RoundRecord& record,
                           const std::vector<EncodedBlock>& blocks) override;
  absl::Status CommitFold(int run, const Fold& fold) override;
  absl::Status Compact(int run) override;
  absl::Status Sync() override;
  absl::Status Flush() override { return rocks_->Flush(); }
  absl::StatusOr<StoreSizes> Sizes() const override { return rocks_->Sizes(); }
  absl::StatusOr<std::vector<RoundRecord>> Rounds(int run) const override {
    return Records<RoundRecord>(kRounds, RunKey(run));
  }

  absl::Status PutBaselines(int run, int problem, const BaselineBlock& baselines) override;
  absl::StatusOr<BaselineBlock> Baselines(int run, int problem) const override;

  absl::StatusOr<AttemptBlock> BlockOf(AttemptId attempt) const override;
  absl::Status ScanRun(int run,
                       const std::function<bool(const AttemptBlock&)>& visit) const override {
    return Scan(RunKey(run), visit);
  }
  absl::Status ScanRound(int run, int round, int problem,
                         const std::function<bool(const AttemptBlock&)>& visit) const override {
    std::string prefix = RoundKey(run, round);
    if (problem >= 0) prefix = BlockKey(AttemptId::Of(run, round, problem, 0)).substr(0, 12);
    return Scan(prefix, visit);
  }
  absl::Status ScanEncoded(
      int run, int round,
      const std::function<bool(AttemptId, absl::string_view)>& visit) const override;
  absl::StatusOr<std::vector<KeptClaim>> KeptClaims(int run, int problem) const override;
  absl::StatusOr<NewClaim> FindClaim(ClaimId claim) const override;
  absl::StatusOr<std::vector<NotedClaim>> Note(AttemptId attempt) const override;
  absl::StatusOr<std::vector<uint32_t>> Receivers(AttemptId attempt) const override;

  absl::StatusOr<int> PutText(const TextRecord& text) override;
  absl::StatusOr<TextRecord> Text(int number) const override;
  absl::StatusOr<std::vector<TextRecord>> Texts() const override {
    return Records<TextRecord>(kTexts, "");
  }

 private:
  using BlockPtr = BlockCache<AttemptBlock>::Ptr;
  using KeptPtr = BlockCache<std::vector<KeptClaim>>::Ptr;

  absl::Status PutDurably(Family family, const std::string& key, const std::string& value);
  // Calls `visit` with all entries whose key starts with `prefix` until it returns an error or
  // false.
  absl::Status Each(
      Family family, const std::string& prefix,
      const std::function<absl::StatusOr<bool>(absl::string_view key, absl::string_view value)>&
          visit) const;
  // The last key that starts with `prefix`, or "".
  absl::StatusOr<std::string> LastKey(Family family, const std::string& prefix) const;
  template <typename Record>
  absl::StatusOr<std::vector<Record>> Records(Family family, const std::string& prefix) const;
  template <typename Record>
  absl::StatusOr<Record> Parse(Family family, absl::string_view value) const;

  absl::Status Scan(const std::string& prefix,
                    const std::function<bool(const AttemptBlock&)>& visit) const;
  absl::StatusOr<AttemptBlock> Decode(absl::string_view key, absl::string_view value) const;
  absl::StatusOr<BlockPtr> CachedBlockOf(AttemptId attempt) const;
  // Of the block that begins with `first`; empty where there are none.
  absl::StatusOr<KeptPtr> CachedKept(AttemptId first) const;
  absl::Status CheckCommit(const RoundRecord& record,
                           const std::vector<EncodedBlock>& blocks) const;

  absl::Status NotFound(absl::string_view what) const {
    return absl::NotFoundError(absl::StrCat("kb '", path_, "' has no ", what));
  }
  // The same of something in a round, which may have been there once.
  absl::Status NotFound(int run, int round, absl::string_view what) const;
  bool WasDropped(int run, int round) const;
  absl::Status Named(const absl::Status& status) const {
    return absl::Status(status.code(), absl::StrCat("kb '", path_, "': ", status.message()));
  }

  const std::string path_;
  const StoreOptions options_;
  const std::unique_ptr<Rocks> rocks_;
  mutable BlockCache<AttemptBlock> cache_;
  mutable BlockCache<std::vector<KeptClaim>> kept_cache_;
};

template <typename Record>
absl::StatusOr<Record> RocksStore::Parse(Family family, absl::string_view value) const {
  Record record;
  if (value.size() > INT32_MAX ||
      !record.ParseFromArray(value.data(), static_cast<int>(value.size()))) {
    return absl::DataLossError(
        absl::StrCat("kb '", path_, "': an entry of '", kFamilyNames[family], "' does not decode"));
  }
  return record;
}

template <typename Record>
absl::StatusOr<std::vector<Record>> RocksStore::Records(Family family,
                                                        const std::string& prefix) const {
  std::vector<Record> records;
  const absl::Status status =
      Each(family, prefix, [&](absl::string_view, absl::string_view value) -> absl::StatusOr<bool> {
        absl::StatusOr<Record> record = Parse<Record>(family, value);
        if (!record.ok()) return record.status();
        records.push_back(*std::move(record));
        return true;
      });
  if (!status.ok()) return status;
  return records;
}

}  // namespace hearsay

#endif  // HEARSAY_KB_ROCKS_STORE_H_
