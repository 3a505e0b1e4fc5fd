// Every subcommand on a tiny run, as a user would call it.
#include <gmock/gmock.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "kb/skill.h"
#include "tests/tools/tools_testing.h"
#include "tools/command.h"

namespace hearsay {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// One run in a kb, made once for all tests of this program.
class CommandTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    sandbox_ = new Sandbox;
    const Ended run = sandbox_->Run(absl::StrCat("run ", kTinyPlan));
    ASSERT_EQ(run.code, 0) << run.err;
  }
  static void TearDownTestSuite() { delete sandbox_; }

  static Ended Ok(const std::string& line) {
    Ended ended = sandbox_->Run(line);
    EXPECT_EQ(ended.code, 0) << line << ": " << ended.err;
    return ended;
  }
  // The records of `line` as CSV, without the header.
  static std::vector<std::vector<std::string>> Rows(const std::string& line) {
    auto records = ParseCsv(Ok(absl::StrCat(line, " --format csv")).out);
    EXPECT_GE(records.size(), 1u) << line;
    records.erase(records.begin());
    return records;
  }
  static std::string AnyClaim() { return Rows("claims --limit 1")[0][0]; }

  static Sandbox* sandbox_;
};

Sandbox* CommandTest::sandbox_ = nullptr;

TEST_F(CommandTest, RunPrintsIdAndDigestOnStdoutAndOneSummaryLineOnStderr) {
  Sandbox own;
  const Ended ended = own.Run(absl::StrCat("run --format csv ", kTinyPlan));
  EXPECT_EQ(ended.code, 0);
  const auto records = ParseCsv(ended.out);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[1][0], "R1");
  EXPECT_EQ(records[1][1], "complete");
  EXPECT_EQ(records[1][3], "36");
  EXPECT_THAT(records[1][4], ContainsRegex("^[0-9a-f]{16}$"));
  EXPECT_EQ(CountLines(ended.err), 1) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("36 attempts"));
  EXPECT_THAT(ended.err, HasSubstr("auto took c"));
  EXPECT_THAT(own.Run(absl::StrCat("run --quiet ", kTinyPlan)).err, IsEmpty());
}

TEST_F(CommandTest, EveryCommandHasHelpWithExamples) {
  const Ended overview = Ok("--help");
  for (const CommandEntry& command : Commands()) {
    EXPECT_THAT(overview.out, HasSubstr(command.name));
    const Ended help = Ok(absl::StrCat(command.name, " --help"));
    EXPECT_THAT(help.out, HasSubstr("Examples:"));
    EXPECT_THAT(help.out, HasSubstr(absl::StrCat("  hearsay ", command.name)));
    EXPECT_THAT(help.err, IsEmpty());
    EXPECT_EQ(Ok(absl::StrCat("help ", command.name)).out, help.out);
  }
  EXPECT_EQ(Ok("help help").out, overview.out);
  EXPECT_THAT(Ok("--version").out, StartsWith("hearsay "));
}

TEST_F(CommandTest, RowsComeOutInThreeFormats) {
  const std::string claim = AnyClaim();
  for (const std::string& line :
       {std::string("runs"), std::string("claims"), std::string("attempt R1:r2.p71.l1"),
        "ancestry " + claim, "descendants " + claim, "counterfactual " + claim,
        "counterfactual --close-up " + claim, std::string("study transfer"),
        std::string("study persistence"), std::string("study standing"),
        std::string("study content"), std::string("study attribution"),
        std::string("study adoption"), std::string("study propagation"),
        std::string("problems list"), std::string("problems show p71"), std::string("agents"),
        std::string("check"), std::string("compare R1 R1")}) {
    SCOPED_TRACE(line);
    const Ended text = Ok(line);
    EXPECT_THAT(text.err, IsEmpty());
    EXPECT_GE(CountLines(text.out), 2);
    google::protobuf::Struct json;
    const auto parsed =
        google::protobuf::util::JsonStringToMessage(Ok(line + " --format json").out, &json);
    ASSERT_TRUE(parsed.ok()) << parsed.ToString();
    const auto& tables = json.fields().at("tables").list_value();
    ASSERT_GE(tables.values_size(), 1);
    const auto& first = tables.values(0).struct_value().fields();
    const auto records = ParseCsv(Ok(line + " --format csv --table 1").out);
    ASSERT_GE(records.size(), 1u);
    EXPECT_EQ(records.size() - 1, static_cast<size_t>(first.at("rows").list_value().values_size()));
    for (const auto& record : records) EXPECT_EQ(record.size(), records[0].size());
  }
}

