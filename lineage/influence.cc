// Standing and adoption; attribution.cc has the causes of harm.
#include "lineage/influence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace hearsay {
namespace {

// --- outcome by category ---

enum { kCount, kHelpedCount, kHarmedCount, kLogSum, kEffectFields };

std::array<double, kEffectFields> EffectAmounts(const Comparison& comparison) {
  return {1, static_cast<double>(comparison.effect == Effect::kHelped),
          static_cast<double>(comparison.effect == Effect::kHarmed), std::log(comparison.ratio)};
}

std::vector<Measure> EffectMeasures() {
  return {{"T", RatioOf(kHelpedCount, kCount)},
          {"H", RatioOf(kHarmedCount, kCount)},
          {"dGM", LiftOf(kLogSum, kCount)}};
}

constexpr char kEffectNote[] =
    "T: share helped; H: share harmed; dGM: exp(mean log rho) - 1, as in study transfer; attempts "
    "that read no note are left out";

// --- coupling ---

enum { kPairs, kX, kY, kXX, kYY, kXY, kBothGain, kBothLose, kPart, kCouplingFields };

// Pearson's, of the pairs summed up.
std::optional<double> Correlation(absl::Span<const double> sums) {
  const double n = sums[kPairs];
  if (n < 3) return std::nullopt;
  const double xx = sums[kXX] - sums[kX] * sums[kX] / n;
  const double yy = sums[kYY] - sums[kY] * sums[kY] / n;
  const double xy = sums[kXY] - sums[kX] * sums[kY] / n;
  if (xx <= 0 || yy <= 0) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

// Mean log ratio by direction, of every agent and problem of a run: were the runs taken together,
// their means would scatter less and the correlation would grow with the number of runs.
class Coupling {
 public:
  explicit Coupling(const RunSet& runs)
      : runs_(runs),
        pairs_(runs, {""}, kCouplingFields),
        sums_(kMostAgents * size_t(runs.problem_count())) {}

  // REQUIRES: comparisons come run by run.
  void Add(const Comparison& comparison, const ScoringParams& scoring) {
    if (comparison.from >= kDslCount || comparison.from == comparison.to()) return;
    if (comparison.place != place_) FinishRun(scoring);
    place_ = comparison.place;
    Directions& sums = sums_[comparison.slot * size_t{kMostAgents} + comparison.agent];
    sums.problem = comparison.attempt.problem();
    sums.count[comparison.to()] += 1;
    sums.log_sum[comparison.to()] += std::log(comparison.ratio);
  }

  void FinishRun(const ScoringParams& scoring) {
    for (size_t at = 0; at < sums_.size(); ++at) {
      const Directions sums = std::exchange(sums_[at], {});
      if (sums.count[0] == 0 || sums.count[1] == 0) continue;
      const double x = sums.log_sum[0] / sums.count[0];
      const double y = sums.log_sum[1] / sums.count[1];
      const Effect to_cute = EffectOf(std::exp(x), scoring);
      const Effect to_tirx = EffectOf(std::exp(y), scoring);
      const bool gains = to_cute == Effect::kHelped && to_tirx == Effect::kHelped;
      const bool loses = to_cute == Effect::kHarmed && to_tirx == Effect::kHarmed;
      const bool parts = (to_cute == Effect::kHelped && to_tirx == Effect::kHarmed) ||
                         (to_cute == Effect::kHarmed && to_tirx == Effect::kHelped);
      const Outcome outcome;
      Comparison pair;
      pair.place = place_;
      pair.cluster =
          runs_.ClusterOf(AttemptId::Of(runs_.run(place_).run(), 0, sums.problem, /*lane=*/0));
      pair.agent = static_cast<int>(at % kMostAgents);
      pair.recorded = &outcome;
      pair.from = kMixedSources;
      pairs_.Add(pair, 0,
                 {1, x, y, x * x, y * y, x * y, double(gains), double(loses), double(parts)});
    }
  }

  GroupStudy Study(const ScoringParams& scoring, const BootstrapOptions& options) {
    FinishRun(scoring);
    GroupStudy study = pairs_.Study("Coupling of the two directions of one problem", "", "pairs",
                                    {{"correlation", Correlation},
                                     {"gain_in_both", RatioOf(kBothGain, kPairs)},
                                     {"lose_in_both", RatioOf(kBothLose, kPairs)},
                                     {"part", RatioOf(kPart, kPairs)}},
                                    options);
    // A pair has both directions.
    study.rows.erase(std::remove_if(study.rows.begin(), study.rows.end(),
                                    [](const GroupRow& row) { return row.by == "direction"; }),
                     study.rows.end());
    study.notes.insert(
        study.notes.begin(),
        "a pair: the mean log rho of one agent on one problem of a run into CuTe DSL and into "
        "TIRx; Pearson's correlation; gain, lose: helped or harmed by that mean");
    return study;
  }

 private:
  struct Directions {
    double count[kDslCount] = {};
    double log_sum[kDslCount] = {};
    int problem = 0;  // index
  };
  const RunSet& runs_;
  GroupedSums pairs_;
  int place_ = 0;
  std::vector<Directions> sums_;  // of the run at place_: [problem slot][agent]
};

}  // namespace

GroupStudies StudyStanding(const Store& store, const RunSet& runs,
                           const InfluenceOptions& options) {
  GroupedSums sums(runs, {"below", "equal", "above"}, kEffectFields);
  Coupling coupling(runs);
  const absl::Status status =
      VisitComparisons(store, runs, options.scoring, [&](const Comparison& comparison) {
        if (!comparison.read_a_note() || comparison.sources.empty()) return absl::OkStatus();
        Standing best = Standing::kBelow;
        for (const Outcome& source : comparison.sources) {
          best = std::max(best, StandingOf(source, *comparison.solo, options.scoring));
        }
        sums.Add(comparison, static_cast<int>(best), EffectAmounts(comparison));
        coupling.Add(comparison, options.scoring);
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  GroupStudy study = sums.Study("Outcome by the standing of the source", "standing", "comparisons",
                                EffectMeasures(), options.bootstrap);
  study.notes.insert(study.notes.begin(),
                     {"standing: tier of the source (failed; passed; passed at 2x or more) against "
                      "that of the receiver's own solo; of several sources the best",
                      kEffectNote});
  return std::vector<GroupStudy>{std::move(study),
                                 coupling.Study(options.scoring, options.bootstrap)};
}

GroupStudies StudyAdoption(const Store& store, const RunSet& runs,
                           const InfluenceOptions& options) {
  GroupedSums sums(runs, {"none", "partial", "full"}, kEffectFields);
  const absl::Status status =
      VisitComparisons(store, runs, options.scoring, [&](const Comparison& comparison) {
        if (comparison.read_a_note()) {
          sums.Add(comparison, static_cast<int>(comparison.recorded->following),
                   EffectAmounts(comparison));
        }
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  GroupStudy study = sums.Study("Outcome by adoption of the note's plan", "adoption", "comparisons",
                                EffectMeasures(), options.bootstrap);
  study.notes.insert(study.notes.begin(),
                     {"adoption: how much of what believed claims recommend the first design took "
                      "up; none as well where they recommend nothing",
                      kEffectNote});
  return std::vector<GroupStudy>{std::move(study)};
}

}  // namespace hearsay
