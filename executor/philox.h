// Philox4x32-10, the counter-based generator of Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3" (SC11). Without state: the same counter gives the same words on any device, in any
// order.
#ifndef HEARSAY_EXECUTOR_PHILOX_H_
#define HEARSAY_EXECUTOR_PHILOX_H_

#include <cstdint>

#include "executor/streams.h"
#include "tasks/host_device.h"

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

 private:
  uint32_t key0_, key1_, round_, problem_, lane_;
};

// A number below `bound`, from 32 random bits: multiply and keep the high word. The bias is below
// bound / 2^32.
HEARSAY_HD inline uint32_t Below(uint32_t random, uint32_t bound) {
  return static_cast<uint32_t>(uint64_t{random} * bound >> 32);
}

}  // namespace hearsay

#endif  // HEARSAY_EXECUTOR_PHILOX_H_
