// Bad input: the exit code, one sentence that names the offending value, and nothing lost.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "absl/strings/str_cat.h"
#include "kb/store.h"
#include "rocksdb/db.h"
#include "tests/tools/tools_testing.h"

namespace hearsay {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

void ExpectRefusal(const Sandbox& sandbox, const std::string& line, int code,
                   const std::string& words) {
  SCOPED_TRACE(line);
  const Ended ended = sandbox.Run(line);
  EXPECT_EQ(ended.code, code) << ended.err;
  EXPECT_THAT(ended.out, IsEmpty());
  EXPECT_THAT(ended.err, StartsWith("hearsay: "));
  EXPECT_EQ(CountLines(ended.err), 1) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr(words));
}

class BadInputTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(sandbox_.Run(absl::StrCat("run --quiet ", kTinyPlan)).code, 0);
  }
  // Whatever was refused, the kb is as it was.
  void TearDown() override {
    EXPECT_EQ(sandbox_.Run("check").code, 0);
    EXPECT_EQ(CommittedRounds(sandbox_.path("hearsay.kb")), 3);
  }

  Sandbox sandbox_;
};

TEST_F(BadInputTest, Usage) {
  const struct {
    const char* line;
    const char* words;
  } cases[] = {
      {"clams", "unknown command 'clams'; did you mean 'claims'?"},
      {"--verion", "unknown flag '--verion'; did you mean '--version'?"},
      {"run --lane 3", "unknown flag '--lane'; did you mean '--lanes'?"},
      {"claims --labl x", "unknown flag '--labl'; did you mean '--label'?"},
      {"run a b", "unexpected argument 'b'"},
      {"run --rounds", "--rounds needs a value"},
      {"run --rounds 3 --rounds 4", "--rounds is given twice"},
      {"run --rounds 0", "--rounds: '0' is not a whole number from 1"},
      {"run --rounds many", "--rounds: 'many'"},
      {"run --lanes 0", "--lanes: '0'"},
      {"run --lanes 1048577", "--lanes: '1048577' is not a whole number from 1 to 1048576"},
      {"run --threads 0", "--threads: '0'"},
      {"run --seed -1", "--seed: '-1'"},
      {"run --problems p99", "--problems: unknown problem 'p99'"},
      {"run --problems linear_atention", "did you mean 'linear_attention'?"},
      {"run --agents stedy", "--agents: unknown agent 'stedy'; did you mean 'steady'?"},
      {"run --policy verify_gat=1",
       "--policy: unknown policy 'verify_gat'; did you mean 'verify_gate'?"},
      {"run --policy retract=2", "--policy: policy retract has strength 2"},
      {"run --policy retract=x", "strength 'x' is not a number"},
      {"run --policy ttl=1 --policy ttl=2", "--policy: policy ttl is given twice"},
      {"run --topology poll:2", "--topology: unknown topology 'poll'; did you mean 'pool'?"},
      {"run --topology pool:9", "'9' is not a whole number from 1 to 8"},
      {"run --dsl-schedule cuet", "did you mean 'cute'?"},
      {"run --agent-schedule rotat", "did you mean 'rotate'?"},
      {"run --hardware h2000", "'h2000'"},
      {"run --record some", "'some'"},
      {"run --executor gpu", "--executor: unknown value 'gpu'"},
      {"run --resume --verify", "excludes --resume"},
      {"run --resume --rounds 4", "takes no --rounds"},
      {"run --resume --policy ttl=1", "takes no --policy"},
      {"run --run 1", "needs --resume"},
      {"run --resume --run x", "--run: 'x' is no run"},
      {"attempt", "needs ID"},
      {"attempt R1", "'R1' is no attempt id"},
      {"attempt R1:r0.p71", "'R1:r0.p71' is no attempt id"},
      {"note", "needs an ID, or --add FILE"},
      {"note T0", "'T0' is no text from outside"},
      {"note R1:r0.p71.l0#1", "'R1:r0.p71.l0#1'"},
      {"note T1 --add x", "exclude each other"},
      {"ancestry R1:r0.p71.l0", "'R1:r0.p71.l0' is no claim id"},
      {"ancestry R1:r0.p71.l0#1 --run 2", "--run 2: the id is of run R1"},
      {"descendants R1:r0.p71.l0#1 --problem p71", "--problem p71"},
      {"descendants R1:r0.p71.l0#1 --limit 0", "--limit: '0'"},
      {"counterfactual R1:r0.p71.l0", "'R1:r0.p71.l0' is no claim id"},
      {"counterfactual --limit -1", "--limit: '-1'"},
      {"graph --format gif", "--format: unknown value 'gif'"},
      {"graph -o closure.jpg", "-o closure.jpg: no drawing has the ending '.jpg'"},
      {"graph --link x/{id}", "--link: '{id}' in a link: known are {claim}"},
      {"graph --link x -o a.png", "--link x: a PNG holds no links"},
      {"graph --link \xff{claim} -o a.svg", "is not UTF-8"},
      {"note --add /dev/zero", "'/dev/zero' has more than 64 MiB"},
      {"run /dev/zero", "'/dev/zero' has more than 64 MiB"},
      {"graph --problem p71 --up 3", "--up counts from a claim"},
      {"graph --problem p71 --down 0", "--down counts from a claim"},
      {"graph --problem p75", "--problem: unknown problem 'p75'"},
      {"export --format xml", "--format: unknown value 'xml'"},
      {"export -o run.json", "-o run.json: its name does not tell the format"},
      {"export --format csv", "csv is two tables: name a directory"},
      {"export --from 3 --to 2", "--from 3 is after --to 2"},
      {"export --problem p0", "--problem: "},
      {"export R0", "'R0' is no run"},
      {"graph --harmful 0", "--harmful: '0'"},
      {"graph R1:r0.p71.l0#1 --harmful 2", "--harmful 2 chooses claims, but one is given"},
      {"graph R1:r0.p71.l0#1 --problem p71", "--problem p71 chooses a claim"},
      {"graph --collapse often", "--collapse: unknown value 'often'"},
      {"graph --max-nodes 0", "--max-nodes: '0'"},
      {"claims --label unsupported_closur",
       "--label: unknown label 'unsupported_closur'; did you mean 'unsupported_closure'?"},
      {"claims --stance usee", "--stance: unknown stance 'usee'"},
      {"claims --change boorn", "--change: unknown change 'boorn'; did you mean 'born'?"},
      {"claims --dsl cutee", "--dsl: unknown DSL 'cutee'; did you mean 'cute'?"},
      {"claims --problem p0", "'p0'"},
      {"claims --sort size", "--sort: unknown value 'size'"},
      {"claims --born-from 3 --born-to 2", "--born-from 3 is after --born-to 2"},
      {"claims --run R0", "--run: 'R0' is no run"},
      {"study", "needs STUDY"},
      {"study persistance", "unknown study 'persistance'; did you mean 'persistence'?"},
      {"study weather", "known: transfer, standing"},
      {"study transfer --table 9", "there is no table 9"},
      {"problems", "needs ACTION"},
      {"problems shew", "unknown action 'shew'; did you mean 'show'?"},
      {"problems show", "needs a problem"},
      {"problems show p7", "'p7'"},
      {"problems list p71", "'p71'"},
      {"problems list --hardware b200", "problems list takes no --hardware"},
      {"problems check --hardware h100", "--hardware: "},
      {"compare 1", "needs RUN_B"},
      {"compare 1 two", "'two' is no run"},
      {"runs --format xml", "--format: unknown value 'xml'"},
  };
  for (const auto& c : cases) ExpectRefusal(sandbox_, c.line, 2, c.words);
}

