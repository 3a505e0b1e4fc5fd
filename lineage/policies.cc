#include "lineage/policies.h"

#include <cmath>
#include <map>
#include <utility>

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

PolicyEffect EffectOfPolicies(const std::string& policies, const ClusterSums& without,
                              const ClusterSums& with, const BootstrapOptions& options) {
  const std::vector<Estimate> estimates = without.Beside(with).Estimates(
      {LiftOf(With(kRunLogRatio), With(kRunComparisons)), LiftChange,
       PointsOf(kRunHarmed, kRunComparisons), PointsOf(kRunLateNotesUnder, kRunLateNotes),
       PointsOf(kRunLateDecisions, kRunLateAttempts),
       ChangeOf(kRunLateTrueClaims, kRunLateNotes, true),
       ChangeOf(kRunSubmissions, kRunComparisons, false)},
      options);
  return {"",           "",           policies,     estimates[0], estimates[1],
          estimates[2], estimates[3], estimates[4], estimates[5], estimates[6]};
}

bool Dominates(const PolicyEffect& a, const PolicyEffect& b) {
  const double lift = a.lift.value.value_or(0) - b.lift.value.value_or(0);
  const double burden = a.decisions_points.value.value_or(0) - b.decisions_points.value.value_or(0);
  return lift >= 0 && burden <= 0 && (lift > 0 || burden < 0);
}

// Marks those of `effects` from `begin` on that are on the frontier of the complete ones.
void MarkFrontier(size_t begin, const std::vector<uint8_t>& complete,
                  std::vector<PolicyEffect>* effects) {
  for (size_t i = begin; i < effects->size(); ++i) {
    PolicyEffect& effect = (*effects)[i];
    effect.on_frontier = complete[i - begin] != 0;
    for (size_t j = begin; j < effects->size(); ++j) {
      if (complete[j - begin] != 0 && Dominates((*effects)[j], effect)) effect.on_frontier = false;
    }
  }
}

// A run, and what it is compared with, both as places in the set of all.
struct Paired {
  int without, with;
};

// All pairs with one set of policies, taken together.
PolicyEffect PooledEffect(const std::string& policies, const std::vector<Paired>& pairs,
                          const RunSet& runs, const std::vector<ClusterSums>& sums,
                          const BootstrapOptions& options) {
  ClusterSums without = sums[pairs[0].without];
  ClusterSums with = sums[pairs[0].with];
  for (size_t i = 1; i < pairs.size(); ++i) {
    without.Add(sums[pairs[i].without]);
    with.Add(sums[pairs[i].with]);
  }
  PolicyEffect effect = EffectOfPolicies(policies, without, with, options);
  effect.plan = "all";
  effect.run =
      pairs.size() == 1 ? runs.RunName(pairs[0].with) : absl::StrCat(pairs.size(), " runs");
  return effect;
}

void AddPlan(const PolicyRuns& plan, const RunSet& runs, const std::vector<ClusterSums>& sums,
             const BootstrapOptions& options, PolicyStudy* study) {
  const size_t begin = study->effects.size();
  const int base = runs.PlaceOf(plan.without.run());
  std::vector<int> places = {base};
  for (const RunRecord& run : plan.with) places.push_back(runs.PlaceOf(run.run()));
  for (int place : places) {
    PolicyEffect effect =
        EffectOfPolicies(runs.run(place).policies(), sums[base], sums[place], options);
    effect.plan = absl::StrCat(runs.RunName(base), ": ", plan.without.topology(), ", seed ",
                               plan.without.seed());
    effect.run = runs.RunName(place);
    study->effects.push_back(std::move(effect));
  }
  MarkFrontier(begin, std::vector<uint8_t>(places.size(), 1), &study->effects);
}

}  // namespace

absl::StatusOr<PolicyStudy> StudyPolicies(const Store& store, const std::vector<PolicyRuns>& plans,
                                          Atlas& atlas, const BootstrapOptions& options) {
  // One set of all, so that a run with policies and the one without have the same clusters.
  std::vector<RunRecord> all, without;
  for (const PolicyRuns& plan : plans) {
    without.push_back(plan.without);
    all.push_back(plan.without);
    all.insert(all.end(), plan.with.begin(), plan.with.end());
  }
  const auto runs = RunSet::Pool(store, std::move(all));
  if (!runs.ok()) return runs.status();
  const auto bases = RunSet::Pool(store, std::move(without));
  if (!bases.ok()) return bases.status();
  std::vector<ClusterSums> sums;
  for (int place = 0; place < runs->size(); ++place) {
    absl::StatusOr<ClusterSums> one = MeasureRun(store, *runs, place, atlas);
    if (!one.ok()) return one.status();
    sums.push_back(*std::move(one));
  }
  std::vector<std::string> order = {""};  // of policies
  std::map<std::string, std::vector<Paired>> by_policies;
  for (const PolicyRuns& plan : plans) {
    const int base = runs->PlaceOf(plan.without.run());
    by_policies[""].push_back({base, base});
    for (const RunRecord& run : plan.with) {
      std::vector<Paired>& pairs = by_policies[run.policies()];
      if (pairs.empty()) order.push_back(run.policies());
      pairs.push_back({base, runs->PlaceOf(run.run())});
    }
  }
  PolicyStudy study;
  study.plans = static_cast<int>(plans.size());
  study.notes = bases->Notes();
  std::vector<uint8_t> complete;
  for (const std::string& policies : order) {
    const std::vector<Paired>& pairs = by_policies[policies];
    study.effects.push_back(PooledEffect(policies, pairs, *runs, sums, options));
    complete.push_back(pairs.size() == plans.size());
  }
  MarkFrontier(0, complete, &study.effects);
  if (plans.size() == 1) return study;
  for (const PolicyRuns& plan : plans) AddPlan(plan, *runs, sums, options, &study);
  return study;
}

std::vector<Table> PolicyTables(const PolicyStudy& study) {
  Table table;
  table.title = "Policies against none, on common random numbers";
  table.columns = {"run", "policies"};
  if (study.plans > 1) table.columns.insert(table.columns.begin(), "plan");
  for (const char* name : {"dGM", "lift_change", "harmed_points", "notes_points",
                           "decisions_points", "true_claims", "submissions"}) {
    AppendEstimateColumns(name, &table.columns);
  }
  table.columns.emplace_back("frontier");
  for (const PolicyEffect& effect : study.effects) {
    std::vector<Cell> row = {Text(effect.run),
                             Text(effect.policies.empty() ? "none" : effect.policies)};
    if (study.plans > 1) row.insert(row.begin(), Text(effect.plan));
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
      "95% percentile intervals of a bootstrap that draws all runs of a problem together"};
  if (study.plans > 1) {
    table.notes.push_back(absl::StrCat(
        study.plans,
        " plans, each run against the one without policies of its own plan; policies that not all "
        "plans were run under are on no frontier of the pooled rows"));
  }
  AppendNotes(study.notes, &table);
  return {table};
}

}  // namespace hearsay
