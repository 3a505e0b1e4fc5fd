#include "tasks/scoring.h"

#include <algorithm>
#include <cmath>

#include "tasks/world.h"

namespace hearsay {
namespace {

bool Reaches(const Outcome& outcome, double speedup) {
  if (outcome.passed == 0) return false;
  return speedup <= 0 || outcome.speed_lg >= kLgPerDoubling * std::log2(speedup);
}

}  // namespace

double SpeedupOf(int speed_lg) { return std::exp2(static_cast<double>(speed_lg) / kLgPerDoubling); }

Tier TierOf(const Outcome& outcome, const ScoringParams& params) {
  if (outcome.passed == 0) return Tier::kFailed;
  return Reaches(outcome, params.upper_tier_speedup) ? Tier::kPassedFast : Tier::kPassed;
}

double ComparisonRatio(const Outcome& solo, const Outcome& conditioned,
                       const ScoringParams& params) {
  const double clip = params.ratio_clip;
  if (solo.passed == 0 && conditioned.passed == 0) return params.both_failed_ratio;
  if (solo.passed == 0) return clip;
  if (conditioned.passed == 0) return 1 / clip;
  return std::clamp(SpeedupOf(conditioned.speed_lg - solo.speed_lg), 1 / clip, clip);
}

Effect EffectOf(double ratio, const ScoringParams& params) {
  if (ratio > params.helped_above) return Effect::kHelped;
  return ratio < params.harmed_below ? Effect::kHarmed : Effect::kNeutral;
}

Standing StandingOf(const Outcome& source, const Outcome& receiver_solo,
                    const ScoringParams& params) {
  const Tier of_source = TierOf(source, params);
  const Tier of_receiver = TierOf(receiver_solo, params);
  if (of_source == of_receiver) return Standing::kEqual;
  return of_source > of_receiver ? Standing::kAbove : Standing::kBelow;
}

double PairedLift(absl::Span<const double> ratios) {
  if (ratios.empty()) return 0;
  double sum = 0;
  for (double ratio : ratios) sum += std::log(ratio);
  return std::exp(sum / static_cast<double>(ratios.size())) - 1;
}

double PassRateAt(absl::Span<const Outcome> outcomes, double threshold) {
  if (outcomes.empty()) return 0;
  const auto reaching =
      std::count_if(outcomes.begin(), outcomes.end(),
                    [threshold](const Outcome& outcome) { return Reaches(outcome, threshold); });
  return static_cast<double>(reaching) / static_cast<double>(outcomes.size());
}

double Score(absl::Span<const Outcome> outcomes) {
  double sum = 0;
  for (double threshold : {0.0, 0.5, 1.0, 2.0, 4.0}) sum += PassRateAt(outcomes, threshold);
  return 100 * sum / 5;
}

}  // namespace hearsay