TEST_F(BadInputTest, ThingsThatAreNotThere) {
  const struct {
    const char* line;
    const char* words;
  } cases[] = {
      {"run nowhere.textproto", "cannot read 'nowhere.textproto': No such file"},
      {"runs --kb nowhere", "there is no kb at 'nowhere'"},
      {"run --resume --kb nowhere", "there is no kb at 'nowhere'"},
      {"run --resume", "no run to resume"},
      {"run --resume --run 1", "run 1 is complete"},
      {"run --resume --run 7", "R7"},
      {"claims --run 7", "no run R7; its last is R1"},
      {"study transfer --run 7", "no run R7"},
      {"attempt R1:r9.p71.l0", "no attempt R1:r9.p71.l0"},
      {"attempt R1:r0.p70.l0", "no attempt R1:r0.p70.l0"},
      {"attempt R1:r0.p71.l4", "no attempt R1:r0.p71.l4"},
      {"attempt R2:r0.p71.l0", "no run R2"},
      {"note R1:r0.p71.l4", "no attempt R1:r0.p71.l4"},
      {"note T1", "no text T1"},
      {"note --add nowhere.md", "cannot read 'nowhere.md'"},
      {"ancestry R1:r0.p71.l0#32", "R1:r0.p71.l0#32"},
      {"counterfactual R1:r0.p71.l0#32", "R1:r0.p71.l0#32"},
      {"descendants R7:r0.p71.l0#1", "R7"},
      {"graph R1:r0.p71.l9#1", "R1:r0.p71.l9#1"},
      {"graph R1:r0.p71.l0#1 -o no/where.svg", "cannot write 'no/where.svg': No such file"},
      {"graph --problem p02", "run R1 has no problem p02"},
      {"claims --problem p02", "run R1 has no problem 'p02'"},
      {"claims --problem moe", "run R1 has no problem 'moe'"},
      {"ancestry --problem p02", "run R1 has no problem p02"},
      {"descendants --text move --problem p02", "run R1 has no problem p02"},
      {"counterfactual --problem p02", "run R1 has no problem p02"},
      {"export --problem p02", "run R1 has no problem p02"},
      {"export --from 3", "run R1 has no round 3: it has 3, from 0 on"},
      {"run --kb no/where.kb", "'no/where.kb' cannot be made: the directory it is to lie in"},
      {"export R7", "no run R7"},
      {"export -o no/where.graphml", "cannot write 'no/where.graphml': No such file"},
      {"compare 1 7", "no run R7"},
      {"compare 1 1 --kb-b nowhere", "there is no kb at 'nowhere'"},
  };
  for (const auto& c : cases) ExpectRefusal(sandbox_, c.line, 1, c.words);
  EXPECT_FALSE(std::filesystem::exists(sandbox_.path("nowhere")));
}

