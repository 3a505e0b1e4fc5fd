#include "lineage/graph.h"

#include <gmock/gmock.h>
#include <graphviz/cgraph.h>
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "tests/lineage/lineage_testing.h"

namespace hearsay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr int kProblem = 70;

struct DotCounts {
  int claims = 0;
  int edges = 0;  // between claims
  int marks = 0;
  int rounds = 0;
  int columns = 0;
};

bool IsRound(Agnode_t* node) { return std::string(agnameof(node)).rfind("round ", 0) == 0; }
// What became of a claim: its name goes on after the claim's.
bool IsMark(Agnode_t* node) {
  return !IsRound(node) && std::string(agnameof(node)).find(' ') != std::string::npos;
}

DotCounts ReadBack(const std::string& dot) {
  DotCounts counts;
  Agraph_t* graph = agmemread(dot.c_str());
  if (graph == nullptr) {
    ADD_FAILURE() << "cgraph does not read it: " << dot;
    return counts;
  }
  for (Agnode_t* node = agfstnode(graph); node != nullptr; node = agnxtnode(graph, node)) {
    ++(IsRound(node) ? counts.rounds : IsMark(node) ? counts.marks : counts.claims);
    if (IsRound(node)) continue;
    for (Agedge_t* edge = agfstout(graph, node); edge != nullptr; edge = agnxtout(graph, edge)) {
      counts.edges += !IsMark(aghead(edge));
    }
  }
  for (Agraph_t* sub = agfstsubg(graph); sub != nullptr; sub = agnxtsubg(sub)) {
    const char* rank = agget(sub, const_cast<char*>("rank"));
    counts.columns += rank != nullptr && std::string(rank) == "same";
  }
  agclose(graph);
  return counts;
}

// Enough of XML to tell what no viewer would open: every tag is closed in order, and no bare < or
// &.
::testing::AssertionResult IsWellFormed(const std::string& xml) {
  std::vector<std::string> open;
  for (size_t at = 0; at < xml.size(); ++at) {
    if (xml[at] == '&') {
      const size_t end = xml.find(';', at);
      if (end == std::string::npos || end - at > 10) {
        return ::testing::AssertionFailure() << "bare & at " << xml.substr(at, 40);
      }
    }
    if (xml[at] != '<') continue;
    if (xml.compare(at, 4, "<!--") == 0) {
      at = xml.find("-->", at);
    } else if (xml[at + 1] == '?' || xml[at + 1] == '!') {
      at = xml.find('>', at);
    } else {
      const size_t end = xml.find('>', at);
      if (end == std::string::npos) return ::testing::AssertionFailure() << "tag without end";
      const std::string tag = xml.substr(at + 1, end - at - 1);
      const std::string name = tag.substr(0, tag.find_first_of(" \n/", 1));
      if (tag.find('<') != std::string::npos)
        return ::testing::AssertionFailure() << "< in " << tag;
      if (tag[0] == '/') {
        if (open.empty() || "/" + open.back() != tag) {
          return ::testing::AssertionFailure() << "unexpected <" << tag << ">";
        }
        open.pop_back();
      } else if (tag.back() != '/') {
        open.push_back(name);
      }
      at = end;
    }
    if (at == std::string::npos) return ::testing::AssertionFailure() << "unfinished";
  }
  if (!open.empty()) return ::testing::AssertionFailure() << "never closed: " << open.back();
  return ::testing::AssertionSuccess();
}

TEST(IsWellFormedTest, CanFail) {
  EXPECT_TRUE(IsWellFormed("<?xml?><a b=\"1\"><c/>x &amp; y</a>"));
  EXPECT_FALSE(IsWellFormed("<a><b></a>"));
  EXPECT_FALSE(IsWellFormed("<a>x & y</a>"));
  EXPECT_FALSE(IsWellFormed("<a>"));
}

// One closure that 12 claims of the next round were made from, one of which had another parent.
struct Fan {
  TestRun run{{kProblem}, 12};
  ClaimId born, other, last;

  Fan() {
    run.record.set_agents(0, "a<d>a & \"co\"");
    born = run.Make(0, kProblem, 0, Closure(3).WithHedged(true));
    other = run.Make(0, kProblem, 1, Closure(3));
    for (int lane = 0; lane < 11; ++lane) {
      run.Make(1, kProblem, lane, Closure(3), Change::kHedgeLost, born);
    }
    last = run.Make(1, kProblem, 11, Closure(3), Change::kMerged, born, other);
    run.Carry(2, kProblem, 11, last);
    run.Carry(4, kProblem, 3, last);
  }
};

