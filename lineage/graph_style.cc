#include "lineage/graph_style.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "lineage/markup.h"
#include "tasks/words.h"

namespace hearsay {
namespace {

constexpr size_t kWrapColumn = 36;
constexpr const char* kPlain = "#222222";
constexpr const char* kFaint = "#666666";
constexpr const char* kCopiedColor = "#999999";
constexpr const char* kRefutedColor = "#C0272D";

// Breaks text at spaces into lines of at most kWrapColumn bytes; a longer word stands alone.
std::vector<std::string> Wrap(absl::string_view text) {
  std::vector<std::string> lines;
  for (absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    if (lines.empty() || lines.back().size() + 1 + word.size() > kWrapColumn) {
      lines.emplace_back(word);
    } else {
      absl::StrAppend(&lines.back(), " ", word);
    }
  }
  return lines;
}

std::string Plural(int64_t count, absl::string_view one, absl::string_view many) {
  return absl::StrCat(count, " ", count == 1 ? one : many);
}

// How it is said: label, hedge, confidence, evidence.
std::string SaidLine(Claim claim) {
  std::string line = absl::StrReplaceAll(Name(claim.label()), {{"_", " "}});
  if (claim.hedged()) absl::StrAppend(&line, ", hedged");
  absl::StrAppend(&line, ", confidence ", claim.confidence());
  if (claim.support() > 0) absl::StrAppend(&line, ", ", claim.support(), " for");
  if (claim.against() > 0) absl::StrAppend(&line, ", ", claim.against(), " against");
  return line;
}

std::string TruthLine(const ClaimVersion& version) {
  std::string line = LookOf(version.truth).words;
  if (version.truth == Truth::kFalse && version.claim.is_closure()) {
    if (version.cost_doublings < 0.05) {
      absl::StrAppend(&line, ", costs nothing");
    } else {
      absl::StrAppendFormat(&line, ", costs %.1f doublings", version.cost_doublings);
    }
  }
  const auto other = static_cast<Dsl>(1 - static_cast<int>(version.claim.dsl()));
  const Truth there = version.truth_in[static_cast<int>(other)];
  if (there != version.truth) absl::StrAppend(&line, " (", Name(there), " in ", Name(other), ")");
  return line;
}

std::string CarriedLine(const ClaimVersion& version) {
  std::string line = version.first_round == version.last_round
                         ? absl::StrCat("carried in r", version.first_round)
                         : absl::StrCat("carried r", version.first_round, "–r", version.last_round);
  absl::StrAppend(&line, " by ", Plural(version.carriers, "note", "notes"));
  if (version.alive) absl::StrAppend(&line, ", alive");
  return line;
}

// Empty if nobody acted on the claim.
std::string DeedsLine(const ClaimVersion& version) {
  std::string line;
  const auto add = [&](int count, absl::string_view word) {
    if (count > 0) absl::StrAppend(&line, line.empty() ? "" : ", ", word, " ", count, "×");
  };
  add(version.adopted, "believed");
  add(version.confirmed, "confirmed");
  add(version.refuted, "refuted");
  return line;
}

std::string HiddenLine(const GraphNode& node) {
  std::string line;
  if (node.hidden_parents > 0) {
    line = Plural(node.hidden_parents, "parent", "parents");
  }
  if (node.hidden_children > 0) {
    absl::StrAppend(&line, line.empty() ? "" : " and ",
                    Plural(node.hidden_children, "child", "children"));
  }
  return line.empty() ? line : absl::StrCat("(", line, " not shown)");
}

// "and 11 alike, carried by 14 notes, refuted 2×"; empty without a stack.
std::string StackLine(const GraphNode& node) {
  if (node.alike == 0) return "";
  std::string line = absl::StrCat("and ", node.alike, " alike, carried by ",
                                  Plural(node.alike_carriers, "note", "notes"));
  if (node.alike_refuted > 0) absl::StrAppend(&line, ", refuted ", node.alike_refuted, "×");
  return line;
}

// A row of the table that a node's label is: rows keep the distance between lines of different
// sizes.
void AppendLine(std::string& label, absl::string_view text, const char* color) {
  if (text.empty()) return;
  absl::StrAppend(&label, "<TR><TD ALIGN=\"LEFT\"><FONT COLOR=\"", color, "\" POINT-SIZE=\"10\">",
                  EscapeMarkup(text), "</FONT></TD></TR>");
}

std::string TextLine(absl::string_view text) {
  return absl::StrCat("<TR><TD ALIGN=\"LEFT\">", text, "</TD></TR>");
}

// One line of the legend: a table of its own, so that its columns do not stretch those of another.
std::string LegendLine(absl::string_view cells) {
  return absl::StrCat(
      "<TR><TD ALIGN=\"LEFT\"><TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"5\" "
      "CELLPADDING=\"2\"><TR>",
      cells, "</TR></TABLE></TD></TR>");
}

std::string Stripe(const char* color) {
  return absl::StrCat("<TD BGCOLOR=\"", color, "\" WIDTH=\"7\"></TD>");
}

std::string Font(const char* color, absl::string_view text) {
  return absl::StrCat("<FONT COLOR=\"", color, "\">", EscapeMarkup(text), "</FONT>");
}

// The rounds through which the parent, or the last version on the way, was copied before the change
// was made; 0 for none.
int CopiedRounds(const GraphModel& model, const GraphEdge& edge) {
  const int from = edge.via > 0 ? edge.via_last_round : model.nodes[edge.from].version.first_round;
  return std::max(0, model.nodes[edge.to].version.first_round - from - 1);
}

std::string Swatch(Truth truth) {
  const TruthLook look = LookOf(truth);
  return absl::StrCat("<TD BORDER=\"1\" COLOR=\"", look.line, "\" BGCOLOR=\"", look.fill, "\"> ",
                      look.words, " </TD>");
}

}  // namespace

TruthLook LookOf(Truth truth) {
  switch (truth) {
    case Truth::kTrue:
      return {"#DCEBF7", "#0072B2", "true"};
    case Truth::kFalse:
      return {"#FBE3D3", "#D55E00", "false"};
    case Truth::kOpen:
      break;
  }
  return {"#F2F2F2", "#777777", "open"};
}

ChangeLook LookOf(Change change) {
  switch (change) {
    case Change::kHedgeLost:
      return {"#A3447A", "solid", "hedge lost"};
    case Change::kStrengthened:
      return {"#007A59", "bold", "strengthened"};
    case Change::kCorrected:
      return {"#9A6500", "dashed", "corrected"};
    case Change::kMerged:
      return {"#444444", "dotted", "merged"};
    case Change::kGeneralised:
      return {"#2676A8", "solid", "generalised"};
    case Change::kBorn:
    case Change::kCopied:
      break;
  }
  return {"#444444", "solid", ""};
}

const char* FrameOf(const ClaimVersion& version) {
  return version.claim.label() == Label::kUnsupportedClosure ? "filled,diagonals"
                                                             : "filled,rounded";
}

double WidthOf(int64_t carriers) {
  return 1 + 0.5 * std::log2(static_cast<double>(carriers > 1 ? carriers : 1));
}

LabelLook LookOf(Label label) {
  switch (label) {
    case Label::kUnsupportedClosure:
      return {"#CC79A7", "unsupported closure"};
    case Label::kUnverifiedAssertion:
    case Label::kOpenQuestion:
      return {"#F0E442", "assertion or question, unverified"};
    case Label::kBottleneckDiagnosis:
    case Label::kFailureDiagnosis:
    case Label::kValidityCondition:
      return {"#56B4E9", "diagnosis or condition"};
    case Label::kVerifiedReformulation:
    case Label::kMeasuredGain:
    case Label::kMeasuredLoss:
    case Label::kDslIdiom:
      return {"#009E73", "measured"};
    case Label::kWorkloadCensus:
      break;
  }
  return {"#999999", "census"};
}

std::string NodeLabel(const GraphNode& node, bool brief) {
  const ClaimVersion& version = node.version;
  // What stands in brackets is told below in fewer words, or by colour.
  const std::string headline = version.words.substr(0, version.words.find(" ("));
  std::string lines;
  for (const std::string& line : Wrap(headline)) {
    absl::StrAppend(&lines, "<TR><TD ALIGN=\"LEFT\"><FONT POINT-SIZE=\"12\"><B>",
                    EscapeMarkup(line), "</B></FONT></TD></TR>");
  }
  AppendLine(
      lines,
      absl::StrCat(Format(version.id), " · ", version.agent, " · ", Name(version.claim.dsl())),
      kPlain);
  if (!brief) AppendLine(lines, SaidLine(version.claim), kPlain);
  AppendLine(lines, TruthLine(version), LookOf(version.truth).line);
  AppendLine(lines, CarriedLine(version), kPlain);
  if (!brief) AppendLine(lines, DeedsLine(version), kPlain);
  AppendLine(lines, StackLine(node), kPlain);
  AppendLine(lines, HiddenLine(node), kFaint);
  constexpr char kTable[] = "<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\"";
  return absl::StrCat(kTable, " CELLPADDING=\"0\"><TR>",
                      Stripe(LookOf(version.claim.label()).color), "<TD WIDTH=\"4\"></TD><TD>",
                      kTable, " CELLPADDING=\"1\">", lines, "</TABLE></TD></TR></TABLE>");
}

std::string EdgeLabel(const GraphModel& model, const GraphEdge& edge) {
  std::string label;
  const auto add = [&](const char* color, absl::string_view words) {
    absl::StrAppend(&label, label.empty() ? "" : "<BR/>", Font(color, words));
  };
  if (edge.via > 0) {
    for (Change change : {Change::kStrengthened, Change::kGeneralised}) {
      const int times = edge.changes[static_cast<int>(change)];
      if (times == 0) continue;
      add(LookOf(change).color, absl::StrCat(LookOf(change).words, " ", times, "×"));
    }
    add(kFaint,
        absl::StrCat("via ", Plural(edge.via, "version", "versions"), ", r", edge.via_first_round,
                     edge.via == 1 ? "" : absl::StrCat("–r", edge.via_last_round)));
    if (edge.via_hidden_children > 0) {
      add(kFaint,
          absl::StrCat("(", Plural(edge.via_hidden_children, "child", "children"), " not shown)"));
    }
  }
  if (const int rounds = CopiedRounds(model, edge); rounds > 0) {
    add(kFaint, absl::StrCat("copied ", Plural(rounds, "round", "rounds")));
  }
  // On a way through other versions the same change has been told with theirs.
  const bool told =
      edge.via > 0 && (edge.change == Change::kStrengthened || edge.change == Change::kGeneralised);
  const ChangeLook look = LookOf(edge.change);
  if (!told) add(look.color, look.words);
  return absl::StrCat("<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLPADDING=\"2\"><TR><TD>", label,
                      "</TD></TR></TABLE>");
}

std::string EdgeColor(const GraphModel& model, const GraphEdge& edge) {
  const std::string color = LookOf(edge.change).color;
  if (edge.via > 0) return color;
  const int copied = CopiedRounds(model, edge);
  if (copied == 0) return color;
  return absl::StrFormat("%s;%.2f:%s", kCopiedColor, copied / (copied + 1.0), color);
}

const char* ColorOf(GraphMark::Kind kind) {
  return kind == GraphMark::Kind::kRefuted ? kRefutedColor : kCopiedColor;
}

std::string MarkLabel(const GraphModel& model, const GraphMark& mark) {
  if (mark.kind == GraphMark::Kind::kRefuted) {
    // When is not known of attempts that were dropped.
    return Font(kRefutedColor,
                absl::StrCat("✕ refuted ", mark.count, "×",
                             mark.round == 0 ? "" : absl::StrCat(", last in r", mark.round)));
  }
  const bool alive = model.nodes[mark.node].version.alive;
  return Font(kFaint, absl::StrCat("copied ", mark.count, "×, ", alive ? "alive in r" : "last in r",
                                   mark.round));
}

std::string NodeTooltip(const GraphNode& node) {
  const ClaimVersion& version = node.version;
  const std::vector<std::string> lines = {
      absl::StrCat(Format(version.id), ": ", version.words),
      absl::StrCat("written by ", version.agent, " in round ", version.first_round, ", lane ",
                   version.id.attempt().lane(), ", in ", Name(version.claim.dsl())),
      TruthLine(version),
      CarriedLine(version),
      DeedsLine(version),
      HiddenLine(node)};
  std::string tooltip;
  for (const std::string& line : lines) {
    if (line.empty()) continue;
    absl::StrAppend(&tooltip, tooltip.empty() ? "" : "&#10;", EscapeMarkup(line));
  }
  return tooltip;
}

std::string EdgeTooltip(const GraphModel& model, const GraphEdge& edge) {
  const ClaimVersion& child = model.nodes[edge.to].version;
  std::string tooltip =
      absl::StrCat(Format(model.nodes[edge.from].version.id), " → ", Format(child.id), ": ",
                   LookOf(edge.change).words, " by ", child.agent);
  if (edge.via > 0) {
    absl::StrAppend(&tooltip, "; via ", Plural(edge.via, "version", "versions"), " of r",
                    edge.via_first_round, " to r", edge.via_last_round, ", carried by ",
                    Plural(edge.via_carriers, "note", "notes"));
    if (edge.via_hidden_children > 0) {
      absl::StrAppend(&tooltip, " (", Plural(edge.via_hidden_children, "child", "children"),
                      " of theirs not shown)");
    }
  }
  if (const int rounds = CopiedRounds(model, edge); rounds > 0) {
    absl::StrAppend(&tooltip, "; copied ", Plural(rounds, "round", "rounds"), " before that");
  }
  return EscapeMarkup(tooltip);
}

std::string AnchorOf(ClaimId claim) {
  return absl::StrReplaceAll(Format(claim), {{":", "."}, {"#", "."}});
}

absl::StatusOr<std::string> ExpandLink(absl::string_view link, ClaimId claim) {
  const AttemptId attempt = claim.attempt();
  const std::pair<absl::string_view, std::string> known[] = {
      {"claim", Format(claim)},
      {"attempt", Format(attempt)},
      {"run", absl::StrCat(attempt.run())},
      {"round", absl::StrCat(attempt.round())},
      {"problem", FormatProblem(attempt.problem())},
      {"lane", absl::StrCat(attempt.lane())},
      {"place", absl::StrCat(claim.place() + 1)}};
  std::string out;
  while (!link.empty()) {
    const size_t open = link.find('{');
    absl::StrAppend(&out, link.substr(0, open));
    if (open == absl::string_view::npos) break;
    link.remove_prefix(open + 1);
    const absl::string_view name = link.substr(0, link.find('}'));
    const auto* const found = std::find_if(std::begin(known), std::end(known),
                                           [&](const auto& one) { return one.first == name; });
    if (found == std::end(known) || name.size() == link.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("'{", name, name.size() == link.size() ? "" : "}",
                       "' in a link: known are {claim}, {attempt}, {run}, {round}, "
                       "{problem}, {lane} and {place}"));
    }
    absl::StrAppend(&out, found->second);
    link.remove_prefix(name.size() + 1);
  }
  return out;
}

