// What a graph tells in short: chains in arrows, siblings on stacks, what became of a version; and
// whole problems.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "lineage/graph.h"
#include "tests/lineage/lineage_testing.h"

namespace hearsay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kProblem = 70;

GraphOptions Collapsed() {
  GraphOptions options;
  options.collapse = Collapse::kAlways;
  options.max_nodes = kMaxGraphNodes;
  return options;
}

// Born, strengthened four times (the second time it becomes another label), copied for two rounds,
// then corrected.
struct Chain {
  TestRun run{{kProblem}, 3};
  ClaimId versions[6];

  Chain() {
    versions[0] = run.Make(0, kProblem, 0, Closure(3));
    for (int round = 1; round < 5; ++round) {
      const Claim claim =
          Closure(3).WithLabel(round == 1 ? Label::kUnsupportedClosure : Label::kValidityCondition);
      versions[round] =
          run.Make(round, kProblem, 0, claim, Change::kStrengthened, versions[round - 1]);
    }
    run.Carry(5, kProblem, 0, versions[4]);
    run.Carry(5, kProblem, 1, versions[4]);
    versions[5] = run.Make(7, kProblem, 0, Advice(3), Change::kCorrected, versions[4]);
  }
};

TEST(GraphCollapseTest, ChainsBecomeArrows) {
  Chain chain;
  TinyAtlas atlas;
  const auto table = LoadTable(chain.run, atlas);
  const auto graph = PropagationGraph(*table, chain.versions[0], Collapsed());
  ASSERT_TRUE(graph.ok());
  // The first is asked for, the third has a new label, the last was corrected into.
  ASSERT_EQ(graph->nodes.size(), 3);
  EXPECT_EQ(graph->nodes[1].version.id, chain.versions[2]);
  EXPECT_EQ(graph->nodes[2].version.id, chain.versions[5]);
  ASSERT_EQ(graph->edges.size(), 2);
  EXPECT_EQ(graph->edges[0].via, 1);
  EXPECT_EQ(graph->edges[0].change, Change::kStrengthened);
  EXPECT_EQ(graph->edges[0].changes[static_cast<int>(Change::kStrengthened)], 2);
  const GraphEdge& last = graph->edges[1];
  EXPECT_EQ(last.via, 2);
  EXPECT_EQ(last.via_first_round, 3);
  EXPECT_EQ(last.via_last_round, 4);
  EXPECT_EQ(last.via_carriers, 4);
  EXPECT_EQ(last.changes[static_cast<int>(Change::kStrengthened)], 2);
  EXPECT_EQ(last.changes[static_cast<int>(Change::kCorrected)], 1);
  EXPECT_EQ(graph->CutWords(), "showing 3 of 6 versions; 3 more in arrows (via)");
  const auto svg = RenderGraph(*graph, GraphFormat::kSvg);
  ASSERT_TRUE(svg.ok());
  EXPECT_THAT(*svg, HasSubstr(">strengthened 2×</text>"));
  EXPECT_THAT(*svg, HasSubstr(">via 2 versions, r3–r4</text>"));
  EXPECT_THAT(*svg, HasSubstr(">copied 2 rounds</text>"));
  EXPECT_THAT(*svg, HasSubstr(">corrected</text>"));
}

TEST(GraphCollapseTest, SmallGraphsAreDrawnWhole) {
  Chain chain;
  TinyAtlas atlas;
  const auto table = LoadTable(chain.run, atlas);
  for (Collapse collapse : {Collapse::kLarge, Collapse::kNever}) {
    GraphOptions options;
    options.collapse = collapse;
    const auto graph = PropagationGraph(*table, chain.versions[0], options);
    ASSERT_TRUE(graph.ok());
    EXPECT_EQ(graph->nodes.size(), 6);
    EXPECT_EQ(graph->Via(), 0);
  }
}

