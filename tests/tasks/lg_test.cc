#include "tasks/lg.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "gtest/gtest.h"

namespace hearsay {
namespace {

TEST(LgTest, PowersOfTwoAreExact) {
  EXPECT_EQ(LgRatio(1, 1), 0);
  EXPECT_EQ(LgRatio(2, 1), 1024);
  EXPECT_EQ(LgRatio(1, 8), -3072);
  EXPECT_EQ(LgRatio(uint64_t{1} << 63, 1), 63 * 1024);
  EXPECT_EQ(LgRatio(3000, 3000), 0);
}

TEST(LgTest, KnownRatios) {
  EXPECT_EQ(LgRatio(3, 2), 599);     // 1024 x 0.58496 = 599.0
  EXPECT_EQ(LgRatio(105, 100), 72);  // 72.08
  EXPECT_EQ(LgRatio(10, 1), 3402);   // 3401.66
}

// A linear congruential walk over ratios of all sizes; a fixed seed, so a failure repeats.
TEST(LgTest, AgreesWithLibmWithinOneUnit) {
  uint64_t state = 12345;
  for (int i = 0; i < 200000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const uint64_t a = (state >> (state & 31)) | 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    const uint64_t b = (state >> (state >> 58)) | 1;
    const double exact =
        1024 * (std::log2(static_cast<double>(a)) - std::log2(static_cast<double>(b)));
    ASSERT_NEAR(LgRatio(a, b), exact, 0.5 + 1e-3) << a << " / " << b;
    ASSERT_EQ(LgRatio(a, b), -LgRatio(b, a)) << a << " / " << b;
  }
}

TEST(LgTest, LargestNumbers) {
  const uint64_t most = std::numeric_limits<uint64_t>::max();
  EXPECT_EQ(LgRatio(most, 1), 64 * 1024);
  EXPECT_EQ(LgRatio(most, most), 0);
}

}  // namespace
}  // namespace hearsay
