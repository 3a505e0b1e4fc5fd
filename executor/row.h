// Eight 16-bit numbers worked on at once: one a value of a knob, or one a knob.
//
// On x86 a Row is one SSE2 register, elsewhere a loop over eight numbers; both do the same to the
// bit (row_test.cc compares them).
#ifndef HEARSAY_EXECUTOR_ROW_H_
#define HEARSAY_EXECUTOR_ROW_H_

#include <cstdint>

#include "tasks/host_device.h"

#ifdef HEARSAY_SSE2
#include <emmintrin.h>
#endif

namespace hearsay {

inline constexpr int kRowSize = 8;

// The largest of eight, and where it stands first.
struct Largest {
  int value, index;
};

// The plain form: what the other is held against.
struct PlainRow {
  int32_t of[kRowSize];

  HEARSAY_HD static PlainRow Load(const int16_t* eight) {
    return Make([&](int i) { return eight[i]; });
  }
  // The same with x in place of the one at `index`.
  HEARSAY_HD static PlainRow LoadBut(const int16_t* eight, int index, int16_t x) {
    return Make([&](int i) { return i == index ? x : eight[i]; });
  }
  // The bytes of a word, each 0 to 255.
  HEARSAY_HD static PlainRow OfBytes(uint64_t bytes) {
    return Make([&](int i) { return static_cast<int32_t>(bytes >> (8 * i) & 0xff); });
  }
  // All ones where the bit is set, else 0.
  HEARSAY_HD static PlainRow OfBits(uint32_t bits) {
    return Make([&](int i) { return -static_cast<int32_t>(bits >> i & 1); });
  }
  HEARSAY_HD static PlainRow All(int16_t x) {
    return Make([&](int) { return x; });
  }
  // The i-th from row i: the one at the i-th byte of `places`, each below 8.
  HEARSAY_HD static PlainRow Gather(const int16_t (&rows)[kRowSize][kRowSize], uint64_t places) {
    return Make([&](int i) { return rows[i][places >> (8 * i) & 0xff]; });
  }
  HEARSAY_HD void Store(int16_t* eight) const {
    for (int i = 0; i < kRowSize; ++i) eight[i] = static_cast<int16_t>(of[i]);
  }
  // Puts x in place of one of the eight in memory.
  HEARSAY_HD static void Replace(int16_t* eight, int index, int16_t x) { eight[index] = x; }

  // REQUIRES of sums, differences and products: they fit 16 bits.
  friend HEARSAY_HD PlainRow operator+(PlainRow a, PlainRow b) {
    return Make([&](int i) { return a.of[i] + b.of[i]; });
  }
  friend HEARSAY_HD PlainRow operator-(PlainRow a, PlainRow b) {
    return Make([&](int i) { return a.of[i] - b.of[i]; });
  }
  friend HEARSAY_HD PlainRow operator*(PlainRow a, PlainRow b) {
    return Make([&](int i) { return a.of[i] * b.of[i]; });
  }
  // A difference that does not fit becomes the nearest that does.
  friend HEARSAY_HD PlainRow BoundedDifference(PlainRow a, PlainRow b) {
    return Make([&](int i) {
      const int32_t difference = a.of[i] - b.of[i];
      return difference < -32768 ? -32768 : (difference > 32767 ? 32767 : difference);
    });
  }
  // The products shifted right by 16, and by 12; REQUIRES of the latter: they fit 16 bits.
  friend HEARSAY_HD PlainRow HighProduct(PlainRow a, PlainRow b) {
    return Make([&](int i) { return a.of[i] * b.of[i] >> 16; });
  }
  friend HEARSAY_HD PlainRow ProductOf4096ths(PlainRow a, PlainRow b) {
    return Make([&](int i) { return a.of[i] * b.of[i] >> 12; });
  }
  friend HEARSAY_HD PlainRow Max(PlainRow a, PlainRow b) {
    return Make([&](int i) { return a.of[i] > b.of[i] ? a.of[i] : b.of[i]; });
  }
  friend HEARSAY_HD PlainRow Min(PlainRow a, PlainRow b) {
    return Make([&](int i) { return a.of[i] < b.of[i] ? a.of[i] : b.of[i]; });
  }
  // All ones where a is b, else 0.
  friend HEARSAY_HD PlainRow Equal(PlainRow a, PlainRow b) {
    return Make([&](int i) { return -static_cast<int32_t>(a.of[i] == b.of[i]); });
  }
  // `a` where the mask is all ones, `b` where it is 0.
  friend HEARSAY_HD PlainRow Where(PlainRow mask, PlainRow a, PlainRow b) {
    return Make([&](int i) { return mask.of[i] != 0 ? a.of[i] : b.of[i]; });
  }

