// How outcomes are scored and compared. Not on the shared path of the executors: plain doubles.
//
// Where the benchmark (arXiv 2610.05014) gives no formula the choice is ours: a parameter here.
#ifndef HEARSAY_TASKS_SCORING_H_
#define HEARSAY_TASKS_SCORING_H_

#include <cstdint>

#include "absl/types/span.h"
#include "tasks/outcome.h"

namespace hearsay {

struct ScoringParams {
  double ratio_clip = 4;  // ratios lie in [1 / ratio_clip, ratio_clip]
  double helped_above = 1.05;
  double harmed_below = 0.95;
  double both_failed_ratio = 1;
  double upper_tier_speedup = 2;
};

enum class Tier : uint8_t { kFailed = 0, kPassed = 1, kPassedFast = 2 };
enum class Effect : uint8_t { kHarmed = 0, kNeutral = 1, kHelped = 2 };
// Of a note's author above, at, or below its reader.
enum class Standing : uint8_t { kBelow = 0, kEqual = 1, kAbove = 2 };

// Speedup over eager that `speed_lg` (1024 x log2) stands for.
double SpeedupOf(int speed_lg);

// Failed; passed below `upper_tier_speedup`; passed at it or faster.
Tier TierOf(const Outcome& outcome, const ScoringParams& params = {});

// rho = t_solo / t_conditioned, clipped; the clip itself where only one of the two passed, and
// `both_failed_ratio` where none did. Skipped and gated attempts are their own solo: compare the
// outcome that was recorded for them, which is that of the solo.
double ComparisonRatio(const Outcome& solo, const Outcome& conditioned,
                       const ScoringParams& params = {});

// Helped and harmed are strict: exactly 1.05 and 0.95 are neutral.
Effect EffectOf(double ratio, const ScoringParams& params = {});

// The author's tier seen from the reader's own solo.
Standing StandingOf(const Outcome& source, const Outcome& receiver_solo,
                    const ScoringParams& params = {});

// exp(mean log ratio) - 1; 0 of none.
// REQUIRES: ratios are positive.
double PairedLift(absl::Span<const double> ratios);

// R@t: share of outcomes that passed with a speedup of `threshold` or more; 0 of none. R@0 is the
// share that passed.
double PassRateAt(absl::Span<const Outcome> outcomes, double threshold);

// S: 100 x the mean of R@t over t in {0, 0.5, 1, 2, 4}.
double Score(absl::Span<const Outcome> outcomes);

}  // namespace hearsay

#endif  // HEARSAY_TASKS_SCORING_H_
