#include "kb/store.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "kb/codec.h"
#include "kb/rocks_store.h"
#include "kb/store_internal.h"
#include "rocksdb/write_batch.h"

namespace hearsay {
namespace {

absl::string_view View(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

}  // namespace

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
  SortedPairs attempts{kAttempts, {}}, rounds{kRounds, {}};
  rounds.pairs.emplace_back(RoundKey(record.run(), record.round()), &round);
  size_t total_bytes = 0;
  for (const EncodedBlock& block : blocks) {
    total_bytes += block.attempts.size();
    attempts.pairs.emplace_back(BlockKey(block.first), &block.attempts);
  }
  if (total_bytes >= options_.ingest_threshold_bytes) {
    // A power cut must not take an earlier round out of the log and leave this one in its file.
    if (absl::Status s = Sync(); !s.ok()) return s;
    return rocks_->Ingest({attempts, rounds});
  }
  rocksdb::WriteBatch batch(total_bytes + (size_t{64} << 10));
  for (const SortedPairs* sorted : {&attempts, &rounds}) {
    for (const auto& [key, value] : sorted->pairs) {
      const rocksdb::Status s = batch.Put(rocks_->handle(sorted->family), key, *value);
      if (!s.ok()) return rocks_->Error(s);
    }
  }
  const rocksdb::Status s = rocks_->db()->Write(rocksdb::WriteOptions(), &batch);
  return s.ok() ? absl::OkStatus() : rocks_->Error(s);
}

absl::Status RocksStore::CommitFold(int run, const Fold& fold) {
  const absl::StatusOr<RunRecord> record = Run(run);
  if (!record.ok()) return record.status();
  const std::string gone;
  std::vector<KeyRange> ranges;
  SortedPairs attempts{kAttempts, {}};
  for (const int round : fold.drop) {
    const std::string end = RoundKey(run, round + 1);
    if (!ranges.empty() && ranges.back().end == RoundKey(run, round)) {
      ranges.back().end = end;
    } else {
      ranges.push_back({kAttempts, RoundKey(run, round), end, /*all_removed=*/true});
    }
    for (const int problem : record->problems()) {
      for (int lane = 0; lane < record->lanes(); lane += kBlockLanes) {
        const std::string key = BlockKey(AttemptId::Of(run, round, problem, lane));
        attempts.pairs.emplace_back(key, &gone);
      }
    }
  }
  SortedPairs claims{kClaims, {}}, rounds{kRounds, {}};
  std::vector<std::string> records;
  records.reserve(fold.rounds.size());
  for (const RoundRecord& round : fold.rounds) {
    records.push_back(round.SerializeAsString());
    rounds.pairs.emplace_back(RoundKey(run, round.round()), &records.back());
  }
  for (const KeptBlock& block : fold.claims) {
    claims.pairs.emplace_back(KeptKey(block.first), &block.claims);
  }
  absl::Status status = rocks_->Replace({attempts, claims, rounds});
  if (!status.ok()) return status;
  cache_.Clear();
  kept_cache_.Clear();
  return rocks_->GiveBack(ranges);
}

absl::Status RocksStore::Compact(int run) {
  std::vector<KeyRange> ranges;
  for (const Family family : {kAttempts, kClaims}) {
    ranges.push_back({family, RunKey(run), RunKey(run + 1)});
  }
  return rocks_->GiveBack(ranges);
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
