// The transfer study as tables for the command.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lineage/transfer.h"

namespace hearsay {
namespace {

// The column of the run is there for several of them only.
std::vector<std::string> KeyColumns(const TransferStudy& study) {
  std::vector<std::string> columns = {"by", "agent", "direction", "round"};
  if (study.runs.size() > 1) columns.insert(columns.begin() + 1, "run");
  return columns;
}

std::vector<Cell> KeyCells(const TransferStudy& study, const TransferGroup& group) {
  std::vector<Cell> cells = {Text(group.by)};
  if (study.runs.size() > 1) cells.push_back(TextOrMissing(group.run));
  cells.push_back(TextOrMissing(group.agent));
  cells.push_back(TextOrMissing(group.direction));
  cells.push_back(group.round < 0 ? Missing() : Integer(group.round));
  return cells;
}

void AppendWithInterval(std::vector<Cell>& row, const std::optional<double>& value,
                        const std::optional<Interval>& interval) {
  row.push_back(Real(value));
  row.push_back(interval.has_value() ? Real(interval->low) : Missing());
  row.push_back(interval.has_value() ? Real(interval->high) : Missing());
}

std::vector<std::string> ChoicesInWords(const TransferStudy& study) {
  const TransferOptions& options = study.options;
  const ScoringParams& scoring = options.scoring;
  return {absl::StrFormat(
              "rho = t_solo / t_conditioned, clipped to [%g, %g]; only the solo failed: %g, "
              "only the conditioned failed: %g, both failed: %g; skipped and gated: 1",
              1 / scoring.ratio_clip, scoring.ratio_clip, scoring.ratio_clip,
              1 / scoring.ratio_clip, scoring.both_failed_ratio),
          absl::StrFormat(
              "T: share helped, rho > %g; H: share harmed, rho < %g; dGM: exp(mean log rho) - 1",
              scoring.helped_above, scoring.harmed_below),
          absl::StrFormat(
              "95%% percentile intervals of a bootstrap over %s; %d replicates, seed %d; none with "
              "fewer than two to draw",
              study.runs.ClustersInWords(), options.bootstrap.replicates, options.bootstrap.seed)};
}

Table EffectTable(const TransferStudy& study) {
  Table table;
  table.title = absl::StrCat("Transfer in ", study.runs.Title());
  table.columns = KeyColumns(study);
  for (const char* column : {"comparisons", "problems", "T", "T_low", "T_high", "H", "H_low",
                             "H_high", "dGM", "dGM_low", "dGM_high"}) {
    table.columns.emplace_back(column);
  }
  for (const TransferGroup& group : study.groups) {
    std::vector<Cell> row = KeyCells(study, group);
    row.push_back(Integer(group.sums.comparisons));
    row.push_back(Integer(group.problems));
    AppendWithInterval(row, group.sums.HelpedShare(), group.helped);
    AppendWithInterval(row, group.sums.HarmedShare(), group.harmed);
    AppendWithInterval(row, group.sums.Lift(), group.lift);
    table.rows.push_back(std::move(row));
  }
  table.notes = ChoicesInWords(study);
  AppendNotes(study.runs.Notes(), &table);
  return table;
}

Table ScoreTable(const TransferStudy& study) {
  Table table;
  table.title = "Pass rates and scores";
  table.columns = KeyColumns(study);
  for (const char* side : {"conditioned", "solo"}) {
    for (double t : kPassThresholds) table.columns.push_back(absl::StrFormat("R@%g_%s", t, side));
    table.columns.push_back(absl::StrCat("S_", side));
  }
  for (const TransferGroup& group : study.groups) {
    const TransferSums& sums = group.sums;
    const auto share = [&](double sum) {
      return sums.comparisons == 0 ? Missing() : Real(sum / static_cast<double>(sums.comparisons));
    };
    std::vector<Cell> row = KeyCells(study, group);
    for (int64_t count : sums.conditioned_reaching)
      row.push_back(share(static_cast<double>(count)));
    row.push_back(share(sums.conditioned_score_sum));
    for (int64_t count : sums.solo_reaching) row.push_back(share(static_cast<double>(count)));
    row.push_back(share(sums.solo_score_sum));
    table.rows.push_back(std::move(row));
  }
  table.notes = {
      "R@t: share that passed with a speedup over eager of t or more; S: 100 x the mean of R@t "
      "over t "
      "in {0, 0.5, 1, 2, 4}; solo: the baselines of the same comparisons"};
  return table;
}

Table CountTable(const TransferStudy& study) {
  Table table;
  table.title = "How comparisons came about";
  table.columns = KeyColumns(study);
  for (const char* column : {"comparisons", "conditioned", "skipped", "gated", "both_failed",
                             "only_solo_failed", "only_conditioned_failed", "helped", "harmed"}) {
    table.columns.emplace_back(column);
  }
  for (const TransferGroup& group : study.groups) {
    const TransferSums& sums = group.sums;
    std::vector<Cell> row = KeyCells(study, group);
    for (int64_t count : {sums.comparisons, sums.comparisons - sums.skipped - sums.gated,
                          sums.skipped, sums.gated, sums.both_failed, sums.only_solo_failed,
                          sums.only_conditioned_failed, sums.helped, sums.harmed}) {
      row.push_back(Integer(count));
    }
    table.rows.push_back(std::move(row));
  }
  table.notes = {
      "skipped: the sources wrote nothing; gated: a policy held the note back; both are compared "
      "with "
      "themselves"};
  return table;
}

}  // namespace

std::vector<Table> TransferTables(const TransferStudy& study) {
  return {EffectTable(study), ScoreTable(study), CountTable(study)};
}

}  // namespace hearsay