TEST(GraphCollapseTest, WhatIsAskedForOrHasTwoChildrenIsDrawn) {
  Chain chain;
  chain.run.Make(4, kProblem, 1, Closure(3).WithLabel(Label::kValidityCondition),
                 Change::kStrengthened, chain.versions[3]);
  TinyAtlas atlas;
  const auto table = LoadTable(chain.run, atlas);
  auto graph = PropagationGraph(*table, chain.versions[0], Collapsed());
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(graph->Via(), 2);  // the second and the fifth
  EXPECT_EQ(graph->nodes.size(), 5);
  graph = PropagationGraph(*table, chain.versions[1], Collapsed());
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(graph->Via(), 1);
  EXPECT_TRUE(graph->nodes[1].focus);
}

TEST(GraphCollapseTest, LikeSiblingsBecomeStacks) {
  TestRun run({kProblem}, 12);
  const ClaimId born = run.Make(0, kProblem, 0, Closure(3).WithHedged(true));
  for (int lane = 0; lane < 5; ++lane) {
    run.Make(1, kProblem, lane, Closure(3), Change::kHedgeLost, born);
  }
  run.Carry(2, kProblem, 3, ClaimId::Of(AttemptId::Of(kTestRun, 1, kProblem, 3), 0));
  run.Make(1, kProblem, 5, Advice(3), Change::kCorrected, born);  // another change
  run.Carry(1, kProblem, 6, born);
  run.Make(2, kProblem, 6, Closure(3), Change::kHedgeLost, born);  // another round
  const ClaimId parent = run.Make(1, kProblem, 7, Closure(3), Change::kHedgeLost, born);
  run.Make(2, kProblem, 7, Closure(3), Change::kStrengthened, parent);  // has a child
  TinyAtlas atlas;
  const auto table = LoadTable(run, atlas);
  const auto graph = PropagationGraph(*table, born, Collapsed());
  ASSERT_TRUE(graph.ok());
  ASSERT_EQ(graph->nodes.size(), 6);
  EXPECT_EQ(graph->nodes[1].alike, 4);
  EXPECT_EQ(graph->nodes[1].alike_carriers, 5);
  EXPECT_EQ(graph->nodes[0].hidden_children, 0);
  EXPECT_EQ(graph->CutWords(), "showing 6 of 10 versions; 4 more on stacks (×)");
  const auto svg = RenderGraph(*graph, GraphFormat::kSvg);
  ASSERT_TRUE(svg.ok());
  EXPECT_THAT(*svg, HasSubstr("and 4 alike, carried by 5 notes"));
}

TEST(GraphCollapseTest, MarksTellWhatNoArrowDoes) {
  TestRun run({kProblem}, 4);
  const ClaimId born = run.Make(0, kProblem, 0, Closure(3));
  run.Carry(1, kProblem, 0, born);
  run.Carry(2, kProblem, 0, born);
  const ClaimId other = run.Make(0, kProblem, 1, Closure(2));
  for (int round : {1, 3}) {
    run.At(round, kProblem, 1).outcome.refuted |= run.Read(round, kProblem, 1, other);
  }
  run.Make(1, kProblem, 1, Advice(2), Change::kCorrected, other);
  run.CommitUpTo(4);
  TinyAtlas atlas;
  const auto table = LoadTable(run, atlas);
  auto graph = PropagationGraph(*table, born, {});
  ASSERT_TRUE(graph.ok());
  ASSERT_EQ(graph->marks.size(), 1);
  EXPECT_EQ(graph->marks[0].kind, GraphMark::Kind::kCarried);
  EXPECT_EQ(graph->marks[0].count, 2);
  EXPECT_EQ(graph->marks[0].round, 2);
  graph = PropagationGraph(*table, other, {});
  ASSERT_TRUE(graph.ok());
  // One of two who refuted it wrote a correction.
  ASSERT_EQ(graph->marks.size(), 1);
  EXPECT_EQ(graph->marks[0].kind, GraphMark::Kind::kRefuted);
  EXPECT_EQ(graph->marks[0].count, 2);
  EXPECT_EQ(graph->marks[0].round, 3);
  const auto svg = RenderGraph(*graph, GraphFormat::kSvg);
  ASSERT_TRUE(svg.ok());
  EXPECT_THAT(*svg, HasSubstr("refuted 2×, last in r3"));
}

