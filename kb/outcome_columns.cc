#include "kb/block_columns.h"
#include "kb/bytes.h"

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

// A 16-bit column as its low bytes, which are noise, and then its high bytes, which compress.
template <typename Get>
void PutPlanes(ByteWriter* out, size_t count, const Get& get) {
  for (size_t i = 0; i < count; ++i) out->Byte(get(i) & 0xff);
  for (size_t i = 0; i < count; ++i) out->Byte(get(i) >> 8);
}

template <typename Set>
bool TakePlanes(ByteReader* in, size_t count, const Set& set) {
  const uint8_t* low = in->Bytes(count);
  const uint8_t* high = in->Bytes(count);
  if (high == nullptr) return false;
  for (size_t i = 0; i < count; ++i) set(i, static_cast<uint32_t>(low[i]) | high[i] << 8);
  return true;
}

uint8_t Length(const uint32_t* begin, size_t i) {
  return begin == nullptr ? 0 : static_cast<uint8_t>(begin[i + 1] - begin[i]);
}

constexpr size_t kOutcomeBytes = 17 * kMaxVarintBytes;  // at most

}  // namespace

std::string PutOutcomes(absl::Span<const Outcome> outcomes, const uint32_t* note_begin,
                        const uint32_t* intake_begin) {
  const size_t n = outcomes.size();
  const Outcome* o = outcomes.data();
  ByteWriter out(n * kOutcomeBytes);
  for (size_t i = 0; i < n; ++i) out.Varint(Shape(o[i]));
  for (size_t i = 0; i < n; ++i) out.Byte(o[i].submissions);
  for (size_t i = 0; i < n; ++i) out.Byte(o[i].failures);
  for (size_t i = 0; i < n; ++i) out.Byte(o[i].bugs);
  for (size_t i = 0; i < n; ++i) out.Byte(o[i].events);
  for (size_t i = 0; i < n; ++i) out.Byte(o[i].costly_slot);
  for (size_t i = 0; i < n; ++i) out.Byte(o[i].agent);
  for (size_t i = 0; i < n; ++i) out.Byte(o[i].note_size - Length(note_begin, i));
  for (size_t i = 0; i < n; ++i) out.Byte(o[i].intake_size - Length(intake_begin, i));
  PutPlanes(&out, n, [o](size_t i) { return ZigZag(o[i].speed_lg) & 0xffff; });
  PutPlanes(&out, n, [o](size_t i) { return uint32_t{o[i].point}; });
  PutPlanes(&out, n, [o](size_t i) { return uint32_t{o[i].seconds}; });
  for (size_t i = 0; i < n; ++i) out.Varint(ZigZag(o[i].closure_cost_lg));
  for (size_t i = 0; i < n; ++i) out.Varint(o[i].adopted);
  for (size_t i = 0; i < n; ++i) out.Varint(o[i].confirmed);
  for (size_t i = 0; i < n; ++i) out.Varint(o[i].refuted);
  return std::string(out.bytes());
}

bool TakeOutcomes(absl::string_view bytes, absl::Span<Outcome> outcomes, const uint32_t* note_begin,
                  const uint32_t* intake_begin) {
  const size_t n = outcomes.size();
  Outcome* o = outcomes.data();
  ByteReader in(bytes);
  for (size_t i = 0; i < n; ++i) SetShape(in.Varint(), &o[i]);
  const uint8_t* plain[8];
  for (const uint8_t*& column : plain) column = in.Bytes(n);
  if (!in.ok()) return false;
  for (size_t i = 0; i < n; ++i) {
    o[i].submissions = plain[0][i];
    o[i].failures = plain[1][i];
    o[i].bugs = plain[2][i];
    o[i].events = plain[3][i];
    o[i].costly_slot = plain[4][i];
    o[i].agent = plain[5][i];
    o[i].note_size = plain[6][i] + Length(note_begin, i);
    o[i].intake_size = plain[7][i] + Length(intake_begin, i);
  }
  const auto set_speed = [o](size_t i, uint32_t v) {
    o[i].speed_lg = static_cast<int16_t>(UnZigZag(v));
  };
  if (!TakePlanes(&in, n, set_speed) ||
      !TakePlanes(&in, n, [o](size_t i, uint32_t v) { o[i].point = v; }) ||
      !TakePlanes(&in, n, [o](size_t i, uint32_t v) { o[i].seconds = v; })) {
    return false;
  }
  for (size_t i = 0; i < n; ++i) {
    o[i].closure_cost_lg = static_cast<int16_t>(UnZigZag(in.Varint(0xffff)));
  }
  for (size_t i = 0; i < n; ++i) o[i].adopted = in.Varint();
  for (size_t i = 0; i < n; ++i) o[i].confirmed = in.Varint();
  for (size_t i = 0; i < n; ++i) o[i].refuted = in.Varint();
  return in.done();
}

}  // namespace hearsay