TEST_F(CommandTest, RunsListsWhatWasPlanned) {
  const auto rows = Rows("runs");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0][0], "R1");
  EXPECT_EQ(rows[0][1], "complete");
  EXPECT_EQ(rows[0][5], "p01,p09,p71");
}

TEST_F(CommandTest, EveryAttemptReplaysToWhatIsStored) {
  for (const char* id : {"R1:r0.p01.l0", "R1:r1.p09.l3", "R1:r2.p71.l2"}) {
    const Ended ended = Ok(absl::StrCat("attempt ", id));
    EXPECT_THAT(ended.out, ContainsRegex("replay +matches"));
    EXPECT_THAT(ended.out, HasSubstr("Submissions, replayed"));
    EXPECT_THAT(ended.out, HasSubstr("move="));
  }
  EXPECT_THAT(Ok("attempt R1:r1.p09.l3").out, ContainsRegex("sources +R1:r0\\.p09\\.l3"));
  EXPECT_THAT(Ok("attempt R1:r1.p09.l3").out, ContainsRegex("receivers +R1:r2\\.p09\\.l3"));
}

TEST_F(CommandTest, NotesAreSkillFiles) {
  const Ended ended = Ok("note R1:r2.p71.l1");
  const auto note = ParseSkill(ended.out);
  ASSERT_TRUE(note.ok()) << note.status();
  EXPECT_EQ(Format(note->attempt), "R1:r2.p71.l1");
  ASSERT_EQ(note->sources.size(), 1u);
  EXPECT_EQ(Format(note->sources[0]), "R1:r1.p71.l1");
}

TEST_F(CommandTest, KeepsNotesFromOutside) {
  Sandbox own;
  own.Write("SKILL.md", "---\nname: \"outside\"\n---\nTry split-KV.\n");
  EXPECT_EQ(own.Run("note --add SKILL.md").out, "T1\n");
  EXPECT_EQ(own.Run("note --add SKILL.md").out, "T2\n");
  EXPECT_EQ(own.Run("note T1").out, own.Read("SKILL.md"));
  EXPECT_EQ(own.Run("check").code, 0);
}

TEST_F(CommandTest, ClaimsCanBeFiltered) {
  const auto all = Rows("claims --limit 0");
  EXPECT_EQ(Rows("claims").size(), std::min<size_t>(20, all.size()));
  size_t by_truth = 0;
  for (const char* truth : {"--true", "--false", "--open"}) {
    by_truth += Rows(absl::StrCat("claims --limit 0 ", truth)).size();
  }
  EXPECT_EQ(by_truth, all.size());
  for (const auto& row : Rows("claims --problem p71 --dsl cute --alive --min-carriers 2")) {
    EXPECT_TRUE(absl::StrContains(row[0], ".p71.")) << row[0];
    EXPECT_EQ(row[2], "cute");
    EXPECT_EQ(row[13], "yes");
  }
  for (const auto& row : Rows("claims --label open_question,workload_census --sort id")) {
    EXPECT_TRUE(row[4] == "open_question" || row[4] == "workload_census") << row[4];
  }
}

