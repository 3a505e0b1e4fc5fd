// The persistence study as tables for the command.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lineage/persistence.h"

namespace hearsay {
namespace {

constexpr int kSurvivalRounds[] = {1, 2, 5, 10, 20, 50, 100};

// Why there is no half-life, or empty.
std::string Remark(const SurvivalCurve& curve) {
  if (curve.count == 0) return "no lines";
  if (curve.HalfLife().has_value()) return "";
  return absl::StrFormat("never falls to 1/2 within %.0f rounds", curve.last_time);
}

std::vector<Cell> GroupCells(const PersistenceGroup& group) {
  return {Text(group.kind), Text(group.name), Text(group.truth)};
}

Table SurvivalTable(const PersistenceStudy& study) {
  Table table;
  table.title =
      absl::StrCat("Survival of unsupported closures in ", study.runs.Title(), ", in rounds");
  table.columns = {"by",         "group",      "truth",         "lines",          "died",
                   "censored",   "half_life",  "half_life_low", "half_life_high", "median",
                   "median_low", "median_high"};
  for (int rounds : kSurvivalRounds) table.columns.push_back(absl::StrCat("S", rounds));
  table.columns.push_back("remark");
  for (const PersistenceGroup& group : study.groups) {
    const SurvivalCurve& curve = group.curve;
    std::vector<Cell> row = GroupCells(group);
    row.push_back(Integer(curve.count));
    row.push_back(Integer(curve.ended));
    row.push_back(Integer(curve.count - curve.ended));
    for (const std::optional<double>& number :
         {curve.HalfLife(), curve.HalfLifeLow(), curve.HalfLifeHigh(), curve.Median(),
          curve.MedianLow(), curve.MedianHigh()}) {
      row.push_back(Real(number));
    }
    for (int rounds : kSurvivalRounds) row.push_back(Real(curve.At(rounds)));
    const std::string remark = Remark(curve);
    row.push_back(remark.empty() ? Missing() : Text(remark));
    table.rows.push_back(std::move(row));
  }
  table.notes = {
      "a line is an unsupported closure with its descendants of the same subject that still are "
      "closures; truth is that of its first version, in the language it was made in",
      absl::StrCat("Kaplan-Meier, censored at the last committed round; 95% limits by log(-log S), "
                   "and tests, with the variance between ",
                   study.runs.ClustersInWords()),
      "half_life is log-linear between rounds, median is the first round at or below 1/2; S "
      "without a "
      "number lies past the longest line seen"};
  for (const GroupTest& compared : study.tests) {
    if (!compared.test.has_value()) continue;
    table.notes.push_back(absl::StrFormat("log-rank test, %s: chi2 = %.2f on %d, p = %.3g",
                                          compared.what, compared.test->chi_squared,
                                          compared.test->degrees, compared.test->p));
  }
  if (study.groups.back().kind == "period") {
    table.notes.push_back(
        "period: what is seen of lines in half of the run; a line that is older enters late, at "
        "its "
        "age, and one that lives on is censored");
  }
  AppendNotes(study.runs.Notes(), &table);
  return table;
}

Table EndsTable(const PersistenceStudy& study) {
  Table table;
  table.title = "How lines end";
  table.columns = {"by", "group", "truth", "lines"};
  for (int end = 0; end < kLineEndCount; ++end) {
    table.columns.emplace_back(Name(static_cast<LineEnd>(end)));
  }
  for (const PersistenceGroup& group : study.groups) {
    if (group.kind == "period") continue;
    std::vector<Cell> row = GroupCells(group);
    row.push_back(Integer(group.curve.count));
    for (int64_t count : group.ends) row.push_back(Integer(count));
    table.rows.push_back(std::move(row));
  }
  table.notes = {
      "by what the readers of a line's last notes did: refuted it and wrote a correction; refuted "
      "it; "
      "changed it into a claim that closes nothing; simply did not copy it"};
  return table;
}

Cell Share(int64_t count, int64_t of) {
  return of == 0 ? Missing() : Real(static_cast<double>(count) / static_cast<double>(of));
}

Table RoundsTable(const PersistenceStudy& study) {
  Table table;
  table.title = "What notes carry, by round";
  table.columns = {"round",
                   "notes",
                   "with_unsupported_closure",
                   "with_false_unsupported",
                   "with_any_false_closure",
                   "closures_carried",
                   "mean_age_rounds",
                   "lost_hedge"};
  for (const PersistenceRound& round : study.rounds) {
    const RoundCounts& counts = round.counts;
    std::vector<Cell> row = {Integer(round.round), Integer(counts.notes)};
    for (int64_t count :
         {counts.notes_with_unsupported_closure, counts.notes_with_false_unsupported_closure,
          counts.notes_with_false_closure}) {
      row.push_back(Share(count, counts.notes));
    }
    row.push_back(Integer(round.carried));
    row.push_back(Share(round.age_sum, round.carried));
    row.push_back(Share(round.lost_hedge, round.carried));
    table.rows.push_back(std::move(row));
  }
  table.notes = {
      "shares of notes that are not empty; false: in the language it was made in; any false "
      "closure: whatever its label, measured ones as well. Intervals: under a false closure, by "
      "round",
      "closures_carried: unsupported closures and what continues them, counted in every note; "
      "lost_hedge: the share of them that stand without a hedge that an earlier version had"};
  return table;
}

std::string AgeName(const HazardBin& bin) {
  if (bin.to == bin.from + 1) return absl::StrFormat("%.0f", bin.to);
  return absl::StrFormat("%.0f-%.0f", bin.from + 1, bin.to);
}

Table HazardTable(const PersistenceStudy& study) {
  Table table;
  table.title = "Hazard by age: the chance to end in the next round";
  table.columns = {"by",    "group",  "truth",      "age",        "lines_x_rounds",
                   "ended", "hazard", "hazard_low", "hazard_high"};
  for (const PersistenceGroup& group : study.groups) {
    for (const HazardBin& bin : group.hazards) {
      if (!bin.hazard.has_value()) continue;
      std::vector<Cell> row = GroupCells(group);
      row.push_back(Text(AgeName(bin)));
      row.push_back(Integer(static_cast<int64_t>(bin.at_risk)));
      row.push_back(Integer(bin.ended));
      row.push_back(Real(bin.hazard));
      row.push_back(Real(bin.interval.low));
      row.push_back(Real(bin.interval.high));
      table.rows.push_back(std::move(row));
    }
  }
  table.notes = {
      "age: rounds since birth; of lines that reach it; a hazard that falls with age says that "
      "what "
      "survives is harder to end. Limits by Wilson, with the variance between clusters as above"};
  return table;
}

// The last step at or before `age`; null before the first.
const IncidenceStep* IncidenceAt(const PersistenceGroup& group, int age) {
  const IncidenceStep* found = nullptr;
  for (const IncidenceStep& step : group.incidence) {
    if (step.time > age) break;
    found = &step;
  }
  return found;
}

Table IncidenceTable(const PersistenceStudy& study) {
  Table table;
  table.title = "Time to correction: share of lines that ended so by an age";
  table.columns = {"by", "group", "truth", "age", "surviving"};
  for (int end = 1; end < kLineEndCount; ++end) {
    table.columns.emplace_back(Name(static_cast<LineEnd>(end)));
  }
  for (const PersistenceGroup& group : study.groups) {
    if (group.kind == "period") continue;
    for (int age : kSurvivalRounds) {
      const std::optional<double> surviving = group.curve.At(age);
      if (!surviving.has_value()) break;
      std::vector<Cell> row = GroupCells(group);
      row.push_back(Integer(age));
      row.push_back(Real(surviving));
      const IncidenceStep* step = IncidenceAt(group, age);
      for (int end = 1; end < kLineEndCount; ++end) {
        row.push_back(Real(step == nullptr ? 0.0 : step->by_cause[end]));
      }
      table.rows.push_back(std::move(row));
    }
  }
  table.notes = {
      "cumulative incidence by Aalen and Johansen: ends compete, and lines still carried in the "
      "last "
      "round are censored; a row sums to 1"};
  return table;
}

}  // namespace

std::vector<Table> PersistenceTables(const PersistenceStudy& study) {
  return {SurvivalTable(study), EndsTable(study), RoundsTable(study), HazardTable(study),
          IncidenceTable(study)};
}

}  // namespace hearsay
