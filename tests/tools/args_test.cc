// Parsing of arguments: what is accepted, and what the errors say.
#include "tools/args.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_split.h"
#include "tools/progress.h"

namespace hearsay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Values {
  std::string word;
  std::optional<std::string> second, text;
  std::vector<std::string> list;
  int64_t number = 5;
  std::string choice = "text";
  bool on = false;
};

absl::StatusOr<ArgParser::Parsed> Parse(const std::string& line, Values* values,
                                        std::string* help = nullptr) {
  ArgParser args("hearsay try", "Tries.", "  hearsay try\n");
  args.AddWord("WORD", "A word", &values->word);
  args.AddOptionalWord("SECOND", "Another", &values->second);
  args.AddText("--text", "T", "A text", &values->text);
  args.AddList("--list", "L", "A list", &values->list);
  args.AddNumber("-n,--number", "A number", 0, 9, &values->number);
  args.AddChoice("--choice", {"text", "json"}, "A choice", &values->choice);
  args.AddSwitch("--on", "A switch", &values->on);
  if (help != nullptr) *help = args.Help();
  return args.Parse(absl::StrSplit(line, ' ', absl::SkipEmpty()));
}

TEST(ArgsTest, FillsInValues) {
  Values values;
  const auto parsed =
      Parse("--list a,b one --number=7 --list c --on two --text x --choice json", &values);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(*parsed, ArgParser::Parsed::kReady);
  EXPECT_EQ(values.word, "one");
  EXPECT_EQ(values.second, "two");
  EXPECT_EQ(values.text, "x");
  EXPECT_THAT(values.list, ElementsAre("a", "b", "c"));
  EXPECT_EQ(values.number, 7);
  EXPECT_EQ(values.choice, "json");
  EXPECT_TRUE(values.on);
}

TEST(ArgsTest, TakesDashesAfterAnEqualsSign) {
  Values values;
  ASSERT_TRUE(Parse("one --text=--on --list=--a", &values).ok());
  EXPECT_EQ(values.text, "--on");
  EXPECT_FALSE(values.on);
  EXPECT_THAT(values.list, ElementsAre("--a"));
}

TEST(ArgsTest, KeepsDefaults) {
  Values values;
  ASSERT_TRUE(Parse("one", &values).ok());
  EXPECT_FALSE(values.second.has_value());
  EXPECT_EQ(values.number, 5);
  EXPECT_EQ(values.choice, "text");
}

TEST(ArgsTest, HelpNamesEverything) {
  Values values;
  std::string help;
  const auto parsed = Parse("--help", &values, &help);
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(*parsed, ArgParser::Parsed::kHelp);
  for (const char* part : {"Tries.", "WORD", "SECOND", "--text T", "--list L", "-n,--number N",
                           "--choice text|json", "--on", "Examples:", "hearsay try"}) {
    EXPECT_THAT(help, HasSubstr(part));
  }
}

TEST(ArgsTest, ErrorsNameFlagAndValue) {
  const struct {
    const char* line;
    const char* message;
  } cases[] = {
      {"", "needs WORD: A word"},
      {"one --txt x", "unknown flag '--txt'; did you mean '--text'?"},
      {"one --txt=x", "unknown flag '--txt'; did you mean '--text'?"},
      {"one --zzzzzzz", "unknown flag '--zzzzzzz'; known: --help, --text"},
      {"one two three", "unexpected argument 'three'"},
      {"one --text", "--text needs a value"},
      {"one --text --on", "--text needs a value, but '--on' follows"},
      {"one --text a --text b", "--text is given twice"},
      {"one --number x", "--number: 'x' is not a whole number from 0 to 9"},
      {"one -n 10", "--number: '10' is not a whole number from 0 to 9"},
      {"one --number -1", "--number: '-1' is not a whole number from 0 to 9"},
      {"one --choice jsn", "--choice: unknown value 'jsn'; did you mean 'json'?"},
  };
  for (const auto& c : cases) {
    Values values;
    const auto parsed = Parse(c.line, &values);
    ASSERT_FALSE(parsed.ok()) << c.line;
    EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(parsed.status().message()), HasSubstr(c.message)) << c.line;
  }
}

TEST(ProgressTest, RatesAndTimesAreShort) {
  EXPECT_EQ(FormatRate(950), "950/s");
  EXPECT_EQ(FormatRate(12345), "12.3 k/s");
  EXPECT_EQ(FormatRate(4.05e6), "4.05 M/s");
  EXPECT_EQ(FormatDuration(7.2), "8 s");
  EXPECT_EQ(FormatDuration(200), "3 min 20 s");
  EXPECT_EQ(FormatDuration(7500), "2 h 5 min");
}

TEST(ProgressTest, SaysRateAndTimeLeftOnceKnown) {
  RunProgress progress;
  progress.run = 1;
  progress.rounds = 20;
  progress.attempts = 4000;
  EXPECT_EQ(FormatProgress(progress, 0), "R1: round 0 of 20");
  progress.rounds_done = 5;
  progress.attempts_done = 1000;
  EXPECT_EQ(FormatProgress(progress, 2), "R1: round 5 of 20, 500/s, 6 s left");
}

}  // namespace
}  // namespace hearsay
