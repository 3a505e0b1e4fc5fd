// The only file that knows Graphviz.
#include <graphviz/cgraph.h>
#include <graphviz/gvc.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "lineage/graph.h"
#include "lineage/graph_style.h"
#include "lineage/markup.h"

namespace hearsay {
namespace {

// Past this much work the edges lose their labels, which double the columns that dot lays out, and
// dot is told to hurry. Colour and style of an edge still say what happened, and the text of a node
// how far it was carried and how often it was refuted.
constexpr int64_t kMaxUnhurriedSpan = 800;
constexpr size_t kMaxUnhurriedNodes = 150;
// Marks get columns of their own up to this many; past it they stand where there is room.
constexpr size_t kMaxMarkColumns = 30;
// Past this many, nodes say the most important only.
constexpr size_t kMaxFullNodes = 60;

bool IsLarge(const GraphModel& model) {
  return model.nodes.size() > kMaxUnhurriedNodes || model.Span() > kMaxUnhurriedSpan;
}

// cgraph keeps its parser, error handler and string tables in globals.
std::mutex& GraphvizMutex() {
  static std::mutex mutex;
  return mutex;
}

// Collects what Graphviz would print on stderr, for as long as it lives. Only errors fail a
// drawing; warnings are about what dot chose to do and concern nobody.
class ErrorCapture {
 public:
  // REQUIRES: GraphvizMutex() is held.
  ErrorCapture() {
    Said().clear();
    previous_level_ = agseterr(AGERR);
    previous_ = agseterrf(&ErrorCapture::Collect);
    agreseterrors();
  }
  ~ErrorCapture() {
    agseterrf(previous_);
    agseterr(previous_level_);
  }
  ErrorCapture(const ErrorCapture&) = delete;
  ErrorCapture& operator=(const ErrorCapture&) = delete;

  absl::Status Error(absl::string_view doing) const {
    const std::string said(absl::StripAsciiWhitespace(Said()));
    return absl::InternalError(
        absl::StrCat("Graphviz failed at ", doing, said.empty() ? "" : ": ", said));
  }