TEST_F(CommandTest, ClaimsAreFoundByWhatTheySay) {
  // "tile=128: not worth it (...)" of some claim; without spaces, which divide arguments here.
  std::string subject;
  const auto all = Rows("claims --limit 0");
  for (const auto& row : all) {
    const std::string words = row.back().substr(0, row.back().find(' '));
    if (absl::StrContains(words, '=')) subject = words;
  }
  ASSERT_FALSE(subject.empty());
  size_t expected = 0;
  for (const auto& row : all) expected += absl::StartsWith(row.back(), subject);
  EXPECT_EQ(Rows("claims --limit 0 --text " + subject).size(), expected);
  EXPECT_EQ(Rows("claims --limit 0 --text CLOSURE").size(),
            Rows("claims --limit 0 --label unsupported_closure").size());
  const std::string most = Rows("claims --limit 1 --text " + subject)[0][0];
  EXPECT_THAT(Ok("ancestry --text " + subject).out, StartsWith("Ancestry of " + most));
  const Ended nothing = sandbox_->Run("ancestry --text gibberish");
  EXPECT_EQ(nothing.code, 1);
  EXPECT_THAT(nothing.err, HasSubstr("no claim of run R1 says 'gibberish'"));
  EXPECT_EQ(sandbox_->Run(absl::StrCat("ancestry --text x ", most)).code, 2);
}

TEST_F(CommandTest, AncestryTellsCarriersByRoundAndWhatTwoClaimsShare) {
  const auto row = Rows("claims --sort carriers --limit 1")[0];
  int64_t carriers = 0;
  for (const auto& round : Rows(absl::StrCat("ancestry --table 4 ", row[0]))) {
    carriers += std::stoll(round[1]);
  }
  EXPECT_EQ(carriers, std::stoll(row[9]));
  const auto common = Rows(absl::StrCat("ancestry --table 5 --with ", row[0], " ", row[0]));
  ASSERT_EQ(common.size(), 1u);
  EXPECT_EQ(common[0][0], row[0]);
  EXPECT_EQ(common[0][1], "0");
  const Ended bad = sandbox_->Run(absl::StrCat("ancestry --with R1:x ", row[0]));
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, HasSubstr("--with: "));
  EXPECT_EQ(sandbox_->Run(absl::StrCat("ancestry --with R2:r0.p71.l0#1 ", row[0])).code, 2);
}

TEST_F(CommandTest, AncestryAndDescendantsAreOfTheClaimAskedFor) {
  const std::string claim = AnyClaim();
  EXPECT_THAT(Ok("ancestry " + claim).out, StartsWith("Ancestry of " + claim));
  EXPECT_THAT(Ok("descendants --limit 2 " + claim).out, StartsWith("Descendants of " + claim));
  EXPECT_THAT(Ok("descendants " + claim + " --run R1").out, HasSubstr(claim));
}

TEST_F(CommandTest, ACounterfactualTellsWhatChangesRoundByRound) {
  const std::string claim = Rows("claims --sort carriers --limit 1 --born-to 0")[0][0];
  const std::string line = absl::StrCat("counterfactual ", claim, " --limit 1");
  EXPECT_EQ(Rows(line + " --table 2").size(), 3u);  // from round 0 on
  EXPECT_LE(Rows(line + " --table 3").size(), 1u);
  EXPECT_THAT(Ok(line).out, ContainsRegex("first_change +(-|round [12], lane [0-3], )"));
  EXPECT_EQ(Ok(line + " --threads 1").out, Ok(line + " --threads 3").out);
}

