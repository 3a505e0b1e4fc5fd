#include "kb/codec.h"

#include "absl/strings/str_cat.h"
#include "kb/block_columns.h"
#include "kb/bytes.h"
#include "kb/kb.pb.h"

namespace hearsay {
namespace {

void AppendBigEndian(std::string* key, uint64_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    key->push_back(static_cast<char>(value >> shift & 0xff));
  }
}

uint32_t BigEndian32(absl::string_view bytes) {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return value;
}

absl::Status Damaged(AttemptId first, absl::string_view what) {
  return absl::DataLossError(absl::StrCat("block ", Format(first), ": ", what));
}

enum class Extent { kAll, kLineage, kSources };
absl::StatusOr<AttemptBlock> Decode(AttemptId first, absl::string_view bytes, Extent extent);

}  // namespace

// A key is its coordinates in four bytes each: readable in a dump, and LZ4 and the store's own
// prefix coding leave nothing of the zeros.
std::string RunKey(int run) {
  std::string key;
  AppendBigEndian(&key, static_cast<uint64_t>(run), 4);
  return key;
}

std::string RoundKey(int run, int round) {
  std::string key = RunKey(run);
  AppendBigEndian(&key, static_cast<uint64_t>(round), 4);
  return key;
}

std::string BlockKey(AttemptId first) {
  std::string key = RoundKey(first.run(), first.round());
  AppendBigEndian(&key, static_cast<uint64_t>(first.problem()), 4);
  AppendBigEndian(&key, static_cast<uint64_t>(first.lane()), 4);
  return key;
}

absl::StatusOr<AttemptId> ParseBlockKey(absl::string_view key) {
  if (key.size() != 16) {
    return absl::DataLossError(absl::StrCat("a block's key has ", key.size(), " bytes, not 16"));
  }
  const uint32_t run = BigEndian32(key), round = BigEndian32(key.substr(4));
  const uint32_t problem = BigEndian32(key.substr(8)), lane = BigEndian32(key.substr(12));
  if (run < 1 || run >= kMaxRuns || round >= kMaxRounds || problem >= kMaxProblems ||
      lane >= kMaxLanes) {
    return absl::DataLossError(absl::StrCat("a block's key is out of range: run ", run, ", round ",
                                            round, ", problem ", problem, ", lane ", lane));
  }
  return AttemptId::Of(static_cast<int>(run), static_cast<int>(round), static_cast<int>(problem),
                       static_cast<int>(lane));
}

std::string BaselineKey(int run, int problem) {
  std::string key = RunKey(run);
  AppendBigEndian(&key, static_cast<uint64_t>(problem), 4);
  return key;
}

std::string TextKey(int number) { return RunKey(number); }

int LastNumberOf(const std::string& key) {
  uint32_t number = 0;
  for (size_t i = key.size() < 4 ? 0 : key.size() - 4; i < key.size(); ++i) {
    number = number << 8 | static_cast<uint8_t>(key[i]);
  }
  return static_cast<int>(number);
}

std::string EncodeBlock(const AttemptBlock& block) {
  AttemptBlockRecord record;
  record.set_count(static_cast<uint32_t>(block.size()));
  record.set_sources(PutSources(block));
  record.set_has_claims(block.has_claims());
  if (block.has_claims()) {
    std::vector<Origin> origins;
    record.set_intake(PutIntake(block));
    record.set_notes(PutNotes(block, &origins));
    record.set_claims(PutNewClaims(block, origins));
    record.set_outcomes(
        PutOutcomes(block.outcomes, block.note_begin.data(), block.intake_begin.data()));
  } else {
    record.set_outcomes(PutOutcomes(block.outcomes, nullptr, nullptr));
  }
  return record.SerializeAsString();
}

absl::StatusOr<AttemptBlock> DecodeBlock(AttemptId first, absl::string_view bytes) {
  return Decode(first, bytes, Extent::kAll);
}

absl::StatusOr<AttemptBlock> DecodeLineage(AttemptId first, absl::string_view bytes) {
  return Decode(first, bytes, Extent::kLineage);
}

