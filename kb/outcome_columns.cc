#include <vector>

#include "kb/block_columns.h"
#include "kb/bytes.h"
#include "kb/column.h"

namespace hearsay {
namespace {

// Four small fields in one number: their usual values in the low six bits, the rest above.
uint32_t Shape(const Outcome& o) {
  const uint32_t reception = static_cast<uint32_t>(o.reception);
  const uint32_t following = static_cast<uint32_t>(o.following);
  const uint32_t dsl = static_cast<uint32_t>(o.dsl);
  return (o.passed & 1u) | (reception & 3) << 1 | (following & 3) << 3 | (dsl & 1) << 5 |
         static_cast<uint32_t>(o.passed >> 1) << 6 | (reception >> 2) << 13 |
         (following >> 2) << 19 | (dsl >> 1) << 25;
}

void SetShape(uint32_t shape, Outcome* o) {
  o->passed = static_cast<uint8_t>((shape & 1) | (shape >> 6 & 127) << 1);
  o->reception = static_cast<Reception>((shape >> 1 & 3) | (shape >> 13 & 63) << 2);
  o->following = static_cast<Following>((shape >> 3 & 3) | (shape >> 19 & 63) << 2);
  o->dsl = static_cast<Dsl>((shape >> 5 & 1) | (shape >> 25) << 1);
}

size_t Length(const uint32_t* begin, size_t i) {
  return begin == nullptr ? 0 : begin[i + 1] - begin[i];
}

// The same code writes and reads: a Column hands each number of a column to the other side, in the
// order of a grouping. Fields are set by reference.
class Putter {
 public:
  explicit Putter(ColumnWriter* out) : out_(*out) {}
  // `get(i)` is a byte.
  template <typename Get>
  void Bytes(const Grouping& grouping, const Get& get) {
    ByteWriter column(grouping.order().size());
    for (const uint32_t i : grouping.order()) column.Byte(get(i));
    out_.Add(column);
  }
  template <typename Get>
  void Varints(const Grouping& grouping, const Get& get) {
    ByteWriter column(grouping.order().size() * kMaxVarintBytes);
    for (const uint32_t i : grouping.order()) column.Varint(get(i));
    out_.Add(column);
  }

 private:
  ColumnWriter& out_;
};

class Taker {
 public:
  explicit Taker(ColumnReader* in) : in_(*in) {}
  template <typename Set>
  void Bytes(const Grouping& grouping, const Set& set) {
    const uint8_t* column = in_.Next(grouping.order().size());
    if (column == nullptr) return;
    for (const uint32_t i : grouping.order()) set(i, *column++);
  }
  template <typename Set>
  void Varints(const Grouping& grouping, uint32_t max, const Set& set) {
    ByteReader column(in_.Next());
    for (const uint32_t i : grouping.order()) set(i, column.Varint(max));
    ok_ = ok_ && column.done();
  }
  bool ok() const { return ok_ && in_.ok(); }