TEST_F(CommandTest, GraphsAreDotOrSvg) {
  const std::string claim = AnyClaim();
  EXPECT_THAT(Ok("graph " + claim).out, ContainsRegex("digraph"));
  EXPECT_THAT(Ok("graph " + claim + " --format svg --up 1 --down 1").out, HasSubstr("<svg"));
  const Ended file = Ok("graph " + claim + " -o graph.svg --max-nodes 5");
  EXPECT_THAT(file.out, IsEmpty());
  EXPECT_THAT(file.err, HasSubstr("wrote graph.svg"));
  EXPECT_THAT(sandbox_->Read("graph.svg"), HasSubstr("</svg>"));
  EXPECT_THAT(Ok("graph " + claim + " -o graph.dot").out, IsEmpty());
  EXPECT_THAT(sandbox_->Read("graph.dot"), ContainsRegex("digraph"));
  Ok("graph " + claim + " -o graph.png");
  EXPECT_THAT(sandbox_->Read("graph.png"), StartsWith("\x89PNG\r\n"));
  Ok("graph " + claim + " -o graph.pdf");
  EXPECT_THAT(sandbox_->Read("graph.pdf"), StartsWith("%PDF-"));
}

TEST_F(CommandTest, GraphsAreOfAProblemOrOfTheMostHarmful) {
  EXPECT_THAT(Ok("graph --problem p71 -o p71.svg").err,
              ContainsRegex("propagation of all claims on p71, showing [0-9]+ of [0-9]+ versions"));
  const std::string harmful = Ok("graph --harmful 2 --format svg").out;
  EXPECT_THAT(harmful, HasSubstr("Run R1: the 2 most harmful closures"));
  EXPECT_THAT(harmful, ContainsRegex(">R1:r[0-9.plr]+#[0-9]+: [0-9.]+ doublings lost by [0-9]+ "));
  EXPECT_THAT(Ok("graph --harmful 1 --problem p71").out,
              HasSubstr("the most harmful closure on p71"));
  EXPECT_THAT(Ok("graph --problem p71 --collapse never --max-nodes 3").out, HasSubstr("left out"));
}

TEST_F(CommandTest, WithoutRecordedLossesNothingIsHarmful) {
  Sandbox own;
  ASSERT_EQ(own.Run("run --problems p71 --rounds 1 --lanes 1").code, 0);
  const Ended ended = own.Run("graph --harmful 3");
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err, HasSubstr("run R1 has no closure that cost anybody anything"));
}

TEST_F(CommandTest, WithoutAClaimTheLongestLivedFalseClosureIsMeant) {
  Sandbox own;
  ASSERT_EQ(own.Run("run --problems linear_attention --rounds 4 --lanes 6").code, 0);
  EXPECT_THAT(own.Run("ancestry").out, ContainsRegex("^Ancestry of R1:r"));
  EXPECT_THAT(own.Run("descendants").out, ContainsRegex("^Descendants of R1:r"));
  EXPECT_THAT(own.Run("counterfactual").out, ContainsRegex("^Without R1:r"));
  const Ended graph = own.Run("graph -o longest.svg");
  EXPECT_EQ(graph.code, 0);
  EXPECT_THAT(graph.err, ContainsRegex("wrote longest.svg: Run R1: propagation of R1:r"));
}

TEST_F(CommandTest, ProblemsAreListedShownAndChecked) {
  EXPECT_EQ(Rows("problems list").size(), 74u);
  EXPECT_THAT(Ok("problems show p71 --hardware b200").out, HasSubstr("best_speedup_b200_cute"));
  EXPECT_THAT(Ok("problems check").out, HasSubstr("Degenerate landscapes\n(none)"));
}

TEST_F(CommandTest, AgentsComeAsPlansWriteThem) {
  EXPECT_THAT(Ok("agents").out, HasSubstr("steady"));
  Sandbox own;
  own.Write("agents.textproto", Ok("agents --textproto").out);
  EXPECT_EQ(own.Run("plan agents.textproto").code, 0);
}

TEST_F(CommandTest, APrintedPlanRunsToTheSameDigests) {
  Sandbox own;
  own.Write("plan.textproto", Ok(absl::StrCat("plan --topology pool:2,best ", kTinyPlan)).out);
  ASSERT_EQ(own.Run("run plan.textproto").code, 0);
  ASSERT_EQ(own.Run(absl::StrCat("run --topology pool:2,best ", kTinyPlan)).code, 0);
  EXPECT_EQ(own.Run("compare 1 2").code, 0);
}

