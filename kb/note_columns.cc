// Notes and the claims that are new in them.
#include <bit>
#include <iterator>
#include <optional>

#include "kb/block_columns.h"
#include "kb/bytes.h"
#include "kb/column.h"

namespace hearsay {
namespace {

constexpr uint32_t kRoundMask = kMaxRounds - 1;

bool IsCopyOf(const IntakeEntry& entry, ClaimId id) {
  return entry.parents[0] == id && entry.parents[1].none();
}

bool IsMadeOf(const IntakeEntry& entry, const NewClaim& claim) {
  return entry.parents[0] == claim.parents[0] && entry.parents[1] == claim.parents[1];
}

bool IsBorn(const NewClaim& claim) { return claim.parents[0].none() && claim.parents[1].none(); }

uint32_t FirstBits(size_t count) { return static_cast<uint32_t>((uint64_t{1} << count) - 1); }

// The order in which an attempt writes: what it tested, what it saw, what it retells, what it
// supposes. Two masks over the intake and two counts then tell all of the note.
struct Told {
  uint32_t tested = 0;   // entry e was changed by evidence
  uint32_t retold = 0;   // entry e was handed on after that,
  uint32_t changed = 0;  // and was changed
  uint32_t born_first = 0, born_last = 0;
};

// Takes entries of the intake in ascending order while `matches(entry)` of the next one does.
class Ascending {
 public:
  explicit Ascending(absl::Span<const IntakeEntry> intake) : intake_(intake) {}
  // The bit of the first entry from here on that matches, or 0, which moves nothing.
  template <typename Matches>
  uint32_t Find(const Matches& matches) {
    for (size_t e = next_; e < intake_.size(); ++e) {
      if (!matches(intake_[e])) continue;
      next_ = e + 1;
      return uint32_t{1} << e;
    }
    return 0;
  }

