#include "tasks/words.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hearsay {
namespace {

using ::testing::HasSubstr;

template <typename Enum, typename Parse>
void ExpectRoundTrip(int count, Parse parse) {
  for (int i = 0; i < count; ++i) {
    const Enum value = static_cast<Enum>(i);
    const auto parsed = parse(Name(value));
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(*parsed, value);
  }
  EXPECT_EQ(Name(static_cast<Enum>(count)), "invalid");
}

TEST(WordsTest, NamesAndParsersAgree) {
  ExpectRoundTrip<Dsl>(kDslCount, ParseDsl);
  ExpectRoundTrip<Label>(kLabelCount, ParseLabel);
  ExpectRoundTrip<Stance>(kStanceCount, ParseStance);
  ExpectRoundTrip<Change>(kChangeCount, ParseChange);
}

TEST(WordsTest, NamesAreThoseOfTheFiles) {
  EXPECT_EQ(Name(Dsl::kTirx), "tirx");
  EXPECT_EQ(Name(Label::kUnsupportedClosure), "unsupported_closure");
  EXPECT_EQ(Name(Label::kWorkloadCensus), "workload_census");
  EXPECT_EQ(Name(Stance::kNotWorthIt), "not_worth_it");
  EXPECT_EQ(Name(Change::kHedgeLost), "hedge_lost");
  EXPECT_EQ(Name(Truth::kFalse), "false");
  EXPECT_EQ(Name(Status::kTimeout), "timeout");
  EXPECT_EQ(Name(Status::kCompileError), "compile_error");
  EXPECT_EQ(Name(KnobKind::kMove), "move");
  EXPECT_EQ(Name(KnobKind::kSplit), "split");
  EXPECT_EQ(Name(static_cast<KnobKind>(kKnobKindCount)), "invalid");
  EXPECT_EQ(Name(static_cast<Status>(kStatusCount)), "invalid");
}

TEST(WordsTest, UnknownWordsNameTheNearest) {
  const absl::Status status = ParseStance("infeasable").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("unknown stance 'infeasable'; did you mean 'infeasible'?"));
}

TEST(WordsTest, UnknownWordsFarFromAllNameAll) {
  const absl::Status status = ParseDsl("triton-like").status();
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("unknown DSL 'triton-like'; known: cute, tirx"));
}

TEST(WordsTest, NearestWord) {
  EXPECT_EQ(NearestWord("reley", {"relay", "fanout", "pool"}), "relay");
  EXPECT_EQ(NearestWord("fan", {"relay", "fanout"}), "");  // three letters away
  EXPECT_EQ(NearestWord("", {"a", "ab"}), "");
  EXPECT_EQ(NearestWord("xy", {"ab"}), "");  // every letter differs
  EXPECT_EQ(NearestWord("word", {}), "");
  // A third of twelve letters.
  EXPECT_EQ(NearestWord("abcdefghWXYZ", {"abcdefghijkl"}), "abcdefghijkl");
  EXPECT_EQ(NearestWord("abcdefgVWXYZ", {"abcdefghijkl"}), "");
}

}  // namespace
}  // namespace hearsay
