#include "lineage/published.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lineage/data/embedded.h"

namespace hearsay {
namespace {

constexpr char kHeader[] = "figure,low,high,theirs,of,meaning";

using Ours = std::vector<OurFigure>;

// --- by cell and agent ---

// A measure of the twelve cells: agent and direction, from one language into the other.
Ours OfCells(const TransferStudy& study,
             const std::function<Estimate(const TransferGroup&)>& measure) {
  Ours ours;
  for (const TransferGroup& group : study.groups) {
    if (group.by != "agent+direction") continue;
    if (group.direction != "cute->tirx" && group.direction != "tirx->cute") continue;
    ours.push_back({absl::StrCat(group.agent, " ", group.direction), measure(group)});
  }
  return ours;
}

Estimate LiftEstimate(const TransferGroup& group) { return {group.sums.Lift(), group.lift}; }

// Of each agent that has a lift in both directions the smaller or the larger.
Ours OfBothDirections(const TransferStudy& study, bool larger) {
  std::map<std::string, std::vector<Estimate>> by_agent;
  std::vector<std::string> order;
  for (const OurFigure& cell : OfCells(study, LiftEstimate)) {
    const std::string agent = cell.of.substr(0, cell.of.rfind(' '));
    if (by_agent[agent].empty()) order.push_back(agent);
    by_agent[agent].push_back(cell.estimate);
  }
  Ours ours;
  for (const std::string& agent : order) {
    const std::vector<Estimate>& lifts = by_agent[agent];
    if (lifts.size() < 2 || !lifts[0].value.has_value() || !lifts[1].value.has_value()) continue;
    const bool second = (*lifts[1].value > *lifts[0].value) == larger;
    // The interval of one direction is not that of the smaller of two.
    ours.push_back({agent, {lifts[second ? 1 : 0].value, std::nullopt}});
  }
  return ours;
}

// A measure of each agent in one category; `sign` turns it round.
Ours OfAgents(const GroupStudy& study, absl::string_view category, absl::string_view measure,
              double sign) {
  Ours ours;
  for (const GroupRow& row : study.rows) {
    if (row.by != "agent" || row.category != category) continue;
    Estimate estimate = study.Get(row, measure);
    if (estimate.value.has_value()) *estimate.value *= sign;
    if (estimate.interval.has_value() && sign < 0) {
      estimate.interval = Interval{-estimate.interval->high, -estimate.interval->low};
    }
    ours.push_back({row.agent, estimate});
  }
  return ours;
}

// The sum over categories, which exclude each other, of a share of each agent.
Ours SumOfAgents(const GroupStudy& study, const std::vector<std::string>& categories,
                 absl::string_view measure) {
  if (categories.size() == 1) return OfAgents(study, categories[0], measure, 1);
  Ours sums;
  for (const std::string& category : categories) {
    const Ours part = OfAgents(study, category, measure, 1);
    if (sums.empty()) sums.resize(part.size());
    for (size_t i = 0; i < part.size(); ++i) {
      sums[i].of = part[i].of;
      if (!part[i].estimate.value.has_value()) continue;
      sums[i].estimate.value = sums[i].estimate.value.value_or(0) + *part[i].estimate.value;
    }
  }
  return sums;
}

// --- figures by name ---

struct Figure {
  const char* name;
  Ours (*compute)(const PublishedInputs& inputs);
};

constexpr Figure kFigures[] = {
    {"lift", [](const PublishedInputs& in) { return OfCells(in.transfer, LiftEstimate); }},
    {"lift_both_gain",
     [](const PublishedInputs& in) { return OfBothDirections(in.transfer, false); }},
    {"lift_both_lose",
     [](const PublishedInputs& in) { return OfBothDirections(in.transfer, true); }},
    {"helped",
     [](const PublishedInputs& in) {
       return OfCells(in.transfer, [](const TransferGroup& group) {
         return Estimate{group.sums.HelpedShare(), group.helped};
       });
     }},
    {"helped_all",
     [](const PublishedInputs& in) {
       const TransferGroup& all = in.transfer.groups.front();
       return Ours{{"all", {all.sums.HelpedShare(), all.helped}}};
     }},
    {"harmed",
     [](const PublishedInputs& in) {
       return OfCells(in.transfer, [](const TransferGroup& group) {
         return Estimate{group.sums.HarmedShare(), group.harmed};
       });
     }},
    {"closure_points",
     [](const PublishedInputs& in) {
       return OfAgents(in.content[0], "unsupported_closure", "points", 1);
     }},
    {"reformulation_points",
     [](const PublishedInputs& in) {
       return OfAgents(in.content[0], "verified_reformulation", "points", -1);
     }},
    {"misled",
     [](const PublishedInputs& in) {
       return SumOfAgents(in.attribution[0], {"search_truncation", "unverified_adoption"}, "share");
     }},
    {"own_execution",
     [](const PublishedInputs& in) {
       return SumOfAgents(in.attribution[0], {"execution_error"}, "share");
     }},
    {"written_harmed",
     [](const PublishedInputs& in) {
       return OfAgents(in.propagation[0], "", "harmed_written", 1);
     }},
    {"written_helped",
     [](const PublishedInputs& in) {
       return OfAgents(in.propagation[0], "", "helped_written", 1);
     }},
};

// --- within the range ---

bool Within(const PublishedFigure& figure, double value) {
  return value >= figure.low && value <= figure.high;
}

// Ours lies within the range; or the interval reaches it; or neither.
std::string Verdict(const PublishedFigure& figure, const Estimate& ours) {
  if (!ours.value.has_value()) return "no number";
  if (Within(figure, *ours.value)) return "yes";
  if (!ours.interval.has_value()) return "no";
  return ours.interval->low <= figure.high && ours.interval->high >= figure.low ? "interval reaches"
                                                                                : "no";
}

Cell OfCell(const std::optional<int>& count, const std::optional<int>& of) {
  return count.has_value() && of.has_value() ? Text(absl::StrCat(*count, " of ", *of)) : Missing();
}

}  // namespace

absl::StatusOr<std::vector<PublishedFigure>> ParsePublished(absl::string_view text,
                                                            absl::string_view source) {
  std::vector<PublishedFigure> figures;
  bool header_seen = false;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    const auto wrong = [&](const std::string& why) {
      return absl::InvalidArgumentError(absl::StrCat(source, ":", number, ": ", why));
    };
    if (line.empty() || line[0] == '#') continue;
    if (!header_seen) {
      if (line != kHeader) return wrong(absl::StrCat("'", line, "' is not ", kHeader));
      header_seen = true;
      continue;
    }
    const std::vector<std::string> fields = absl::StrSplit(line, absl::MaxSplits(',', 5));
    if (fields.size() != 6) return wrong(absl::StrCat("'", line, "' has not six fields"));
    PublishedFigure figure;
    figure.figure = fields[0];
    figure.meaning = fields[5];
    if (!absl::SimpleAtod(fields[1], &figure.low) || !absl::SimpleAtod(fields[2], &figure.high) ||
        figure.low > figure.high) {
      return wrong(absl::StrCat("'", fields[1], ",", fields[2], "' is no range"));
    }
    for (const auto& [field, count] :
         {std::pair(&fields[3], &figure.theirs), std::pair(&fields[4], &figure.of)}) {
      int value = 0;
      if (field->empty()) continue;
      if (!absl::SimpleAtoi(*field, &value) || value < 0) {
        return wrong(absl::StrCat("'", *field, "' is no count"));
      }
      *count = value;
    }
    figures.push_back(std::move(figure));
  }
  return figures;
}