std::string GraphLabel(const GraphModel& model) {
  std::string truths = "<TD ALIGN=\"LEFT\">Legend: truth in the language it was made in</TD>";
  for (Truth truth : {Truth::kFalse, Truth::kTrue, Truth::kOpen}) {
    absl::StrAppend(&truths, Swatch(truth));
  }
  std::string labels = "<TD ALIGN=\"LEFT\">Label</TD>";
  for (Label label : {Label::kUnsupportedClosure, Label::kUnverifiedAssertion,
                      Label::kBottleneckDiagnosis, Label::kMeasuredGain, Label::kWorkloadCensus}) {
    absl::StrAppend(&labels, Stripe(LookOf(label).color), "<TD ALIGN=\"LEFT\">",
                    LookOf(label).words, "</TD>");
  }
  std::string changes =
      absl::StrCat("<TD ALIGN=\"LEFT\">What happened</TD><TD>", Font(kFaint, "copied"), "</TD>");
  for (Change change : {Change::kHedgeLost, Change::kStrengthened, Change::kCorrected,
                        Change::kMerged, Change::kGeneralised}) {
    const ChangeLook look = LookOf(change);
    const bool plain = absl::string_view(look.style) == "solid";
    absl::StrAppend(
        &changes, "<TD ALIGN=\"LEFT\">",
        Font(look.color, plain ? look.words : absl::StrCat(look.words, " (", look.style, ")")),
        "</TD>");
  }
  absl::StrAppend(&changes, "<TD>", Font(kRefutedColor, "✕ refuted"), "</TD>");
  std::string lines = TextLine(
      absl::StrCat("<FONT POINT-SIZE=\"18\"><B>", EscapeMarkup(model.title), "</B></FONT>"));
  absl::StrAppend(&lines, TextLine(EscapeMarkup(model.CutWords())));
  for (const std::string& note : model.notes) absl::StrAppend(&lines, TextLine(EscapeMarkup(note)));
  return absl::StrCat(
      "<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"2\" CELLPADDING=\"1\">", lines,
      LegendLine(truths), LegendLine(labels), LegendLine(changes),
      TextLine("cut corners: unsupported closure; black frame: asked for; double frame: a stack of "
               "versions alike; wide frame or arrow: carried by many notes"),
      "</TABLE>");
}

}  // namespace hearsay
