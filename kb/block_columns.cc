#include "kb/block_columns.h"

#include <bit>

#include "kb/bytes.h"

namespace hearsay {
namespace {

constexpr uint32_t kRoundMask = kMaxRounds - 1;

// --- what all columns share ---

void PutCounts(ByteWriter* out, absl::Span<const uint32_t> begin) {
  for (size_t i = 0; i + 1 < begin.size(); ++i) out->Byte(begin[i + 1] - begin[i]);
}

// Each count is at most `max`, so `begin` ends at no more than count * max.
bool TakeCounts(ByteReader* in, int count, uint32_t max, std::vector<uint32_t>* begin) {
  const uint8_t* counts = in->Bytes(count);
  if (counts == nullptr) return false;
  begin->resize(count + 1);
  uint32_t end = (*begin)[0] = 0;
  for (int i = 0; i < count; ++i) {
    if (counts[i] > max) return false;
    (*begin)[i + 1] = end += counts[i];
  }
  return true;
}

// How a claim stands to the attempt that refers to it: age and place in one number, usual values
// (16 rounds, 8 places) in seven bits. A claim of an older round has age 0 in the next.
uint32_t AgeAndPlace(int round, ClaimId id) {
  const uint32_t age = static_cast<uint32_t>(round - 1 - id.attempt().round()) & kRoundMask;
  const uint32_t place = static_cast<uint32_t>(id.place());
  return (place & 7) | (age & 15) << 3 | (place >> 3) << 7 | (age >> 4) << 9;
}
constexpr uint32_t kMaxAgeAndPlace = (1u << 25) - 1;

// The claim of `base`'s run and problem; false where its lane is none.
bool SetRef(AttemptId base, uint32_t age_and_place, int64_t lane, ClaimId* id) {
  if (lane < 0 || lane >= kMaxLanes) return false;
  const uint32_t age = (age_and_place >> 3 & 15) | age_and_place >> 9 << 4;
  const uint32_t place = (age_and_place & 7) | (age_and_place >> 7 & 3) << 3;
  const uint32_t round = (static_cast<uint32_t>(base.round()) - 1 - age) & kRoundMask;
  *id = ClaimId::Of(
      AttemptId::Of(base.run(), static_cast<int>(round), base.problem(), static_cast<int>(lane)),
      static_cast<int>(place));
  return true;
}

// A reference on its own, where no column gives it shorter.
void PutRef(ByteWriter* out, AttemptId base, ClaimId id) {
  out->Varint(AgeAndPlace(base.round(), id));
  out->Varint(ZigZag(id.attempt().lane() - base.lane()));
}

bool TakeRef(ByteReader* in, AttemptId base, ClaimId* id) {
  const uint32_t age_and_place = in->Varint(kMaxAgeAndPlace);
  const int64_t lane = int64_t{base.lane()} + UnZigZag(in->Varint());
  return in->ok() && SetRef(base, age_and_place, lane, id);
}

constexpr size_t kRefBytes = 2 * kMaxVarintBytes;

// The lane the first reference of an intake is counted from: that of the first source.
int FirstLane(const AttemptBlock& block, int i) {
  const absl::Span<const uint32_t> sources = block.sources_of(i);
  return sources.empty() ? block.first.lane() + i : static_cast<int>(sources[0]);
}

}  // namespace

std::string PutSources(const AttemptBlock& block) {
  const int n = block.size();
  ByteWriter out(n + block.sources.size() * kMaxVarintBytes);
  PutCounts(&out, block.source_begin);
  for (int i = 0; i < n; ++i) {
    int expected = block.first.lane() + i;
    for (const uint32_t source : block.sources_of(i)) {
      out.Varint(ZigZag(static_cast<int>(source) - expected));
      expected = static_cast<int>(source);
    }
  }
  return std::string(out.bytes());
}

bool TakeSources(absl::string_view bytes, int count, AttemptBlock* block) {
  ByteReader in(bytes);
  if (!TakeCounts(&in, count, UINT8_MAX, &block->source_begin)) return false;
  const size_t total = block->source_begin.back();
  if (total > in.left()) return false;
  block->sources.resize(total);
  for (int i = 0; i < count; ++i) {
    int64_t expected = block->first.lane() + i;
    for (size_t s = block->source_begin[i]; s < block->source_begin[i + 1]; ++s) {
      expected += UnZigZag(in.Varint());
      if (expected < 0 || expected >= kMaxLanes) return false;
      block->sources[s] = static_cast<uint32_t>(expected);
    }
  }
  return in.done();
}

// --- intake ---

std::string PutIntake(const AttemptBlock& block) {
  const int n = block.size();
  const size_t refs = 2 * block.intake.size();
  ByteWriter out(n * (1 + kMaxVarintBytes) + refs * kRefBytes);
  PutCounts(&out, block.intake_begin);
  for (int i = 0; i < n; ++i) {
    uint32_t merged = 0;
    const absl::Span<const IntakeEntry> intake = block.intake_of(i);
    for (size_t e = 0; e < intake.size(); ++e) {
      merged |= static_cast<uint32_t>(!intake[e].parents[1].none()) << e;
    }
    out.Varint(merged);
  }
  for (const IntakeEntry& entry : block.intake) {
    out.Varint(AgeAndPlace(block.first.round(), entry.parents[0]));
    if (!entry.parents[1].none()) {
      out.Varint(AgeAndPlace(block.first.round(), entry.parents[1]));
    }
  }
  for (int i = 0; i < n; ++i) {
    int expected = FirstLane(block, i);
    for (const IntakeEntry& entry : block.intake_of(i)) {
      for (const ClaimId id : entry.parents) {
        if (id.none()) continue;
        const int lane = id.attempt().lane();
        out.Varint(ZigZag(lane - expected));
        expected = lane;
      }
    }
  }
  return std::string(out.bytes());
}

bool TakeIntake(absl::string_view bytes, int count, AttemptBlock* block) {
  ByteReader in(bytes);
  if (!TakeCounts(&in, count, kMaxIntake, &block->intake_begin)) return false;
  std::vector<uint32_t> merged(count);
  for (uint32_t& mask : merged) mask = in.Varint();
  if (block->intake_begin.back() > in.left()) return false;
  block->intake.resize(block->intake_begin.back());
  // The ages stand in the low bits until the lanes are known.
  for (int i = 0; i < count; ++i) {
    for (size_t e = block->intake_begin[i], bit = 0; e < block->intake_begin[i + 1]; ++e, ++bit) {
      IntakeEntry& entry = block->intake[e];
      entry.parents[0].value = in.Varint(kMaxAgeAndPlace);
      if (merged[i] >> bit & 1) entry.parents[1].value = in.Varint(kMaxAgeAndPlace);
    }
  }
  for (int i = 0; i < count; ++i) {
    int64_t lane = FirstLane(*block, i);
    for (size_t e = block->intake_begin[i], bit = 0; e < block->intake_begin[i + 1]; ++e, ++bit) {
      const int parents = 1 + static_cast<int>(merged[i] >> bit & 1);
      for (int p = 0; p < parents; ++p) {
        ClaimId& id = block->intake[e].parents[p];
        lane += UnZigZag(in.Varint());
        if (!SetRef(block->first, static_cast<uint32_t>(id.value), lane, &id)) return false;
      }
    }
  }
  return in.done();
}

// --- new claims ---

namespace {

// Parents of a new claim: none, an entry of the intake (its index + 1), or written out.
constexpr uint32_t kNoParents = 0;
constexpr uint32_t kParentsFollow = 252;  // plus 1 for the first parent, 2 for the second

uint32_t ParentsCode(absl::Span<const IntakeEntry> intake, const NewClaim& claim) {
  const ClaimId a = claim.parents[0], b = claim.parents[1];
  if (a.none() && b.none()) return kNoParents;
  for (size_t e = 0; e < intake.size(); ++e) {
    if (intake[e].parents[0] == a && intake[e].parents[1] == b) {
      return static_cast<uint32_t>(e) + 1;
    }
  }
  return kParentsFollow + (a.none() ? 0 : 1) + (b.none() ? 0 : 2);
}

uint32_t Bits(Claim claim, int shift, int width) {
  return static_cast<uint32_t>(claim.bits >> shift & ((1u << width) - 1));
}

// The stamp's age in rounds; above it the six bits that no field uses.
uint32_t StampAge(int round, Claim claim) {
  const uint32_t age = static_cast<uint32_t>(round - claim.stamp_round()) & kRoundMask;
  return age | Bits(claim, 58, 6) << 20;
}

constexpr size_t kNewClaimBytes = 7 + kMaxVarintBytes + 2 * kRefBytes;

}  // namespace

std::string PutNewClaims(const AttemptBlock& block) {
  const int n = block.size();
  const std::vector<NewClaim>& claims = block.new_claims;
  ByteWriter out(n + claims.size() * kNewClaimBytes);
  PutCounts(&out, block.new_begin);
  for (const NewClaim& c : claims) out.Byte(Bits(c.claim, 0, 8));   // knob, value
  for (const NewClaim& c : claims) out.Byte(Bits(c.claim, 8, 8));   // label, stance, DSL
  for (const NewClaim& c : claims) out.Byte(Bits(c.claim, 16, 6));  // general, hedged, confidence
  for (const NewClaim& c : claims) out.Byte(Bits(c.claim, 22, 8));  // effect
  for (const NewClaim& c : claims) out.Byte(Bits(c.claim, 30, 8));  // support, against
  for (const NewClaim& c : claims) out.Varint(StampAge(block.first.round(), c.claim));
  for (const NewClaim& c : claims) out.Byte(static_cast<uint32_t>(c.change));
  ByteWriter follow(claims.size() * 2 * kRefBytes);
  for (int i = 0; i < n; ++i) {
    for (const NewClaim& c : block.new_claims_of(i)) {
      const uint32_t code = ParentsCode(block.intake_of(i), c);
      out.Byte(code);
      if (code <= kParentsFollow) continue;
      for (const ClaimId parent : c.parents) {
        if (!parent.none()) PutRef(&follow, block.id(i), parent);
      }
    }
  }
  out.Bytes(follow.bytes());
  return std::string(out.bytes());
}

bool TakeNewClaims(absl::string_view bytes, int count, AttemptBlock* block) {
  ByteReader in(bytes);
  if (!TakeCounts(&in, count, kMaxNewClaims, &block->new_begin)) return false;
  const size_t total = block->new_begin.back();
  if (total > in.left()) return false;
  block->new_claims.resize(total);
  const uint8_t* plain[5];
  for (const uint8_t*& column : plain) column = in.Bytes(total);
  if (!in.ok()) return false;
  const uint32_t round = static_cast<uint32_t>(block->first.round());
  for (size_t c = 0; c < total; ++c) {
    const uint32_t age = in.Varint((1u << 26) - 1);
    block->new_claims[c].claim.bits =
        plain[0][c] | uint64_t{plain[1][c]} << 8 | uint64_t{plain[2][c]} << 16 |
        uint64_t{plain[3][c]} << 22 | uint64_t{plain[4][c]} << 30 |
        uint64_t{(round - age) & kRoundMask} << 38 | uint64_t{age >> 20} << 58;
    if (plain[2][c] >> 6 != 0) return false;
  }
  const uint8_t* changes = in.Bytes(total);
  const uint8_t* parents = in.Bytes(total);
  if (!in.ok()) return false;
  for (int i = 0; i < count; ++i) {
    const absl::Span<const IntakeEntry> intake = block->intake_of(i);
    for (size_t c = block->new_begin[i]; c < block->new_begin[i + 1]; ++c) {
      NewClaim& claim = block->new_claims[c];
      claim.change = static_cast<Change>(changes[c]);
      const uint32_t code = parents[c];
      if (code == kNoParents) continue;
      if (code <= intake.size()) {
        claim.parents[0] = intake[code - 1].parents[0];
        claim.parents[1] = intake[code - 1].parents[1];
        continue;
      }
      if (code <= kParentsFollow) return false;
      for (int p = 0; p < 2; ++p) {
        const bool there = ((code - kParentsFollow) >> p & 1) != 0;
        if (there && !TakeRef(&in, block->id(i), &claim.parents[p])) return false;
      }
    }
  }
  return in.done();
}

// --- notes ---

namespace {

// A note is ordered where its copies stand in the order of the intake and its new claims in the
// order of their places, and none of these is missing: then two masks tell all. Any other note is
// spelt out.
enum NoteForm : uint32_t { kSpelt = 0, kOrdered = 1 };

// In a note spelt out: the next new claim; intake entry token - 1; or a reference of its own.
constexpr uint32_t kTokenNext = 0;
constexpr uint32_t kTokenRef = kMaxIntake + 1;

struct OrderedNote {
  uint32_t copied = 0;  // bit e: intake entry e
  uint32_t fresh = 0;   // bit k: the k-th claim of the note is new
};

bool IsCopyOf(const IntakeEntry& entry, ClaimId id) {
  return entry.parents[0] == id && entry.parents[1].none();
}

bool IsOrdered(const AttemptBlock& block, int i, OrderedNote* ordered) {
  const absl::Span<const ClaimId> note = block.note_of(i);
  const absl::Span<const IntakeEntry> intake = block.intake_of(i);
  if (note.size() > 32) return false;
  const ClaimId first_new = ClaimId::Of(block.id(i), 0);
  size_t place = 0, e = 0;
  for (size_t k = 0; k < note.size(); ++k) {
    if (note[k].value == first_new.value + place) {
      ordered->fresh |= 1u << k;
      ++place;
      continue;
    }
    while (e < intake.size() && !IsCopyOf(intake[e], note[k])) ++e;
    if (e == intake.size()) return false;
    ordered->copied |= 1u << e++;
  }
  return place == block.new_claims_of(i).size();
}

bool TakeOrdered(OrderedNote ordered, int i, AttemptBlock* block) {
  const absl::Span<const IntakeEntry> intake = block->intake_of(i);
  const int fresh = std::popcount(ordered.fresh);
  const int size = std::popcount(ordered.copied) + fresh;
  if (fresh != static_cast<int>(block->new_claims_of(i).size()) || size > 32 ||
      (uint64_t{ordered.copied} >> intake.size()) != 0 || (uint64_t{ordered.fresh} >> size) != 0) {
    return false;
  }
  int place = 0;
  for (int k = 0; k < size; ++k) {
    if (ordered.fresh >> k & 1) {
      block->notes.push_back(ClaimId::Of(block->id(i), place++));
    } else {
      block->notes.push_back(intake[std::countr_zero(ordered.copied)].parents[0]);
      ordered.copied &= ordered.copied - 1;
    }
  }
  return true;
}

void PutSpelt(ByteWriter* out, const AttemptBlock& block, int i) {
  const absl::Span<const IntakeEntry> intake = block.intake_of(i);
  const absl::Span<const ClaimId> note = block.note_of(i);
  out->Byte(static_cast<uint32_t>(note.size()));
  int next = 0;
  for (const ClaimId id : note) {
    if (next < kMaxNewClaims && id == ClaimId::Of(block.id(i), next)) {
      out->Byte(kTokenNext);
      ++next;
      continue;
    }
    size_t e = 0;
    while (e < intake.size() && !IsCopyOf(intake[e], id)) ++e;
    if (e < intake.size()) {
      out->Byte(static_cast<uint32_t>(e) + 1);
    } else {
      out->Byte(kTokenRef);
      PutRef(out, block.id(i), id);
    }
  }
}

bool TakeSpelt(ByteReader* in, int i, AttemptBlock* block) {
  const absl::Span<const IntakeEntry> intake = block->intake_of(i);
  int next = 0;
  for (uint32_t left = in->Byte(); left > 0 && in->ok(); --left) {
    const uint32_t token = in->Byte();
    ClaimId id;
    if (token == kTokenNext) {
      if (next == kMaxNewClaims) return false;
      id = ClaimId::Of(block->id(i), next++);
    } else if (token <= intake.size()) {
      id = intake[token - 1].parents[0];
    } else if (token != kTokenRef || !TakeRef(in, block->id(i), &id)) {
      return false;
    }
    block->notes.push_back(id);
  }
  return in->ok();
}

}  // namespace

std::string PutNotes(const AttemptBlock& block) {
  const int n = block.size();
  ByteWriter out(n + 2 * n * kMaxVarintBytes + n + block.notes.size() * (1 + kRefBytes)),
      copied(n * kMaxVarintBytes), fresh(n * kMaxVarintBytes);
  ByteWriter spelt(n + block.notes.size() * (1 + kRefBytes));
  for (int i = 0; i < n; ++i) {
    OrderedNote ordered;
    if (IsOrdered(block, i, &ordered)) {
      out.Byte(kOrdered);
      copied.Varint(ordered.copied);
      fresh.Varint(ordered.fresh);
    } else {
      out.Byte(kSpelt);
      PutSpelt(&spelt, block, i);
    }
  }
  for (const ByteWriter* column : {&copied, &fresh, &spelt}) {
    out.Bytes(column->bytes());
  }
  return std::string(out.bytes());
}

bool TakeNotes(absl::string_view bytes, int count, AttemptBlock* block) {
  ByteReader in(bytes);
  const uint8_t* forms = in.Bytes(count);
  if (forms == nullptr) return false;
  std::vector<OrderedNote> ordered(count);
  for (int i = 0; i < count; ++i) {
    if (forms[i] > kOrdered) return false;
    if (forms[i] == kOrdered) ordered[i].copied = in.Varint();
  }
  for (int i = 0; i < count; ++i) {
    if (forms[i] == kOrdered) ordered[i].fresh = in.Varint();
  }
  block->notes.reserve(block->intake.size() + block->new_claims.size());
  block->note_begin.reserve(count + 1);
  for (int i = 0; i < count; ++i) {
    if (forms[i] == kOrdered ? !TakeOrdered(ordered[i], i, block) : !TakeSpelt(&in, i, block)) {
      return false;
    }
    block->note_begin.push_back(static_cast<uint32_t>(block->notes.size()));
  }
  return in.done();
}

}  // namespace hearsay