TEST_F(BadInputTest, Plans) {
  sandbox_.Write("field.textproto", "rounds: 3\nlane: 4\n");
  ExpectRefusal(sandbox_, "run field.textproto", 2, "field.textproto:2:");
  sandbox_.Write("type.textproto", "rounds: \"three\"\n");
  ExpectRefusal(sandbox_, "run type.textproto", 2, "type.textproto:1:");
  sandbox_.Write("value.textproto", "lanes: 0\n");
  ExpectRefusal(sandbox_, "plan value.textproto", 2, "value.textproto: lanes is 0");
  sandbox_.Write("agent.textproto", "agents: \"steddy\"\n");
  ExpectRefusal(sandbox_, "run agent.textproto", 2, "agent.textproto: unknown agent 'steddy'");
}

TEST_F(BadInputTest, AgentsOfAPlan) {
  const struct {
    const char* specs;
    const char* words;
  } cases[] = {
      {"agent_specs {}", "an agent of agent_specs has no name"},
      {"agent_specs { name: 'a\\xff' }", "agent 'a\\xff': a name is UTF-8 text"},
      {"agent_specs { name: 'a\\nb' }", "agent 'a\\nb': a name is UTF-8 text without control"},
      {"agent_specs { name: 'a' } agent_specs { name: 'a' }", "agent 'a' is given twice"},
      {"agents: 'a' agent_specs { name: 'a' based_on: 'a' }", "its base 'a' is not a built-in"},
      {"agents: 'a' agent_specs { name: 'a' based_on: 'b' } agent_specs { name: 'b' }",
       "agent 'a': its base 'b' is not a built-in agent"},
  };
  for (const auto& c : cases) {
    sandbox_.Write("agents.textproto", c.specs);
    ExpectRefusal(sandbox_, "run agents.textproto", 2, c.words);
  }
}

// What is not text would be stored and never read again.
TEST_F(BadInputTest, Notes) {
  sandbox_.Write("empty.md", "");
  ExpectRefusal(sandbox_, "note --add empty.md", 2, "'empty.md' is empty");
  sandbox_.Write("latin.md", "# Notes\n\ncaf\xe9\n");
  ExpectRefusal(sandbox_, "note --add latin.md", 2, "'latin.md' line 3 is not UTF-8: byte e9");
  sandbox_.Write("\xe9.md", "text");
  ExpectRefusal(sandbox_, "note --add \xe9.md", 2, "is not UTF-8");
}

// Files of the kb must not get the numbers of streams that nobody opened.
TEST_F(BadInputTest, ClosedStandardStreams) {
  const Ended told = sandbox_.Shell("exec hearsay run --kb told.kb --problems p01 --lanes 2 >&-");
  EXPECT_EQ(told.code, 1);
  EXPECT_THAT(told.err, HasSubstr("standard output cannot be written: Bad file descriptor"));
  EXPECT_EQ(sandbox_.Run("run --quiet --kb told.kb --problems p01 --lanes 2").code, 0);
  EXPECT_EQ(sandbox_.Run("compare R1 R2 --kb told.kb").code, 0);
  const Ended untold =
      sandbox_.Shell("exec hearsay run --kb untold.kb --problems p01 --lanes 2 <&- >&- 2>&-");
  EXPECT_EQ(untold.code, 1);
  const auto rows = ParseCsv(sandbox_.Run("runs --kb untold.kb --format csv").out);
  ASSERT_EQ(rows.size(), 2u);
  const auto digest = std::find(rows[0].begin(), rows[0].end(), "digest") - rows[0].begin();
  for (const char* kb : {"told.kb", "untold.kb"}) {
    for (const auto& file : std::filesystem::directory_iterator(sandbox_.path(kb))) {
      if (!file.is_regular_file()) continue;
      const std::string name = absl::StrCat(kb, "/", file.path().filename().string());
      EXPECT_EQ(sandbox_.Read(name).find(rows[1][static_cast<size_t>(digest)]), std::string::npos)
          << name << " holds what was meant for people";
    }
  }
}

