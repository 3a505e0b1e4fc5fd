#include "kb/block_columns.h"

#include <algorithm>
#include <bit>

#include "kb/bytes.h"
#include "kb/column.h"

namespace hearsay {
namespace {

constexpr uint32_t kRoundMask = kMaxRounds - 1;

// --- what all columns share ---

void PutCounts(ColumnWriter* out, absl::Span<const uint32_t> begin) {
  ByteWriter counts(begin.size());
  for (size_t i = 0; i + 1 < begin.size(); ++i) counts.Byte(begin[i + 1] - begin[i]);
  out->Add(counts);
}

// Each count is at most `max`, so `begin` ends at no more than count * max.
bool TakeCounts(ColumnReader* in, int count, uint32_t max, std::vector<uint32_t>* begin) {
  const uint8_t* counts = in->Next(static_cast<size_t>(count));
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

// Whose claims an intake is likely to hold next. The notes of several sources are merged in turn; a
// note tells its new claims in order of place, and so it tells the older ones of one author. Both
// sides of the codec keep one for each attempt.
class Expected {
 public:
  // A claim of an author at hand is coded as 1 + who wrote it + kAuthors * how far its place is
  // from the next of that author. Who wrote it: how many sources after the one whose turn it is, or
  // kMostSources + how many other authors were seen since.
  static constexpr uint32_t kElse = 0;

  Expected(const AttemptBlock& block, int i) {
    const absl::Span<const uint32_t> sources = block.sources_of(i);
    const AttemptId id = block.id(i);
    // Of lane 0 in the round before.
    const uint64_t before =
        AttemptId::Of(id.run(), (id.round() - 1) & static_cast<int>(kRoundMask), id.problem(), 0)
            .value;
    source_count_ = std::min<uint32_t>(static_cast<uint32_t>(sources.size()), kMostSources);
    for (uint32_t s = 0; s < source_count_; ++s) sources_[s] = {{before | sources[s]}, 0};
    if (source_count_ == 0) {
      sources_[source_count_++] = {{before | static_cast<uint32_t>(id.lane())}, 0};
    }
  }

  // What the lane of any other claim is counted from: the source whose turn it is.
  int lane() const { return sources_[turn_].attempt.lane(); }

  // The code of a claim, which is then passed unless the code is kElse.
  uint32_t Code(ClaimId id) {
    const AttemptId author = id.attempt();
    for (uint32_t after = 0, s = turn_; after < source_count_; ++after, s = Next(s)) {
      if (sources_[s].attempt != author) continue;
      const uint32_t far = ZigZag(id.place() - sources_[s].next);
      if (far > kMostFar) return kElse;
      PassSource(s, id.place());
      return 1 + after + kAuthors * far;
    }
    for (uint32_t o = 0; o < other_count_; ++o) {
      if (others_[o].attempt != author) continue;
      const uint32_t far = ZigZag(id.place() - others_[o].next);
      if (far > kMostFar) return kElse;
      PassOther(o, id);
      return 1 + kMostSources + o + kAuthors * far;
    }
    return kElse;
  }

  // The claim of a code other than kElse, which is then passed. False where there is none.
  bool Take(uint32_t code, ClaimId* id) {
    const uint32_t who = (code - 1) % kAuthors;
    const int far = UnZigZag((code - 1) / kAuthors);
    if (who < kMostSources) {
      if (who >= source_count_) return false;
      const uint32_t s = turn_ + who < source_count_ ? turn_ + who : turn_ + who - source_count_;
      if (!At(sources_[s], far, id)) return false;
      PassSource(s, id->place());
      return true;
    }
    const uint32_t o = who - kMostSources;
    if (o >= other_count_ || !At(others_[o], far, id)) return false;
    PassOther(o, *id);
    return true;
  }

  // Passes a claim of code kElse.
  void PassElse(ClaimId id) {
    for (uint32_t s = 0; s < source_count_; ++s) {
      if (sources_[s].attempt == id.attempt()) return PassSource(s, id.place());
    }
    uint32_t o = 0;
    while (o < other_count_ && others_[o].attempt != id.attempt()) ++o;
    if (o == other_count_) {
      if (other_count_ < kMostOthers) ++other_count_;
      o = other_count_ - 1;
    }
    PassOther(o, id);
  }

 private:
  static constexpr uint32_t kMostSources = kMaxSources;  // further sources are not expected
  static constexpr uint32_t kMostOthers = 7;
  static constexpr uint32_t kAuthors = kMostSources + kMostOthers;
  static constexpr uint32_t kMostFar = (UINT8_MAX - kAuthors) / kAuthors;

  struct Author {
    AttemptId attempt;
    int next;  // place
  };

  uint32_t Next(uint32_t s) const { return s + 1 < source_count_ ? s + 1 : 0; }

  static bool At(const Author& author, int far, ClaimId* id) {
    const int place = author.next + far;
    if (place < 0 || place >= kMaxNewClaims) return false;
    *id = ClaimId::Of(author.attempt, place);
    return true;
  }

  // Where notes are merged, a claim from far on is one that took another's place; those between
  // follow.
  void PassSource(uint32_t s, int place) {
    const int far = place - sources_[s].next;
    if (source_count_ == 1 || (far >= 0 && far <= 2)) sources_[s].next = place + 1;
    turn_ = Next(s);
  }

  // The author comes first from now on, and is the one at `o` or takes its place.
  void PassOther(uint32_t o, ClaimId id) {
    for (; o > 0; --o) others_[o] = others_[o - 1];
    others_[0] = {id.attempt(), id.place() + 1};
    turn_ = Next(turn_);
  }

  Author sources_[kMostSources];
  Author others_[kMostOthers];  // the one seen last first
  uint32_t source_count_ = 0, other_count_ = 0;
  uint32_t turn_ = 0;
};

}  // namespace

void PutRef(ByteWriter* out, AttemptId base, ClaimId id) {
  out->Varint(AgeAndPlace(base.round(), id));
  out->Varint(ZigZag(id.attempt().lane() - base.lane()));
}

bool TakeRef(ByteReader* in, AttemptId base, ClaimId* id) {
  const uint32_t age_and_place = in->Varint(kMaxAgeAndPlace);
  const int64_t lane = int64_t{base.lane()} + UnZigZag(in->Varint());
  return in->ok() && SetRef(base, age_and_place, lane, id);
}

// Of a single source it is told how far off its lane is. Several are drawn from all lanes, and as
// like as not from the same ones: they are told as they are, bytes that say much apart from bytes
// that say little.
std::string PutSources(const AttemptBlock& block) {
  ColumnWriter out(block.outcomes.size());
  PutCounts(&out, block.source_begin);
  ByteWriter near(block.outcomes.size() * kMaxVarintBytes), low(block.sources.size()),
      high(block.sources.size() * kMaxVarintBytes);
  for (int i = 0; i < block.size(); ++i) {
    const absl::Span<const uint32_t> sources = block.sources_of(i);
    if (sources.size() == 1) {
      near.Varint(ZigZag(static_cast<int>(sources[0]) - block.id(i).lane()));
      continue;
    }
    for (const uint32_t source : sources) {
      low.Byte(source);
      high.Varint(source >> 8);
    }
  }
  for (const ByteWriter* column : {&near, &low, &high}) out.Add(*column);
  return out.Take();
}

bool TakeSources(absl::string_view bytes, int count, AttemptBlock* block) {
  ColumnReader in(bytes);
  if (!TakeCounts(&in, count, UINT8_MAX, &block->source_begin)) return false;
  ByteReader near(in.Next()), low(in.Next()), high(in.Next());
  const size_t total = block->source_begin.back();
  if (total > near.left() + low.left()) return false;
  block->sources.resize(total);
  for (int i = 0; i < count; ++i) {
    const uint32_t begin = block->source_begin[i], end = block->source_begin[i + 1];
    if (end - begin == 1) {
      const int64_t lane = int64_t{block->id(i).lane()} + UnZigZag(near.Varint());
      if (lane < 0 || lane >= kMaxLanes) return false;
      block->sources[begin] = static_cast<uint32_t>(lane);
      continue;
    }
    for (uint32_t s = begin; s < end; ++s) {
      const uint32_t lane = low.Byte();
      block->sources[s] = lane | high.Varint((kMaxLanes - 1) >> 8) << 8;
    }
  }
  return near.done() && low.done() && high.done() && in.done();
}

// --- intake ---

std::string PutIntake(const AttemptBlock& block) {
  const int n = block.size();
  const size_t refs = 2 * block.intake.size();
  ColumnWriter out(block.outcomes.size());
  PutCounts(&out, block.intake_begin);
  ByteWriter masks(n * kMaxVarintBytes), codes(refs), ages(refs * kMaxVarintBytes),
      lanes(refs * kMaxVarintBytes);
  const int round = block.first.round();
  for (int i = 0; i < n; ++i) {
    uint32_t merged = 0;
    const absl::Span<const IntakeEntry> intake = block.intake_of(i);
    for (size_t e = 0; e < intake.size(); ++e) {
      merged |= static_cast<uint32_t>(!intake[e].parents[1].none()) << e;
    }
    masks.Varint(merged);
    Expected expected(block, i);
    for (const IntakeEntry& entry : intake) {
      for (const ClaimId id : entry.parents) {
        if (id.none()) continue;
        const uint32_t code = expected.Code(id);
        codes.Byte(code);
        if (code != Expected::kElse) continue;
        ages.Varint(AgeAndPlace(round, id));
        lanes.Varint(ZigZag(id.attempt().lane() - expected.lane()));
        expected.PassElse(id);
      }
    }
  }
  for (const ByteWriter* column : {&masks, &codes, &ages, &lanes}) out.Add(*column);
  return out.Take();
}

bool TakeIntake(absl::string_view bytes, int count, AttemptBlock* block) {
  ColumnReader in(bytes);
  if (!TakeCounts(&in, count, kMaxIntake, &block->intake_begin)) return false;
  ByteReader masks(in.Next()), codes(in.Next()), ages(in.Next()), lanes(in.Next());
  if (!in.ok() || block->intake_begin.back() > codes.left()) return false;
  block->intake.resize(block->intake_begin.back());
  for (int i = 0; i < count; ++i) {
    const uint32_t merged = masks.Varint();
    Expected expected(*block, i);
    for (size_t e = block->intake_begin[i], bit = 0; e < block->intake_begin[i + 1]; ++e, ++bit) {
      const int parents = 1 + static_cast<int>(merged >> bit & 1);
      for (int p = 0; p < parents; ++p) {
        ClaimId* const id = &block->intake[e].parents[p];
        const uint32_t code = codes.Byte();
        if (code != Expected::kElse) {
          if (!expected.Take(code, id)) return false;
          continue;
        }
        const uint32_t age_and_place = ages.Varint(kMaxAgeAndPlace);
        const int64_t lane = int64_t{expected.lane()} + UnZigZag(lanes.Varint());
        if (!SetRef(block->first, age_and_place, lane, id)) return false;
        expected.PassElse(*id);
      }
    }
  }
  return masks.done() && codes.done() && ages.done() && lanes.done() && in.done();
}

}  // namespace hearsay