  HEARSAY_HD int Most() const {
    int32_t most = of[0];
    for (int i = 1; i < kRowSize; ++i) most = of[i] > most ? of[i] : most;
    return most;
  }
  HEARSAY_HD Largest FirstLargest() const {
    int32_t most = of[0] * kRowSize + kRowSize - 1;  // number and place in one
    for (int i = 1; i < kRowSize; ++i) {
      const int32_t ranked = of[i] * kRowSize + kRowSize - 1 - i;
      most = ranked > most ? ranked : most;
    }
    return {most >> 3, kRowSize - 1 - (most & (kRowSize - 1))};
  }
  // Bit i: the i-th is x.
  HEARSAY_HD uint32_t BitsOf(int16_t x) const {
    uint32_t bits = 0;
    for (int i = 0; i < kRowSize; ++i) bits |= static_cast<uint32_t>(of[i] == x) << i;
    return bits;
  }
  // One of the eight, chosen by 32 random bits with odds that double with every 256: the i-th has
  // the weight that ChoiceWeight gives of[i] - most. 0 where all weights are 0.
  // REQUIRES: most - 2^13 <= of[i] <= most, or of[i] is -32768.
  HEARSAY_HD int Pick(int most, uint32_t random) const;

 private:
  template <typename F>
  HEARSAY_HD static PlainRow Make(F f) {
    PlainRow row;
    HEARSAY_UNROLL
    for (int i = 0; i < kRowSize; ++i) row.of[i] = f(i);
    return row;
  }
};

// The weight of a choice that lies `below` (0 or less) the best one: 2^((below + 14 * 256) / 256),
// linear between powers of two, and 0 where that is below 1. At most 2^22.
//
// With 8 fraction bits such a number is what the bits of a float mean, so the conversion is exact
// and, unlike a shift by a variable or a branch, the same few instructions for eight values at
// once.
inline constexpr int kWeightReach = 14 * 256;
inline constexpr uint32_t kWeightBase = (8u + 127u) << 23;
HEARSAY_HD inline uint32_t ChoiceWeight(int below) {
  const int e = below + kWeightReach;
  const uint32_t in_reach = ~static_cast<uint32_t>(e >> 31);
  const uint32_t bits = (static_cast<uint32_t>(e) & in_reach) * (1u << 15) + kWeightBase;
  return static_cast<uint32_t>(static_cast<int32_t>(__builtin_bit_cast(float, bits))) & in_reach;
}

HEARSAY_HD inline int PlainRow::Pick(int most, uint32_t random) const {
  uint32_t ends[kRowSize];
  uint32_t total = 0;
  for (int i = 0; i < kRowSize; ++i) {
    total += ChoiceWeight(of[i] - most);
    ends[i] = total;
  }
  const uint32_t pick = static_cast<uint32_t>(uint64_t{random} * total >> 32);
  int index = 0;
  for (int i = 0; i < kRowSize - 1; ++i) index += pick >= ends[i];
  return total == 0 ? 0 : index;
}

#ifdef HEARSAY_SSE2

struct SseRow {
  __m128i of;