TEST_F(BadInputTest, KbInUse) {
  const auto store = Store::Open(sandbox_.path("hearsay.kb"), Store::Mode::kWrite);
  ASSERT_TRUE(store.ok()) << store.status();
  ExpectRefusal(sandbox_, absl::StrCat("run ", kTinyPlan), 1, "in use by another process");
  ExpectRefusal(sandbox_, "run --resume", 1, "in use by another process");
  EXPECT_EQ(sandbox_.Run("runs").code, 0) << "readers are not in the way";
}

TEST_F(BadInputTest, NoKb) {
  sandbox_.Write("file.kb", "text");
  ExpectRefusal(sandbox_, "runs --kb file.kb", 1, "'file.kb' is no kb");
  ExpectRefusal(sandbox_, "run --kb file.kb --lanes 1", 1, "'file.kb' is no kb");
  ASSERT_EQ(mkdir(sandbox_.path("docs").c_str(), 0700), 0);
  sandbox_.Write("docs/letter.txt", "Dear all");
  ExpectRefusal(sandbox_, "runs --kb docs", 1, "'docs' is no kb");
  ExpectRefusal(sandbox_, "run --kb docs --lanes 1", 1, "letter.txt");
  EXPECT_EQ(sandbox_.Read("docs/letter.txt"), "Dear all");
}

TEST_F(BadInputTest, KbOfAnotherSchema) {
  std::filesystem::copy(sandbox_.path("hearsay.kb"), sandbox_.path("newer.kb"),
                        std::filesystem::copy_options::recursive);
  {
    std::vector<std::string> names;
    const std::string path = sandbox_.path("newer.kb");
    ASSERT_TRUE(rocksdb::DB::ListColumnFamilies({}, path, &names).ok());
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    for (const std::string& name : names)
      families.emplace_back(name, rocksdb::ColumnFamilyOptions());
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    rocksdb::DB* opened = nullptr;
    ASSERT_TRUE(rocksdb::DB::Open({}, path, families, &handles, &opened).ok());
    const std::unique_ptr<rocksdb::DB> db(opened);
    ASSERT_TRUE(db->Put({}, "schema", "99").ok());
    for (rocksdb::ColumnFamilyHandle* handle : handles) {
      ASSERT_TRUE(db->DestroyColumnFamilyHandle(handle).ok());
    }
  }
  for (const char* line :
       {"runs --kb newer.kb", "run --lanes 1 --kb newer.kb", "check --kb newer.kb"}) {
    ExpectRefusal(sandbox_, line, 1, "schema version 99");
  }
}

TEST_F(BadInputTest, TruncatedKb) {
  // Opening for writing moves what the log holds into a table file.
  sandbox_.Write("SKILL.md", "text\n");
  ASSERT_EQ(sandbox_.Run("note --add SKILL.md").code, 0);
  const std::string kb = sandbox_.path("cut.kb");
  std::filesystem::copy(sandbox_.path("hearsay.kb"), kb, std::filesystem::copy_options::recursive);
  int cut = 0;
  for (const auto& file : std::filesystem::directory_iterator(kb)) {
    if (file.path().extension() != ".sst") continue;
    std::filesystem::resize_file(file.path(), file.file_size() / 2);
    ++cut;
  }
  ASSERT_GT(cut, 0);
  ExpectRefusal(sandbox_, "runs --kb cut.kb", 1, "cut.kb");
  const Ended checked = sandbox_.Run("check --kb cut.kb --format csv");
  EXPECT_EQ(checked.code, 1);
  EXPECT_THAT(checked.err, HasSubstr("kb 'cut.kb' breaks its requirements"));
  // Each file is named, and that it does not open.
  EXPECT_GE(CountLines(checked.out), 2 + cut);
  ExpectRefusal(sandbox_, absl::StrCat("run --kb cut.kb ", kTinyPlan), 1, "cut.kb");
}

TEST_F(BadInputTest, OutputThatCannotBeWritten) {
  ASSERT_EQ(mkdir(sandbox_.path("folder.svg").c_str(), 0700), 0);
  ExpectRefusal(sandbox_, "graph R1:r0.p71.l0#1 -o folder.svg", 1, "cannot write 'folder.svg'");
}

}  // namespace
}  // namespace hearsay
