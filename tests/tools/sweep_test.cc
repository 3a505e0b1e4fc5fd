// hearsay sweep: grids, what is already there, and study policies on what it made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "absl/strings/str_cat.h"
#include "tests/tools/tools_testing.h"

namespace hearsay {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::vector<std::string>> Csv(const Ended& ended) {
  EXPECT_EQ(ended.code, 0) << ended.err;
  return ParseCsv(ended.out);
}

TEST(SweepTest, RunsEveryPointOnceAndTakesUpWhatIsThere) {
  const Sandbox sandbox;
  const std::string line =
      absl::StrCat("sweep ", kTinyPlan,
                   " --vary topology=relay/pool:2,best --vary seed=1/2 --format csv --quiet");
  const Ended first = sandbox.Run(line);
  const auto rows = Csv(first);
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_THAT(rows[0], ::testing::Contains("dGM_low"));
  EXPECT_EQ(rows[1][0], "relay");
  EXPECT_EQ(rows[2][1], "2");
  EXPECT_EQ(rows[3][0], "pool:2,best");
  EXPECT_EQ(rows[4][2], "R4");
  EXPECT_THAT(first.err, IsEmpty());
  // A second time nothing is run, and a wider grid runs what is new.
  EXPECT_EQ(sandbox.Run(line).out, first.out);
  const auto wider = Csv(sandbox.Run(line + " --vary policy=none/ttl=1"));
  ASSERT_EQ(wider.size(), 9u);
  EXPECT_EQ(wider[1][3], "R1");
  EXPECT_EQ(wider[2][3], "R5");
  // The rows are those of the runs as such.
  const auto runs = Csv(sandbox.Run("runs --format csv"));
  EXPECT_EQ(runs.size(), 9u);
}

TEST(SweepTest, GoesOnWithARunThatWasKilled) {
  const Sandbox sandbox;
  const std::string plan = "--problems p01,p09 --lanes 40 --rounds 60";
  const pid_t pid = sandbox.Start("run " + plan);
  AwaitRounds(sandbox.path("hearsay.kb"), 2, pid);
  kill(pid, SIGKILL);
  sandbox.Wait(pid);
  const auto rows = Csv(sandbox.Run(absl::StrCat("sweep ", plan, " --vary seed=1 --format csv")));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1][1], "R1");
  const Sandbox whole;
  const auto expected = Csv(whole.Run(absl::StrCat("run ", plan, " --format csv")));
  EXPECT_EQ(rows[1][2], expected[1][4]) << "another digest than in one go";
}

TEST(SweepTest, PoliciesAreComparedWithNone) {
  const Sandbox sandbox;
  const std::string plan = absl::StrCat("sweep ", kTinyPlan, " --quiet --vary policy=");
  ASSERT_EQ(sandbox.Run(plan + "verify_gate/keep_hedges=0.5,ttl=2").code, 0);
  const Ended lacking = sandbox.Run("study policies");
  EXPECT_EQ(lacking.code, 1);
  EXPECT_THAT(lacking.err, HasSubstr("no complete run of the plan of R2 without policies"));
  ASSERT_EQ(sandbox.Run(plan + "none").code, 0);
  // A run of another plan is none of the family.
  ASSERT_EQ(sandbox.Run(absl::StrCat("run ", kTinyPlan, " --seed 5 --quiet")).code, 0);
  const auto rows = Csv(sandbox.Run("study policies --run 1 --format csv"));
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[1][1], "none");
  EXPECT_EQ(rows[2][1], "verify_gate=1");
  EXPECT_EQ(rows[3][1], "keep_hedges=0.5 ttl=2");
}

TEST(SweepTest, BadInputIsNamed) {
  const Sandbox sandbox;
  const struct {
    const char* line;
    const char* sentence;
  } kCases[] = {
      {"sweep", "needs --vary FIELD=VALUE/VALUE"},
      {"sweep --vary seed", "'seed' is not FIELD=VALUE/VALUE"},
      {"sweep --vary topolgy=relay", "unknown field 'topolgy'; did you mean 'topology'?"},
      {"sweep --vary topology=relay/rely", "--vary topology=rely: unknown topology 'rely'"},
      {"sweep --vary policy=ttl=0", "policy ttl is 0"},
      {"sweep --vary rounds=0/1", "--vary rounds=0"},
      {"sweep --vary seed=1 --vary seed=2", "--vary seed: is given twice"},
      {"sweep --vary agents=steady,nobody", "nobody"},
      {"sweep --seed 3 --vary seed=1/2", "--vary seed and --seed exclude each other"},
      {"sweep --vary policy=none --policy ttl=1", "--vary policy and --policy exclude"},
  };
  for (const auto& bad : kCases) {
    const Ended ended = sandbox.Run(bad.line);
    EXPECT_EQ(ended.code, 2) << bad.line;
    EXPECT_THAT(ended.err, HasSubstr(bad.sentence));
    EXPECT_EQ(CountLines(ended.err), 1) << ended.err;
  }
}

}  // namespace
}  // namespace hearsay
