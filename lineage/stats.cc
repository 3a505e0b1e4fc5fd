#include "lineage/stats.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace hearsay {
namespace {

// A product of fractions such as (n - d) / n that is one half on paper need not be so in binary.
constexpr double kHalfTolerance = 1e-9;
constexpr double kHalf = 0.5;

Interval PlainInterval(double survival, double greenwood_sum) {
  const double half = kNormal975 * survival * std::sqrt(greenwood_sum);
  return {std::max(0.0, survival - half), std::min(1.0, survival + half)};
}

Interval LogInterval(double survival, double greenwood_sum) {
  const double factor = std::exp(kNormal975 * std::sqrt(greenwood_sum));
  return {survival / factor, std::min(1.0, survival * factor)};
}

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

// Who is at risk and who ends, by time.
class RiskSet {
 public:
  struct Count {
    int64_t at_risk = 0;  // those censored at this very time included
    int64_t ended = 0;
  };

  explicit RiskSet(const std::vector<Lifetime>& lifetimes) {
    for (const Lifetime& l : lifetimes) {
      if (l.time <= l.entry) continue;  // never seen at risk
      times_.push_back(l.time);
      entries_.push_back(l.entry);
      if (l.ended) ends_.push_back(l.time);
    }
    std::sort(times_.begin(), times_.end());
    std::sort(entries_.begin(), entries_.end());
    std::sort(ends_.begin(), ends_.end());
    end_times_ = ends_;
    end_times_.erase(std::unique(end_times_.begin(), end_times_.end()), end_times_.end());
  }

  const std::vector<double>& end_times() const { return end_times_; }
  double last_time() const { return times_.empty() ? 0 : times_.back(); }
  Count At(double time) const {
    return {Below(entries_, time) - Below(times_, time),
            Below(ends_, time, true) - Below(ends_, time)};
  }

 private:
  // How many of the sorted values are below `bound`, or at it where `with_bound`.
  static int64_t Below(const std::vector<double>& sorted, double bound, bool with_bound = false) {
    const auto end = with_bound ? std::upper_bound(sorted.begin(), sorted.end(), bound)
                                : std::lower_bound(sorted.begin(), sorted.end(), bound);
    return end - sorted.begin();
  }