  static SseRow Load(const int16_t* eight) {
    return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(eight))};
  }
  static SseRow LoadBut(const int16_t* eight, int index, int16_t x) {
    return Where(OfBits(1u << index), All(x), Load(eight));
  }
  static SseRow OfBytes(uint64_t bytes) {
    return {_mm_unpacklo_epi8(_mm_cvtsi64_si128(static_cast<int64_t>(bytes)), _mm_setzero_si128())};
  }
  static SseRow OfBits(uint32_t bits) {
    const __m128i powers = _mm_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128);
    const __m128i all = _mm_set1_epi16(static_cast<int16_t>(bits));
    return {_mm_cmpeq_epi16(_mm_and_si128(all, powers), powers)};
  }
  static SseRow All(int16_t x) { return {_mm_set1_epi16(x)}; }
  static SseRow Gather(const int16_t (&rows)[kRowSize][kRowSize], uint64_t places) {
    const auto at = [&](int i) { return rows[i][places >> (8 * i) & 0xff]; };
    return {_mm_setr_epi16(at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7))};
  }
  void Store(int16_t* eight) const { _mm_storeu_si128(reinterpret_cast<__m128i*>(eight), of); }

  // Rows are read as a whole, and a CPU would wait for a smaller store to reach its cache.
  static void Replace(int16_t* eight, int index, int16_t x) {
    LoadBut(eight, index, x).Store(eight);
  }

  friend SseRow operator+(SseRow a, SseRow b) { return {_mm_add_epi16(a.of, b.of)}; }
  friend SseRow operator-(SseRow a, SseRow b) { return {_mm_sub_epi16(a.of, b.of)}; }
  friend SseRow operator*(SseRow a, SseRow b) { return {_mm_mullo_epi16(a.of, b.of)}; }
  friend SseRow BoundedDifference(SseRow a, SseRow b) { return {_mm_subs_epi16(a.of, b.of)}; }
  friend SseRow HighProduct(SseRow a, SseRow b) { return {_mm_mulhi_epi16(a.of, b.of)}; }
  friend SseRow ProductOf4096ths(SseRow a, SseRow b) {
    return {_mm_or_si128(_mm_slli_epi16(_mm_mulhi_epi16(a.of, b.of), 4),
                         _mm_srli_epi16(_mm_mullo_epi16(a.of, b.of), 12))};
  }
  friend SseRow Max(SseRow a, SseRow b) { return {_mm_max_epi16(a.of, b.of)}; }
  friend SseRow Min(SseRow a, SseRow b) { return {_mm_min_epi16(a.of, b.of)}; }
  friend SseRow Equal(SseRow a, SseRow b) { return {_mm_cmpeq_epi16(a.of, b.of)}; }
  friend SseRow Where(SseRow mask, SseRow a, SseRow b) {
    return {_mm_or_si128(_mm_and_si128(mask.of, a.of), _mm_andnot_si128(mask.of, b.of))};
  }

  int Most() const {
    __m128i most = _mm_max_epi16(of, _mm_shuffle_epi32(of, _MM_SHUFFLE(1, 0, 3, 2)));
    most = _mm_max_epi16(most, _mm_shuffle_epi32(most, _MM_SHUFFLE(2, 3, 0, 1)));
    most = _mm_max_epi16(most, _mm_srli_epi32(most, 16));
    return static_cast<int16_t>(_mm_cvtsi128_si32(most));
  }
  Largest FirstLargest() const {
    const int most = Most();
    return {most, __builtin_ctz(BitsOf(static_cast<int16_t>(most)))};
  }
  uint32_t BitsOf(int16_t x) const {
    const __m128i equal = _mm_cmpeq_epi16(of, _mm_set1_epi16(x));
    return static_cast<uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(equal, _mm_setzero_si128())));
  }
  int Pick(int most, uint32_t random) const {
    const __m128i zero = _mm_setzero_si128();
    // Saturating, so that -32768 stays out of reach.
    const __m128i below = _mm_subs_epi16(of, _mm_set1_epi16(static_cast<int16_t>(most)));
    const __m128i e = _mm_add_epi16(below, _mm_set1_epi16(kWeightReach));
    const __m128i reached = _mm_cmpgt_epi16(e, _mm_set1_epi16(-1));
    const __m128i fraction = _mm_and_si128(e, reached);
    const __m128i base = _mm_and_si128(_mm_set1_epi16(kWeightBase >> 16), reached);
    // fraction << 15 | base << 16, four at a time, as the bits of floats.
    const __m128i low = _mm_add_epi32(_mm_srli_epi32(_mm_unpacklo_epi16(zero, fraction), 1),
                                      _mm_unpacklo_epi16(zero, base));
    const __m128i high = _mm_add_epi32(_mm_srli_epi32(_mm_unpackhi_epi16(zero, fraction), 1),
                                       _mm_unpackhi_epi16(zero, base));
    const __m128i low_ends = Sums(_mm_cvttps_epi32(_mm_castsi128_ps(low)));
    const __m128i high_ends = _mm_add_epi32(Sums(_mm_cvttps_epi32(_mm_castsi128_ps(high))),
                                            _mm_shuffle_epi32(low_ends, _MM_SHUFFLE(3, 3, 3, 3)));
    const uint32_t total = static_cast<uint32_t>(
        _mm_cvtsi128_si32(_mm_shuffle_epi32(high_ends, _MM_SHUFFLE(3, 3, 3, 3))));
    const __m128i pick = _mm_set1_epi32(static_cast<int32_t>(uint64_t{random} * total >> 32));
    const __m128i beyond =
        _mm_packs_epi32(_mm_cmpgt_epi32(low_ends, pick), _mm_cmpgt_epi32(high_ends, pick));
    const int bits = _mm_movemask_epi8(_mm_packs_epi16(beyond, zero));
    return __builtin_ctz(static_cast<unsigned>(bits) | 1u << kRowSize) & (kRowSize - 1);
  }

 private:
  // Each of four plus those before it.
  static __m128i Sums(__m128i four) {
    four = _mm_add_epi32(four, _mm_slli_si128(four, 4));
    return _mm_add_epi32(four, _mm_slli_si128(four, 8));
  }
};
using Row = SseRow;

#else
using Row = PlainRow;
#endif

}  // namespace hearsay

#endif  // HEARSAY_EXECUTOR_ROW_H_
