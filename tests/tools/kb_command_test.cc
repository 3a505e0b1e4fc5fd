#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/tools_testing.h"

namespace hearsay {
namespace {

using ::testing::HasSubstr;

TEST(KbCommandTest, StatCountsEveryByte) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.Run(std::string("run --kb kb --quiet ") + kTinyPlan).code, 0);
  const Ended stat = sandbox.Run("kb stat --kb kb --format csv");
  ASSERT_EQ(stat.code, 0) << stat.err;
  const auto rows = ParseCsv(stat.out);
  ASSERT_GT(rows.size(), 4u);
  EXPECT_EQ(rows[0][3], "bytes");
  int64_t sum = 0;
  for (size_t r = 1; r + 1 < rows.size(); ++r) sum += std::stoll(rows[r][3]);
  EXPECT_EQ(rows.back()[0], "all");
  EXPECT_EQ(std::stoll(rows.back()[3]), sum);
  // 3 problems, 4 lanes, 3 rounds.
  EXPECT_NEAR(std::stod(rows.back()[4]), static_cast<double>(sum) / 36, 0.01 * sum / 36);
  EXPECT_THAT(sandbox.Run("kb stat --kb kb").out, HasSubstr("1 runs, 36 attempts"));
}

TEST(KbCommandTest, RefusesOtherActions) {
  Sandbox sandbox;
  const Ended ended = sandbox.Run("kb shrink");
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("unknown action 'shrink'; known: stat, repair"));
}

TEST(KbCommandTest, RepairNeedsANewPlace) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.Run(std::string("run --kb kb --quiet ") + kTinyPlan).code, 0);
  const Ended nowhere = sandbox.Run("kb repair --kb kb");
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("say where with -o"));
  EXPECT_THAT(sandbox.Run("kb repair --kb kb -o kb").err, HasSubstr("is there already"));
  const Ended inside = sandbox.Run("kb repair --kb kb -o kb/../kb/new");
  EXPECT_EQ(inside.code, 2);
  EXPECT_THAT(inside.err, HasSubstr("'kb/../kb/new' lies in 'kb'"));
  const Ended sound = sandbox.Run("kb repair --kb kb -o new");
  EXPECT_EQ(sound.code, 0) << sound.err;
  EXPECT_THAT(sound.out, HasSubstr("kept 1 runs, 3 rounds, 36 attempts"));
  EXPECT_EQ(sandbox.Run("compare 1 1 --kb kb --kb-b new").code, 0);
}

}  // namespace
}  // namespace hearsay