TEST(PropagationGraphTest, AroundOneClaim) {
  Fan fan;
  TinyAtlas atlas;
  const auto table = LoadTable(fan.run, atlas);
  absl::StatusOr<GraphModel> graph = PropagationGraph(*table, fan.born, {});
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->nodes.size(), 13);
  EXPECT_EQ(graph->edges.size(), 12);
  EXPECT_EQ(graph->reached, 13);
  EXPECT_TRUE(graph->nodes[0].focus);
  EXPECT_FALSE(graph->nodes[1].focus);
  // The merged claim's other parent is no descendant of the claim asked for.
  EXPECT_EQ(graph->nodes[12].hidden_parents, 1);
  EXPECT_EQ(graph->nodes[12].version.carriers, 3);
  EXPECT_EQ(graph->CutWords(), "showing 13 of 13 versions");
  EXPECT_EQ(graph->title, "Run R3: propagation of R3:r0.p71.l0#1");
}

TEST(PropagationGraphTest, CutsToTheMostCarriedAndSaysSo) {
  Fan fan;
  TinyAtlas atlas;
  const auto table = LoadTable(fan.run, atlas);
  GraphOptions options;
  options.max_nodes = 5;
  absl::StatusOr<GraphModel> graph = PropagationGraph(*table, fan.born, options);
  ASSERT_TRUE(graph.ok());
  ASSERT_EQ(graph->nodes.size(), 5);
  EXPECT_EQ(graph->nodes[0].hidden_children, 8);
  EXPECT_EQ(graph->CutWords(), "showing 5 of 13 versions; 8 left out, the most carried lines kept");
  // That with most carriers is kept, then the first.
  EXPECT_EQ(graph->nodes[4].version.id, fan.last);

  options = {};
  options.depth_down = 0;
  absl::StatusOr<GraphModel> shallow = PropagationGraph(*table, fan.born, options);
  ASSERT_TRUE(shallow.ok());
  EXPECT_EQ(shallow->nodes.size(), 1);
  EXPECT_EQ(shallow->beyond, 12);
  EXPECT_THAT(shallow->CutWords(), HasSubstr("12 more lie just beyond the depth"));
}

