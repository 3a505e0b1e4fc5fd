// Lifetimes: survival curves with their limits, hazards, the log-rank test, competing ends.
// Pure functions of their arguments, for any thread.
#ifndef HEARSAY_LINEAGE_SURVIVAL_H_
#define HEARSAY_LINEAGE_SURVIVAL_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "lineage/stats.h"

namespace hearsay {

// One subject: it ended at `time`, or was last seen alive then (not ended: censored).
struct Lifetime {
  double time = 0;  // 0 or more
  bool ended = false;
  // Late entry (left truncation): it is at risk only at times after this one, since it would not
  // have been seen had it ended before. Below 0: watched from the beginning.
  double entry = -1;
  // Subjects of one cluster may share their fate; below 0: it depends on nobody. All of one call
  // have a cluster, or none.
  int cluster = -1;
};

// The curve just after the ends at `time`.
struct SurvivalStep {
  double time = 0;
  int64_t at_risk = 0;  // just before; those censored at this very time are still at risk
  int64_t ended = 0;
  double survival = 1;
  double variance = 0;  // of the survival
  Interval interval;    // pointwise, by log(-log S); [S, S] where that is not defined (S is 0 or 1)
  Interval plain;       // S +- z sqrt(variance), cut off at 0 and 1
  Interval log;         // S exp(+- z sqrt(variance) / S), cut off at 1; [0, 0] where S is 0
};

struct SurvivalCurve {
  int64_t count = 0;
  int64_t ended = 0;
  double last_time = 0;             // the longest time seen, ended or not; nothing is known past it
  std::vector<SurvivalStep> steps;  // one for each time at which some ended, ascending

  // S(time), and the pointwise interval there; nullopt past last_time while the curve is above 0.
  std::optional<double> At(double time) const;
  std::optional<Interval> IntervalAt(double time) const;
  // Time at which the curve first falls to one half or below; where it runs at exactly one half,
  // the middle of that stretch, as R's `survival` has it. nullopt: it never falls that far.
  std::optional<double> Median() const;
  // Where the two limits of the interval first fall to one half or below; nullopt: they never do.
  std::optional<double> MedianLow() const;
  std::optional<double> MedianHigh() const;
  // As the three above, but log-linear between the steps: the half-life of a process that can end
  // only at whole rounds. A copy kept with probability c in every round gives ln 2 / -ln c.
  std::optional<double> HalfLife() const;
  std::optional<double> HalfLifeLow() const;
  std::optional<double> HalfLifeHigh() const;
};

// Kaplan and Meier's product-limit estimate (J. Am. Stat. Assoc. 53:457, 1958). Without clusters
// the variance is Greenwood's, S^2 x sum of d / (n (n - d)), and z normal. With at least two of
// them it is that of their influence on log S (Williams, Biometrics 51:134, 1995) with the factor
// c / (c - 1), and z Student's with c - 1 degrees: Greenwood's where every subject is a cluster of
// its own and none is censored, but for the factor. With late entry the curve starts at 1 at the
// earliest entry, and can be 0 early if all of a small first risk set ends.
SurvivalCurve KaplanMeier(const std::vector<Lifetime>& lifetimes);

// The discrete hazard of ages (from, to]: ends for each round that a subject was at risk there.
struct HazardBin {
  double from = 0;
  double to = 0;
  double at_risk = 0;  // subjects x rounds
  int64_t ended = 0;
  std::optional<double> hazard;  // nullopt where nobody was at risk
  Interval interval;             // by ClusteredInterval over subjects x rounds; else Wilson's
};
// Bin i is (edges[i], edges[i + 1]]. REQUIRES: edges ascend from 0 on.
std::vector<HazardBin> HazardByAge(const std::vector<Lifetime>& lifetimes,
                                   absl::Span<const int> edges);

// Log-rank test that all groups end at one rate: chi-squared and its p (Peto and Peto, J. R. Stat.
// Soc. A 135:185, 1972). The covariance is the hypergeometric one; with clusters, which groups may
// share, that of their contributions (Lin and Wei, J. Am. Stat. Assoc. 84:1074, 1989). Degrees of
// freedom are one less than the groups that can be compared. nullopt where no two are ever at risk
// together.
struct LogRank {
  double chi_squared = 0;
  double p = 1;
  int degrees = 1;
};
std::optional<LogRank> LogRankTest(const std::vector<std::vector<Lifetime>>& groups);
std::optional<LogRank> LogRankTest(std::vector<Lifetime> a, std::vector<Lifetime> b);

// P(chi-squared on `degrees` > x), by the finite series that integer degrees allow.
double ChiSquaredTail(double x, int degrees);

// A subject that ended for one of several causes; -1: censored.
struct CausedEnd {
  double time = 0;
  int cause = -1;
};
// The chance to have ended by each cause up to `time` (Aalen and Johansen, Scand. J. Stat. 5:141,
// 1978). At every time the chances and the survival sum to 1.
struct IncidenceStep {
  double time = 0;
  std::vector<double> by_cause;
};
std::vector<IncidenceStep> CumulativeIncidence(std::vector<CausedEnd> ends, int causes);

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_SURVIVAL_H_
