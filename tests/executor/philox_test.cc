#include "executor/philox.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "executor/lane.h"

namespace hearsay {
namespace {

// Known answers of the Random123 project (tests/kat_vectors, philox4x32 10 rounds).
TEST(Philox, HasTheKnownAnswers) {
  const RandomWords zeros = Philox(0, 0, 0, 0, 0, 0);
  EXPECT_EQ(zeros.word[0], 0x6627e8d5u);
  EXPECT_EQ(zeros.word[1], 0xe169c58du);
  EXPECT_EQ(zeros.word[2], 0xbc57ac4cu);
  EXPECT_EQ(zeros.word[3], 0x9b00dbd8u);
  const uint32_t ones = 0xffffffffu;
  const RandomWords full = Philox(ones, ones, ones, ones, ones, ones);
  EXPECT_EQ(full.word[0], 0x408f276du);
  EXPECT_EQ(full.word[1], 0x41c83b0eu);
  EXPECT_EQ(full.word[2], 0xa20bc7c6u);
  EXPECT_EQ(full.word[3], 0x6d5451fdu);
  const RandomWords pi =
      Philox(0xa4093822u, 0x299f31d0u, 0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u);
  EXPECT_EQ(pi.word[0], 0xd16cfe09u);
  EXPECT_EQ(pi.word[1], 0x94fdccebu);
  EXPECT_EQ(pi.word[2], 0x5001e420u);
  EXPECT_EQ(pi.word[3], 0x24126ea1u);
}

TEST(Draws, DifferInEveryCoordinate) {
  const auto first = [](const Draws& draws, uint32_t draw) { return draws.Block(draw).word[0]; };
  const uint32_t base = first(Draws(7, Stream::kAttempt, 1, 2, 3), 4);
  EXPECT_EQ(first(Draws(7, Stream::kAttempt, 1, 2, 3), 4), base);
  EXPECT_NE(first(Draws(8, Stream::kAttempt, 1, 2, 3), 4), base);
  EXPECT_NE(first(Draws(7 + (uint64_t{1} << 32), Stream::kAttempt, 1, 2, 3), 4), base);
  EXPECT_NE(first(Draws(7, Stream::kBaseline, 1, 2, 3), 4), base);
  EXPECT_NE(first(Draws(7, Stream::kAttempt, 2, 2, 3), 4), base);
  EXPECT_NE(first(Draws(7, Stream::kAttempt, 1, 3, 3), 4), base);
  EXPECT_NE(first(Draws(7, Stream::kAttempt, 1, 2, 4), 4), base);
  EXPECT_NE(first(Draws(7, Stream::kAttempt, 1, 2, 3), 5), base);
}

TEST(RandomWords, HalvesAreTheWordsLowHalfFirst) {
  const RandomWords words{{0x00020001u, 0x00040003u, 0x00060005u, 0x00080007u}};
  for (int i = 0; i < 8; ++i) EXPECT_EQ(words.half(i), static_cast<uint32_t>(i + 1));
}

// Every subset of 3 out of 5 must come up equally often: 10 subsets, 5 sigma.
TEST(Distinct, DrawsEverySubsetWithEqualChance) {
  constexpr int kTrials = 20000;
  std::vector<int> count(32, 0);
  for (int trial = 0; trial < kTrials; ++trial) {
    const RandomWords words = Draws(3, Stream::kSources, 0, 0, trial).Block(0);
    uint32_t out[3];
    Distinct(words.word, 10, 5, 3, out);
    int subset = 0;
    for (uint32_t pick : out) {
      ASSERT_GE(pick, 10u);
      ASSERT_LT(pick, 15u);
      subset |= 1 << (pick - 10);
    }
    ASSERT_EQ(__builtin_popcount(subset), 3);
    ++count[subset];
  }
  const double expected = kTrials / 10.0;
  for (int subset = 0; subset < 32; ++subset) {
    if (__builtin_popcount(subset) != 3) continue;
    EXPECT_NEAR(count[subset], expected, 5 * std::sqrt(expected * 0.9)) << subset;
  }
}

TEST(Distinct, TakesAllWhereAllAreAskedFor) {
  const RandomWords words = Draws(3, Stream::kSources, 0, 0, 0).Block(0);
  uint32_t out[4];
  Distinct(words.word, 0, 4, 4, out);
  int subset = 0;
  for (uint32_t pick : out) subset |= 1 << pick;
  EXPECT_EQ(subset, 15);
}

}  // namespace
}  // namespace hearsay
