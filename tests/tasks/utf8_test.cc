#include "tasks/utf8.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace hearsay {
namespace {

// The definition of UTF-8, from numbers to bytes.
std::string Encode(uint32_t code_point) {
  const auto byte = [](uint32_t value) { return static_cast<char>(value); };
  if (code_point < 0x80) return {byte(code_point)};
  const char last = byte(0x80 | (code_point & 63));
  const char third = byte(0x80 | (code_point >> 6 & 63));
  if (code_point < 0x800) return {byte(0xc0 | code_point >> 6), last};
  if (code_point < 0x10000) return {byte(0xe0 | code_point >> 12), third, last};
  return {byte(0xf0 | code_point >> 18), byte(0x80 | (code_point >> 12 & 63)), third, last};
}

TEST(Utf8, TakesEveryCodePointButSurrogates) {
  for (uint32_t code_point = 0; code_point < 0x110000; ++code_point) {
    const std::string text = Encode(code_point);
    const bool surrogate = code_point >= 0xd800 && code_point < 0xe000;
    ASSERT_EQ(LeadingCodePoint(text + "x"), surrogate ? 0 : text.size()) << code_point;
    // Cut short it is none.
    ASSERT_EQ(EndOfUtf8(text.substr(0, text.size() - 1)), 0u) << code_point;
  }
}

TEST(Utf8, TakesNothingElse) {
  EXPECT_EQ(LeadingCodePoint(""), 0u);
  EXPECT_EQ(LeadingCodePoint("\x80"), 0u);
  EXPECT_EQ(LeadingCodePoint("\xc0\xaf"), 0u) << "too long";
  EXPECT_EQ(LeadingCodePoint("\xe0\x80\xaf"), 0u) << "too long";
  EXPECT_EQ(LeadingCodePoint("\xf0\x80\x80\xaf"), 0u) << "too long";
  EXPECT_EQ(LeadingCodePoint("\xf4\x90\x80\x80"), 0u) << "past U+10FFFF";
  EXPECT_EQ(LeadingCodePoint("\xc3("), 0u);
  EXPECT_EQ(LeadingCodePoint("\xff"), 0u);
}

TEST(Utf8, EndsAtTheFirstBadByte) {
  EXPECT_EQ(EndOfUtf8(""), 0u);
  EXPECT_EQ(EndOfUtf8("caf\xc3\xa9"), 5u);
  EXPECT_EQ(EndOfUtf8("caf\xe9 au lait"), 3u);
}

}  // namespace
}  // namespace hearsay
