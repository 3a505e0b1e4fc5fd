// hearsay export, read by readers of other people: networkx, the prov package, a JSON schema, csv
// (tests/tools/read_export.py). What they count is compared with what the store says attempt by
// attempt.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "kb/store.h"
#include "tasks/words.h"
#include "tests/tools/tools_testing.h"

namespace hearsay {
namespace {

using ::testing::HasSubstr;

constexpr int kSkipped = 77;
constexpr int kLanes = 4;
constexpr int kRounds = 5;
constexpr int kProblems[] = {0, 8, 70};

using Counts = std::map<std::string, int64_t>;

// What the store and the table of claims say, by words of the exports.
Counts Expected(const Sandbox& sandbox) {
  Counts counts;
  const auto store = Store::Open(sandbox.path("hearsay.kb"), Store::Mode::kRead);
  EXPECT_TRUE(store.ok()) << store.status();
  if (!store.ok()) return counts;
  for (int round = 0; round < kRounds; ++round) {
    for (int problem : kProblems) {
      for (int lane = 0; lane < kLanes; ++lane) {
        const AttemptId id = AttemptId::Of(1, round, problem, lane);
        ++counts["attempt"];
        const auto receivers = (*store)->Receivers(id);
        EXPECT_TRUE(receivers.ok()) << receivers.status();
        counts["source"] += static_cast<int64_t>(receivers->size());
        const auto note = (*store)->Note(id);
        EXPECT_TRUE(note.ok()) << note.status();
        counts["note"] += !note->empty();
        for (const NotedClaim& noted : *note) {
          ++counts["member"];
          if (noted.id.attempt() != id) {
            ++counts["copied"];
            continue;
          }
          ++counts["claim"];
          ++counts["wrote"];
          counts["hedged"] += noted.claim.hedged();
          const auto made = (*store)->FindClaim(noted.id);
          EXPECT_TRUE(made.ok()) << made.status();
          const std::string change(Name(made->change));
          if (!made->parents[0].none()) ++counts[change];
          if (!made->parents[1].none() && made->parents[1] != made->parents[0]) ++counts[change];
        }
      }
    }
  }
  const auto claims = ParseCsv(sandbox.Run("claims --limit 0 --format csv").out);
  for (size_t c = 0; c < claims[0].size(); ++c) {
    const std::string& column = claims[0][c];
    for (size_t row = 1; row < claims.size(); ++row) {
      const std::string& cell = claims[row][c];
      if (column == "truth" && cell == "false") ++counts["false"];
      if (column == "adopted" || column == "confirmed" || column == "refuted") {
        counts[column] += std::stoll(cell);
      }
    }
  }
  counts["bundle"] = kRounds;
  counts["association"] = counts["attempt"];
  return counts;
}

class ExportTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    sandbox_ = new Sandbox;
    const Ended run = sandbox_->Run(
        absl::StrCat("run --quiet --problems p01,p09,p71 --topology pool:2,uniform --lanes ",
                     kLanes, " --rounds ", kRounds));
    ASSERT_EQ(run.code, 0) << run.err;
    expected_ = new Counts(Expected(*sandbox_));
  }
  static void TearDownTestSuite() {
    delete expected_;
    delete sandbox_;
  }

  static Ended Ok(const std::string& line) {
    Ended ended = sandbox_->Run(line);
    EXPECT_EQ(ended.code, 0) << line << ": " << ended.err;
    return ended;
  }

  // What a reader found, or nothing where it is not installed. Debian's packages belong to
  // Debian's python3, which need not be the first on the path.
  static Counts Read(const std::string& words) {
    Ended ended;
    for (const char* python : {"python3", "/usr/bin/python3"}) {
      ended = sandbox_->Shell(
          absl::StrCat(python, " '", HEARSAY_SOURCE_DIR, "/tests/tools/read_export.py' ", words));
      if (ended.code == 0) break;
      if (ended.code != kSkipped && ended.code != 127) break;
    }
    Counts counts;
    if (ended.code == kSkipped || ended.code == 127) return counts;
    EXPECT_EQ(ended.code, 0) << ended.err;
    std::istringstream lines(ended.out);
    std::string name;
    int64_t count;
    while (lines >> name >> count) counts[name] = count;
    return counts;
  }