TEST(PropagationGraphTest, CutsWhereEdgesWouldCrossTooMuch) {
  // One claim changed in each of 120 rounds: edges of 1 to 119 columns, 7,140 in all.
  TestRun run({kProblem}, 2);
  const ClaimId born = run.Make(0, kProblem, 0, Closure(3).WithHedged(true));
  for (int round = 1; round < 120; ++round) {
    run.Carry(round, kProblem, 0, born);
    run.Make(round, kProblem, 1, Closure(3), Change::kHedgeLost, born);
  }
  TinyAtlas atlas;
  const auto table = LoadTable(run, atlas);
  GraphOptions options;
  options.max_nodes = kMaxGraphNodes;
  absl::StatusOr<GraphModel> graph = PropagationGraph(*table, born, options);
  ASSERT_TRUE(graph.ok());
  // 109 columns make 5,995.
  EXPECT_EQ(graph->nodes.size(), 1 + 109);
  EXPECT_EQ(graph->Span(), 109 * 110 / 2);
  EXPECT_EQ(graph->CutWords(),
            "showing 110 of 120 versions; 10 left out, the most carried lines kept");
  EXPECT_EQ(graph->nodes[0].hidden_children, 10);
  // What is cut by hand only is refused.
  GraphModel longer = *graph;
  longer.edges.push_back(longer.edges.back());
  EXPECT_EQ(RenderGraph(longer, GraphFormat::kDot).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(PropagationGraphTest, AroundSeveralClaims) {
  Fan fan;
  TinyAtlas atlas;
  const auto table = LoadTable(fan.run, atlas);
  absl::StatusOr<GraphModel> graph =
      PropagationGraph(*table, {table->Find(fan.last), table->Find(fan.other)}, {});
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(graph->nodes.size(), 3);  // the two, and the other parent of the merged one
  EXPECT_EQ(graph->edges.size(), 2);
  EXPECT_EQ(graph->nodes[0].hidden_children, 11);
  EXPECT_EQ(graph->title, "Run R3: propagation of 2 claims");
}

TEST(PropagationGraphTest, RefusesNonsense) {
  Fan fan;
  TinyAtlas atlas;
  const auto table = LoadTable(fan.run, atlas);
  GraphOptions none;
  none.max_nodes = 0;
  EXPECT_EQ(PropagationGraph(*table, fan.born, none).status().code(),
            absl::StatusCode::kInvalidArgument);
  GraphOptions huge;
  huge.max_nodes = kMaxGraphNodes + 1;
  EXPECT_EQ(PropagationGraph(*table, fan.born, huge).status().code(),
            absl::StatusCode::kInvalidArgument);
  GraphOptions negative;
  negative.depth_up = -1;
  EXPECT_EQ(PropagationGraph(*table, fan.born, negative).status().code(),
            absl::StatusCode::kInvalidArgument);
  const ClaimId unknown = ClaimId::Of(AttemptId::Of(kTestRun, 4, kProblem, 0), 3);
  EXPECT_EQ(PropagationGraph(*table, unknown, {}).status().code(), absl::StatusCode::kNotFound);
}

TEST(RenderGraphTest, DotReadsBack) {
  Fan fan;
  TinyAtlas atlas;
  const auto table = LoadTable(fan.run, atlas);
  absl::StatusOr<GraphModel> graph = PropagationGraph(*table, fan.born, {});
  ASSERT_TRUE(graph.ok());
  absl::StatusOr<std::string> dot = RenderGraph(*graph, GraphFormat::kDot);
  ASSERT_TRUE(dot.ok()) << dot.status();
  const DotCounts counts = ReadBack(*dot);
  EXPECT_EQ(counts.claims, 13);
  EXPECT_EQ(counts.edges, 12);
  EXPECT_EQ(counts.marks, 1);   // the last is carried on
  EXPECT_EQ(counts.rounds, 3);  // those of the versions, and the last in which one was carried
  EXPECT_EQ(counts.columns, 3);
  EXPECT_THAT(*dot, HasSubstr("carried r1–r4 by 3 notes, alive"));
}

TEST(RenderGraphTest, SvgIsWellFormedAndHonest) {
  Fan fan;
  TinyAtlas atlas;
  const auto table = LoadTable(fan.run, atlas);
  GraphOptions options;
  options.max_nodes = 5;
  absl::StatusOr<GraphModel> graph = PropagationGraph(*table, fan.born, options);
  ASSERT_TRUE(graph.ok());
  absl::StatusOr<std::string> svg = RenderGraph(*graph, GraphFormat::kSvg);
  ASSERT_TRUE(svg.ok()) << svg.status();
  EXPECT_THAT(*svg, StartsWith("<?xml"));
  EXPECT_TRUE(IsWellFormed(*svg));
  EXPECT_THAT(*svg, HasSubstr("Legend"));
  EXPECT_THAT(*svg, HasSubstr("showing 5 of 13 versions"));
  EXPECT_THAT(*svg, HasSubstr("propagation of R3:r0.p71.l0#1"));
  EXPECT_THAT(*svg, HasSubstr("hedge lost"));
  EXPECT_THAT(*svg, HasSubstr("costs 1.0 doublings"));
  EXPECT_THAT(*svg, HasSubstr("round 1"));
  EXPECT_THAT(*svg, Not(HasSubstr("a<d>a")));
}

TEST(RenderGraphTest, SvgLinksToParentsAndHasTooltips) {
  Fan fan;
  TinyAtlas atlas;
  const auto table = LoadTable(fan.run, atlas);
  absl::StatusOr<GraphModel> graph = PropagationGraph(*table, fan.last, {});
  ASSERT_TRUE(graph.ok());
  absl::StatusOr<std::string> svg = RenderGraph(*graph, GraphFormat::kSvg);
  ASSERT_TRUE(svg.ok()) << svg.status();
  EXPECT_TRUE(IsWellFormed(*svg));
  // Both parents are drawn; a click leads to the first. A birth leads to itself.
  EXPECT_THAT(*svg, HasSubstr("<g id=\"R3.r1.p71.l11.1\""));
  EXPECT_THAT(*svg, HasSubstr("<a xlink:href=\"#R3.r0.p71.l0.1\" xlink:title=\"R3:r1.p71.l11#1: "));
  EXPECT_THAT(*svg, HasSubstr("<a xlink:href=\"#R3.r0.p71.l1.1\" xlink:title=\"R3:r0.p71.l1#1: "));
  EXPECT_THAT(*svg, HasSubstr("carried r1–r4 by 3 notes, alive"));

  svg = RenderGraph(*graph, GraphFormat::kSvg, {"https://a.b/{attempt}?a=1&n={place}#{problem}"});
  ASSERT_TRUE(svg.ok()) << svg.status();
  EXPECT_TRUE(IsWellFormed(*svg));
  EXPECT_THAT(*svg, HasSubstr("href=\"https://a.b/R3:r1.p71.l11?a=1&amp;n=1#p71\""));
  for (const char* bad : {"{", "a{b}", "{claim"}) {
    EXPECT_EQ(RenderGraph(*graph, GraphFormat::kSvg, {bad}).status().code(),
              absl::StatusCode::kInvalidArgument)
        << bad;
  }
}

TEST(RenderGraphTest, PngAndPdf) {
  Fan fan;
  TinyAtlas atlas;
  const auto table = LoadTable(fan.run, atlas);
  absl::StatusOr<GraphModel> graph = PropagationGraph(*table, fan.born, {});
  ASSERT_TRUE(graph.ok());
  absl::StatusOr<std::string> png = RenderGraph(*graph, GraphFormat::kPng);
  ASSERT_TRUE(png.ok()) << png.status();
  EXPECT_THAT(*png, StartsWith("\x89PNG\r\n"));
  EXPECT_THAT(png->substr(png->size() - 8), HasSubstr("IEND"));
  absl::StatusOr<std::string> pdf = RenderGraph(*graph, GraphFormat::kPdf);
  ASSERT_TRUE(pdf.ok()) << pdf.status();
  EXPECT_THAT(*pdf, StartsWith("%PDF-"));
  EXPECT_THAT(pdf->substr(pdf->size() - 8), HasSubstr("%%EOF"));
}

TEST(RenderGraphTest, EmptyGraphStillSaysWhatItIs) {
  TestRun run({kProblem}, 1);
  TinyAtlas atlas;
  const auto table = LoadTable(run, atlas);
  absl::StatusOr<GraphModel> graph = PropagationGraph(*table, std::vector<RowIndex>(), {});
  ASSERT_TRUE(graph.ok());
  absl::StatusOr<std::string> svg = RenderGraph(*graph, GraphFormat::kSvg);
  ASSERT_TRUE(svg.ok()) << svg.status();
  EXPECT_TRUE(IsWellFormed(*svg));
  EXPECT_THAT(*svg, HasSubstr("showing 0 of 0 versions"));
  absl::StatusOr<std::string> dot = RenderGraph(*graph, GraphFormat::kDot);
  ASSERT_TRUE(dot.ok());
  EXPECT_EQ(ReadBack(*dot).claims, 0);
}

TEST(RenderGraphTest, RandomRunsReadBackFromManyThreads) {
  const auto run = RandomRun(5, 8, 5);
  TinyAtlas atlas;
  const auto table = LoadTable(*run, atlas);
  std::vector<RowIndex> all(table->size());
  for (RowIndex i = 0; i < table->size(); ++i) all[i] = i;
  GraphOptions options;
  options.max_nodes = 60;
  absl::StatusOr<GraphModel> graph = PropagationGraph(*table, all, options);
  ASSERT_TRUE(graph.ok());
  ASSERT_EQ(graph->nodes.size(), 60);
  std::vector<std::string> drawn(4);
  std::vector<std::thread> threads;
  for (std::string& one : drawn) {
    threads.emplace_back([&graph, &one] {
      absl::StatusOr<std::string> svg = RenderGraph(*graph, GraphFormat::kSvg);
      if (svg.ok()) one = *std::move(svg);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(IsWellFormed(drawn[0]));
  for (const std::string& one : drawn) EXPECT_EQ(one, drawn[0]);
  absl::StatusOr<std::string> dot = RenderGraph(*graph, GraphFormat::kDot);
  ASSERT_TRUE(dot.ok());
  EXPECT_EQ(ReadBack(*dot).claims, 60);
  EXPECT_EQ(ReadBack(*dot).edges, static_cast<int>(graph->edges.size()));
}

TEST(RenderGraphTest, RefusesWhatWouldTakeHours) {
  GraphModel model;
  model.nodes.resize(kMaxGraphNodes + 1);
  EXPECT_EQ(RenderGraph(model, GraphFormat::kSvg).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hearsay