// Checks a collapsed graph against the table, the slow way.
void CheckHonest(const ClaimTable& table, const GraphModel& graph) {
  std::map<RowIndex, int> node_of;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    node_of[table.Find(graph.nodes[n].version.id)] = static_cast<int>(n);
  }
  std::set<RowIndex> told;  // by arrows
  std::map<int, int> shown_children;
  for (const GraphEdge& edge : graph.edges) {
    // Some parent leads back to the start of the arrow in as many steps, past single parents.
    const RowIndex to = table.Find(graph.nodes[edge.to].version.id);
    const RowIndex from = table.Find(graph.nodes[edge.from].version.id);
    bool found = false;
    for (RowIndex at : table.row(to).parents) {
      std::vector<RowIndex> way;
      while (at != kNoRow && at != from && node_of.count(at) == 0) {
        way.push_back(at);
        at = table.row(at).parents[0];
      }
      if (at != from || static_cast<int>(way.size()) != edge.via) continue;
      found = true;
      for (RowIndex i : way) {
        const RowIndex parent = table.row(i).parents[0];
        EXPECT_EQ(table.row(i).parents[1], kNoRow);
        EXPECT_EQ(table.row(i).claim.label(), table.row(parent).claim.label());
        EXPECT_EQ(table.TruthOfRow(i), table.TruthOfRow(parent));
      }
      told.insert(way.begin(), way.end());
    }
    EXPECT_TRUE(found) << Format(graph.nodes[edge.to].version.id);
    shown_children[edge.from] += edge.via > 0 ? 1 : 1 + graph.nodes[edge.to].alike;
  }
  EXPECT_EQ(static_cast<int64_t>(told.size()), graph.Via());
  for (const auto& [row, n] : node_of) {
    const GraphNode& node = graph.nodes[n];
    EXPECT_EQ(static_cast<int>(table.children(row).size()),
              shown_children[n] + node.hidden_children);
    if (node.alike == 0) continue;
    const auto look = [&](RowIndex i) {
      const ClaimRow& r = table.row(i);
      return std::tuple(r.parents[0], r.parents[1], r.change, r.first_round, r.claim.label(),
                        r.claim.stance(), r.claim.hedged(), table.TruthOfRow(i),
                        table.children(i).size());
    };
    EXPECT_TRUE(table.children(row).empty());
    int alike = 0;
    for (RowIndex i = 0; i < table.size(); ++i) alike += i != row && look(i) == look(row);
    EXPECT_EQ(node.alike, alike);
  }
  const int64_t left_out =
      graph.reached - graph.Via() - graph.Stacked() - static_cast<int64_t>(graph.nodes.size());
  EXPECT_GE(left_out, 0);
  EXPECT_EQ(left_out > 0, graph.CutWords().find(" left out") != std::string::npos);
}

// Every lane of every round takes up some claims of the round before: carries them on, strengthens,
// relabels, corrects or merges them.
void FillAtRandom(uint64_t seed, TestRun& run) {
  std::mt19937_64 random(seed);
  const auto below = [&](size_t bound) { return static_cast<int>(random() % bound); };
  std::map<ClaimId, Claim> said;
  const auto make = [&](int round, int lane, Claim claim, Change change, ClaimId parent = {},
                        ClaimId other = {}) {
    said[run.Make(round, kProblem, lane, claim, change, parent, other)] = claim;
  };
  for (int lane = 0; lane < 3; ++lane) make(0, lane, Closure(lane), Change::kBorn);
  for (int round = 1; round < 9; ++round) {
    for (int lane = 0; lane < run.record.lanes(); ++lane) {
      const std::vector<ClaimId> offered = run.At(round - 1, kProblem, below(4)).note;
      if (offered.empty()) continue;
      const ClaimId parent = offered[below(offered.size())];
      const Claim before = said[parent];
      switch (below(8)) {
        case 0:
          run.Carry(round, kProblem, lane, parent);
          break;
        case 1:
          make(round, lane, before.WithLabel(Label::kValidityCondition), Change::kStrengthened,
               parent);
          break;
        case 2:
          make(round, lane, Advice(before.value()), Change::kCorrected, parent);
          break;
        case 3:
          make(round, lane, before, Change::kMerged, parent, offered[below(offered.size())]);
          break;
        default:
          make(round, lane, before, Change::kStrengthened, parent);
          break;
      }
    }
  }
}

