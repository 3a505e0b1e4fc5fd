// Logarithms of ratios in integer arithmetic, so that they are the same on every machine.
#ifndef HEARSAY_TASKS_LG_H_
#define HEARSAY_TASKS_LG_H_

#include <cstdint>

#include "tasks/world.h"

namespace hearsay {

namespace lg_internal {

inline constexpr int kFractionBits = 24;

// log2(x) in fixed point with kFractionBits, rounded down; off by less than 2^-kFractionBits.
// Squaring a mantissa in [1, 2) doubles its logarithm: each squaring yields one binary digit.
// REQUIRES: x > 0.
inline int64_t Log2Fixed(uint64_t x) {
  const int exponent = 63 - __builtin_clzll(x);
  uint64_t mantissa = x << (63 - exponent);  // 1.63 fixed point
  int64_t result = exponent;
  for (int i = 0; i < kFractionBits; ++i) {
    const unsigned __int128 square = static_cast<unsigned __int128>(mantissa) * mantissa;
    const bool digit = (square >> 127) != 0;
    mantissa = static_cast<uint64_t>(digit ? square >> 64 : square >> 63);
    result = result * 2 + (digit ? 1 : 0);
  }
  return result;
}

}  // namespace lg_internal

// 1024 x log2(a / b), rounded to the nearest unit: the speed of what takes `b` where eager takes
// `a`. Exactly 0 for a == b, and LgRatio(a, b) == -LgRatio(b, a). Differs from the correctly
// rounded value by one unit only where the true value lies within 2^-13 of the middle between two
// units.
//
// REQUIRES: a > 0 and b > 0.
inline int LgRatio(uint64_t a, uint64_t b) {
  constexpr int64_t kUnit = int64_t{1} << (lg_internal::kFractionBits - 10);
  static_assert(kLgPerDoubling == 1 << 10, "units are 2^-10 doublings");
  const int64_t difference = lg_internal::Log2Fixed(a) - lg_internal::Log2Fixed(b);
  const int64_t magnitude = ((difference < 0 ? -difference : difference) + kUnit / 2) / kUnit;
  return static_cast<int>(difference < 0 ? -magnitude : magnitude);
}

}  // namespace hearsay

#endif  // HEARSAY_TASKS_LG_H_
