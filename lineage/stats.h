// What the studies' intervals rest on: shares, and the bootstrap; survival.h has curves.
// Pure functions of their arguments, for any thread; the only randomness is the seed that is passed
// in.
#ifndef HEARSAY_LINEAGE_STATS_H_
#define HEARSAY_LINEAGE_STATS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/types/span.h"

namespace hearsay {

// The two-sided level of every interval below, and its normal quantile.
inline constexpr double kIntervalLevel = 0.95;
inline constexpr double kNormal975 = 1.959963984540054;

struct Interval {
  double low = 0;
  double high = 0;
};

// The 97.5% point of Student's t with `degrees` of freedom (Abramowitz and Stegun, 26.7.3 and
// 26.7.4), kNormal975 beyond a thousand. REQUIRES: degrees >= 1.
double Student975(int degrees);

// --- shares ---

// Wilson's score interval (J. Am. Stat. Assoc. 22:209, 1927). [0, 1] if `of` is 0.
// REQUIRES: 0 <= count <= of.
Interval WilsonInterval(double count, double of);

// `count` of `of` in one cluster.
struct ClusterShare {
  double count = 0;
  double of = 0;
};

// Wilson's interval for the pooled share, with as many observations as would scatter as the
// clusters do, and Student's quantile instead of the normal one (Korn and Graubard, Survey
// Methodology 24:193, 1998). Where the share is 0 or 1 clusters do not show how they scatter:
// there, and with fewer than two clusters, it is Wilson's. REQUIRES: 0 <= count <= of.
Interval ClusteredInterval(absl::Span<const ClusterShare> clusters);

// --- bootstrap ---

struct BootstrapOptions {
  int replicates = 1000;
  uint64_t seed = 1;
};

// A statistic of a resample: `times[i]` is how often cluster i was drawn. nullopt if the resample
// has nothing to compute it from; such replicates are left out.
using ClusterStatistic = std::function<std::optional<double>(absl::Span<const int> times)>;

// Percentile interval of a statistic under resampling of whole clusters with replacement (Efron and
// Tibshirani, An Introduction to the Bootstrap, ch. 13), expanded for few clusters: percentiles of
// n clusters are narrow by sqrt((n - 1) / n) and know nothing of Student's t, so the tails are
// Phi(-sqrt(n / (n - 1)) t) (Hesterberg, Am. Stat. 69:371, 2015). The same seed gives the same bits
// anywhere. nullopt with fewer than two clusters, or where no replicate yields the statistic.
std::optional<Interval> BootstrapInterval(int clusters, const ClusterStatistic& statistic,
                                          const BootstrapOptions& options);

// The same for several statistics of the same resamples: `statistics` fills one value for each.
// Cheaper than calling the above for each, and the intervals belong together.
using ClusterStatistics = std::function<std::vector<std::optional<double>>(absl::Span<const int>)>;
std::vector<std::optional<Interval>> BootstrapIntervals(int clusters, int statistic_count,
                                                        const ClusterStatistics& statistics,
                                                        const BootstrapOptions& options);

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_STATS_H_