TEST_F(CommandTest, FlagsOverrideThePlan) {
  Sandbox own;
  own.Write("plan.textproto",
            "rounds: 2 lanes: 3 problems: \"p05\" agents: \"bold\"\n"
            "policies { name: \"ttl\" strength: 3 }\n");
  const std::string plan =
      own.Run("plan plan.textproto --rounds 7 --agents timid,steady --policy ttl=4").out;
  EXPECT_THAT(plan, HasSubstr("rounds: 7\n"));
  EXPECT_THAT(plan, HasSubstr("lanes: 3\n"));
  EXPECT_THAT(plan, HasSubstr("agents: \"timid\"\nagents: \"steady\"\n"));
  EXPECT_THAT(plan, HasSubstr("strength: 4\n"));
  EXPECT_THAT(plan, Not(HasSubstr("bold")));
}

TEST_F(CommandTest, SummaryRunsAnswerWhatTheyCan) {
  Sandbox own;
  ASSERT_EQ(own.Run(absl::StrCat("run --record summary ", kTinyPlan)).code, 0);
  EXPECT_EQ(own.Run("study transfer").code, 0);
  EXPECT_EQ(own.Run("check").code, 0);
  const Ended attempt = own.Run("attempt R1:r1.p71.l0");
  EXPECT_EQ(attempt.code, 0);
  EXPECT_THAT(attempt.out, HasSubstr("recorded without claims"));
  for (const char* line : {"note R1:r1.p71.l0", "claims", "study persistence", "graph"}) {
    const Ended refused = own.Run(line);
    EXPECT_EQ(refused.code, 1) << line;
    EXPECT_THAT(refused.err, HasSubstr("without claims")) << line;
  }
}

TEST_F(CommandTest, CompareNamesTheFirstDifference) {
  Sandbox own;
  ASSERT_EQ(own.Run(absl::StrCat("run ", kTinyPlan)).code, 0);
  ASSERT_EQ(own.Run(absl::StrCat("run --seed 2 ", kTinyPlan)).code, 0);
  ASSERT_EQ(own.Run("run --problems p01,p09,p71 --lanes 4 --rounds 2").code, 0);
  ASSERT_EQ(own.Run("run --problems p01,p71 --lanes 4 --rounds 3").code, 0);
  ASSERT_EQ(own.Run("run --problems p01,p09,p71 --lanes 5 --rounds 3").code, 0);
  const std::string other = "compare R1 R1 --kb-b " + sandbox_->path("hearsay.kb");
  EXPECT_EQ(own.Run(other).code, 0);
  const struct {
    const char* line;
    const char* words;
  } cases[] = {
      {"compare 1 2", "R1 and R2 differ first in round 0, p01, lane "},
      {"compare 1 3", "round 2: only one of them has this round: 3 rounds, not 2"},
      {"compare 1 4", "round 0, p09: only R1 has this problem"},
      {"compare 5 1", "round 0, p01, lane 4: only one of them has this lane: 5 lanes, not 4"},
  };
  for (const auto& c : cases) {
    const Ended ended = own.Run(c.line);
    EXPECT_EQ(ended.code, 3) << c.line;
    EXPECT_THAT(ended.err, HasSubstr(c.words));
    EXPECT_EQ(CountLines(ended.err), 1);
  }
}

TEST_F(CommandTest, ABrokenPipeEndsQuietly) {
  const Ended ended = sandbox_->Shell(
      "hearsay claims --limit 0 --format csv | head -n 1 >/dev/null; echo ${PIPESTATUS[0]}");
  EXPECT_EQ(ended.out, "0\n");
  EXPECT_THAT(ended.err, IsEmpty());
}

TEST_F(CommandTest, AFullStandardOutputIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full here";
  const Ended ended = sandbox_->Shell("hearsay runs > /dev/full");
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err, HasSubstr("standard output cannot be written: No space left"));
}

}  // namespace
}  // namespace hearsay
