#include "executor/bytes.h"

#include <gtest/gtest.h>

#include <random>

namespace hearsay {
namespace {

uint64_t Byte(uint64_t word, int k) { return word >> (8 * k) & 0xff; }

TEST(Bytes, AreWhatTheirLoopsSay) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    // Some bytes 0, some full, the rest anything.
    const uint64_t word = (random() & NonzeroBytes(random() & random() & random())) |
                          (NonzeroBytes(random() & random() & kEachByte));
    int sum = 0;
    for (int k = 0; k < 8; ++k) {
      sum += static_cast<int>(Byte(word, k));
      EXPECT_EQ(Byte(NonzeroBytes(word), k), Byte(word, k) != 0 ? 0xff : 0) << std::hex << word;
      EXPECT_EQ(BitsOfBytes(NonzeroBytes(word)) >> k & 1, Byte(word, k) != 0) << std::hex << word;
      EXPECT_EQ(Byte(PowersOfBytes(word & kEachByte * 7), k), 1u << (Byte(word, k) & 7));
    }
    EXPECT_EQ(SumOfBytes(word), sum) << std::hex << word;
  }
}

TEST(Bytes, HoldAtTheirEnds) {
  EXPECT_EQ(SumOfBytes(~uint64_t{0}), 8 * 255);
  EXPECT_EQ(SumOfBytes(0), 0);
  EXPECT_EQ(NonzeroBytes(0), 0u);
  EXPECT_EQ(NonzeroBytes(0x8000000000000001u), 0xff000000000000ffu);
  EXPECT_EQ(PowersOfBytes(0x0706050403020100u), 0x8040201008040201u);
  EXPECT_EQ(BitsOfBytes(0xff00000000ff00ffu), 0b10000101u);
}

}  // namespace
}  // namespace hearsay
