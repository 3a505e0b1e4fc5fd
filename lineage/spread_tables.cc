// The study of spread as tables for the command.
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lineage/spread.h"

namespace hearsay {
namespace {

Cell NameOrAll(const std::string& name) { return Text(name.empty() ? "all" : name); }

Cell Share(double sum, int64_t of) {
  return of == 0 ? Missing() : Real(sum / static_cast<double>(of));
}

std::string Range(int from, int to) {
  if (from < 0) return "any";
  return from == to ? absl::StrCat(from) : absl::StrCat(from, "-", to);
}

std::string IntervalNote(const SpreadStudy& study) {
  return absl::StrCat("95% percentile intervals of a bootstrap over ",
                      study.runs.ClustersInWords());
}

Table BurdenTable(const SpreadStudy& study) {
  Table table;
  table.title = "Under a false closure, by round";
  table.columns = {"round", "agent", "notes", "attempts"};
  for (const char* name :
       {"notes_under", "notes_hardened", "notes_any", "decisions_under", "truncated"}) {
    AppendEstimateColumns(name, &table.columns);
  }
  for (const BurdenRound& round : study.rounds) {
    std::vector<Cell> row = {Integer(round.round), NameOrAll(round.agent), Integer(round.notes),
                             Integer(round.attempts)};
    for (const Estimate& estimate : {round.notes_under, round.notes_hardened, round.notes_any,
                                     round.decisions_under, round.truncated}) {
      AppendEstimate(estimate, &row);
    }
    table.rows.push_back(std::move(row));
  }
  table.notes = {
      "notes_under: share of notes that are not empty with an unsupported closure that is false in "
      "the language it was made in; notes_hardened: with such a one or a closure that came of it, "
      "whatever its label is by now, and is false; notes_any: with a false closure of any origin; "
      "decisions_under: share of attempts after round 0 that obeyed a "
      "closure, whatever its label, that is false where they work; truncated: share whose "
      "closures, "
      "believed untested, ruled out all designs within 5% of the best",
      IntervalNote(study)};
  return table;
}

std::string Verdict(const Estimate& points) {
  if (!points.interval.has_value()) return "undecided";
  if (points.interval->low > 0) return "entrenches";
  return points.interval->high < 0 ? "dilutes" : "undecided";
}

Table TrendTable(const SpreadStudy& study) {
  Table table;
  table.title = "Dilution or entrenchment: last tenth of the rounds less the first, in points";
  const bool several = study.runs.size() > 1;
  table.columns = {"agent"};
  if (several) table.columns.insert(table.columns.begin(), "run");
  const std::pair<const char*, const char*> kMeasures[] = {{"notes_under", "unsupported"},
                                                           {"notes_hardened", "hardened"},
                                                           {"notes_any", "any"},
                                                           {"decisions_under", "decisions"}};
  for (const auto& [name, verdict] : kMeasures) {
    AppendEstimateColumns(name, &table.columns);
    table.columns.emplace_back(verdict);
  }
  for (const Trend& trend : study.trends) {
    std::vector<Cell> row = {NameOrAll(trend.agent)};
    if (several) row.insert(row.begin(), NameOrAll(trend.run));
    for (const Estimate& points :
         {trend.notes_points, trend.hardened_points, trend.any_points, trend.decisions_points}) {
      AppendEstimate(points, &row);
      row.push_back(Text(Verdict(points)));
    }
    table.rows.push_back(std::move(row));
  }
  table.notes = {
      absl::StrCat("rounds 1 to ", study.window_rounds, " against the last ", study.window_rounds,
                   "; entrenches or dilutes where the interval excludes 0"),
      IntervalNote(study)};
  return table;
}

Table ReproductionTable(const SpreadStudy& study) {
  Table table;
  table.title = "Reproduction of unsupported closures";
  table.columns = {"truth", "agent", "generation", "carriers"};
  AppendEstimateColumns("R", &table.columns);
  for (const char* column : {"k", "extinction", "extinction_as_seen"}) {
    table.columns.emplace_back(column);
  }
  for (const Reproduction& part : study.reproduction) {
    std::vector<Cell> row = {Text(part.truth), NameOrAll(part.agent),
                             Text(Range(part.generation_from, part.generation_to)),
                             Integer(part.fit.has_value() ? part.fit->parents : 0)};
    AppendEstimate(part.mean, &row);
    if (part.fit.has_value()) {
      row.push_back(part.fit->k == kPoisson ? Text("inf") : Real(part.fit->k));
      row.push_back(Real(ExtinctionProbability(part.fit->mean, part.fit->k)));
      row.push_back(Real(ExtinctionProbability(part.offspring)));
    } else {
      row.insert(row.end(), 3, Missing());
    }
    table.rows.push_back(std::move(row));
  }
  table.notes = {
      "R: notes of the next round that took a closure over, for each note that carries it; k: "
      "dispersion of a negative binomial fitted to them, inf where they scatter no more than "
      "Poisson's",
      "extinction: the chance that all copies of one carrier die out, by that fit and by the "
      "counts "
      "as seen; generation: rounds since the line was born; agent: who wrote the carrying note",
      IntervalNote(study)};
  return table;
}

Table FixationTable(const SpreadStudy& study) {
  Table table;
  table.title = "Fixation: lines that every lane of their problem carried";
  table.columns = {"truth",   "lines", "fixed",     "fixed_share",   "fixed_low", "fixed_high",
                   "neutral", "lost",  "undecided", "median_rounds", "mean_peak"};
  for (const Fixation& part : study.fixation) {
    const Interval& interval = part.fixed_interval;
    const bool any = part.lines > 0;
    table.rows.push_back(
        {Text(part.truth), Integer(part.lines), Integer(part.fixed),
         Share(static_cast<double>(part.fixed), part.lines), any ? Real(interval.low) : Missing(),
         any ? Real(interval.high) : Missing(), any ? Real(part.start_share) : Missing(),
         Integer(part.lost), Integer(part.undecided), Real(part.median_rounds),
         any ? Real(part.peak_share) : Missing()});
  }
  table.notes = {
      "neutral: the mean share of lanes that carried a line when it was born, which is the chance "
      "of "
      "fixation of one that is copied no better and no worse than others; lanes that never meet, "
      "as "
      "in a relay, cannot fix what was born in one of them",
      "a version merged from two lines counts for the older; 95% limits by Wilson, with the "
      "variance "
      "between problems, or lanes where there is one problem"};
  return table;
}

std::vector<Cell> CarriedCells(const Carried& part) {
  const double mean_log2_paths =
      part.carried == 0 ? 0 : part.log2_paths_sum / static_cast<double>(part.carried);
  return {Integer(part.carried),
          Share(static_cast<double>(part.wrong), part.carried),
          Share(static_cast<double>(part.without_evidence), part.carried),
          Share(static_cast<double>(part.turned_fact), part.carried),
          Share(static_cast<double>(part.hedged), part.carried),
          Share(part.confidence_sum, part.carried),
          part.carried == 0 ? Missing() : Real(std::exp2(mean_log2_paths)),
          part.carried == 0 ? Missing() : Real(part.most_paths)};
}

Table CarriedTable(const std::vector<Carried>& parts, const std::string& title,
                   const std::string& key, bool by_age) {
  Table table;
  table.title = title;
  table.columns = {key,      "carried",    "false", "without_evidence", "turned_fact",
                   "hedged", "confidence", "paths", "most_paths"};
  for (const Carried& part : parts) {
    std::vector<Cell> row = {by_age ? Text(Range(part.age_from, part.age_to))
                                    : Integer(part.round)};
    for (Cell& cell : CarriedCells(part)) row.push_back(std::move(cell));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

std::vector<Table> SpreadTables(const SpreadStudy& study) {
  Table citations =
      CarriedTable(study.carried, "Citation of unsupported closures, by round", "round", false);
  citations.notes = {
      "carried: closures on lines, counted in every note. without_evidence: no submission of "
      "anyone "
      "spoke for it; turned_fact: was hedged, is no longer, and has no more evidence than at "
      "birth; "
      "confidence: 0 to 15",
      "paths: ways back from a carrier to a birth through sources that carry it, as a geometric "
      "mean; "
      "1 in a relay"};
  Table survivors =
      CarriedTable(study.survivors, "What survives to the last round, by age", "age", true);
  survivors.notes = {"age: rounds since the line was born; columns as above"};
  return {BurdenTable(study),   TrendTable(study), ReproductionTable(study),
          FixationTable(study), citations,         survivors};
}

}  // namespace hearsay
