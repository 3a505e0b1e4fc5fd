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

TEST(Philox, TwoAtOnceAreTheSameAsOneByOne) {
  uint32_t at = 1;
  const auto next = [&at] { return at = at * 2891336453u + 0x7fffffffu; };
  for (int trial = 0; trial < 1000; ++trial) {
    const uint32_t key0 = next(), key1 = next(), c1 = next(), c2 = next(), c3 = next();
    const uint32_t c0 = trial == 0 ? 0xffffffffu : next();
    const RandomPair pair = PhiloxPair(key0, key1, c0, c1, c2, c3);
    const RandomWords first = Philox(key0, key1, c0, c1, c2, c3);
    const RandomWords second = Philox(key0, key1, c0 + 1, c1, c2, c3);
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(pair.first.word[i], first.word[i]) << trial;
      EXPECT_EQ(pair.second.word[i], second.word[i]) << trial;
    }
  }
}

TEST(DrawSequence, GivesTheBlocksInTurn) {
  const Draws draws(11, Stream::kAttempt, 3, 5, 7);
  for (const int count : {1, 2, 5, 6}) {
    DrawSequence<6> sequence(draws, 40, count);
    for (int i = 0; i < count; ++i) {
      const RandomWords words = sequence.Next();
      const RandomWords block = draws.Block(40 + i);
      for (int j = 0; j < 4; ++j) EXPECT_EQ(words.word[j], block.word[j]) << i;
    }
  }
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