absl::StatusOr<AttemptBlock> DecodeSources(AttemptId first, absl::string_view bytes) {
  return Decode(first, bytes, Extent::kSources);
}

namespace {

absl::StatusOr<AttemptBlock> Decode(AttemptId first, absl::string_view bytes, Extent extent) {
  AttemptBlockRecord record;
  if (bytes.size() > INT32_MAX ||
      !record.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return Damaged(first, "is no AttemptBlockRecord");
  }
  const uint32_t count = record.count();
  if (count < 1 || count > kBlockLanes || first.lane() + static_cast<int>(count) > kMaxLanes) {
    return Damaged(first, absl::StrCat("holds ", count, " attempts, not 1 to ", kBlockLanes));
  }
  const int n = static_cast<int>(count);
  const bool claims = record.has_claims();
  AttemptBlock block;
  block.first = first;
  if (!TakeSources(record.sources(), n, &block)) return Damaged(first, "sources do not decode");
  if (extent == Extent::kSources) return block;
  if (claims && !TakeIntake(record.intake(), n, &block)) {
    return Damaged(first, "intake does not decode");
  }
  block.outcomes.resize(count);
  const auto take_outcomes = extent == Extent::kAll ? TakeOutcomes : TakeLineageOfOutcomes;
  if (!take_outcomes(record.outcomes(), absl::MakeSpan(block.outcomes),
                     claims ? block.intake_begin.data() : nullptr)) {
    return Damaged(first, "outcomes do not decode");
  }
  if (!claims) {
    if (record.intake().empty() && record.claims().empty() && record.notes().empty()) return block;
    return Damaged(first, "says it holds no claims, yet does");
  }
  std::vector<Origin> origins;
  if (!TakeNotes(record.notes(), n, &block, &origins)) {
    return Damaged(first, "notes do not decode");
  }
  const auto take_claims = extent == Extent::kAll ? TakeNewClaims : TakeLineageOfNewClaims;
  if (!take_claims(record.claims(), origins, &block)) {
    return Damaged(first, "new claims do not decode");
  }
  if (extent == Extent::kAll) AddNoteSizes(&block);
  return block;
}

}  // namespace

std::string EncodeBaselines(const BaselineBlock& baselines) {
  BaselineRecord record;
  record.set_agent_slots(static_cast<uint32_t>(baselines.agent_slots));
  record.set_count(static_cast<uint32_t>(baselines.outcomes.size()));
  const absl::Span<const Outcome> all = baselines.outcomes;
  for (size_t at = 0; at < all.size(); at += kBlockLanes) {
    record.add_outcomes(PutOutcomes(all.subspan(at, kBlockLanes), nullptr, nullptr));
  }
  return record.SerializeAsString();
}

absl::StatusOr<BaselineBlock> DecodeBaselines(absl::string_view bytes) {
  BaselineRecord record;
  if (bytes.size() > INT32_MAX ||
      !record.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::DataLossError("baselines: is no BaselineRecord");
  }
  const size_t count = record.count();
  const size_t chunks = static_cast<size_t>(record.outcomes_size());
  if (count < 1 || chunks != (count + kBlockLanes - 1) / kBlockLanes || record.agent_slots() < 1 ||
      record.agent_slots() > 256) {
    return absl::DataLossError(absl::StrCat("baselines: ", count, " outcomes of ",
                                            record.agent_slots(), " agents do not fit"));
  }
  BaselineBlock baselines;
  baselines.agent_slots = static_cast<int>(record.agent_slots());
  baselines.outcomes.resize(count);
  for (size_t chunk = 0; chunk < chunks; ++chunk) {
    const absl::Span<Outcome> part =
        absl::MakeSpan(baselines.outcomes).subspan(chunk * kBlockLanes, kBlockLanes);
    if (!TakeOutcomes(record.outcomes(static_cast<int>(chunk)), part, nullptr)) {
      return absl::DataLossError("baselines: outcomes do not decode");
    }
  }
  return baselines;
}

}  // namespace hearsay
