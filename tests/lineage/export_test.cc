// Exports of runs made by hand: what is linked, what damage and sinks do. Readers of other people
// are asked in tests/tools/export_test.cc.
#include "lineage/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_split.h"
#include "tests/lineage/lineage_testing.h"

namespace hearsay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kProblem = 70;

struct Exported {
  absl::StatusOr<ExportCounts> counts = absl::UnknownError("");
  std::string nodes;
  std::string links;
  size_t longest_piece = 0;
};

Exported Export(const TestRun& run, ExportFormat format, const ExportFilter& filter = {}) {
  Exported exported;
  TinyAtlas atlas;
  const auto into = [&](std::string& text) {
    return [&exported, &text](absl::string_view bytes) {
      exported.longest_piece = std::max(exported.longest_piece, bytes.size());
      text.append(bytes.data(), bytes.size());
      return absl::OkStatus();
    };
  };
  exported.counts =
      ExportRun(run, kTestRun, atlas, format, filter, into(exported.nodes), into(exported.links));
  return exported;
}

std::vector<std::string> Lines(const std::string& text) {
  return absl::StrSplit(text, "\r\n", absl::SkipEmpty());
}

// Lane 1 of round 1 reads two claims, one of them merged from two, and believes, tests and changes.
struct Small {
  TestRun run{{kProblem}, 2};
  ClaimId first, second, merged;

  Small() {
    first = run.Make(0, kProblem, 0, Closure(3));
    second = run.Make(0, kProblem, 1, Closure(3));
    TestAttempt& reader = run.At(1, kProblem, 1);
    reader.sources = {0, 1};
    const uint32_t both = run.Read(1, kProblem, 1, first, second);
    const uint32_t one = run.Read(1, kProblem, 1, first);
    run.At(1, kProblem, 1).outcome.adopted = both;
    run.At(1, kProblem, 1).outcome.costly_slot = 0;
    run.At(1, kProblem, 1).outcome.closure_cost_lg = 512;
    run.At(1, kProblem, 1).outcome.refuted = one;
    merged = run.Make(1, kProblem, 1, Closure(3), Change::kMerged, first, second);
    run.Carry(1, kProblem, 1, first);
  }
};

TEST(ExportTest, EveryLinkOnce) {
  Small small;
  const Exported exported = Export(small.run, ExportFormat::kCsv);
  ASSERT_TRUE(exported.counts.ok()) << exported.counts.status();
  EXPECT_EQ(exported.counts->attempts, 4);
  EXPECT_EQ(exported.counts->claims, 3);
  EXPECT_THAT(
      Lines(exported.links),
      ElementsAre(
          "source,target,kind,round,cost_doublings", "R3:r0.p71.l0,R3:r0.p71.l0#1,wrote,0,",
          "R3:r0.p71.l1,R3:r0.p71.l1#1,wrote,0,", "R3:r0.p71.l0,R3:r1.p71.l1,source,1,",
          "R3:r0.p71.l1,R3:r1.p71.l1,source,1,", "R3:r0.p71.l0#1,R3:r1.p71.l1,adopted,1,0.5",
          "R3:r0.p71.l1#1,R3:r1.p71.l1,adopted,1,0.5", "R3:r0.p71.l0#1,R3:r1.p71.l1,refuted,1,",
          "R3:r1.p71.l1,R3:r1.p71.l1#1,wrote,1,", "R3:r0.p71.l0#1,R3:r1.p71.l1#1,merged,1,",
          "R3:r0.p71.l1#1,R3:r1.p71.l1#1,merged,1,", "R3:r0.p71.l0#1,R3:r1.p71.l1,copied,1,"));
  EXPECT_EQ(exported.counts->total_links(), 11);
}

