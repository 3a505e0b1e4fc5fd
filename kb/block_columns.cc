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
// Of a claim of the round before.
uint32_t AgeAndPlace(int place) {
  return (static_cast<uint32_t>(place) & 7) | static_cast<uint32_t>(place) >> 3 << 7;
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

// What an intake is likely to hold next. A note tells its new claims in order of place, and the
// notes of several sources are merged in turn. Both sides of the codec keep one for each attempt.
class Expected {
 public:
  // A reference is coded as kElse, or as 1 + how many sources after the one whose turn it is wrote
  // the claim, which is then the next of that source.
  static constexpr uint32_t kElse = 0;

  Expected(const AttemptBlock& block, int i) {
    const absl::Span<const uint32_t> sources = block.sources_of(i);
    count_ = std::min<uint32_t>(static_cast<uint32_t>(sources.size()), kMost);
    for (uint32_t s = 0; s < count_; ++s) next_[s] = {static_cast<int>(sources[s]), 0};
    if (count_ == 0) next_[count_++] = {block.first.lane() + i, 0};
  }

  uint32_t CodeOf(int round, ClaimId id) const {
    if (id.attempt().round() != round - 1) return kElse;
    for (uint32_t s = 0; s < count_; ++s) {
      const Next& next = next_[(turn_ + s) % count_];
      if (next.lane == id.attempt().lane() && next.place == id.place()) return 1 + s;
    }
    return kElse;
  }

  // The claim of a code other than kElse: its lane, and its age and place. False where there is
  // none.
  bool Take(uint32_t code, int64_t* lane, uint32_t* age_and_place) const {
    if (code > count_) return false;
    const Next& next = next_[(turn_ + code - 1) % count_];
    *lane = next.lane;
    *age_and_place = AgeAndPlace(next.place);
    return next.place < kMaxNewClaims;
  }

  // What the lane of any other claim is counted from: the lane whose turn it is.
  int lane() const { return next_[turn_].lane; }

  // Goes on after a claim of that code.
  void Pass(uint32_t code, int round, ClaimId id) {
    if (code != kElse) {
      turn_ = (turn_ + code - 1) % count_;
      ++next_[turn_].place;
    } else if (id.attempt().round() == round - 1) {
      for (uint32_t s = 0; s < count_; ++s) {
        if (next_[s].lane == id.attempt().lane()) next_[s].place = id.place() + 1;
      }
    }
    turn_ = (turn_ + 1) % count_;
  }

 private:
  static constexpr uint32_t kMost = kMaxSources;  // further sources are not expected
  struct Next {
    int lane, place;
  };
  Next next_[kMost];
  uint32_t count_ = 0;
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

std::string PutSources(const AttemptBlock& block) {
  ColumnWriter out(block.outcomes.size());
  PutCounts(&out, block.source_begin);
  ByteWriter lanes(block.sources.size() * kMaxVarintBytes);
  for (int i = 0; i < block.size(); ++i) {
    int expected = block.first.lane() + i;
    for (const uint32_t source : block.sources_of(i)) {
      lanes.Varint(ZigZag(static_cast<int>(source) - expected));
      expected = static_cast<int>(source);
    }
  }
  out.Add(lanes);
  return out.Take();
}

bool TakeSources(absl::string_view bytes, int count, AttemptBlock* block) {
  ColumnReader in(bytes);
  if (!TakeCounts(&in, count, UINT8_MAX, &block->source_begin)) return false;
  ByteReader lanes(in.Next());
  const size_t total = block->source_begin.back();
  if (total > lanes.left()) return false;
  block->sources.resize(total);
  for (int i = 0; i < count; ++i) {
    int64_t expected = block->first.lane() + i;
    for (size_t s = block->source_begin[i]; s < block->source_begin[i + 1]; ++s) {
      expected += UnZigZag(lanes.Varint());
      if (expected < 0 || expected >= kMaxLanes) return false;
      block->sources[s] = static_cast<uint32_t>(expected);
    }
  }
  return lanes.done() && in.done();
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
        const uint32_t code = expected.CodeOf(round, id);
        codes.Byte(code);
        if (code == Expected::kElse) {
          ages.Varint(AgeAndPlace(round, id));
          lanes.Varint(ZigZag(id.attempt().lane() - expected.lane()));
        }
        expected.Pass(code, round, id);
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
  const int round = block->first.round();
  for (int i = 0; i < count; ++i) {
    const uint32_t merged = masks.Varint();
    Expected expected(*block, i);
    for (size_t e = block->intake_begin[i], bit = 0; e < block->intake_begin[i + 1]; ++e, ++bit) {
      const int parents = 1 + static_cast<int>(merged >> bit & 1);
      for (int p = 0; p < parents; ++p) {
        ClaimId* const id = &block->intake[e].parents[p];
        const uint32_t code = codes.Byte();
        uint32_t age_and_place = 0;
        int64_t lane = 0;
        if (code == Expected::kElse) {
          age_and_place = ages.Varint(kMaxAgeAndPlace);
          lane = int64_t{expected.lane()} + UnZigZag(lanes.Varint());
        } else if (!expected.Take(code, &lane, &age_and_place)) {
          return false;
        }
        if (!SetRef(block->first, age_and_place, lane, id)) return false;
        expected.Pass(code, round, *id);
      }
    }
  }
  return masks.done() && codes.done() && ages.done() && lanes.done() && in.done();
}

}  // namespace hearsay
