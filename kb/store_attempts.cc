// What a store finds in blocks: attempts, claims, notes, receivers.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "kb/codec.h"
#include "kb/rocks_store.h"

namespace hearsay {

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
  if (absl::IsNotFound(value.status())) {
    return NotFound(attempt.run(), attempt.round(), absl::StrCat("attempt ", Format(attempt)));
  }
  if (!value.ok()) return value.status();
  absl::StatusOr<AttemptBlock> block = Decode(key, *value);
  if (block.ok() && attempt.lane() - block->first.lane() >= block->size()) {
    return NotFound(absl::StrCat("attempt ", Format(attempt)));
  }
  return block;
}

absl::StatusOr<RocksStore::BlockPtr> RocksStore::CachedBlockOf(AttemptId attempt) const {
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

bool RocksStore::WasDropped(int run, int round) const {
  const absl::StatusOr<std::string> value = rocks_->Get(kRounds, RoundKey(run, round));
  if (!value.ok()) return false;
  const absl::StatusOr<RoundRecord> record = Parse<RoundRecord>(kRounds, *value);
  return record.ok() && record->dropped();
}

absl::Status RocksStore::NotFound(int run, int round, absl::string_view what) const {
  if (!WasDropped(run, round)) return NotFound(what);
  const absl::StatusOr<RunRecord> of = Run(run);
  if (!of.ok()) return of.status();
  return absl::NotFoundError(absl::StrCat("kb '", path_, "' did not keep ", what, ": R", run,
                                          " was made with --retain ", of->retain()));
}

absl::StatusOr<RocksStore::KeptPtr> RocksStore::CachedKept(AttemptId first) const {
  KeptPtr kept = kept_cache_.Find(first.value);
  if (kept != nullptr) return kept;
  const absl::StatusOr<std::string> value = rocks_->Get(kClaims, KeptKey(first));
  if (absl::IsNotFound(value.status())) return std::make_shared<const std::vector<KeptClaim>>();
  if (!value.ok()) return value.status();
  absl::StatusOr<std::vector<KeptClaim>> read = DecodeKept(first, *value);
  if (!read.ok()) return Named(read.status());
  kept = std::make_shared<const std::vector<KeptClaim>>(*std::move(read));
  kept_cache_.Insert(first.value, kept);
  return kept;
}

absl::StatusOr<std::vector<KeptClaim>> RocksStore::KeptClaims(int run, int problem) const {
  std::vector<KeptClaim> all;
  const absl::Status status =
      Each(kClaims, KeptKey(run, problem),
           [&](absl::string_view key, absl::string_view value) -> absl::StatusOr<bool> {
             const absl::StatusOr<AttemptId> first = ParseKeptKey(key);
             if (!first.ok()) return Named(first.status());
             const absl::StatusOr<std::vector<KeptClaim>> claims = DecodeKept(*first, value);
             if (!claims.ok()) return Named(claims.status());
             all.insert(all.end(), claims->begin(), claims->end());
             return true;
           });
  if (!status.ok()) return status;
  return all;
}

absl::StatusOr<NewClaim> RocksStore::FindClaim(ClaimId claim) const {
  const absl::StatusOr<BlockPtr> block = CachedBlockOf(claim.attempt());
  if (absl::IsNotFound(block.status())) {
    const absl::StatusOr<KeptPtr> kept = CachedKept(FirstOfBlock(claim.attempt()));
    if (!kept.ok()) return kept.status();
    const KeptClaim* const found = FindKept(**kept, claim);
    if (found != nullptr) return found->made;
    return NotFound(claim.attempt().run(), claim.attempt().round(),
                    absl::StrCat("claim ", Format(claim)));
  }
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

absl::StatusOr<std::vector<uint32_t>> RocksStore::Receivers(AttemptId attempt) const {
  if (absl::Status there = CachedBlockOf(attempt).status(); !there.ok()) return there;
  const int next = attempt.round() + 1;
  if (WasDropped(attempt.run(), next)) {
    return NotFound(attempt.run(), next, absl::StrCat("receivers of ", Format(attempt)));
  }
  std::vector<uint32_t> receivers;
  if (next == kMaxRounds) return receivers;
  const uint32_t author = static_cast<uint32_t>(attempt.lane());
  const std::string readers = BlockKey(AttemptId::Of(attempt.run(), next, attempt.problem(), 0));
  const absl::Status status = Each(
      kAttempts, readers.substr(0, 12),
      [&](absl::string_view key, absl::string_view value) -> absl::StatusOr<bool> {
        const absl::StatusOr<AttemptId> first = ParseBlockKey(key);
        if (!first.ok()) return Named(first.status());
        const absl::StatusOr<AttemptBlock> reader = DecodeSources(*first, value);
        if (!reader.ok()) return Named(reader.status());
        for (size_t i = 0; i + 1 < reader->source_begin.size(); ++i) {
          for (const uint32_t source : reader->sources_of(static_cast<int>(i))) {
            if (source != author) continue;
            receivers.push_back(static_cast<uint32_t>(first->lane()) + static_cast<uint32_t>(i));
          }
        }
        return true;
      });
  if (!status.ok()) return status;
  return receivers;
}

}  // namespace hearsay