  static void ExpectAsTheStoreSays(const Counts& found) {
    EXPECT_GT(expected_->at("merged"), 0);
    EXPECT_GT(expected_->at("copied"), 0);
    EXPECT_GT(expected_->at("refuted"), 0);
    for (const char* name :
         {"attempt", "claim", "source", "wrote", "copied", "adopted", "confirmed", "refuted",
          "strengthened", "corrected", "merged", "generalised", "hedge_lost", "false", "hedged"}) {
      const auto at = found.find(name);
      EXPECT_EQ(at == found.end() ? 0 : at->second, (*expected_)[name]) << name;
    }
    EXPECT_EQ(found.at("dangling"), 0);
  }

  static Sandbox* sandbox_;
  static Counts* expected_;
};

Sandbox* ExportTest::sandbox_ = nullptr;
Counts* ExportTest::expected_ = nullptr;

TEST_F(ExportTest, GraphMlIsReadByNetworkx) {
  const Ended ended = Ok("export R1 -o run.graphml");
  EXPECT_THAT(ended.err, HasSubstr(absl::StrCat("wrote run.graphml: ", expected_->at("attempt"),
                                                " attempts, ", expected_->at("claim"), " claims")));
  Counts found = Read("graphml run.graphml");
  if (found.empty()) GTEST_SKIP() << "python3-networkx is not installed: GraphML is NOT checked";
  found.insert({"dangling", 0});
  ExpectAsTheStoreSays(found);
  EXPECT_GT(found["costly"], 0);
  // The same on standard output.
  EXPECT_EQ(Ok("export --format graphml").out, sandbox_->Read("run.graphml"));
}

TEST_F(ExportTest, CytoscapeJsonKeepsTheSchemaAndIsReadByNetworkx) {
  Ok("export -o run.cyjs");
  Counts found =
      Read(absl::StrCat("cytoscape run.cyjs '", HEARSAY_TEST_DATA, "/cytoscape.schema.json'"));
  if (found.empty()) {
    GTEST_SKIP() << "python3-networkx or python3-jsonschema is not installed: Cytoscape JSON is "
                    "NOT checked";
  }
  found.insert({"dangling", 0});
  ExpectAsTheStoreSays(found);
}

TEST_F(ExportTest, ProvJsonIsReadByTheProvPackage) {
  Ok("export -o run.prov.json");
  const Counts found = Read("prov-json run.prov.json");
  if (found.empty()) GTEST_SKIP() << "python3-prov is not installed: PROV-JSON is NOT checked";
  ExpectAsTheStoreSays(found);
  for (const char* name : {"bundle", "note", "member", "association"}) {
    EXPECT_EQ(found.at(name), expected_->at(name)) << name;
  }
  EXPECT_EQ(found.at("agent"), 6);
}

TEST_F(ExportTest, CsvIsReadByPython) {
  Ok("export --format csv -o tables");
  const Counts found = Read("csv tables");
  if (found.empty()) GTEST_SKIP() << "python3 is not installed: CSV is NOT checked";
  ExpectAsTheStoreSays(found);
}

// Rows of one kind, by the table that the file holds.
int64_t RowsOf(const std::string& csv, const std::string& column, const std::string& word) {
  const auto rows = ParseCsv(csv);
  const size_t at =
      static_cast<size_t>(std::find(rows[0].begin(), rows[0].end(), column) - rows[0].begin());
  int64_t count = 0;
  for (const auto& row : rows) {
    EXPECT_EQ(row.size(), rows[0].size());
    count += row[at] == word;
  }
  return count;
}

// "showing 12 of 40 versions": the first number.
int64_t ShownIn(const std::string& words) {
  const size_t at = words.find("showing ");
  return at == std::string::npos ? -1 : std::stoll(words.substr(at + 8));
}

TEST_F(ExportTest, DrawingsAreReadByGraphvizAndPython) {
  for (const char* subject : {"", "--problem p09", "--harmful 3", "--problem p71 --max-nodes 12"}) {
    SCOPED_TRACE(subject);
    const int64_t shown = ShownIn(Ok(absl::StrCat("graph -o g.svg ", subject)).err);
    EXPECT_GT(shown, 0);
    const Counts svg = Read("svg g.svg");
    if (!svg.empty()) {
      EXPECT_EQ(svg.at("node"), shown);
      EXPECT_EQ(svg.at("tooltip"), shown + (svg.count("edge") > 0 ? svg.at("edge") : 0));
      EXPECT_EQ(svg.at("dangling"), 0);
    }
    // Lines of Graphviz's plain format; nodes of claims have an id with a '#' and no space.
    EXPECT_EQ(ShownIn(Ok(absl::StrCat("graph -o g.dot ", subject)).err), shown);
    const Ended plain = sandbox_->Shell("dot -Tplain g.dot");
    if (plain.code == 127) GTEST_SKIP() << "dot is not installed: DOT is NOT checked";
    EXPECT_EQ(plain.code, 0) << plain.err;
    std::istringstream lines(plain.out);
    int64_t nodes = 0;
    for (std::string line; std::getline(lines, line);) {
      if (!absl::StartsWith(line, "node \"R1:")) continue;
      nodes += line.substr(0, line.find('"', 6)).find(' ', 5) == std::string::npos;
    }
    EXPECT_EQ(nodes, shown);
  }
}

