#include "tools/report_plots.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"

namespace hearsay {
namespace {

const PlotAxis kRound = {"round"};

// Above, rows by run are left to the tables.
constexpr int kMostRunsDrawn = 12;

std::string Spaced(const std::string& name) { return absl::StrReplaceAll(name, {{"_", " "}}); }

void AddPoint(PlotSeries* series, double x, const Estimate& estimate) {
  if (estimate.value.has_value()) series->points.push_back({x, *estimate.value, estimate.interval});
}

// A share of what is carried, by round.
PlotSeries CarriedShare(const SpreadStudy& study, const std::string& name,
                        int64_t Carried::*count) {
  PlotSeries series = {name, {}};
  for (const Carried& part : study.carried) {
    if (part.carried == 0) continue;
    series.points.push_back({static_cast<double>(part.round),
                             static_cast<double>(part.*count) / static_cast<double>(part.carried),
                             std::nullopt});
  }
  return series;
}

}  // namespace

LinePlot EffectByRound(const TransferStudy& study) {
  LinePlot plot = {"Helped and harmed, by round", kRound, {"share of comparisons", true}, {}};
  plot.series = {{"helped", {}}, {"harmed", {}}};
  for (const TransferGroup& group : study.groups) {
    if (group.by != "round") continue;
    AddPoint(&plot.series[0], group.round, {group.sums.HelpedShare(), group.helped});
    AddPoint(&plot.series[1], group.round, {group.sums.HarmedShare(), group.harmed});
  }
  return plot;
}

LinePlot LiftByRound(const TransferStudy& study) {
  LinePlot plot = {"Paired lift, by round", kRound, {"dGM", true}, {{"dGM", {}}}};
  for (const TransferGroup& group : study.groups) {
    if (group.by != "round") continue;
    AddPoint(&plot.series[0], group.round, {group.sums.Lift(), group.lift});
  }
  return plot;
}

DotPlot LiftByAgent(const TransferStudy& study) {
  DotPlot plot = {"Paired lift, by agent and direction", {"dGM", true}, {}, 0.0};
  for (const TransferGroup& group : study.groups) {
    if (group.by != "agent+direction") continue;
    const auto known = std::find(plot.colours.begin(), plot.colours.end(), group.direction);
    const int colour = static_cast<int>(known - plot.colours.begin());
    if (known == plot.colours.end()) plot.colours.push_back(group.direction);
    plot.dots.push_back({group.agent, {group.sums.Lift(), group.lift}, colour});
  }
  return plot;
}

DotPlot PooledDots(const GroupStudy& study, const std::string& measure, const std::string& title,
                   const PlotAxis& axis, std::optional<double> reference) {
  DotPlot plot = {title, axis, {}, reference};
  for (const GroupRow& row : study.rows) {
    if (row.by == "all") plot.dots.push_back({Spaced(row.category), study.Get(row, measure)});
  }
  return plot;
}

DotPlot SeveralDots(const GroupStudy& study, const std::vector<std::string>& measures,
                    const std::vector<std::string>& meanings, const std::string& title,
                    const PlotAxis& axis) {
  DotPlot plot = {title, axis, {}, std::nullopt, meanings};
  const bool by_agent = study.category_name.empty();
  for (const GroupRow& row : study.rows) {
    if (row.by != (by_agent ? "agent" : "all")) continue;
    for (size_t m = 0; m < measures.size(); ++m) {
      plot.dots.push_back({m == 0 ? Spaced(by_agent ? row.agent : row.category) : "",
                           study.Get(row, measures[m]), static_cast<int>(m)});
    }
  }
  return plot;
}

LinePlot SurvivalPlot(const PersistenceStudy& study) {
  LinePlot plot = {
      "Survival of unsupported closures", {"rounds since birth"}, {"carried", true}, {}};
  plot.steps = true;
  for (const PersistenceGroup& group : study.groups) {
    if (group.kind != "all" || group.truth == "any") continue;
    PlotSeries series = {group.truth, {{0, 1, Interval{1, 1}}}};
    for (const SurvivalStep& step : group.curve.steps) {
      series.points.push_back({step.time, step.survival, step.interval});
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

DotPlot HazardPlot(const PersistenceStudy& study) {
  DotPlot plot = {"Hazard by age, false closures", {"ended in a round", true}, {}, 0.0};
  for (const PersistenceGroup& group : study.groups) {
    if (group.kind != "all" || group.truth != "false") continue;
    for (const HazardBin& bin : group.hazards) {
      if (!bin.hazard.has_value()) continue;
      const std::string ages = bin.to == bin.from + 1
                                   ? absl::StrFormat("age %.0f", bin.to)
                                   : absl::StrFormat("age %.0f-%.0f", bin.from + 1, bin.to);
      plot.dots.push_back({ages, {bin.hazard, bin.interval}});
    }
  }
  return plot;
}

LinePlot BurdenPlot(const SpreadStudy& study) {
  LinePlot plot = {"Under a false closure, by round", kRound, {"share", true}, {}};
  plot.series = {{"notes, unsupported", {}},
                 {"notes, hardened", {}},
                 {"notes, any", {}},
                 {"decisions", {}},
                 {"truncated", {}}};
  for (const BurdenRound& round : study.rounds) {
    if (!round.agent.empty()) continue;
    AddPoint(&plot.series[0], round.round, round.notes_under);
    AddPoint(&plot.series[1], round.round, round.notes_hardened);
    AddPoint(&plot.series[2], round.round, round.notes_any);
    AddPoint(&plot.series[3], round.round, round.decisions_under);
    AddPoint(&plot.series[4], round.round, round.truncated);
  }
  return plot;
}

DotPlot TrendPlot(const SpreadStudy& study) {
  DotPlot plot = {"Last tenth of the rounds less the first",
                  {"points"},
                  {},
                  0.0,
                  {"notes, unsupported", "notes, hardened", "decisions"}};
  for (const Trend& trend : study.trends) {
    if (!trend.run.empty() && study.runs.size() > kMostRunsDrawn) continue;
    const std::string name = trend.agent.empty() ? "all" : trend.agent;
    plot.dots.push_back({trend.run.empty() ? name : trend.run, trend.notes_points, 0});
    plot.dots.push_back({"", trend.hardened_points, 1});
    plot.dots.push_back({"", trend.decisions_points, 2});
  }
  return plot;
}

DotPlot ReproductionPlot(const SpreadStudy& study) {
  DotPlot plot = {"Reproduction of false closures", {"R"}, {}, 1.0};
  for (const Reproduction& part : study.reproduction) {
    if (part.truth != "false" || !part.fit.has_value()) continue;
    std::string name = part.agent.empty() ? "all" : part.agent;
    if (part.generation_from >= 0) {
      name = part.generation_from == part.generation_to
                 ? absl::StrCat("generation ", part.generation_from)
                 : absl::StrCat("generation ", part.generation_from, "-", part.generation_to);
    }
    plot.dots.push_back({name, part.mean, part.agent.empty() ? 0 : 1});
  }
  return plot;
}

LinePlot CitationPlot(const SpreadStudy& study) {
  return {"What carried closures rest on",
          kRound,
          {"share of carried closures", true},
          {CarriedShare(study, "false", &Carried::wrong),
           CarriedShare(study, "without evidence", &Carried::without_evidence),
           CarriedShare(study, "hedged", &Carried::hedged),
           CarriedShare(study, "turned fact", &Carried::turned_fact)}};
}

PlanePlot FrontierPlot(const PolicyStudy& study) {
  PlanePlot plot = {"Lift against burden, by policy",
                    {"decisions under a false closure, change in points"},
                    {"paired lift dGM", true},
                    {},
                    "on the frontier"};
  for (const PolicyEffect& effect : study.effects) {
    if (effect.plan != "all") continue;  // one point for each set of policies
    if (!effect.lift.value.has_value() || !effect.decisions_points.value.has_value()) continue;
    plot.points.push_back({effect.policies.empty() ? "none" : effect.policies,
                           *effect.decisions_points.value, *effect.lift.value, effect.on_frontier});
  }
  return plot;
}

}  // namespace hearsay
