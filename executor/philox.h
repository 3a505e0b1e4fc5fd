// Philox4x32-10, the counter-based generator of Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3" (SC11). Without state: the same counter gives the same words on any device, in any
// order.
#ifndef HEARSAY_EXECUTOR_PHILOX_H_
#define HEARSAY_EXECUTOR_PHILOX_H_

#include <cstdint>

#include "executor/streams.h"
#include "tasks/host_device.h"

#ifdef HEARSAY_SSE2
#include <emmintrin.h>
#endif

namespace hearsay {

struct RandomWords {
  uint32_t word[4];

  // The i-th of eight 16-bit numbers.
  HEARSAY_HD uint32_t half(int i) const { return word[i >> 1] >> ((i & 1) * 16) & 0xffff; }
};

HEARSAY_HD inline RandomWords Philox(uint32_t key0, uint32_t key1, uint32_t c0, uint32_t c1,
                                     uint32_t c2, uint32_t c3) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53u} * c0;
    const uint64_t b = uint64_t{0xCD9E8D57u} * c2;
    const uint32_t next0 = static_cast<uint32_t>(b >> 32) ^ c1 ^ key0;
    const uint32_t next2 = static_cast<uint32_t>(a >> 32) ^ c3 ^ key1;
    c0 = next0;
    c1 = static_cast<uint32_t>(b);
    c2 = next2;
    c3 = static_cast<uint32_t>(a);
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return {{c0, c1, c2, c3}};
}

struct RandomPair {
  RandomWords first, second;
};

// The words of c0 and of c0 + 1. On x86 two for little more than the price of one: a register holds
// what one number of each block is made of, and only the low halves of it count.
HEARSAY_HD inline RandomPair PhiloxPair(uint32_t key0, uint32_t key1, uint32_t c0, uint32_t c1,
                                        uint32_t c2, uint32_t c3) {
#ifdef HEARSAY_SSE2
  const __m128i factor0 = _mm_set1_epi64x(0xD2511F53u);
  const __m128i factor1 = _mm_set1_epi64x(0xCD9E8D57u);
  __m128i x0 = _mm_set_epi64x(c0 + 1, c0);
  __m128i x1 = _mm_set1_epi64x(c1);
  __m128i x2 = _mm_set1_epi64x(c2);
  __m128i x3 = _mm_set1_epi64x(c3);
  __m128i k0 = _mm_set1_epi64x(key0);
  __m128i k1 = _mm_set1_epi64x(key1);
  for (int round = 0; round < 10; ++round) {
    const __m128i a = _mm_mul_epu32(x0, factor0);
    const __m128i b = _mm_mul_epu32(x2, factor1);
    x0 = _mm_xor_si128(_mm_xor_si128(_mm_srli_epi64(b, 32), x1), k0);
    x2 = _mm_xor_si128(_mm_xor_si128(_mm_srli_epi64(a, 32), x3), k1);
    x1 = b;
    x3 = a;
    k0 = _mm_add_epi32(k0, _mm_set1_epi64x(0x9E3779B9u));
    k1 = _mm_add_epi32(k1, _mm_set1_epi64x(0xBB67AE85u));
  }
  // (x0 x1) and (x2 x3) of each block, then the block.
  const __m128i low = _mm_unpacklo_epi32(x0, x1);
  const __m128i high = _mm_unpacklo_epi32(x2, x3);
  RandomPair pair;
  _mm_storeu_si128(reinterpret_cast<__m128i*>(pair.first.word), _mm_unpacklo_epi64(low, high));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(pair.second.word),
                   _mm_unpacklo_epi64(_mm_unpackhi_epi32(x0, x1), _mm_unpackhi_epi32(x2, x3)));
  return pair;
#else
  return {Philox(key0, key1, c0, c1, c2, c3), Philox(key0, key1, c0 + 1, c1, c2, c3)};
#endif
}

// The random words of one coordinate (round, problem, lane) in one stream.
class Draws {
 public:
  HEARSAY_HD Draws(uint64_t seed, Stream stream, uint32_t round, uint32_t problem, uint32_t lane)
      : key0_(static_cast<uint32_t>(seed)),
        key1_(static_cast<uint32_t>(seed >> 32) ^ static_cast<uint32_t>(stream) * 0x85EBCA6Bu),
        round_(round),
        problem_(problem),
        lane_(lane) {}

  HEARSAY_HD RandomWords Block(uint32_t draw) const {
    return Philox(key0_, key1_, draw, lane_, round_, problem_);
  }
  // Blocks `draw` and `draw` + 1.
  HEARSAY_HD RandomPair Pair(uint32_t draw) const {
    return PhiloxPair(key0_, key1_, draw, lane_, round_, problem_);
  }

 private:
  uint32_t key0_, key1_, round_, problem_, lane_;
};

// Up to kMost blocks of one coordinate, one after the other. A CPU computes all of them at first,
// two at once; a GPU, which has no room for them, each when it is asked for.
template <int kMost>
class DrawSequence {
 public:
  // `count` blocks from `first` on; REQUIRES: count <= kMost.
  HEARSAY_HD DrawSequence(const Draws& draws, uint32_t first, int count = kMost)
#ifdef HEARSAY_SSE2
  {
    for (int i = 0; i < count; i += 2) {
      const RandomPair pair = draws.Pair(first + i);
      words_[i] = pair.first;
      words_[i + 1] = pair.second;
    }
  }
  RandomWords Next() { return words_[next_++]; }

 private:
  static_assert(kMost % 2 == 0);
  RandomWords words_[kMost];
  int next_ = 0;
#else
      : draws_(draws), next_(first) {
  }
  HEARSAY_HD RandomWords Next() { return draws_.Block(next_++); }

 private:
  const Draws& draws_;
  uint32_t next_;
#endif
};

// A number below `bound`, from 32 random bits: multiply and keep the high word. The bias is below
// bound / 2^32.
HEARSAY_HD inline uint32_t Below(uint32_t random, uint32_t bound) {
  return static_cast<uint32_t>(uint64_t{random} * bound >> 32);
}

}  // namespace hearsay

#endif  // HEARSAY_EXECUTOR_PHILOX_H_
