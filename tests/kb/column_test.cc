#include "kb/column.h"

#include <algorithm>
#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/kb/kb_testing.h"

namespace hearsay {
namespace {

std::string Random(TestRandom* random, size_t size, int symbols) {
  std::string column(size, '\0');
  for (char& c : column) c = static_cast<char>(random->Below(symbols));
  return column;
}

TEST(Columns, ComeBackOneAfterTheOther) {
  TestRandom random(1);
  std::vector<std::string> columns = {"", "a", "aa", std::string(70000, 'z')};
  for (size_t size = 1; size < 5000; size = size * 3 / 2 + 1) {
    for (int symbols : {1, 2, 7, 256}) columns.push_back(Random(&random, size, symbols));
  }
  ColumnWriter writer(1024);
  for (const std::string& column : columns) writer.Add(column);
  const std::string bytes = writer.Take();
  ColumnReader reader(bytes);
  for (const std::string& column : columns) {
    EXPECT_FALSE(reader.done());
    ASSERT_EQ(reader.Next(), column);
  }
  EXPECT_TRUE(reader.done());
  EXPECT_EQ(reader.Next(), "");
  EXPECT_FALSE(reader.ok());
}

TEST(Columns, TakeTheShortestForm) {
  TestRandom random(2);
  const auto size_of = [](const std::string& column) {
    ColumnWriter writer(1024);
    writer.Add(column);
    return writer.Take().size();
  };
  EXPECT_LE(size_of(std::string(256, 'x')), 3u);
  const std::string noise = Random(&random, 300, 256);
  EXPECT_EQ(size_of(noise), noise.size() + 2);
  // Two symbols take one bit each; ZSTD finds a little more than that.
  EXPECT_LT(size_of(Random(&random, 2000, 2)), 2000u / 4);
}

TEST(Columns, OfFewAttemptsAreLeftToTheStoreWhereTheyAreShort) {
  TestRandom random(4);
  for (size_t size : {100, 300}) {
    const std::string column = Random(&random, size, 2);
    ColumnWriter few(12);
    few.Add(column);
    const std::string bytes = few.Take();
    EXPECT_EQ(bytes.size() > size, size == 100) << size;
    ColumnReader reader(bytes);
    EXPECT_EQ(reader.Next(), column);
  }
}

TEST(Columns, AreRefusedWhereTheyAreTooLongOrCutShort) {
  TestRandom random(3);
  ColumnWriter writer(1024);
  writer.Add(Random(&random, 400, 3));
  const std::string bytes = writer.Take();
  for (size_t size = 0; size < bytes.size(); ++size) {
    const std::vector<char> part(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size));
    ColumnReader reader(absl::string_view(part.data(), size));
    reader.Next();
    EXPECT_FALSE(reader.ok()) << size;
  }
  ColumnReader wrong_size(bytes);
  EXPECT_EQ(wrong_size.Next(399), nullptr);
  EXPECT_FALSE(wrong_size.ok());
  // A run of 8 MiB: three bytes that ask for too much.
  ByteWriter run(10);
  run.Varint((uint32_t{8} << 20) << 2 | 1);
  run.Byte('x');
  ColumnReader greedy(run.bytes());
  greedy.Next();
  EXPECT_FALSE(greedy.ok());
}

TEST(Groupings, SortByAllKeysSoFarAndThenAsItWas) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    TestRandom random(seed);
    const size_t count = static_cast<size_t>(random.Below(200));
    Grouping grouping(count);
    std::vector<std::vector<int>> known(count);
    for (int keys = 0; keys < 4; ++keys) {
      std::vector<uint8_t> key(count);
      for (uint8_t& k : key) k = static_cast<uint8_t>(random.Below(keys == 2 ? 256 : 3));
      for (size_t i = 0; i < count; ++i) known[i].push_back(key[i]);
      if (keys % 2 == 0) {
        grouping.SetKeys([&](uint32_t i) { return key[i]; });
      } else {
        std::vector<uint8_t> ordered;
        for (const uint32_t i : grouping.order()) ordered.push_back(key[i]);
        grouping.SetOrderedKeys(ordered.data());
      }
      grouping.Split();
      std::vector<uint32_t> expected(count);
      std::iota(expected.begin(), expected.end(), 0);
      std::stable_sort(expected.begin(), expected.end(),
                       [&](uint32_t a, uint32_t b) { return known[a] < known[b]; });
      EXPECT_THAT(grouping.order(), ::testing::ElementsAreArray(expected)) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace hearsay
