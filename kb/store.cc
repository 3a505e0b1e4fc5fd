#include "kb/store.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "kb/block_cache.h"
#include "kb/codec.h"
#include "kb/rocks.h"
#include "kb/store_internal.h"
#include "rocksdb/write_batch.h"

namespace hearsay {
namespace {

AttemptId FirstOfBlock(AttemptId attempt) {
  return AttemptId::Of(attempt.run(), attempt.round(), attempt.problem(),
                       attempt.lane() / kBlockLanes * kBlockLanes);
}

absl::string_view View(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

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
  absl::StatusOr<NewClaim> FindClaim(ClaimId claim) const override;
  absl::StatusOr<std::vector<NotedClaim>> Note(AttemptId attempt) const override;
  absl::StatusOr<std::vector<std::vector<NotedClaim>>> NotesOfRound(int run, int round,
                                                                    int problem) const override;
  absl::StatusOr<std::vector<uint32_t>> Receivers(AttemptId attempt) const override;
  absl::StatusOr<std::vector<std::vector<uint32_t>>> ReceiversOfBlock(
      AttemptId attempt) const override;

  absl::StatusOr<int> PutText(const TextRecord& text) override;
  absl::StatusOr<TextRecord> Text(int number) const override;
  absl::StatusOr<std::vector<TextRecord>> Texts() const override {
    return Records<TextRecord>(kTexts, "");
  }

 private:
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
  absl::Status CheckCommit(const RoundRecord& record,
                           const std::vector<EncodedBlock>& blocks) const;

  absl::Status NotFound(absl::string_view what) const {
    return absl::NotFoundError(absl::StrCat("kb '", path_, "' has no ", what));
  }
  absl::Status Named(const absl::Status& status) const {
    return absl::Status(status.code(), absl::StrCat("kb '", path_, "': ", status.message()));
  }

  const std::string path_;
  const StoreOptions options_;
  const std::unique_ptr<Rocks> rocks_;
  mutable BlockCache cache_;
};

// --- reading and writing entries ---

absl::Status RocksStore::PutDurably(Family family, const std::string& key,
                                    const std::string& value) {
  rocksdb::WriteOptions durable;
  durable.sync = true;
  const rocksdb::Status s = rocks_->db()->Put(durable, rocks_->handle(family), key, value);
  return s.ok() ? absl::OkStatus() : rocks_->Error(s);
}

absl::Status RocksStore::Each(
    Family family, const std::string& prefix,
    const std::function<absl::StatusOr<bool>(absl::string_view, absl::string_view)>& visit) const {
  rocksdb::ReadOptions options;
  options.fill_cache = false;  // a scan would drive out what single reads need
  options.readahead_size = size_t{1} << 20;
  std::unique_ptr<rocksdb::Iterator> it(rocks_->db()->NewIterator(options, rocks_->handle(family)));
  for (it->Seek(prefix); it->Valid() && it->key().starts_with(prefix); it->Next()) {
    const absl::StatusOr<bool> more = visit(View(it->key()), View(it->value()));
    if (!more.ok()) return more.status();
    if (!*more) return absl::OkStatus();
  }
  return it->status().ok() ? absl::OkStatus() : rocks_->Error(it->status());
}

absl::StatusOr<std::string> RocksStore::LastKey(Family family, const std::string& prefix) const {
  std::unique_ptr<rocksdb::Iterator> it(
      rocks_->db()->NewIterator(rocksdb::ReadOptions(), rocks_->handle(family)));
  // No key goes on with five bytes of ones: coordinates are far smaller.
  it->SeekForPrev(prefix + std::string(5, '\xff'));
  if (!it->status().ok()) return rocks_->Error(it->status());
  if (!it->Valid() || !it->key().starts_with(prefix)) return std::string();
  return it->key().ToString();
}

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

// --- runs ---

absl::StatusOr<RunRecord> RocksStore::Run(int run) const {
  absl::StatusOr<std::string> value = rocks_->Get(kRuns, RunKey(run));
  if (value.ok()) return Parse<RunRecord>(kRuns, *value);
  if (!absl::IsNotFound(value.status())) return value.status();
  const absl::StatusOr<std::string> last = LastKey(kRuns, "");
  if (!last.ok()) return last.status();
  if (last->empty()) return NotFound(absl::StrCat("run R", run, "; it has none yet"));
  return NotFound(absl::StrCat("run R", run, "; its last is R", LastNumberOf(*last)));
}

absl::StatusOr<int> RocksStore::NextRun() const {
  const absl::StatusOr<std::string> last = LastKey(kRuns, "");
  if (!last.ok()) return last.status();
  const int next = last->empty() ? 1 : LastNumberOf(*last) + 1;
  if (next >= kMaxRuns) {
    return absl::ResourceExhaustedError(
        absl::StrCat("kb '", path_, "' is full: it holds ", kMaxRuns - 1, " runs"));
  }
  return next;
}

absl::Status RocksStore::PutRun(const RunRecord& record) {
  if (record.run() < 1 || record.run() >= kMaxRuns) {
    return absl::InvalidArgumentError(
        absl::StrCat("run R", record.run(), " is not 1 to ", kMaxRuns - 1));
  }
  return PutDurably(kRuns, RunKey(record.run()), record.SerializeAsString());
}

// --- rounds ---

absl::Status RocksStore::CheckCommit(const RoundRecord& record,
                                     const std::vector<EncodedBlock>& blocks) const {
  const int run = record.run();
  const absl::StatusOr<RunRecord> known = Run(run);
  if (absl::IsNotFound(known.status())) {
    return absl::FailedPreconditionError(known.status().message());
  }
  if (!known.ok()) return known.status();
  const absl::StatusOr<std::string> last = LastKey(kRounds, RunKey(run));
  if (!last.ok()) return last.status();
  const int next = last->empty() ? 0 : LastNumberOf(*last) + 1;
  if (record.round() != next) {
    return absl::FailedPreconditionError(absl::StrCat("kb '", path_, "': the next round of R", run,
                                                      " is ", next, ", not ", record.round()));
  }
  for (size_t i = 0; i < blocks.size(); ++i) {
    const AttemptId first = blocks[i].first;
    if (first.run() != run || first.round() != next || first.lane() % kBlockLanes != 0 ||
        (i > 0 && !(blocks[i - 1].first < first))) {
      return absl::InvalidArgumentError(absl::StrCat("kb '", path_, "': block ", Format(first),
                                                     " is not of this round or out of order"));
    }
  }
  return absl::OkStatus();
}

absl::Status RocksStore::CommitRound(const RoundRecord& record,
                                     const std::vector<EncodedBlock>& blocks) {
  if (absl::Status s = CheckCommit(record, blocks); !s.ok()) return s;
  const std::string round = record.SerializeAsString();
  SortedPairs attempts{kAttempts, {}}, receivers{kReceivers, {}}, rounds{kRounds, {}};
  rounds.pairs.emplace_back(RoundKey(record.run(), record.round()), &round);
  size_t total_bytes = 0;
  for (const EncodedBlock& block : blocks) {
    total_bytes += block.attempts.size() + block.receivers.size();
    attempts.pairs.emplace_back(BlockKey(block.first), &block.attempts);
    if (block.receivers.empty()) continue;
    const AttemptId first = block.first;
    if (first.round() == 0) {
      return absl::InvalidArgumentError(
          "round 0 has no round before it whose notes it could receive");
    }
    const AttemptId before =
        AttemptId::Of(first.run(), first.round() - 1, first.problem(), first.lane());
    receivers.pairs.emplace_back(BlockKey(before), &block.receivers);
  }
  if (total_bytes >= options_.ingest_threshold_bytes) {
    // A power cut must not take an earlier round out of the log and leave this one in its file.
    if (absl::Status s = Sync(); !s.ok()) return s;
    return rocks_->Ingest({attempts, receivers, rounds});
  }
  rocksdb::WriteBatch batch(total_bytes + (size_t{64} << 10));
  for (const SortedPairs* sorted : {&attempts, &receivers, &rounds}) {
    for (const auto& [key, value] : sorted->pairs) {
      const rocksdb::Status s = batch.Put(rocks_->handle(sorted->family), key, *value);
      if (!s.ok()) return rocks_->Error(s);
    }
  }
  const rocksdb::Status s = rocks_->db()->Write(rocksdb::WriteOptions(), &batch);
  return s.ok() ? absl::OkStatus() : rocks_->Error(s);
}

absl::Status RocksStore::Sync() {
  const rocksdb::Status s = rocks_->db()->SyncWAL();
  return s.ok() ? absl::OkStatus() : rocks_->Error(s);
}

// --- baselines ---

absl::Status RocksStore::PutBaselines(int run, int problem, const BaselineBlock& baselines) {
  return PutDurably(kBaselines, BaselineKey(run, problem), EncodeBaselines(baselines));
}

absl::StatusOr<BaselineBlock> RocksStore::Baselines(int run, int problem) const {
  const absl::StatusOr<std::string> value = rocks_->Get(kBaselines, BaselineKey(run, problem));
  if (absl::IsNotFound(value.status())) {
    return NotFound(absl::StrCat("baselines of run R", run, ", problem ", FormatProblem(problem)));
  }
  if (!value.ok()) return value.status();
  absl::StatusOr<BaselineBlock> baselines = DecodeBaselines(*value);
  if (!baselines.ok()) return Named(baselines.status());
  return baselines;
}

// --- attempts ---

absl::StatusOr<AttemptBlock> RocksStore::Decode(absl::string_view key,
                                                absl::string_view value) const {
  const absl::StatusOr<AttemptId> first = ParseBlockKey(key);
  if (!first.ok()) return Named(first.status());
  absl::StatusOr<AttemptBlock> block = DecodeBlock(*first, value);
  if (!block.ok()) return Named(block.status());
  return block;
}

absl::Status RocksStore::Scan(const std::string& prefix,
                              const std::function<bool(const AttemptBlock&)>& visit) const {
  return Each(kAttempts, prefix,
              [&](absl::string_view key, absl::string_view value) -> absl::StatusOr<bool> {
                absl::StatusOr<AttemptBlock> block = Decode(key, value);
                if (!block.ok()) return block.status();
                return visit(*block);
              });
}

absl::Status RocksStore::ScanEncoded(
    int run, int round, const std::function<bool(AttemptId, absl::string_view)>& visit) const {
  absl::Status damaged;
  const absl::Status scanned =
      Each(kAttempts, RoundKey(run, round),
           [&](absl::string_view key, absl::string_view value) -> absl::StatusOr<bool> {
             const absl::StatusOr<AttemptId> first = ParseBlockKey(key);
             if (first.ok()) return visit(*first, value);
             damaged.Update(Named(first.status()));
             return true;
           });
  return scanned.ok() ? damaged : scanned;
}

absl::StatusOr<AttemptBlock> RocksStore::BlockOf(AttemptId attempt) const {
  const std::string key = BlockKey(FirstOfBlock(attempt));
  const absl::StatusOr<std::string> value = rocks_->Get(kAttempts, key);
  if (absl::IsNotFound(value.status())) return NotFound(absl::StrCat("attempt ", Format(attempt)));
  if (!value.ok()) return value.status();
  absl::StatusOr<AttemptBlock> block = Decode(key, *value);
  if (block.ok() && attempt.lane() - block->first.lane() >= block->size()) {
    return NotFound(absl::StrCat("attempt ", Format(attempt)));
  }
  return block;
}

absl::StatusOr<BlockPtr> RocksStore::CachedBlockOf(AttemptId attempt) const {
  const AttemptId first = FirstOfBlock(attempt);
  BlockPtr block = cache_.Find(first.value);
  if (block == nullptr) {
    absl::StatusOr<AttemptBlock> read = BlockOf(attempt);
    if (!read.ok()) return read.status();
    block = std::make_shared<const AttemptBlock>(*std::move(read));
    cache_.Insert(first.value, block);
  }
  if (attempt.lane() - first.lane() >= block->size()) {
    return NotFound(absl::StrCat("attempt ", Format(attempt)));
  }
  return block;
}

absl::StatusOr<NewClaim> RocksStore::FindClaim(ClaimId claim) const {
  const absl::StatusOr<BlockPtr> block = CachedBlockOf(claim.attempt());
  if (absl::IsNotFound(block.status())) return NotFound(absl::StrCat("claim ", Format(claim)));
  if (!block.ok()) return block.status();
  const int i = claim.attempt().lane() - (*block)->first.lane();
  if (!(*block)->has_claims()) {
    return NotFound(absl::StrCat("claim ", Format(claim), ": its run was recorded without claims"));
  }
  const absl::Span<const NewClaim> claims = (*block)->new_claims_of(i);
  if (claim.place() >= static_cast<int>(claims.size())) {
    return NotFound(absl::StrCat("claim ", Format(claim)));
  }
  return claims[claim.place()];
}

absl::StatusOr<std::vector<NotedClaim>> RocksStore::Note(AttemptId attempt) const {
  const absl::StatusOr<BlockPtr> block = CachedBlockOf(attempt);
  if (!block.ok()) return block.status();
  if (!(*block)->has_claims()) {
    return NotFound(
        absl::StrCat("note of ", Format(attempt), ": its run was recorded without claims"));
  }
  std::vector<NotedClaim> note;
  for (const ClaimId id : (*block)->note_of(attempt.lane() - (*block)->first.lane())) {
    const absl::StatusOr<NewClaim> claim = FindClaim(id);
    if (!claim.ok()) return claim.status();
    note.push_back({id, claim->claim});
  }
  return note;
}

absl::StatusOr<std::vector<std::vector<NotedClaim>>> RocksStore::NotesOfRound(int run, int round,
                                                                              int problem) const {
  std::vector<std::vector<NotedClaim>> notes;
  std::vector<std::pair<ClaimId, NotedClaim*>> wanted;
  bool recorded = true;
  const absl::Status scanned = ScanRound(run, round, problem, [&](const AttemptBlock& block) {
    recorded = block.has_claims();
    if (!recorded) return false;
    for (int i = 0; i < block.size(); ++i) {
      std::vector<NotedClaim>& note = notes.emplace_back();
      for (const ClaimId id : block.note_of(i)) note.push_back({id, {}});
    }
    return true;
  });
  if (!scanned.ok()) return scanned;
  const std::string where =
      absl::StrCat("round ", round, " of R", run, ", ", FormatProblem(problem));
  if (!recorded) return NotFound(absl::StrCat("notes of ", where, ": recorded without claims"));
  if (notes.empty()) return NotFound(where);
  // In the order of the claims' ids, every birth block is needed once.
  for (std::vector<NotedClaim>& note : notes) {
    for (NotedClaim& claim : note) wanted.emplace_back(claim.id, &claim);
  }
  std::sort(wanted.begin(), wanted.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  BlockPtr block;
  for (const auto& [id, claim] : wanted) {
    if (block == nullptr || block->first != FirstOfBlock(id.attempt())) {
      absl::StatusOr<AttemptBlock> read = BlockOf(id.attempt());
      if (absl::IsNotFound(read.status())) return NotFound(absl::StrCat("claim ", Format(id)));
      if (!read.ok()) return read.status();
      block = std::make_shared<const AttemptBlock>(*std::move(read));
    }
    const int i = id.attempt().lane() - block->first.lane();
    if (i >= block->size() || !block->has_claims() ||
        id.place() >= static_cast<int>(block->new_claims_of(i).size())) {
      return NotFound(absl::StrCat("claim ", Format(id)));
    }
    claim->claim = block->new_claims_of(i)[id.place()].claim;
  }
  return notes;
}

absl::StatusOr<std::vector<uint32_t>> RocksStore::Receivers(AttemptId attempt) const {
  absl::StatusOr<std::vector<std::vector<uint32_t>>> receivers = ReceiversOfBlock(attempt);
  if (!receivers.ok()) return receivers.status();
  const size_t i = static_cast<size_t>(attempt.lane() % kBlockLanes);
  if (i >= receivers->size()) return NotFound(absl::StrCat("attempt ", Format(attempt)));
  return (*receivers)[i];
}

absl::StatusOr<std::vector<std::vector<uint32_t>>> RocksStore::ReceiversOfBlock(
    AttemptId attempt) const {
  const absl::StatusOr<std::string> value =
      rocks_->Get(kReceivers, BlockKey(FirstOfBlock(attempt)));
  if (absl::IsNotFound(value.status())) {
    // The last round has none yet; an attempt that is not there has no answer at all.
    const absl::StatusOr<BlockPtr> block = CachedBlockOf(attempt);
    if (!block.ok()) return block.status();
    return std::vector<std::vector<uint32_t>>((*block)->size());
  }
  if (!value.ok()) return value.status();
  absl::StatusOr<std::vector<std::vector<uint32_t>>> receivers = DecodeReceivers(*value);
  if (!receivers.ok()) return Named(receivers.status());
  return receivers;
}

// --- notes from outside ---

absl::StatusOr<int> RocksStore::PutText(const TextRecord& text) {
  const absl::StatusOr<std::string> last = LastKey(kTexts, "");
  if (!last.ok()) return last.status();
  const int number = last->empty() ? 1 : LastNumberOf(*last) + 1;
  TextRecord record = text;
  record.set_number(number);
  absl::Status s = PutDurably(kTexts, TextKey(number), record.SerializeAsString());
  if (!s.ok()) return s;
  return number;
}

absl::StatusOr<TextRecord> RocksStore::Text(int number) const {
  const absl::StatusOr<std::string> value = rocks_->Get(kTexts, TextKey(number));
  if (absl::IsNotFound(value.status())) return NotFound(absl::StrCat("text ", number));
  if (!value.ok()) return value.status();
  return Parse<TextRecord>(kTexts, *value);
}

}  // namespace

std::unique_ptr<Store> NewStore(const std::string& path, const StoreOptions& options,
                                std::unique_ptr<Rocks> rocks) {
  return std::make_unique<RocksStore>(path, options, std::move(rocks));
}

absl::StatusOr<std::unique_ptr<Store>> OpenWithEnv(const std::string& path, Store::Mode mode,
                                                   const StoreOptions& options, rocksdb::Env* env) {
  absl::StatusOr<std::unique_ptr<Rocks>> rocks = Rocks::Open(path, mode, env);
  if (!rocks.ok()) return rocks.status();
  return NewStore(path, options, *std::move(rocks));
}

absl::StatusOr<std::unique_ptr<Store>> Store::Open(const std::string& path, Mode mode,
                                                   const StoreOptions& options) {
  return OpenWithEnv(path, mode, options, rocksdb::Env::Default());
}

}  // namespace hearsay
