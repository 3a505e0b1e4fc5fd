// How a propagation graph looks: words, colours and shapes, apart from how Graphviz is called.
//
// Colours are from Okabe and Ito's palette, which people with any colour vision can tell apart;
// what a colour says is also said in words, and what a line says by its label.
#ifndef HEARSAY_LINEAGE_GRAPH_STYLE_H_
#define HEARSAY_LINEAGE_GRAPH_STYLE_H_

#include <string>

#include "lineage/graph.h"

namespace hearsay {

struct TruthLook {
  const char* fill;
  const char* line;
  const char* words;
};
TruthLook LookOf(Truth truth);

struct ChangeLook {
  const char* color;
  const char* style;  // of the line
  const char* words;
};
ChangeLook LookOf(Change change);

// Labels in groups that a stripe at the left of a node tells by colour.
struct LabelLook {
  const char* color;
  const char* words;
};
LabelLook LookOf(Label label);

// Style of the box: cut corners for an unsupported closure, else round ones.
const char* FrameOf(const ClaimVersion& version);

// Line width for something that `carriers` notes carry: 1 for one, one half more for each doubling.
double WidthOf(int64_t carriers);

// HTML-like labels, without the enclosing angle brackets. A brief one leaves to the tooltip what
// was said and done.
std::string NodeLabel(const GraphNode& node, bool brief);
// What happened on the way: copying, versions that are not drawn, the change.
std::string EdgeLabel(const GraphModel& model, const GraphEdge& edge);
std::string MarkLabel(const GraphModel& model, const GraphMark& mark);
const char* ColorOf(GraphMark::Kind kind);
// A list of colours of Graphviz: grey for the part of the way on which a parent was only copied.
std::string EdgeColor(const GraphModel& model, const GraphEdge& edge);
std::string GraphLabel(const GraphModel& model);  // title, what was cut, legend

// What stands when the pointer rests on it: everything about the version, line by line; what became
// of it on the way. Escaped, as the label.
std::string NodeTooltip(const GraphNode& node);
std::string EdgeTooltip(const GraphModel& model, const GraphEdge& edge);

// The name of a version within the drawing, as links use it: letters, digits and dots.
std::string AnchorOf(ClaimId claim);

// Makes what the address of the drawing names stand out.
inline constexpr char kSvgStyle[] =
    ".node:target path,.node:target polygon{stroke:#000;stroke-width:4}"
    ".node:hover text,.edge:hover text{text-decoration:underline}"
    ".edge:hover path{stroke-width:4}";

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_GRAPH_STYLE_H_