 private:
  ColumnReader& in_;
  bool ok_ = true;
};

// Splits a grouping by a byte of each outcome.
template <typename Get>
void Split(Grouping* grouping, const Get& get) {
  grouping->SetKeys(get);
  grouping->Split();
}

// The masks of Outcome speak of intake entries: a bit for each of these, one after the other, and
// what lies beyond the intake, which only damage sets, as numbers.
constexpr uint32_t Outcome::*kMasks[] = {&Outcome::adopted, &Outcome::confirmed, &Outcome::refuted};

uint32_t Beyond(uint32_t mask, size_t length) { return length >= 32 ? 0 : mask >> length; }

void PutMask(absl::Span<const Outcome> outcomes, uint32_t Outcome::*mask,
             const uint32_t* intake_begin, const Grouping& natural, ColumnWriter* out) {
  ByteWriter bits(outcomes.size() * 4 + 1);
  uint32_t word = 0, used = 0;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    for (size_t e = 0; e < Length(intake_begin, i); ++e) {
      word |= (outcomes[i].*mask >> e & 1) << used;
      if (++used < 8) continue;
      bits.Byte(word);
      word = used = 0;
    }
  }
  if (used > 0) bits.Byte(word);
  out->Add(bits);
  Putter(out).Varints(natural,
                      [&](size_t i) { return Beyond(outcomes[i].*mask, Length(intake_begin, i)); });
}

bool TakeMask(ColumnReader* in, absl::Span<Outcome> outcomes, uint32_t Outcome::*mask,
              const uint32_t* intake_begin, const Grouping& natural) {
  const size_t total = intake_begin == nullptr ? 0 : intake_begin[outcomes.size()];
  const uint8_t* bits = in->Next((total + 7) / 8);
  if (bits == nullptr && total > 0) return false;
  size_t at = 0;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    outcomes[i].*mask = 0;
    for (size_t e = 0; e < Length(intake_begin, i); ++e, ++at) {
      outcomes[i].*mask |= static_cast<uint32_t>(bits[at / 8] >> at % 8 & 1) << e;
    }
  }
  Taker taker(in);
  bool fits = true;
  taker.Varints(natural, UINT32_MAX, [&](size_t i, uint32_t beyond) {
    const size_t length = Length(intake_begin, i);
    if (beyond == 0) return;
    fits = fits && length < 32 && beyond <= UINT32_MAX >> length;
    if (fits) outcomes[i].*mask |= beyond << length;
  });
  return fits && taker.ok();
}

}  // namespace

std::string PutOutcomes(absl::Span<const Outcome> outcomes, const uint32_t* note_begin,
                        const uint32_t* intake_begin) {
  const Outcome* o = outcomes.data();
  ColumnWriter out(outcomes.size());
  Putter put(&out);
  const Grouping natural(outcomes.size());
  put.Varints(natural, [o](size_t i) { return Shape(o[i]); });
  put.Bytes(natural, [o](size_t i) { return o[i].agent; });
  put.Bytes(natural, [&](size_t i) { return o[i].note_size - Length(note_begin, i); });
  put.Bytes(natural, [&](size_t i) { return o[i].intake_size - Length(intake_begin, i); });
  Grouping alike(outcomes.size());
  Split(&alike, [o](size_t i) { return Shape(o[i]); });
  Grouping points = alike;
  put.Bytes(alike, [o](size_t i) { return o[i].submissions; });
  Split(&alike, [o](size_t i) { return o[i].submissions; });
  put.Bytes(alike, [o](size_t i) { return o[i].failures; });
  Split(&alike, [o](size_t i) { return o[i].failures; });
  put.Bytes(alike, [o](size_t i) { return o[i].bugs; });
  put.Bytes(alike, [o](size_t i) { return o[i].events; });
  put.Bytes(alike, [o](size_t i) { return o[i].seconds >> 8; });
  put.Bytes(alike, [o](size_t i) { return o[i].seconds; });
  Split(&alike, [o](size_t i) { return o[i].events; });
  put.Bytes(alike, [o](size_t i) { return o[i].costly_slot; });
  Split(&alike, [o](size_t i) { return o[i].costly_slot; });
  put.Varints(alike, [o](size_t i) { return ZigZag(o[i].closure_cost_lg); });
  put.Bytes(points, [o](size_t i) { return o[i].point >> 8; });
  Split(&points, [o](size_t i) { return o[i].point >> 8; });
  put.Bytes(points, [o](size_t i) { return o[i].point; });
  Split(&points, [o](size_t i) { return o[i].point; });
  // One design runs at one speed, but for noise.
  int speed = 0;
  put.Varints(points, [o, &speed](size_t i) {
    const uint32_t more = ZigZag(o[i].speed_lg - speed);
    speed = o[i].speed_lg;
    return more;
  });
  for (uint32_t Outcome::*mask : kMasks) PutMask(outcomes, mask, intake_begin, natural, &out);
  return out.Take();
}