 private:
  const absl::Span<const IntakeEntry> intake_;
  size_t next_ = 0;
};

// The note as told in that order, or nullopt where it was not.
std::optional<Told> AsTold(const AttemptBlock& block, int i) {
  const absl::Span<const ClaimId> note = block.note_of(i);
  const absl::Span<const NewClaim> made = block.new_claims_of(i);
  size_t k = 0, place = 0;
  // The next claim of the note, if it is the next new one.
  const auto next = [&]() -> const NewClaim* {
    const bool fresh = k < note.size() && place < made.size() &&
                       note[k] == ClaimId::Of(block.id(i), static_cast<int>(place));
    return fresh ? &made[place] : nullptr;
  };
  Told told;
  Ascending tested(block.intake_of(i)), retold(block.intake_of(i));
  for (const NewClaim* claim; (claim = next()) != nullptr && !IsBorn(*claim); ++k, ++place) {
    if (claim->change != Change::kStrengthened && claim->change != Change::kCorrected) break;
    const uint32_t bit = tested.Find([&](const IntakeEntry& e) { return IsMadeOf(e, *claim); });
    if (bit == 0) break;
    told.tested |= bit;
  }
  for (const NewClaim* claim; (claim = next()) != nullptr && IsBorn(*claim); ++k, ++place) {
    ++told.born_first;
  }
  while (k < note.size()) {
    const NewClaim* claim = next();
    const uint32_t bit = retold.Find([&](const IntakeEntry& e) {
      return claim == nullptr ? IsCopyOf(e, note[k]) : !IsBorn(*claim) && IsMadeOf(e, *claim);
    });
    if (bit == 0) break;
    told.retold |= bit;
    if (claim != nullptr) told.changed |= bit;
    place += claim != nullptr;
    ++k;
  }
  for (const NewClaim* claim; (claim = next()) != nullptr && IsBorn(*claim); ++k, ++place) {
    ++told.born_last;
  }
  if (k == note.size() && place == made.size()) return told;
  return std::nullopt;
}

// What is expected of an attempt, so that the masks are mostly zero: that it changes what it
// confirmed or refuted, and hands on the rest.
uint32_t ExpectedTested(const Outcome& outcome) { return outcome.confirmed | outcome.refuted; }
uint32_t ExpectedRetold(uint32_t tested, size_t intake_size) {
  return FirstBits(intake_size) & ~tested;
}

void AppendNew(int i, const IntakeEntry& from, Origin origin, AttemptBlock* block,
               std::vector<Origin>* origins) {
  const size_t place = block->new_claims.size() - block->new_begin.back();
  block->notes.push_back(ClaimId::Of(block->id(i), static_cast<int>(place)));
  NewClaim& claim = block->new_claims.emplace_back();
  claim.parents[0] = from.parents[0];
  claim.parents[1] = from.parents[1];
  origins->push_back(origin);
}

bool Tell(const Told& told, int i, AttemptBlock* block, std::vector<Origin>* origins) {
  const absl::Span<const IntakeEntry> intake = block->intake_of(i);
  const int made = std::popcount(told.tested) + std::popcount(told.changed) +
                   static_cast<int>(told.born_first + told.born_last);
  if (((told.tested | told.retold) & ~FirstBits(intake.size())) != 0 ||
      (told.changed & ~told.retold) != 0 || made > kMaxNewClaims) {
    return false;
  }
  for (uint32_t left = told.tested; left != 0; left &= left - 1) {
    AppendNew(i, intake[std::countr_zero(left)], Origin::kTested, block, origins);
  }
  for (uint32_t b = 0; b < told.born_first; ++b) {
    AppendNew(i, IntakeEntry(), Origin::kBornFirst, block, origins);
  }
  for (uint32_t left = told.retold; left != 0; left &= left - 1) {
    const int e = std::countr_zero(left);
    if (told.changed >> e & 1) {
      AppendNew(i, intake[e], Origin::kRetold, block, origins);
    } else {
      block->notes.push_back(intake[e].parents[0]);
    }
  }
  for (uint32_t b = 0; b < told.born_last; ++b) {
    AppendNew(i, IntakeEntry(), Origin::kBornLast, block, origins);
  }
  return true;
}

// --- notes in any other order ---

// The next new claim; or a reference of its own.
constexpr uint32_t kTokenNext = 0;
constexpr uint32_t kTokenRef = 1;

void PutSpelt(ByteWriter* out, const AttemptBlock& block, int i) {
  const absl::Span<const NewClaim> made = block.new_claims_of(i);
  out->Byte(static_cast<uint32_t>(made.size()));
  for (const NewClaim& claim : made) {
    out->Byte((claim.parents[0].none() ? 0u : 1u) + (claim.parents[1].none() ? 0u : 2u));
    for (const ClaimId parent : claim.parents) {
      if (!parent.none()) PutRef(out, block.id(i), parent);
    }
  }
  const absl::Span<const ClaimId> note = block.note_of(i);
  out->Byte(static_cast<uint32_t>(note.size()));
  int next = 0;
  for (const ClaimId id : note) {
    if (next < kMaxNewClaims && id == ClaimId::Of(block.id(i), next)) {
      out->Byte(kTokenNext);
      ++next;
    } else {
      out->Byte(kTokenRef);
      PutRef(out, block.id(i), id);
    }
  }
}

bool TakeSpelt(ByteReader* in, int i, AttemptBlock* block, std::vector<Origin>* origins) {
  const uint32_t made = in->Byte();
  if (made > kMaxNewClaims) return false;
  for (uint32_t c = 0; c < made; ++c) {
    const uint32_t there = in->Byte();
    if (there > 3) return false;
    NewClaim& claim = block->new_claims.emplace_back();
    for (int p = 0; p < 2; ++p) {
      if ((there >> p & 1) != 0 && !TakeRef(in, block->id(i), &claim.parents[p])) return false;
    }
    origins->push_back(Origin::kSpelt);
  }
  int next = 0;
  for (uint32_t left = in->Byte(); left > 0 && in->ok(); --left) {
    const uint32_t token = in->Byte();
    ClaimId id;
    if (token == kTokenNext) {
      if (next == kMaxNewClaims) return false;
      id = ClaimId::Of(block->id(i), next++);
    } else if (token != kTokenRef || !TakeRef(in, block->id(i), &id)) {
      return false;
    }
    block->notes.push_back(id);
  }
  return in->ok();
}

enum NoteForm : uint32_t { kSpeltForm = 0, kToldForm = 1 };

}  // namespace

std::string PutNotes(const AttemptBlock& block, std::vector<Origin>* origins) {
  const size_t n = static_cast<size_t>(block.size());
  ByteWriter forms(n), born_first(n), born_last(n);
  ByteWriter tested(n * kMaxVarintBytes), retold(n * kMaxVarintBytes), changed(n * kMaxVarintBytes);
  ByteWriter spelt(2 * n + block.new_claims.size() * (1 + 2 * kRefBytes) +
                   block.notes.size() * (1 + kRefBytes));
  for (int i = 0; i < block.size(); ++i) {
    const std::optional<Told> told = AsTold(block, i);
    forms.Byte(told.has_value() ? kToldForm : kSpeltForm);
    if (!told.has_value()) {
      PutSpelt(&spelt, block, i);
      origins->insert(origins->end(), block.new_claims_of(i).size(), Origin::kSpelt);
      continue;
    }
    born_first.Byte(told->born_first);
    born_last.Byte(told->born_last);
    tested.Varint(told->tested ^ ExpectedTested(block.outcomes[i]));
    retold.Varint(told->retold ^ ExpectedRetold(told->tested, block.intake_of(i).size()));
    changed.Varint(told->changed);
    origins->insert(origins->end(), std::popcount(told->tested), Origin::kTested);
    origins->insert(origins->end(), told->born_first, Origin::kBornFirst);
    origins->insert(origins->end(), std::popcount(told->changed), Origin::kRetold);
    origins->insert(origins->end(), told->born_last, Origin::kBornLast);
  }
  ColumnWriter out(block.outcomes.size());
  for (const ByteWriter* column :
       {&forms, &born_first, &born_last, &tested, &retold, &changed, &spelt}) {
    out.Add(*column);
  }
  return out.Take();
}

bool TakeNotes(absl::string_view bytes, int count, AttemptBlock* block,
               std::vector<Origin>* origins) {
  ColumnReader in(bytes);
  const uint8_t* forms = in.Next(static_cast<size_t>(count));
  ByteReader born_first(in.Next()), born_last(in.Next()), tested(in.Next()), retold(in.Next());
  ByteReader changed(in.Next()), spelt(in.Next());
  if (!in.done()) return false;
  block->notes.reserve(block->intake.size());
  block->new_claims.reserve(block->intake.size());
  for (int i = 0; i < count; ++i) {
    if (forms[i] > kToldForm) return false;
    if (forms[i] == kSpeltForm) {
      if (!TakeSpelt(&spelt, i, block, origins)) return false;
    } else {
      Told told;
      told.born_first = born_first.Byte();
      told.born_last = born_last.Byte();
      told.tested = tested.Varint() ^ ExpectedTested(block->outcomes[i]);
      told.retold = retold.Varint() ^ ExpectedRetold(told.tested, block->intake_of(i).size());
      told.changed = changed.Varint();
      if (!Tell(told, i, block, origins)) return false;
    }
    block->note_begin.push_back(static_cast<uint32_t>(block->notes.size()));
    block->new_begin.push_back(static_cast<uint32_t>(block->new_claims.size()));
  }
  return born_first.done() && born_last.done() && tested.done() && retold.done() &&
         changed.done() && spelt.done();
}

// --- new claims ---

namespace {

uint32_t Bits(Claim claim, int shift, int width) {
  return static_cast<uint32_t>(claim.bits >> shift & ((1u << width) - 1));
}

// The fields of a claim that take a byte, in the order in which they are written: what is known
// best first, so that it groups what is known less.
constexpr struct {
  int shift, width;
} kFields[] = {
    {8, 8},   // label, stance, DSL
    {30, 8},  // support, against
    {16, 6},  // general, hedged, confidence
    {0, 8},   // knob, value
    {22, 8},  // effect
};

// The stamp's age in rounds; above it the six bits that no field uses.
uint32_t StampAge(int round, Claim claim) {
  const uint32_t age = static_cast<uint32_t>(round - claim.stamp_round()) & kRoundMask;
  return age | Bits(claim, 58, 6) << 20;
}

// By how they came about and in which DSL.
Grouping GroupOf(const AttemptBlock& block, const std::vector<Origin>& origins) {
  std::vector<uint8_t> key(origins.size());
  for (int i = 0; i < block.size(); ++i) {
    for (size_t c = block.new_begin[i]; c < block.new_begin[i + 1]; ++c) {
      key[c] = static_cast<uint8_t>(static_cast<int>(origins[c]) << 1 |
                                    (static_cast<int>(block.outcomes[i].dsl) & 1));
    }
  }
  Grouping grouping(origins.size());
  grouping.SetKeys([&](uint32_t c) { return key[c]; });
  grouping.Split();
  return grouping;
}

// Writes key[c] of each claim c in the order of `grouping`, which it then splits.
void PutGrouped(ColumnWriter* out, const std::vector<uint8_t>& key, Grouping* grouping) {
  out->Add(grouping->SetKeys([&](uint32_t c) { return key[c]; }));
  grouping->Split();
}

bool TakeGrouped(ColumnReader* in, std::vector<uint8_t>* key, Grouping* grouping) {
  const uint8_t* column = in->Next(key->size());
  if (column == nullptr) return false;
  for (size_t i = 0; i < key->size(); ++i) (*key)[grouping->order()[i]] = column[i];
  grouping->SetOrderedKeys(column);
  grouping->Split();
  return true;
}

}  // namespace

std::string PutNewClaims(const AttemptBlock& block, const std::vector<Origin>& origins) {
  const std::vector<NewClaim>& claims = block.new_claims;
  ColumnWriter out(block.outcomes.size());
  Grouping grouping = GroupOf(block, origins);
  std::vector<uint8_t> key(claims.size());
  for (size_t c = 0; c < claims.size(); ++c) key[c] = static_cast<uint8_t>(claims[c].change);
  PutGrouped(&out, key, &grouping);
  for (const auto& field : kFields) {
    for (size_t c = 0; c < claims.size(); ++c) {
      key[c] = static_cast<uint8_t>(Bits(claims[c].claim, field.shift, field.width));
    }
    PutGrouped(&out, key, &grouping);
  }
  ByteWriter stamps(claims.size() * kMaxVarintBytes);
  for (const uint32_t c : grouping.order()) {
    stamps.Varint(StampAge(block.first.round(), claims[c].claim));
  }
  out.Add(stamps);
  return out.Take();
}

namespace {

// Takes the changes and the first `count` of kFields.
bool TakeFields(ColumnReader* in, size_t count, Grouping* grouping, AttemptBlock* block) {
  std::vector<NewClaim>& claims = block->new_claims;
  std::vector<uint8_t> key(claims.size());
  if (!TakeGrouped(in, &key, grouping)) return false;
  for (size_t c = 0; c < claims.size(); ++c) claims[c].change = static_cast<Change>(key[c]);
  for (size_t f = 0; f < count; ++f) {
    if (!TakeGrouped(in, &key, grouping)) return false;
    for (size_t c = 0; c < claims.size(); ++c) {
      if (key[c] >> kFields[f].width != 0) return false;
      claims[c].claim.bits |= uint64_t{key[c]} << kFields[f].shift;
    }
  }
  return true;
}

}  // namespace

bool TakeNewClaims(absl::string_view bytes, const std::vector<Origin>& origins,
                   AttemptBlock* block) {
  std::vector<NewClaim>& claims = block->new_claims;
  ColumnReader in(bytes);
  Grouping grouping = GroupOf(*block, origins);
  if (!TakeFields(&in, std::size(kFields), &grouping, block)) return false;
  ByteReader stamps(in.Next());
  const uint32_t round = static_cast<uint32_t>(block->first.round());
  for (const uint32_t c : grouping.order()) {
    const uint32_t age = stamps.Varint((1u << 26) - 1);
    claims[c].claim.bits |= uint64_t{(round - age) & kRoundMask} << 38 | uint64_t{age >> 20} << 58;
  }
  return stamps.done() && in.done();
}

bool TakeLineageOfNewClaims(absl::string_view bytes, const std::vector<Origin>& origins,
                            AttemptBlock* block) {
  constexpr size_t kLineageFields = 3;
  ColumnReader in(bytes);
  Grouping grouping = GroupOf(*block, origins);
  return TakeFields(&in, kLineageFields, &grouping, block);
}

}  // namespace hearsay