 private:
  static std::string& Said() {
    static std::string said;
    return said;
  }
  static int Collect(char* text) {
    Said() += text;
    return 0;
  }
  agusererrf previous_;
  agerrlevel_t previous_level_;
};

// cgraph takes char* for what it only reads.
char* Mutable(const char* text) { return const_cast<char*>(text); }
char* Mutable(const std::string& text) { return const_cast<char*>(text.c_str()); }

void Set(void* object, const char* name, const std::string& value) {
  agsafeset(object, Mutable(name), Mutable(value), Mutable(""));
}

void SetHtml(Agraph_t* graph, void* object, const std::string& html) {
  // The text becomes known to the graph as HTML, and what has the same bytes is then HTML too.
  char* known = agstrdup_html(graph, Mutable(html));
  agsafeset(object, Mutable("label"), known, Mutable(""));
  agstrfree(graph, known);
}

std::string RoundName(int round) { return absl::StrCat("round ", round); }

// Whether time runs down the page instead of to the right: whichever is nearer to the shape of a
// screen. A node takes about this much, arrow and gap included.
bool RunsDown(const GraphModel& model) {
  constexpr double kAcrossInches = 3, kAlongInches = 1.4;  // of a row
  constexpr double kColumnInches = 4, kNodeInches = 1.1;   // of a column
  constexpr double kWidthByHeight = 1.5;
  std::map<int, int> rounds;
  for (const GraphNode& node : model.nodes) ++rounds[node.version.first_round];
  int most = 1;
  for (const auto& [round, nodes] : rounds) most = std::max(most, nodes);
  const auto count = static_cast<double>(rounds.size());
  const double right = std::log(count * kColumnInches / (most * kNodeInches) / kWidthByHeight);
  const double down = std::log(most * kAcrossInches / (count * kAlongInches) / kWidthByHeight);
  return !rounds.empty() && std::abs(down) < std::abs(right);
}

void Decorate(Agraph_t* graph, const GraphModel& model, bool large) {
  const bool down = RunsDown(model);
  Set(graph, "rankdir", down ? "TB" : "LR");
  Set(graph, "newrank", "true");
  Set(graph, "labelloc", "t");
  Set(graph, "labeljust", "l");
  Set(graph, "fontname", "Helvetica");
  Set(graph, "fontsize", "12");
  Set(graph, "bgcolor", "white");
  Set(graph, "nodesep", down ? "0.3" : "0.18");
  Set(graph, "ranksep", down ? "0.35" : "0.55");
  // Bounds for network simplex and crossing minimisation: a dense graph gets a worse picture, not a
  // longer wait.
  Set(graph, "nslimit", "20");
  Set(graph, "nslimit1", "20");
  Set(graph, "mclimit", large ? "0.3" : "1");
  Set(graph, "searchsize", large ? "10" : "30");
  if (large) Set(graph, "splines", "polyline");
  SetHtml(graph, graph, GraphLabel(model));
  for (int kind : {AGNODE, AGEDGE}) {
    agattr(graph, kind, Mutable("fontname"), Mutable("Helvetica"));
    agattr(graph, kind, Mutable("fontsize"), Mutable(kind == AGNODE ? "11" : "10"));
  }
  agattr(graph, AGNODE, Mutable("shape"), Mutable("box"));
  agattr(graph, AGNODE, Mutable("margin"), Mutable("0.14,0.05"));
}

void AddNode(Agraph_t* graph, Agraph_t* column, const GraphNode& node, const std::string& link,
             bool brief) {
  const ClaimVersion& version = node.version;
  Agnode_t* drawn = agnode(graph, Mutable(Format(version.id)), 1);
  agsubnode(column, drawn, 1);
  const TruthLook look = LookOf(version.truth);
  SetHtml(graph, drawn, NodeLabel(node, brief));
  Set(drawn, "style", FrameOf(version));
  Set(drawn, "fillcolor", look.fill);
  Set(drawn, "color", node.focus ? "black" : look.line);
  Set(drawn, "penwidth", absl::StrFormat("%.2f", WidthOf(version.carriers + node.alike_carriers)));
  if (node.alike > 0) Set(drawn, "peripheries", "2");
  Set(drawn, "id", AnchorOf(version.id));
  Set(drawn, "URL", EscapeMarkup(link));
  Set(drawn, "tooltip", NodeTooltip(node));
}

void AddEdge(Agraph_t* graph, const GraphModel& model, const GraphEdge& edge, bool labelled) {
  const GraphNode& to = model.nodes[edge.to];
  const ClaimVersion& child = to.version;
  const ClaimVersion& parent = model.nodes[edge.from].version;
  Agedge_t* drawn = agedge(graph, agnode(graph, Mutable(Format(parent.id)), 0),
                           agnode(graph, Mutable(Format(child.id)), 0), nullptr, 1);
  Set(drawn, "color", EdgeColor(model, edge));
  Set(drawn, "style", LookOf(edge.change).style);
  Set(drawn, "penwidth", absl::StrFormat("%.2f", WidthOf(child.carriers + to.alike_carriers)));
  Set(drawn, "arrowsize", "0.7");
  // Straight arrows matter more than what keeps a round's name above its column.
  Set(drawn, "weight", "8");
  Set(drawn, "edgeURL", absl::StrCat("#", AnchorOf(child.id)));
  Set(drawn, "edgetooltip", EdgeTooltip(model, edge));
  if (labelled) {
    SetHtml(graph, drawn, EdgeLabel(model, edge));
  } else if (edge.via > 0) {
    // A way that leaves versions out says so in any drawing; here where it takes no room of its
    // own.
    Set(drawn, "headlabel", absl::StrCat("via ", edge.via));
    Set(drawn, "labelangle", "40");
    Set(drawn, "labeldistance", "2.4");
  }
}

// What became of a version beside its children: a few words at the end of an arrow, in the column
// of their round where it has one, else in the next.
void AddMark(Agraph_t* graph, const GraphModel& model, const GraphMark& mark,
             const std::map<int, Agraph_t*>& columns) {
  const std::string name = Format(model.nodes[mark.node].version.id);
  const bool refuted = mark.kind == GraphMark::Kind::kRefuted;
  Agnode_t* drawn =
      agnode(graph, Mutable(absl::StrCat(name, refuted ? " refuted" : " carried")), 1);
  SetHtml(graph, drawn, MarkLabel(model, mark));
  Set(drawn, "shape", "plaintext");
  Set(drawn, "height", "0.2");
  Set(drawn, "margin", "0.04,0.02");
  const auto column = columns.find(mark.round);
  if (column != columns.end() && mark.round > model.nodes[mark.node].version.first_round) {
    agsubnode(column->second, drawn, 1);
  }
  Agedge_t* edge = agedge(graph, agnode(graph, Mutable(name), 0), drawn, nullptr, 1);
  Set(edge, "color", ColorOf(mark.kind));
  Set(edge, "style", refuted ? "dashed" : "solid");
  Set(edge, "arrowhead", "none");
  Set(edge, "penwidth", absl::StrFormat("%.2f", WidthOf(mark.count)));
}

// The round axis: one name a round that has versions, at the head of the column (or row) of its
// round.
void AddAxis(Agraph_t* graph, const std::map<int, Agraph_t*>& columns) {
  Agnode_t* before = nullptr;
  int round_before = 0;
  for (const auto& [round, column] : columns) {
    Agnode_t* mark = agnode(graph, Mutable(RoundName(round)), 1);
    Set(mark, "label", RoundName(round));
    Set(mark, "shape", "plaintext");
    Set(mark, "fontsize", "14");
    Set(mark, "fontcolor", "#444444");
    // An edge within a column is what makes dot put one end before the other.
    for (Agnode_t* node = agfstnode(column); node != nullptr; node = agnxtnode(column, node)) {
      Agedge_t* under = agedge(graph, mark, node, nullptr, 1);
      Set(under, "style", "invis");
    }
    agsubnode(column, mark, 1);
    if (before != nullptr) {
      Agedge_t* step = agedge(graph, before, mark, nullptr, 1);
      Set(step, "color", "#BBBBBB");
      Set(step, "arrowhead", "none");
      Set(step, "weight", "1000");  // level, whatever hangs below
      // Rounds between that have no version of their own are left out of the axis.
      Set(step, "style", round == round_before + 1 ? "solid" : "dashed");
    }
    before = mark;
    round_before = round;
  }
}

// The version that a click on this one leads to, in the drawing: its first parent that is drawn.
std::string LinkWithin(const GraphModel& model, int node) {
  int to = node;
  for (const GraphEdge& edge : model.edges) {
    if (edge.to == node) {
      to = edge.from;
      break;
    }
  }
  return absl::StrCat("#", AnchorOf(model.nodes[to].version.id));
}

absl::StatusOr<std::vector<std::string>> LinksOf(const GraphModel& model,
                                                 const RenderOptions& options) {
  std::vector<std::string> links;
  for (const GraphNode& node : model.nodes) {
    if (options.link.empty()) {
      links.push_back(LinkWithin(model, static_cast<int>(links.size())));
      continue;
    }
    absl::StatusOr<std::string> link = ExpandLink(options.link, node.version.id);
    if (!link.ok()) return link.status();
    links.push_back(*std::move(link));
  }
  return links;
}

// The column of a round, made where there is none yet.
Agraph_t* ColumnOf(Agraph_t* graph, int round, std::map<int, Agraph_t*>& columns) {
  Agraph_t*& column = columns[round];
  if (column == nullptr) {
    column = agsubg(graph, Mutable(absl::StrCat("r", round)), 1);
    Set(column, "rank", "same");
  }
  return column;
}

void Build(Agraph_t* graph, const GraphModel& model, const std::vector<std::string>& links) {
  const bool large = IsLarge(model);
  const bool brief = model.nodes.size() > kMaxFullNodes;
  Decorate(graph, model, large);
  std::map<int, Agraph_t*> columns;
  for (const GraphNode& node : model.nodes) {
    AddNode(graph, ColumnOf(graph, node.version.first_round, columns), node,
            links[&node - model.nodes.data()], brief);
  }
  for (const GraphEdge& edge : model.edges) AddEdge(graph, model, edge, !large);
  if (!large) {
    for (const GraphMark& mark : model.marks) {
      if (columns.size() < kMaxMarkColumns) ColumnOf(graph, mark.round, columns);
      AddMark(graph, model, mark, columns);
    }
  }
  AddAxis(graph, columns);
}

absl::StatusOr<std::string> WriteDot(Agraph_t* graph, const ErrorCapture& errors) {
  char* bytes = nullptr;
  size_t size = 0;
  FILE* file = open_memstream(&bytes, &size);
  if (file == nullptr) return errors.Error("opening a buffer");
  const bool written = agwrite(graph, file) == 0;
  const bool closed = std::fclose(file) == 0;
  std::string dot = bytes == nullptr ? std::string() : std::string(bytes, size);
  std::free(bytes);
  if (!written || !closed) return errors.Error("writing DOT");
  return dot;
}

absl::StatusOr<std::string> LayOutAndWrite(Agraph_t* graph, const char* format,
                                           const ErrorCapture& errors) {
  // Kept for the life of the process: loading the plugins anew for each drawing is slow and leaks.
  static GVC_t* const context = gvContext();
  if (gvLayout(context, graph, "dot") != 0) {
    gvFreeLayout(context, graph);
    return errors.Error("laying out");
  }
  char* bytes = nullptr;
  unsigned size = 0;
  const bool rendered = gvRenderData(context, graph, format, &bytes, &size) == 0;
  std::string drawn = bytes == nullptr ? std::string() : std::string(bytes, size);
  if (bytes != nullptr) gvFreeRenderData(bytes);
  gvFreeLayout(context, graph);
  if (!rendered || drawn.empty()) return errors.Error(absl::StrCat("drawing ", format));
  return drawn;
}

// What is clicked or jumped to is seen.
std::string WithStyle(std::string svg) {
  const size_t tag = svg.find("<svg");
  const size_t end = tag == std::string::npos ? tag : svg.find('>', tag);
  if (end == std::string::npos) return svg;
  svg.insert(end + 1, absl::StrCat("\n<style>", kSvgStyle, "</style>"));
  return svg;
}

absl::StatusOr<std::string> Draw(Agraph_t* graph, GraphFormat format, const ErrorCapture& errors) {
  switch (format) {
    case GraphFormat::kDot:
      return WriteDot(graph, errors);
    case GraphFormat::kPng:
      Set(graph, "size", absl::StrCat(kMaxPngInches, ",", kMaxPngInches));
      return LayOutAndWrite(graph, "png", errors);
    case GraphFormat::kPdf:
      Set(graph, "size", absl::StrCat(kMaxPdfInches, ",", kMaxPdfInches));
      return LayOutAndWrite(graph, "pdf", errors);
    case GraphFormat::kSvg:
      break;
  }
  absl::StatusOr<std::string> svg = LayOutAndWrite(graph, "svg", errors);
  return svg.ok() ? WithStyle(*std::move(svg)) : svg;
}

}  // namespace

absl::StatusOr<std::string> RenderGraph(const GraphModel& model, GraphFormat format,
                                        const RenderOptions& options) {
  if (model.nodes.size() > static_cast<size_t>(kMaxGraphNodes) || model.Span() > kMaxGraphSpan) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a graph of ", model.nodes.size(), " versions whose edges cross ", model.Span(),
        " columns: at most ", kMaxGraphNodes, " and ", kMaxGraphSpan, " can be drawn"));
  }
  const absl::StatusOr<std::vector<std::string>> links = LinksOf(model, options);
  if (!links.ok()) return links.status();
  const std::lock_guard<std::mutex> lock(GraphvizMutex());
  const ErrorCapture errors;
  Agraph_t* graph = agopen(Mutable("propagation"), Agdirected, nullptr);
  if (graph == nullptr) return errors.Error("opening a graph");
  Build(graph, model, *links);
  absl::StatusOr<std::string> drawn = Draw(graph, format, errors);
  agclose(graph);
  return drawn;
}

}  // namespace hearsay
