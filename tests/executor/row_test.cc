#include "executor/row.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace hearsay {
namespace {

using Eight = std::array<int16_t, kRowSize>;

template <typename AnyRow>
Eight Stored(const AnyRow& row) {
  Eight eight;
  row.Store(eight.data());
  return eight;
}

// Mostly beliefs, with the ends of the range among them and some numbers that stand twice.
Eight RandomEight(std::mt19937* random) {
  Eight eight;
  for (int16_t& x : eight) {
    const uint32_t r = (*random)();
    x = static_cast<int16_t>(r % 8193) - 4096;
    if (r >> 28 == 0) x = -32768;
    if (r >> 28 == 1) x = 32767;
    if (r >> 28 == 2) x = eight[0];
  }
  return eight;
}

TEST(Row, IsThePlainRowToTheBit) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 5000; ++trial) {
    const Eight x = RandomEight(&random);
    const Eight y = RandomEight(&random);
    const Row a = Row::Load(x.data());
    const Row b = Row::Load(y.data());
    const PlainRow p = PlainRow::Load(x.data());
    const PlainRow q = PlainRow::Load(y.data());
    const uint64_t bytes = (uint64_t{random()} << 32) | random();
    const uint32_t bits = random() & 0xff;
    EXPECT_EQ(Stored(Row::OfBytes(bytes)), Stored(PlainRow::OfBytes(bytes)));
    EXPECT_EQ(Stored(Row::OfBits(bits)), Stored(PlainRow::OfBits(bits)));
    EXPECT_EQ(Stored(Row::All(x[0])), Stored(PlainRow::All(x[0])));
    EXPECT_EQ(Stored(a + b),
              Stored(p + q));  // where they do not fit, what is stored is still equal
    EXPECT_EQ(Stored(a - b), Stored(p - q));
    EXPECT_EQ(Stored(a * b), Stored(p * q));
    EXPECT_EQ(Stored(Row::LoadBut(x.data(), trial % 8, y[0])),
              Stored(PlainRow::LoadBut(x.data(), trial % 8, y[0])));
    Eight replaced = x;
    Row::Replace(replaced.data(), trial % 8, y[0]);
    EXPECT_EQ(replaced, Stored(PlainRow::LoadBut(x.data(), trial % 8, y[0])));
    EXPECT_EQ(Stored(BoundedDifference(a, b)), Stored(BoundedDifference(p, q)));
    EXPECT_EQ(Stored(HighProduct(a, b)), Stored(HighProduct(p, q)));
    EXPECT_EQ(Stored(ProductOf4096ths(a, b)), Stored(ProductOf4096ths(p, q)));
    EXPECT_EQ(Stored(Max(a, b)), Stored(Max(p, q)));
    EXPECT_EQ(Stored(Min(a, b)), Stored(Min(p, q)));
    EXPECT_EQ(Stored(Equal(a, b)), Stored(Equal(p, q)));
    EXPECT_EQ(Stored(Where(Row::OfBits(bits), a, b)), Stored(Where(PlainRow::OfBits(bits), p, q)));
    EXPECT_EQ(a.Most(), p.Most());
    EXPECT_EQ(a.FirstLargest().value, p.FirstLargest().value);
    EXPECT_EQ(a.FirstLargest().index, p.FirstLargest().index);
    EXPECT_EQ(a.BitsOf(x[3]), p.BitsOf(x[3]));
    int16_t rows[kRowSize][kRowSize];
    for (auto& row : rows) Row::Load(RandomEight(&random).data()).Store(row);
    const uint64_t places = bytes & 0x0707070707070707u;
    EXPECT_EQ(Stored(Row::Gather(rows, places)), Stored(PlainRow::Gather(rows, places)));
  }
}

TEST(Row, PicksAsThePlainRow) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 20000; ++trial) {
    Eight odds;
    for (int16_t& x : odds) {
      const uint32_t r = random();
      x = r >> 29 == 0 ? -32768 : static_cast<int16_t>(r % 8193) - 4096;
    }
    const int largest = PlainRow::Load(odds.data()).Most();
    // Also where the best is not among the eight, so far above them that none has a weight.
    const int most = trial % 4 == 0 ? 4096 : (largest == -32768 ? 0 : largest);
    for (const uint32_t r : {0u, 0xffffffffu, static_cast<uint32_t>(random())}) {
      EXPECT_EQ(Row::Load(odds.data()).Pick(most, r), PlainRow::Load(odds.data()).Pick(most, r));
    }
  }
}

TEST(Row, LargestTakesTheFirstOfEquals) {
  const Eight eight = {-5, 7, -32768, 7, 0, 7, 6, -1};
  const Row row = Row::Load(eight.data());
  EXPECT_EQ(row.Most(), 7);
  EXPECT_EQ(row.FirstLargest().value, 7);
  EXPECT_EQ(row.FirstLargest().index, 1);
  EXPECT_EQ(row.BitsOf(7), 0b101010u);
  EXPECT_EQ(row.BitsOf(8), 0u);
}

TEST(Row, PicksInProportionToOddsThatDoubleWithEvery256) {
  const Eight odds = {-32768, 512, -32768, 0, -4096, -4096, -4096, -4096};
  const Row row = Row::Load(odds.data());
  // Weights 4 to 1; the rest are out of reach.
  for (uint32_t fifth = 0; fifth < 5; ++fifth) {
    const uint32_t from = static_cast<uint32_t>(((uint64_t{fifth} << 32) + 4) / 5);
    const uint32_t to = static_cast<uint32_t>((((uint64_t{fifth} + 1) << 32) - 1) / 5);
    EXPECT_EQ(row.Pick(512, from), fifth < 4 ? 1 : 3) << fifth;
    EXPECT_EQ(row.Pick(512, to), fifth < 4 ? 1 : 3) << fifth;
  }
  EXPECT_EQ(Row::All(-32768).Pick(0, 0x80000000u), 0) << "no weight at all";
}

TEST(ChoiceWeight, DoublesEvery256AndIsLinearBetween) {
  EXPECT_EQ(ChoiceWeight(0), 1u << 22);
  EXPECT_EQ(ChoiceWeight(-256), 1u << 21);
  EXPECT_EQ(ChoiceWeight(-128), (1u << 21) + (1u << 20));
  EXPECT_EQ(ChoiceWeight(-14 * 256), 256u);
  EXPECT_EQ(ChoiceWeight(-14 * 256 - 1), 0u);
  for (int below = -14 * 256; below <= 0; ++below) {
    const int e = below + 14 * 256;
    EXPECT_EQ(ChoiceWeight(below), static_cast<uint32_t>(256 + (e & 255)) << (e >> 8)) << below;
  }
}

}  // namespace
}  // namespace hearsay