  std::vector<double> times_, entries_, ends_, end_times_;
};

// u' V^- u and its rank, by elimination. V is a covariance matrix: where a pivot vanishes, so does
// all that is left of its row.
std::optional<LogRank> QuadraticTest(std::vector<double> u, std::vector<double> v) {
  constexpr double kVanished = 1e-9;
  const size_t count = u.size();
  LogRank test;
  test.degrees = 0;
  std::vector<double> diagonal(count);
  for (size_t i = 0; i < count; ++i) diagonal[i] = v[i * count + i];
  for (size_t i = 0; i < count; ++i) {
    const double pivot = v[i * count + i];
    if (pivot <= kVanished * diagonal[i] || pivot <= 0) continue;
    ++test.degrees;
    test.chi_squared += u[i] * u[i] / pivot;
    for (size_t j = i + 1; j < count; ++j) {
      const double factor = v[j * count + i] / pivot;
      u[j] -= factor * u[i];
      for (size_t k = i + 1; k < count; ++k) v[j * count + k] -= factor * v[i * count + k];
    }
  }
  if (test.degrees == 0) return std::nullopt;
  test.p = ChiSquaredTail(test.chi_squared, test.degrees);
  return test;
}

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

SurvivalCurve KaplanMeier(const std::vector<Lifetime>& lifetimes) {
  RiskSet risk(lifetimes);
  SurvivalCurve curve;
  curve.count = static_cast<int64_t>(lifetimes.size());
  curve.last_time = risk.last_time();
  double survival = 1;
  double greenwood_sum = 0;
  for (double time : risk.end_times()) {
    const RiskSet::Count count = risk.At(time);
    curve.ended += count.ended;
    const auto n = static_cast<double>(count.at_risk);
    const auto d = static_cast<double>(count.ended);
    survival = count.ended == count.at_risk ? 0 : survival * (n - d) / n;
    if (count.ended < count.at_risk) greenwood_sum += d / (n * (n - d));
    const double variance = survival * survival * greenwood_sum;
    curve.steps.push_back({time, count.at_risk, count.ended, survival, variance,
                           LogLogInterval(survival, greenwood_sum),
                           PlainInterval(survival, greenwood_sum),
                           LogInterval(survival, greenwood_sum)});
  }
  return curve;
}

std::vector<HazardBin> HazardByAge(const std::vector<Lifetime>& lifetimes,
                                   absl::Span<const int> edges) {
  std::vector<HazardBin> bins;
  for (size_t i = 0; i + 1 < edges.size(); ++i) {
    HazardBin bin;
    bin.from = edges[i];
    bin.to = edges[i + 1];
    for (const Lifetime& l : lifetimes) {
      bin.at_risk += std::max(0.0, std::min(l.time, bin.to) - std::max(l.entry, bin.from));
      bin.ended += l.ended && l.time > bin.from && l.time <= bin.to && l.time > l.entry;
    }
    if (bin.at_risk > 0) bin.hazard = static_cast<double>(bin.ended) / bin.at_risk;
    bin.interval = WilsonInterval(bin.ended, static_cast<int64_t>(bin.at_risk));
    bins.push_back(bin);
  }
  return bins;
}

std::optional<LogRank> LogRankTest(const std::vector<std::vector<Lifetime>>& groups) {
  const size_t count = groups.size();
  std::vector<RiskSet> risks;
  std::vector<double> times;
  for (const std::vector<Lifetime>& group : groups) {
    risks.emplace_back(group);
    times.insert(times.end(), risks.back().end_times().begin(), risks.back().end_times().end());
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  std::vector<double> excess(count, 0.0);  // observed less expected ends
  std::vector<double> covariance(count * count, 0.0);
  std::vector<double> at_risk(count);
  for (double time : times) {
    double n = 0;
    double d = 0;
    for (size_t g = 0; g < count; ++g) {
      const RiskSet::Count here = risks[g].At(time);
      at_risk[g] = static_cast<double>(here.at_risk);
      n += at_risk[g];
      d += static_cast<double>(here.ended);
      excess[g] += static_cast<double>(here.ended);
    }
    const double spread = n > 1 ? d * (n - d) / (n - 1) : 0;
    for (size_t g = 0; g < count; ++g) {
      const double share = at_risk[g] / n;
      excess[g] -= d * share;
      for (size_t h = 0; h < count; ++h) {
        covariance[g * count + h] += spread * ((g == h ? share : 0) - share * at_risk[h] / n);
      }
    }
  }
  return QuadraticTest(std::move(excess), std::move(covariance));
}

std::optional<LogRank> LogRankTest(std::vector<Lifetime> a, std::vector<Lifetime> b) {
  return LogRankTest({std::move(a), std::move(b)});
}

double ChiSquaredTail(double x, int degrees) {
  // Q(a, h) = Q(a - 1, h) + h^(a - 1) e^-h / Gamma(a), from a = 1/2 or 1 up (Abramowitz and Stegun,
  // 26.4.4 and 26.4.5).
  const double h = x / 2;
  double tail = degrees % 2 == 1 ? std::erfc(std::sqrt(h)) : std::exp(-h);
  double a = degrees % 2 == 1 ? 0.5 : 1;
  double term = degrees % 2 == 1 ? std::exp(-h) * std::sqrt(h / M_PI) * 2 : std::exp(-h) * h;
  for (; a < degrees / 2.0; a += 1) {
    tail += term;
    term *= h / (a + 1);
  }
  return tail;
}

std::vector<IncidenceStep> CumulativeIncidence(std::vector<CausedEnd> ends, int causes) {
  std::sort(ends.begin(), ends.end(),
            [](const CausedEnd& a, const CausedEnd& b) { return a.time < b.time; });
  std::vector<IncidenceStep> steps;
  std::vector<double> so_far(causes, 0.0);
  double survival = 1;
  for (size_t i = 0; i < ends.size();) {
    const double time = ends[i].time;
    const auto at_risk = static_cast<double>(ends.size() - i);
    double ended = 0;
    const double before = survival;
    for (; i < ends.size() && ends[i].time == time; ++i) {
      if (ends[i].cause < 0) continue;
      so_far[ends[i].cause] += before / at_risk;
      ++ended;
    }
    if (ended == 0) continue;
    survival *= 1 - ended / at_risk;
    steps.push_back({time, so_far});
  }
  return steps;
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