bool TakeOutcomes(absl::string_view bytes, absl::Span<Outcome> outcomes,
                  const uint32_t* intake_begin) {
  Outcome* o = outcomes.data();
  ColumnReader in(bytes);
  Taker take(&in);
  const Grouping natural(outcomes.size());
  take.Varints(natural, UINT32_MAX, [o](size_t i, uint32_t v) { SetShape(v, &o[i]); });
  take.Bytes(natural, [o](size_t i, uint8_t v) { o[i].agent = v; });
  take.Bytes(natural, [o](size_t i, uint8_t v) { o[i].note_size = v; });
  take.Bytes(natural, [&](size_t i, uint8_t v) {
    o[i].intake_size = static_cast<uint8_t>(v + Length(intake_begin, i));
  });
  Grouping alike(outcomes.size());
  Split(&alike, [o](size_t i) { return Shape(o[i]); });
  Grouping points = alike;
  take.Bytes(alike, [o](size_t i, uint8_t v) { o[i].submissions = v; });
  Split(&alike, [o](size_t i) { return o[i].submissions; });
  take.Bytes(alike, [o](size_t i, uint8_t v) { o[i].failures = v; });
  Split(&alike, [o](size_t i) { return o[i].failures; });
  take.Bytes(alike, [o](size_t i, uint8_t v) { o[i].bugs = v; });
  take.Bytes(alike, [o](size_t i, uint8_t v) { o[i].events = v; });
  take.Bytes(alike, [o](size_t i, uint8_t v) { o[i].seconds = static_cast<uint16_t>(v << 8); });
  take.Bytes(alike, [o](size_t i, uint8_t v) { o[i].seconds |= v; });
  Split(&alike, [o](size_t i) { return o[i].events; });
  take.Bytes(alike, [o](size_t i, uint8_t v) { o[i].costly_slot = v; });
  Split(&alike, [o](size_t i) { return o[i].costly_slot; });
  take.Varints(alike, UINT16_MAX, [o](size_t i, uint32_t v) {
    o[i].closure_cost_lg = static_cast<int16_t>(UnZigZag(v));
  });
  take.Bytes(points, [o](size_t i, uint8_t v) { o[i].point = static_cast<uint16_t>(v << 8); });
  Split(&points, [o](size_t i) { return o[i].point >> 8; });
  take.Bytes(points, [o](size_t i, uint8_t v) { o[i].point |= v; });
  Split(&points, [o](size_t i) { return o[i].point; });
  int speed = 0;
  take.Varints(points, 2 * UINT16_MAX + 1, [o, &speed](size_t i, uint32_t v) {
    speed = static_cast<int16_t>(speed + UnZigZag(v));
    o[i].speed_lg = static_cast<int16_t>(speed);
  });
  if (!take.ok()) return false;
  for (uint32_t Outcome::*mask : kMasks) {
    if (!TakeMask(&in, outcomes, mask, intake_begin, natural)) return false;
  }
  return in.done();
}

bool TakeLineageOfOutcomes(absl::string_view bytes, absl::Span<Outcome> outcomes,
                           const uint32_t* intake_begin) {
  constexpr int kColumnsBetween = 14;  // from agents to speeds
  ColumnReader in(bytes);
  Taker take(&in);
  const Grouping natural(outcomes.size());
  take.Varints(natural, UINT32_MAX, [&](size_t i, uint32_t v) { SetShape(v, &outcomes[i]); });
  for (int c = 0; c < kColumnsBetween; ++c) in.Skip();
  if (!take.ok()) return false;
  for (uint32_t Outcome::*mask : kMasks) {
    if (!TakeMask(&in, outcomes, mask, intake_begin, natural)) return false;
  }
  return in.done();
}

void AddNoteSizes(AttemptBlock* block) {
  for (size_t i = 0; i < block->outcomes.size(); ++i) {
    Outcome& o = block->outcomes[i];
    o.note_size = static_cast<uint8_t>(o.note_size + Length(block->note_begin.data(), i));
  }
}

}  // namespace hearsay
