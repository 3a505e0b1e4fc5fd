// hearsay study and report of several runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/tools/tools_testing.h"

namespace hearsay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// R1 to R4: relay and pool, with seeds 1 and 2; each without policies.
class RunSetCommandTest : public ::testing::Test {
 protected:
  RunSetCommandTest() {
    const Ended ended = sandbox.Run(absl::StrCat(
        "sweep --quiet ", kTinyPlan, " --vary topology=relay/pool:2,best --vary seed=1/2"));
    EXPECT_EQ(ended.code, 0) << ended.err;
  }

  Sandbox sandbox;
};

TEST_F(RunSetCommandTest, EveryStudyTakesSeveralRunsInAnyOrder) {
  for (const char* study : {"transfer", "standing", "content", "attribution", "adoption",
                            "propagation", "persistence", "policies", "published"}) {
    SCOPED_TRACE(study);
    const std::string command = absl::StrCat("study ", study, " --format json --run ");
    const Ended all = sandbox.Run(absl::StrCat(command, "all"));
    ASSERT_EQ(all.code, 0) << all.err;
    EXPECT_EQ(sandbox.Run(absl::StrCat(command, "R4,2-3,1,2")).out, all.out);
    EXPECT_THAT(all.out, Not(HasSubstr("nan")));
    EXPECT_THAT(all.out, HasSubstr("seed (1; 2), topology (relay; pool:2,best)"));
  }
}

TEST_F(RunSetCommandTest, RowsByRunAddUpToThePooledOne) {
  const Ended pooled = sandbox.Run("study transfer --table 1 --format csv --run 1,2,4");
  ASSERT_EQ(pooled.code, 0) << pooled.err;
  const auto rows = ParseCsv(pooled.out);
  ASSERT_EQ(rows[0][1], "run");
  ASSERT_EQ(rows[0][5], "comparisons");
  EXPECT_EQ(rows[1][0], "all");
  int sum = 0;
  for (int i : {2, 3, 4}) {
    EXPECT_EQ(rows[i][0], "run");
    sum += std::stoi(rows[i][5]);
  }
  EXPECT_EQ(rows[4][1], "R4");
  EXPECT_EQ(sum, std::stoi(rows[1][5]));
  // The row of a run is what the study of that run says of all.
  const auto alone = ParseCsv(sandbox.Run("study transfer --table 1 --format csv --run 4").out);
  EXPECT_THAT(alone[0], Not(::testing::Contains("run")));
  EXPECT_EQ(std::vector<std::string>(alone[1].begin() + 4, alone[1].end()),
            std::vector<std::string>(rows[4].begin() + 5, rows[4].end()));
}

TEST_F(RunSetCommandTest, TheReportOfSeveralRuns) {
  const Ended ended = sandbox.Run("report 1-2 -o page.html");
  ASSERT_EQ(ended.code, 0) << ended.err;
  const std::string page = sandbox.Read("page.html");
  EXPECT_THAT(page, HasSubstr("<h1>hearsay: runs R1, R2</h1>"));
  EXPECT_THAT(page, HasSubstr("the runs differ in seed (1; 2)"));
  EXPECT_THAT(page, HasSubstr("<h2>Persistence</h2>"));
  EXPECT_EQ(sandbox.Run("report R2,R1").out, page);
}

TEST_F(RunSetCommandTest, RunsThatCannotBePooledAreRefused) {
  // R5 is longer; R6 is on another hardware; R7 repeats R1 but for a round; R8 has an agent of the
  // same name that is another.
  ASSERT_EQ(sandbox.Run("run --quiet --problems p01,p09,p71 --lanes 4 --rounds 4").code, 0);
  ASSERT_EQ(sandbox.Run(absl::StrCat("run --quiet --hardware b200 ", kTinyPlan)).code, 0);
  ASSERT_EQ(sandbox.Run(absl::StrCat("run --quiet ", kTinyPlan)).code, 0);
  sandbox.Write("other.textproto",
                "problems: \"p01,p09,p71\" agents: \"steady\" agent_specs { name: \"steady\" "
                "based_on: \"bold\" } lanes: 4 rounds: 3");
  const Ended made = sandbox.Run("run other.textproto --quiet");
  ASSERT_EQ(made.code, 0) << made.err;
  const struct {
    const char* runs;
    const char* why;
  } kRefused[] = {
      {"1,5", "R1 and R5 cannot be pooled: they have 3 and 4 rounds"},
      {"6,1", "R1 and R6 cannot be pooled: their landscapes are of h200 and of b200"},
      {"1-3,7", "R1 and R7 cannot be pooled: they have the same plan and seed"},
      {"1,8", "R1 and R8 cannot be pooled: agent 'steady' is not the same in both"},
      {"3-1", "'3-1' is no run; write R3, or several as 1,3,5, 2-6 or all"},
      {"1,,2", "'' is no run"},
  };
  for (const auto& [runs, why] : kRefused) {
    SCOPED_TRACE(runs);
    const Ended study = sandbox.Run(absl::StrCat("study transfer --run ", runs));
    EXPECT_EQ(study.code, 2);
    EXPECT_THAT(study.err, HasSubstr(why));
    EXPECT_EQ(CountLines(study.err), 1);
    EXPECT_EQ(study.out, "");
    EXPECT_EQ(sandbox.Run(absl::StrCat("report ", runs)).code, 2);
  }
  EXPECT_EQ(sandbox.Run("study transfer --run 1,99").code, 1);
}

}  // namespace
}  // namespace hearsay