TEST(GraphCollapseTest, RandomRunsAreToldHonestly) {
  int64_t via = 0;
  int64_t stacked = 0;
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    TestRun run({kProblem}, 6);
    FillAtRandom(seed, run);
    TinyAtlas atlas;
    const auto table = LoadTable(run, atlas, kProblem);
    const ClaimId middle = table->row(table->size() / 2).id;
    for (int max_nodes : {5, 20, kMaxGraphNodes}) {
      GraphOptions options = Collapsed();
      options.max_nodes = max_nodes;
      const auto graph = ProblemGraph(*table, options);
      ASSERT_TRUE(graph.ok()) << graph.status();
      EXPECT_LE(static_cast<int>(graph->nodes.size()), max_nodes);
      CheckHonest(*table, *graph);
      const auto around = PropagationGraph(*table, middle, options);
      ASSERT_TRUE(around.ok()) << around.status();
      CheckHonest(*table, *around);
      // A claim asked for is always drawn.
      EXPECT_TRUE(std::any_of(around->nodes.begin(), around->nodes.end(),
                              [](const GraphNode& node) { return node.focus; }));
      via += graph->Via() + around->Via();
      stacked += graph->Stacked() + around->Stacked();
    }
  }
  EXPECT_GT(via, 100);
  EXPECT_GT(stacked, 50);
}

TEST(ProblemGraphTest, ShowsTheFamiliesThatMostNotesCarry) {
  TestRun run({kProblem}, 20);
  for (int lane = 0; lane < 20; ++lane) {
    const ClaimId born = run.Make(0, kProblem, lane, Closure(lane % 4));
    // Lanes 10 and later are handed on, the later the longer.
    for (int round = 1; round < lane - 8; ++round) run.Carry(round, kProblem, lane, born);
  }
  TinyAtlas atlas;
  const auto table = LoadTable(run, atlas, kProblem);
  const auto graph = ProblemGraph(*table, {});
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(graph->title, "Run R3: propagation of all claims on p71");
  EXPECT_THAT(graph->notes,
              ::testing::ElementsAre("the 8 of 20 families of claims that most notes carry"));
  ASSERT_EQ(graph->nodes.size(), 8);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(graph->nodes[i].version.id.attempt().lane(), 12 + i);
    EXPECT_FALSE(graph->nodes[i].focus);
  }
}

TEST(JoinGraphsTest, KeepsAllOfBoth) {
  Chain first;
  TestRun second({71}, 2);
  const ClaimId born = second.Make(0, 71, 1, Closure(3));
  second.Make(1, 71, 1, Closure(3).WithHedged(true), Change::kStrengthened, born);
  second.Carry(2, 71, 0, born);
  TinyAtlas atlas;
  const auto table = LoadTable(first.run, atlas);
  const auto other = LoadTable(second, atlas);
  std::vector<GraphModel> graphs;
  graphs.push_back(*PropagationGraph(*table, first.versions[0], {}));
  graphs.push_back(*PropagationGraph(*other, born, {}));
  const GraphModel joined = JoinGraphs(graphs);
  EXPECT_EQ(joined.nodes.size(), 8);
  EXPECT_EQ(joined.edges.size(), 6);
  EXPECT_EQ(joined.reached, 8);
  EXPECT_EQ(joined.marks.size(), graphs[0].marks.size() + graphs[1].marks.size());
  for (size_t n = 1; n < joined.nodes.size(); ++n) {
    EXPECT_LT(joined.nodes[n - 1].version.id, joined.nodes[n].version.id);
  }
  for (const GraphEdge& edge : joined.edges) {
    const ClaimVersion& child = joined.nodes[edge.to].version;
    EXPECT_THAT(child.parents, ::testing::Contains(joined.nodes[edge.from].version.id));
  }
}

}  // namespace
}  // namespace hearsay
