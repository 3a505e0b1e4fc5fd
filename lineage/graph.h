// Propagation graphs: how versions of claims came from one another, round after round. First as
// plain nodes and edges (this file), then drawn (graph_cgraph.cc, the only file that knows
// Graphviz).
//
// A note that hands a claim on unchanged adds no node: the node says through which rounds and by
// how many notes it was carried. Nothing is ever left out silently: the model counts what an arrow
// or a stack tells in short, and what was cut.
#ifndef HEARSAY_LINEAGE_GRAPH_H_
#define HEARSAY_LINEAGE_GRAPH_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lineage/ancestry.h"
#include "lineage/claim_table.h"

namespace hearsay {

struct GraphNode {
  ClaimVersion version;
  bool focus = false;      // one of the claims asked for
  int hidden_parents = 0;  // parents and children of this version that are not in the graph
  int hidden_children = 0;
  // A stack: so many further versions without children, made of the same parent in the same round
  // by the same change, alike in label, stance and truth; and the notes that carry those.
  int alike = 0;
  int64_t alike_carriers = 0;
  int alike_refuted = 0;
};

struct GraphEdge {
  int from = 0;  // the parent; both index GraphModel::nodes
  int to = 0;
  Change change = Change::kBorn;  // what made the child, of the parent or of the last on the way
  // Versions on the way that are not drawn. Each has one parent and one child that is drawn or on
  // the way as well, and only strengthened or generalised what it came from.
  int via = 0;
  int via_first_round = 0;  // the rounds they were born in
  int via_last_round = 0;
  int64_t via_carriers = 0;
  int via_hidden_children = 0;              // of theirs, beside the next on the way
  std::array<int, kChangeCount> changes{};  // how often each happened on the way, the last included
};

// What became of a version that no arrow to a child tells.
struct GraphMark {
  enum class Kind {
    kRefuted,  // more attempts refuted it than corrected it
    kCarried,  // it has no child, and more than its author's note carries it
  };
  int node = 0;  // indexes GraphModel::nodes
  Kind kind = Kind::kCarried;
  int round = 0;  // the last in which that happened
  int count = 0;  // attempts that refuted; notes that copied
};

struct GraphModel {
  std::string title;               // run and claim, or how many claims
  std::vector<std::string> notes;  // lines under the title
  std::vector<GraphNode> nodes;    // ascending by id
  std::vector<GraphEdge> edges;    // ascending by child, then parent
  std::vector<GraphMark> marks;    // ascending by node
  int64_t reached = 0;             // versions within the depth asked for, shown or not
  int64_t beyond = 0;              // parents and children of those, past that depth
  int64_t Via() const;             // versions that the edges stand for
  int64_t Stacked() const;         // versions that nodes stand for beside their own
  // "showing 40 of 1,204 versions; 60 more in arrows (via), 20 on stacks; 1,084 left out, the most
  // carried lines kept; 17 more lie just beyond the depth asked for"
  std::string CutWords() const;
  // Columns (rounds with a version of their own) that the edges cross, all together: 1 for an edge
  // to the next column.
  int64_t Span() const;
};

// When chains and siblings that say nothing new become part of an arrow or a stack.
enum class Collapse { kNever, kLarge, kAlways };
// kLarge: where more versions were reached than this.
inline constexpr int kUncollapsedVersions = 40;

struct GraphOptions {
  int depth_up = 64;    // generations towards birth
  int depth_down = 64;  // generations from each claim towards the last round
  // Nodes. Kept are those of the lines that most notes carry: a version counts what is made of it.
  int max_nodes = 100;
  Collapse collapse = Collapse::kLarge;
};

// What a reader can still see and Graphviz still lays out in seconds. An edge costs it a node in
// every column that it crosses, so a graph is cut where its edges cross more than kMaxGraphSpan.
inline constexpr int kMaxGraphNodes = 1500;
inline constexpr int64_t kMaxGraphSpan = 6000;

// The graph around `focus`: the claims themselves, what they were made from, and what was made from
// them. Ancestors are reached upwards only and descendants downwards only. Without any focus it is
// empty. Errors: kInvalidArgument if an option is negative or max_nodes not in 1 to kMaxGraphNodes.
absl::StatusOr<GraphModel> PropagationGraph(const ClaimTable& table,
                                            const std::vector<RowIndex>& focus,
                                            const GraphOptions& options);
// The same around one claim. Errors: also kNotFound.
absl::StatusOr<GraphModel> PropagationGraph(const ClaimTable& table, ClaimId focus,
                                            const GraphOptions& options);
// All claims of the table, from their births down: of the families of related claims those that
// most notes carry, each as far as its share of the nodes goes. REQUIRES: it is of one problem.
absl::StatusOr<GraphModel> ProblemGraph(const ClaimTable& table, const GraphOptions& options);

// Puts graphs of one run that share no claim side by side; titles are those of the first.
GraphModel JoinGraphs(std::vector<GraphModel> graphs);

enum class GraphFormat { kDot, kSvg, kPng, kPdf };

// What is larger is drawn smaller: a PNG past 9,600 pixels needs memory that nobody sees, and past
// 200 inches many readers refuse a PDF.
inline constexpr int kMaxPngInches = 100;
inline constexpr int kMaxPdfInches = 200;

struct RenderOptions {
  // Where a version links to, in all formats but PNG: {claim} and {attempt} stand for ids, {run},
  // {round}, {problem}, {lane} and {place} for their parts. Empty: to the version it came from, in
  // the drawing itself.
  std::string link;
};

// The link of one claim by such a template. Errors: kInvalidArgument naming what stands in braces
// and is none of these.
absl::StatusOr<std::string> ExpandLink(absl::string_view link, ClaimId claim);

// Draws the graph. One at a time: Graphviz keeps global state, so callers on other threads wait.
// Errors: kInvalidArgument if it has more than kMaxGraphNodes nodes, or for a link as above;
// kInternal with what Graphviz said.
absl::StatusOr<std::string> RenderGraph(const GraphModel& model, GraphFormat format,
                                        const RenderOptions& options = {});

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_GRAPH_H_
