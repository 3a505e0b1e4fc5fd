#include "lineage/stats.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace hearsay {
namespace {

// A product of fractions such as (n - d) / n that is one half on paper need not be so in binary.
constexpr double kHalfTolerance = 1e-9;
constexpr double kHalf = 0.5;

// Limits by log(-log S) stay inside [0, 1] and are near the nominal level in small groups.
Interval LogLogInterval(double survival, double greenwood_sum) {
  if (survival <= 0 || survival >= 1) return {survival, survival};
  const double theta = std::sqrt(greenwood_sum) / std::log(survival);  // negative
  return {std::pow(survival, std::exp(-kNormal975 * theta)),
          std::pow(survival, std::exp(kNormal975 * theta))};
}

using Curve = double (*)(const SurvivalStep&);
double Middle(const SurvivalStep& step) { return step.survival; }
double Lower(const SurvivalStep& step) { return step.interval.low; }
double Upper(const SurvivalStep& step) { return step.interval.high; }

std::optional<double> StepCrossing(const SurvivalCurve& curve, Curve value) {
  for (size_t i = 0; i < curve.steps.size(); ++i) {
    const double s = value(curve.steps[i]);
    if (s > kHalf + kHalfTolerance) continue;
    if (s < kHalf - kHalfTolerance) return curve.steps[i].time;
    const bool last = i + 1 == curve.steps.size();
    const double until = last ? curve.last_time : curve.steps[i + 1].time;
    return (curve.steps[i].time + until) / 2;
  }
  return std::nullopt;
}

std::optional<double> SmoothCrossing(const SurvivalCurve& curve, Curve value) {
  double time = 0;
  double before = 1;
  for (const SurvivalStep& step : curve.steps) {
    const double s = value(step);
    if (s <= kHalf + kHalfTolerance) {
      // To zero no exponential leads; there the line is straight.
      const double part =
          s > 0 ? std::log(before / kHalf) / std::log(before / s) : (before - kHalf) / before;
      return time + (step.time - time) * std::min(part, 1.0);
    }
    time = step.time;
    before = s;
  }
  return std::nullopt;
}

// The last step at or before `time`; null before the first.
const SurvivalStep* StepAt(const SurvivalCurve& curve, double time) {
  const auto after =
      std::upper_bound(curve.steps.begin(), curve.steps.end(), time,
                       [](double t, const SurvivalStep& step) { return t < step.time; });
  return after == curve.steps.begin() ? nullptr : &*(after - 1);
}

bool KnownAt(const SurvivalCurve& curve, double time) {
  if (curve.count == 0) return false;
  return time <= curve.last_time || (!curve.steps.empty() && curve.steps.back().survival <= 0);
}

bool Earlier(const Lifetime& a, const Lifetime& b) { return a.time < b.time; }

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

}  // namespace

std::optional<double> SurvivalCurve::At(double time) const {
  if (!KnownAt(*this, time)) return std::nullopt;
  const SurvivalStep* step = StepAt(*this, time);
  return step == nullptr ? 1.0 : step->survival;
}

std::optional<Interval> SurvivalCurve::IntervalAt(double time) const {
  if (!KnownAt(*this, time)) return std::nullopt;
  const SurvivalStep* step = StepAt(*this, time);
  return step == nullptr ? Interval{1, 1} : step->interval;
}

std::optional<double> SurvivalCurve::Median() const { return StepCrossing(*this, Middle); }
std::optional<double> SurvivalCurve::MedianLow() const { return StepCrossing(*this, Lower); }
std::optional<double> SurvivalCurve::MedianHigh() const { return StepCrossing(*this, Upper); }
std::optional<double> SurvivalCurve::HalfLife() const { return SmoothCrossing(*this, Middle); }
std::optional<double> SurvivalCurve::HalfLifeLow() const { return SmoothCrossing(*this, Lower); }
std::optional<double> SurvivalCurve::HalfLifeHigh() const { return SmoothCrossing(*this, Upper); }

SurvivalCurve KaplanMeier(std::vector<Lifetime> lifetimes) {
  std::sort(lifetimes.begin(), lifetimes.end(), Earlier);
  SurvivalCurve curve;
  curve.count = static_cast<int64_t>(lifetimes.size());
  if (!lifetimes.empty()) curve.last_time = lifetimes.back().time;
  double survival = 1;
  double greenwood_sum = 0;
  for (size_t i = 0; i < lifetimes.size();) {
    const double time = lifetimes[i].time;
    const auto at_risk = static_cast<int64_t>(lifetimes.size() - i);
    int64_t ended = 0;
    for (; i < lifetimes.size() && lifetimes[i].time == time; ++i) ended += lifetimes[i].ended;
    if (ended == 0) continue;
    curve.ended += ended;
    const auto n = static_cast<double>(at_risk);
    const auto d = static_cast<double>(ended);
    survival = ended == at_risk ? 0 : survival * (n - d) / n;
    if (ended < at_risk) greenwood_sum += d / (n * (n - d));
    const double variance = survival * survival * greenwood_sum;
    curve.steps.push_back(
        {time, at_risk, ended, survival, variance, LogLogInterval(survival, greenwood_sum)});
  }
  return curve;
}

std::optional<LogRank> LogRankTest(std::vector<Lifetime> a, std::vector<Lifetime> b) {
  std::sort(a.begin(), a.end(), Earlier);
  std::sort(b.begin(), b.end(), Earlier);
  double excess = 0;    // observed less expected ends in `a`
  double variance = 0;  // hypergeometric
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const double time = std::min(a[i].time, b[j].time);
    const auto na = static_cast<double>(a.size() - i);
    const double n = na + static_cast<double>(b.size() - j);
    double da = 0;
    double d = 0;
    for (; i < a.size() && a[i].time == time; ++i) da += a[i].ended;
    for (; j < b.size() && b[j].time == time; ++j) d += b[j].ended;
    d += da;
    excess += da - d * na / n;
    if (n > 1) variance += d * (na / n) * (1 - na / n) * (n - d) / (n - 1);
  }
  if (variance <= 0) return std::nullopt;
  const double chi_squared = excess * excess / variance;
  return LogRank{chi_squared, std::erfc(std::sqrt(chi_squared / 2))};
}

Interval WilsonInterval(int64_t count, int64_t of) {
  if (of == 0) return {0, 1};
  const auto n = static_cast<double>(of);
  const double share = static_cast<double>(count) / n;
  const double z2 = kNormal975 * kNormal975;
  const double middle = (share + z2 / (2 * n)) / (1 + z2 / n);
  const double half =
      kNormal975 / (1 + z2 / n) * std::sqrt(share * (1 - share) / n + z2 / (4 * n * n));
  // At the ends the limits are exact on paper.
  return {count == 0 ? 0 : middle - half, count == of ? 1 : middle + half};
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
  const double tail = (1 - kIntervalLevel) / 2;
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