TEST_F(ExportTest, FiltersByProblem) {
  int64_t claims = 0;
  for (const char* problem : {"p01", "p09", "p71"}) {
    Ok(absl::StrCat("export -o ", problem, "/ --problem ", problem));
    const std::string nodes = sandbox_->Read(absl::StrCat(problem, "/nodes.csv"));
    EXPECT_EQ(RowsOf(nodes, "kind", "attempt"), kLanes * kRounds);
    EXPECT_EQ(RowsOf(nodes, "problem", problem), CountLines(nodes) - 1);
    claims += RowsOf(nodes, "kind", "claim");
  }
  EXPECT_EQ(claims, expected_->at("claim"));
  EXPECT_THAT(sandbox_->Run("export --problem p02").err, HasSubstr("run R1 has no problem p02"));
}

TEST_F(ExportTest, FiltersByRoundAndSaysWhatIsLeftOut) {
  const Ended early = Ok("export -o early/ --to 1");
  EXPECT_EQ(early.err.find("left out"), std::string::npos);
  const Ended late = Ok("export -o late/ --from 2");
  EXPECT_THAT(late.err, HasSubstr(" links from rounds before 2"));
  const size_t at = late.err.find("left out ") + 9;
  const int64_t left_out = std::stoll(late.err.substr(at));
  int64_t links = 0;
  int64_t attempts = 0;
  for (const char* part : {"early", "late"}) {
    attempts += RowsOf(sandbox_->Read(absl::StrCat(part, "/nodes.csv")), "kind", "attempt");
    links += CountLines(sandbox_->Read(absl::StrCat(part, "/edges.csv"))) - 1;
  }
  EXPECT_EQ(attempts, expected_->at("attempt"));
  Ok("export -o all/");
  EXPECT_EQ(links + left_out, CountLines(sandbox_->Read("all/edges.csv")) - 1);
  EXPECT_GT(left_out, 0);
  // PROV-JSON meets every link once for each kind of record, and counts it once.
  EXPECT_THAT(Ok("export -o late.prov.json --from 2").err,
              HasSubstr(absl::StrCat("left out ", left_out, " links")));
}

TEST_F(ExportTest, RunsWithoutClaimsHaveAttemptsAndSources) {
  Sandbox own;
  ASSERT_EQ(own.Run(absl::StrCat("run --quiet --record summary ", kTinyPlan)).code, 0);
  for (const char* file : {"run.graphml", "run.cyjs", "run.prov.json", "tables/"}) {
    const Ended ended = own.Run(absl::StrCat("export -o ", file));
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("recorded without claims: attempts and sources only"));
    EXPECT_THAT(ended.err, HasSubstr("36 attempts, 0 claims, 24 links"));
  }
}

TEST_F(ExportTest, AFullDiskLeavesWhatWasThere) {
  sandbox_->Write("full.graphml", "before");
  const Ended ended = sandbox_->RunWithFileLimit("export -o full.graphml", 100000);
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err, HasSubstr("cannot write 'full.graphml': File too large"));
  EXPECT_EQ(sandbox_->Read("full.graphml"), "before");
  EXPECT_FALSE(std::filesystem::exists(sandbox_->path("full.graphml.part")));
}

TEST_F(ExportTest, AnInterruptEndsItBetweenPieces) {
  // The first piece is more than a pipe holds, so it is in flight when the signal comes.
  const Ended ended = sandbox_->Shell(
      "mkfifo pipe; hearsay export --format graphml -o pipe & exec 3<pipe; read -r line <&3; "
      "kill -INT $!; cat <&3 | wc -c; wait $!");
  EXPECT_EQ(ended.code, 130) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("interrupted; no file was written"));
  EXPECT_GT(std::stoll(ended.out), 1 << 17);
  EXPECT_LT(std::stoll(ended.out),
            static_cast<int64_t>(Ok("export --format graphml").out.size()) - 1000);
}

TEST_F(ExportTest, AReaderMayHaveEnough) {
  const Ended ended = sandbox_->Shell("hearsay export | head -n 1");
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("<?xml"));
  EXPECT_EQ(ended.err, "");
}

}  // namespace
}  // namespace hearsay