TEST(ExportTest, TextIsEscapedInEveryFormat) {
  Small small;
  small.run.record.set_agents(0, "a<b>&\"c\",\n\\d");
  EXPECT_THAT(Export(small.run, ExportFormat::kGraphMl).nodes,
              HasSubstr("<data key=\"agent\">a&lt;b&gt;&amp;&quot;c&quot;, \\d</data>"));
  EXPECT_THAT(Export(small.run, ExportFormat::kCytoscape).nodes,
              HasSubstr("\"agent\":\"a<b>&\\\"c\\\",\\u000a\\\\d\""));
  EXPECT_THAT(Export(small.run, ExportFormat::kProvJson).nodes,
              HasSubstr("\"prov:label\":\"a<b>&\\\"c\\\",\\u000a\\\\d\""));
  EXPECT_THAT(Export(small.run, ExportFormat::kCsv).nodes, HasSubstr(",\"a<b>&\"\"c\"\",\n\\d\","));
}

TEST(ExportTest, LinksFromBeforeTheFirstRoundAreCounted) {
  Small small;
  ExportFilter late;
  late.first_round = 1;
  for (ExportFormat format : {ExportFormat::kGraphMl, ExportFormat::kCytoscape, ExportFormat::kCsv,
                              ExportFormat::kProvJson}) {
    const Exported exported = Export(small.run, format, late);
    ASSERT_TRUE(exported.counts.ok()) << exported.counts.status();
    EXPECT_EQ(exported.counts->left_out, 8);
    EXPECT_EQ(exported.counts->total_links(), 1);
    EXPECT_EQ((exported.nodes + exported.links).find("R3:r0.p71"), std::string::npos);
  }
}

TEST(ExportTest, GoesOutInPieces) {
  const auto run = RandomRun(3, 40, 30);
  for (ExportFormat format : {ExportFormat::kGraphMl, ExportFormat::kCytoscape, ExportFormat::kCsv,
                              ExportFormat::kProvJson}) {
    const Exported exported = Export(*run, format);
    ASSERT_TRUE(exported.counts.ok()) << exported.counts.status();
    EXPECT_GT(exported.nodes.size(), size_t{1} << 19);
    // What one attempt adds stays small.
    EXPECT_LT(exported.longest_piece, (size_t{1} << 18) + (size_t{1} << 16));
  }
}

TEST(ExportTest, ErrorsOfTheSinkEndIt) {
  const auto run = RandomRun(3, 40, 30);
  TinyAtlas atlas;
  for (ExportFormat format : {ExportFormat::kGraphMl, ExportFormat::kCytoscape, ExportFormat::kCsv,
                              ExportFormat::kProvJson}) {
    int calls = 0;
    const auto full = [&](absl::string_view) {
      return ++calls < 2 ? absl::OkStatus() : absl::UnavailableError("full");
    };
    const auto counts = ExportRun(*run, kTestRun, atlas, format, {}, full, full);
    EXPECT_EQ(counts.status(), absl::UnavailableError("full"));
    EXPECT_EQ(calls, 2);
  }
}

TEST(ExportTest, NamesTheAttemptThatIsDamaged) {
  Small small;
  small.run.At(1, kProblem, 1).outcome.confirmed = 1u << 9;
  for (ExportFormat format : {ExportFormat::kGraphMl, ExportFormat::kCytoscape, ExportFormat::kCsv,
                              ExportFormat::kProvJson}) {
    const absl::Status status = Export(small.run, format).counts.status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    EXPECT_THAT(status.ToString(),
                HasSubstr("R3:r1.p71.l1: acted on claims past the 2 that it read"));
  }
}

TEST(ExportTest, RefusesNonsense) {
  Small small;
  ExportFilter filter;
  filter.first_round = 2;
  filter.last_round = 1;
  EXPECT_EQ(Export(small.run, ExportFormat::kCsv, filter).counts.status().code(),
            absl::StatusCode::kInvalidArgument);
  filter = {};
  filter.problems = {3};
  EXPECT_THAT(Export(small.run, ExportFormat::kCsv, filter).counts.status().ToString(),
              HasSubstr("run R3 has no problem p04"));
  TinyAtlas atlas;
  const auto ignore = [](absl::string_view) { return absl::OkStatus(); };
  EXPECT_EQ(
      ExportRun(small.run, 4, atlas, ExportFormat::kGraphMl, {}, ignore, ignore).status().code(),
      absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace hearsay
