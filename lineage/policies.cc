#include "lineage/policies.h"

#include <cmath>

#include "absl/strings/str_cat.h"

namespace hearsay {
namespace {

// Fields of the run with policies stand after those of the run without.
constexpr int With(int field) { return kRunFieldCount + field; }

std::optional<double> LiftChange(absl::Span<const double> sums) {
  if (sums[kRunComparisons] == 0 || sums[With(kRunComparisons)] == 0) return std::nullopt;
  return std::exp(sums[With(kRunLogRatio)] / sums[With(kRunComparisons)] -
                  sums[kRunLogRatio] / sums[kRunComparisons]) -
         1;
}

// Change of a ratio; as a share of what it was, where `relative`.
SumStatistic ChangeOf(int numerator, int denominator, bool relative) {
  return [=](absl::Span<const double> sums) -> std::optional<double> {
    if (sums[denominator] == 0 || sums[With(denominator)] == 0) return std::nullopt;
    const double was = sums[numerator] / sums[denominator];
    const double is = sums[With(numerator)] / sums[With(denominator)];
    if (!relative) return is - was;
    if (was == 0) return std::nullopt;
    return is / was - 1;
  };
}

SumStatistic PointsOf(int numerator, int denominator) {
  return PointsBetween(With(numerator), With(denominator), numerator, denominator);
}

PolicyEffect EffectOfPolicies(const RunRecord& run, const ClusterSums& without,
                              const ClusterSums& with, const BootstrapOptions& options) {
  const std::vector<Estimate> estimates = without.Beside(with).Estimates(
      {LiftOf(With(kRunLogRatio), With(kRunComparisons)), LiftChange,
       PointsOf(kRunHarmed, kRunComparisons), PointsOf(kRunLateNotesUnder, kRunLateNotes),
       PointsOf(kRunLateDecisions, kRunLateAttempts),
       ChangeOf(kRunLateTrueClaims, kRunLateNotes, true),
       ChangeOf(kRunSubmissions, kRunComparisons, false)},
      options);
  return {run.run(),    run.policies(), estimates[0], estimates[1], estimates[2],
          estimates[3], estimates[4],   estimates[5], estimates[6]};
}

bool Dominates(const PolicyEffect& a, const PolicyEffect& b) {
  const double lift = a.lift.value.value_or(0) - b.lift.value.value_or(0);
  const double burden = a.decisions_points.value.value_or(0) - b.decisions_points.value.value_or(0);
  return lift >= 0 && burden <= 0 && (lift > 0 || burden < 0);
}

}  // namespace

absl::StatusOr<PolicyStudy> StudyPolicies(const Store& store, const RunRecord& without,
                                          const std::vector<RunRecord>& runs, Atlas& atlas,
                                          const BootstrapOptions& options) {
  const absl::StatusOr<ClusterSums> base = MeasureRun(store, without, atlas);
  if (!base.ok()) return base.status();
  PolicyStudy study;
  study.effects.push_back(EffectOfPolicies(without, *base, *base, options));
  for (const RunRecord& run : runs) {
    const absl::StatusOr<ClusterSums> sums = MeasureRun(store, run, atlas);
    if (!sums.ok()) return sums.status();
    study.effects.push_back(EffectOfPolicies(run, *base, *sums, options));
  }
  for (PolicyEffect& effect : study.effects) {
    effect.on_frontier = true;
    for (const PolicyEffect& other : study.effects) {
      if (Dominates(other, effect)) effect.on_frontier = false;
    }
  }
  return study;
}

std::vector<Table> PolicyTables(const PolicyStudy& study) {
  Table table;
  table.title = "Policies against none, on common random numbers";
  table.columns = {"run", "policies"};
  for (const char* name : {"dGM", "lift_change", "harmed_points", "notes_points",
                           "decisions_points", "true_claims", "submissions"}) {
    AppendEstimateColumns(name, &table.columns);
  }
  table.columns.emplace_back("frontier");
  for (const PolicyEffect& effect : study.effects) {
    std::vector<Cell> row = {Text(absl::StrCat("R", effect.run)),
                             Text(effect.policies.empty() ? "none" : effect.policies)};
    for (const Estimate& estimate :
         {effect.lift, effect.lift_change, effect.harmed_points, effect.notes_points,
          effect.decisions_points, effect.true_claims, effect.submissions}) {
      AppendEstimate(estimate, &row);
    }
    row.push_back(Text(effect.on_frontier ? "yes" : "no"));
    table.rows.push_back(std::move(row));
  }
  table.notes = {
      "dGM: paired lift of the run; lift_change: of 1 + dGM against none; points: change of the "
      "share "
      "harmed, and in the last tenth of the rounds of notes and of decisions under a false "
      "closure; "
      "true_claims: change of true claims a note there, as a share; submissions: change of "
      "submissions an attempt",
      "frontier: no other run has at least its lift with at most its share of decisions under a "
      "false "
      "closure",
      "95% percentile intervals of a bootstrap that draws both runs of a problem together"};
  return {table};
}

}  // namespace hearsay
