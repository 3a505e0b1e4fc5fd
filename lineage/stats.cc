#include "lineage/stats.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace hearsay {
namespace {

// A number below `bound` from the top bits of one draw (multiply-high).
// std::uniform_int_distribution may differ between standard libraries; the bias of at most bound /
// 2^64 does not matter here.
int Below(std::mt19937_64& generator, int bound) {
  return static_cast<int>((static_cast<unsigned __int128>(generator()) * bound) >> 64);
}

// Percentile of sorted values, interpolated between the two nearest (type 7 of Hyndman and Fan).
double Percentile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (at - static_cast<double>(below));
}

// P(a standard normal > x).
double NormalTail(double x) { return std::erfc(x / std::sqrt(2)) / 2; }

// P(|t| < x) for x = sqrt(degrees) tan(theta).
double StudentMiddle(double theta, int degrees) {
  const double cosine = std::cos(theta);
  const double sine = std::sin(theta);
  const bool odd = degrees % 2 == 1;
  double term = odd ? cosine : 1;
  double sum = odd && degrees == 1 ? 0 : term;
  for (int i = odd ? 3 : 2; i <= degrees - 2; i += 2) {
    term *= cosine * cosine * (i - 1) / i;
    sum += term;
  }
  return odd ? (theta + sine * sum) * M_2_PI : sine * sum;
}

}  // namespace

double Student975(int degrees) {
  if (degrees > 1000) return kNormal975;
  double low = 0;
  double high = M_PI_2;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (StudentMiddle(middle, degrees) < kIntervalLevel ? low : high) = middle;
  }
  return std::sqrt(degrees) * std::tan(low);
}

Interval WilsonInterval(double count, double of) {
  if (of == 0) return {0, 1};
  const double share = count / of;
  const double z2 = kNormal975 * kNormal975;
  const double middle = (share + z2 / (2 * of)) / (1 + z2 / of);
  const double half =
      kNormal975 / (1 + z2 / of) * std::sqrt(share * (1 - share) / of + z2 / (4 * of * of));
  // At the ends the limits are exact on paper.
  return {count == 0 ? 0 : middle - half, count == of ? 1 : middle + half};
}

Interval ClusteredInterval(absl::Span<const ClusterShare> clusters) {
  double count = 0;
  double of = 0;
  int seen = 0;
  for (const ClusterShare& cluster : clusters) {
    count += cluster.count;
    of += cluster.of;
    seen += cluster.of > 0;
  }
  if (seen < 2 || count == 0 || count == of) return WilsonInterval(count, of);
  const double share = count / of;
  double squares = 0;
  for (const ClusterShare& cluster : clusters) {
    const double excess = cluster.count - share * cluster.of;
    squares += excess * excess;
  }
  const double variance = squares * seen / (seen - 1) / (of * of);
  if (variance == 0) return WilsonInterval(count, of);
  const double wider = Student975(seen - 1) / kNormal975;
  const double effective = share * (1 - share) / variance / (wider * wider);
  return WilsonInterval(share * effective, effective);
}

std::vector<std::optional<Interval>> BootstrapIntervals(int clusters, int statistic_count,
                                                        const ClusterStatistics& statistics,
                                                        const BootstrapOptions& options) {
  std::vector<std::optional<Interval>> intervals(statistic_count);
  if (clusters < 2) return intervals;
  std::mt19937_64 generator(options.seed);
  std::vector<std::vector<double>> seen(statistic_count);
  std::vector<int> times(clusters);
  for (int replicate = 0; replicate < options.replicates; ++replicate) {
    std::fill(times.begin(), times.end(), 0);
    for (int draw = 0; draw < clusters; ++draw) ++times[Below(generator, clusters)];
    const std::vector<std::optional<double>> values = statistics(times);
    for (int s = 0; s < statistic_count; ++s) {
      if (values[s].has_value()) seen[s].push_back(*values[s]);
    }
  }
  const double tail = NormalTail(std::sqrt(clusters / (clusters - 1.0)) * Student975(clusters - 1));
  for (int s = 0; s < statistic_count; ++s) {
    if (seen[s].empty()) continue;
    std::sort(seen[s].begin(), seen[s].end());
    intervals[s] = Interval{Percentile(seen[s], tail), Percentile(seen[s], 1 - tail)};
  }
  return intervals;
}

std::optional<Interval> BootstrapInterval(int clusters, const ClusterStatistic& statistic,
                                          const BootstrapOptions& options) {
  const auto one = [&](absl::Span<const int> times) {
    return std::vector<std::optional<double>>{statistic(times)};
  };
  return BootstrapIntervals(clusters, 1, one, options)[0];
}

}  // namespace hearsay
