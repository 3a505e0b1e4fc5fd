#include "kb/packing.h"

#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/kb/kb_testing.h"

namespace hearsay {
namespace {

std::string PackWhole(const std::string& bytes) {
  const size_t ends[] = {bytes.size()};
  return Pack(bytes, ends);
}

void ExpectRoundTrip(const std::string& bytes) {
  std::string back;
  ASSERT_TRUE(Unpack(PackWhole(bytes), &back));
  EXPECT_EQ(back, bytes);
}

// How often bytes occur decides the code: flat, steep, and steeper than the longest code allows.
TEST(Packing, KeepsColumnsOfAnyFrequencies) {
  ExpectRoundTrip("");
  ExpectRoundTrip("a");
  ExpectRoundTrip(std::string(5000, 'a'));
  for (int symbols = 2; symbols <= 256; symbols = symbols * 3 / 2 + 1) {
    std::string flat;
    for (int i = 0; i < 40 * symbols; ++i) flat.push_back(static_cast<char>(i % symbols));
    ExpectRoundTrip(flat);
  }
  std::string fibonacci;
  size_t a = 1, b = 1;
  for (int symbol = 0; symbol < 26; ++symbol) {
    fibonacci.append(a, static_cast<char>('a' + symbol));
    b = std::exchange(a, a + b);
  }
  ASSERT_LE(fibonacci.size(), kMaxUnpackedBytes);
  ExpectRoundTrip(fibonacci);
  EXPECT_LT(PackWhole(fibonacci).size(), fibonacci.size() / 2);
}

TEST(Packing, KeepsRandomColumns) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    TestRandom random(seed);
    std::string bytes;
    std::vector<size_t> ends;
    for (int column = random.Below(12); column >= 0; --column) {
      const int spread = 1 + random.Below(256);
      const bool steep = random.OneIn(2);
      for (int i = random.Below(3000); i > 0; --i) {
        const int byte = random.Below(spread);
        bytes.push_back(static_cast<char>(steep ? random.Below(byte + 1) * byte / 256 : byte));
      }
      ends.push_back(bytes.size());
    }
    const std::string packed = Pack(bytes, ends);
    EXPECT_LE(packed.size(), bytes.size() + 5 * ends.size());
    std::string back;
    ASSERT_TRUE(Unpack(packed, &back)) << "seed " << seed;
    ASSERT_EQ(back, bytes) << "seed " << seed;
  }
}

TEST(Packing, DamageIsRefusedOrBounded) {
  TestRandom random(2);
  std::string bytes;
  for (int i = 0; i < 800; ++i)
    bytes.push_back(static_cast<char>(random.Below(20) * random.Below(5)));
  const std::string packed = PackWhole(bytes);
  std::string back;
  for (size_t size = 0; size < packed.size(); ++size) {
    const std::vector<char> part(packed.begin(), packed.begin() + static_cast<ptrdiff_t>(size));
    const bool whole = Unpack(absl::string_view(part.data(), size), &back);
    EXPECT_EQ(whole, size == 0) << size;
  }
  for (int k = 0; k < 20000; ++k) {
    std::string damaged = packed;
    for (int flips = 1 + random.Below(3); flips > 0; --flips) {
      const int bit = random.Below(static_cast<int>(8 * damaged.size()));
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    }
    if (Unpack(damaged, &back)) {
      EXPECT_LE(back.size(), kMaxUnpackedBytes);
    }
  }
  // A size that is far beyond what any block holds.
  EXPECT_FALSE(Unpack("\xfd\xff\xff\xff\x0f\x01", &back));
}

}  // namespace
}  // namespace hearsay