absl::StatusOr<std::vector<OurFigure>> ComputeFigure(absl::string_view figure,
                                                     const PublishedInputs& inputs) {
  for (const Figure& known : kFigures) {
    if (figure == known.name) return known.compute(inputs);
  }
  return absl::NotFoundError(absl::StrCat("no figure '", figure, "' is computed"));
}

absl::StatusOr<std::vector<Table>> PublishedTables(const PublishedInputs& inputs) {
  const auto figures = ParsePublished(kPublishedText, "lineage/data/published.csv");
  if (!figures.ok()) return absl::InternalError(figures.status().message());
  Table summary, all;
  summary.title = absl::StrCat("Published figures, and those of ", inputs.transfer.runs.Title());
  summary.columns = {"figure",   "published_low", "published_high", "theirs_within",
                     "ours_low", "ours_high",     "ours_within",    "meaning"};
  all.title = "One by one";
  all.columns = {"figure", "of"};
  AppendEstimateColumns("ours", &all.columns);
  all.columns.insert(all.columns.end(), {"published_low", "published_high", "within"});
  for (const PublishedFigure& figure : *figures) {
    const auto ours = ComputeFigure(figure.figure, inputs);
    if (!ours.ok()) return absl::InternalError(ours.status().message());
    std::optional<double> low, high;
    int within = 0;
    int count = 0;
    for (const OurFigure& one : *ours) {
      if (one.estimate.value.has_value()) {
        const double value = *one.estimate.value;
        low = std::min(low.value_or(value), value);
        high = std::max(high.value_or(value), value);
        within += Within(figure, value);
        ++count;
      }
      std::vector<Cell> row = {Text(figure.figure), Text(one.of)};
      AppendEstimate(one.estimate, &row);
      row.push_back(Real(figure.low));
      row.push_back(Real(figure.high));
      row.push_back(Text(Verdict(figure, one.estimate)));
      all.rows.push_back(std::move(row));
    }
    summary.rows.push_back({Text(figure.figure), Real(figure.low), Real(figure.high),
                            OfCell(figure.theirs, figure.of), Real(low), Real(high),
                            OfCell(within, count), Text(figure.meaning)});
  }
  summary.notes = {
      "published: MetaKernelBench, arXiv 2610.05014: six language models, one transfer of 74 "
      "problems in each direction, on a B200",
      "ours: agents that were set by hand, none of them fitted to these figures or meant to be one "
      "of those models, on modelled landscapes; all rounds after round 0 of the runs",
      "within: how many cells, agents or models lie in the published range; an agent is none of "
      "the models, so that it may do what none of them did"};
  AppendNotes(inputs.transfer.runs.Notes(), &summary);
  all.notes = {
      "within: yes, no, or \"interval reaches\" where the number lies outside and its 95% interval "
      "does not; no interval where a figure is made of two"};
  return std::vector<Table>{std::move(summary), std::move(all)};
}

}  // namespace hearsay
