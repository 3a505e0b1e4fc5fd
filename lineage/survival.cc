#include "lineage/survival.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hearsay {
namespace {

// A product of fractions such as (n - d) / n that is one half on paper need not be so in binary.
constexpr double kHalfTolerance = 1e-9;
constexpr double kHalf = 0.5;

// `width` is z times the standard deviation of log S.
Interval PlainInterval(double survival, double width) {
  const double half = survival * width;
  return {std::max(0.0, survival - half), std::min(1.0, survival + half)};
}

Interval LogInterval(double survival, double width) {
  const double factor = std::exp(width);
  return {survival / factor, std::min(1.0, survival * factor)};
}

// Limits by log(-log S) stay inside [0, 1] and are near the nominal level in small groups.
Interval LogLogInterval(double survival, double width) {
  if (survival <= 0 || survival >= 1) return {survival, survival};
  const double theta = width / std::log(survival);  // negative
  return {std::pow(survival, std::exp(-theta)), std::pow(survival, std::exp(theta))};
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

// The times at which any of them ends, ascending.
std::vector<double> EndTimes(const std::vector<Lifetime>& lifetimes) {
  std::vector<double> times;
  for (const Lifetime& l : lifetimes) {
    if (l.ended && l.time > l.entry) times.push_back(l.time);
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

int ClusterCount(const std::vector<Lifetime>& lifetimes) {
  int count = 0;
  for (const Lifetime& l : lifetimes) count = std::max(count, l.cluster + 1);
  return count;
}

// Who is at risk and who ends at each of the times given, by cluster.
class RiskTable {
 public:
  struct Count {
    int64_t at_risk = 0;  // those censored at this very time included
    int64_t ended = 0;
  };

  // Without clusters all subjects stand in cluster 0. REQUIRES: `times` ascend.
  RiskTable(const std::vector<Lifetime>& lifetimes, const std::vector<double>& times, int clusters)
      : times_(times.size()), counts_((times.size() + 1) * std::max(clusters, 1)) {
    for (const Lifetime& l : lifetimes) {
      if (l.time <= l.entry) continue;  // never seen at risk
      Count* const row = &counts_[(times_ + 1) * std::max(l.cluster, 0)];
      const int64_t from = std::upper_bound(times.begin(), times.end(), l.entry) - times.begin();
      const int64_t to = std::upper_bound(times.begin(), times.end(), l.time) - times.begin();
      ++row[from].at_risk;
      --row[to].at_risk;
      if (l.ended) ++row[to - 1].ended;
    }
    for (size_t at = 1; at < counts_.size(); ++at) {
      if (at % (times_ + 1) != 0) counts_[at].at_risk += counts_[at - 1].at_risk;
    }
    totals_.resize(times_);
    for (size_t at = 0; at < counts_.size(); ++at) {
      if (at % (times_ + 1) == times_) continue;
      totals_[at % (times_ + 1)].at_risk += counts_[at].at_risk;
      totals_[at % (times_ + 1)].ended += counts_[at].ended;
    }
  }

  const Count& At(size_t time) const { return totals_[time]; }
  const Count& At(size_t time, int cluster) const { return counts_[cluster * (times_ + 1) + time]; }

 private:
  const size_t times_;
  std::vector<Count> counts_;  // [cluster][time]; one more time, at which nobody is left
  std::vector<Count> totals_;  // [time]
};

// Clusters with a subject that was seen at risk.
int ClustersSeen(const std::vector<const std::vector<Lifetime>*>& groups, int clusters) {
  std::vector<uint8_t> seen(clusters, 0);
  for (const std::vector<Lifetime>* group : groups) {
    for (const Lifetime& l : *group) seen[l.cluster] |= l.time > l.entry;
  }
  return static_cast<int>(std::count(seen.begin(), seen.end(), 1));
}

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
  const std::vector<double> times = EndTimes(lifetimes);
  const int clusters = ClusterCount(lifetimes);
  const int seen = clusters == 0 ? 0 : ClustersSeen({&lifetimes}, clusters);
  const bool clustered = seen >= 2;
  const RiskTable risk(lifetimes, times, clusters);
  const double z = clustered ? Student975(seen - 1) : kNormal975;
  SurvivalCurve curve;
  curve.count = static_cast<int64_t>(lifetimes.size());
  for (const Lifetime& l : lifetimes) {
    if (l.time > l.entry) curve.last_time = std::max(curve.last_time, l.time);
  }
  double survival = 1;
  double log_variance = 0;
  std::vector<double> influence(clustered ? clusters : 0, 0.0);  // on log S
  for (size_t t = 0; t < times.size(); ++t) {
    const RiskTable::Count count = risk.At(t);
    curve.ended += count.ended;
    const auto n = static_cast<double>(count.at_risk);
    const auto d = static_cast<double>(count.ended);
    survival = count.ended == count.at_risk ? 0 : survival * (n - d) / n;
    if (count.ended < count.at_risk && !clustered) log_variance += d / (n * (n - d));
    if (count.ended < count.at_risk && clustered) {
      double squares = 0;
      for (int c = 0; c < clusters; ++c) {
        const RiskTable::Count& part = risk.At(t, c);
        influence[c] -=
            (static_cast<double>(part.ended) - static_cast<double>(part.at_risk) * d / n) / (n - d);
        squares += influence[c] * influence[c];
      }
      log_variance = squares * seen / (seen - 1);
    }
    const double width = z * std::sqrt(log_variance);
    curve.steps.push_back({times[t], count.at_risk, count.ended, survival,
                           survival * survival * log_variance, LogLogInterval(survival, width),
                           PlainInterval(survival, width), LogInterval(survival, width)});
  }
  return curve;
}

std::vector<HazardBin> HazardByAge(const std::vector<Lifetime>& lifetimes,
                                   absl::Span<const int> edges) {
  std::vector<HazardBin> bins;
  std::vector<ClusterShare> clusters(std::max(ClusterCount(lifetimes), 1));
  for (size_t i = 0; i + 1 < edges.size(); ++i) {
    HazardBin bin;
    bin.from = edges[i];
    bin.to = edges[i + 1];
    std::fill(clusters.begin(), clusters.end(), ClusterShare());
    for (const Lifetime& l : lifetimes) {
      const double at_risk = std::max(0.0, std::min(l.time, bin.to) - std::max(l.entry, bin.from));
      const bool ended = l.ended && l.time > bin.from && l.time <= bin.to && l.time > l.entry;
      bin.at_risk += at_risk;
      bin.ended += ended;
      clusters[std::max(l.cluster, 0)].of += at_risk;
      clusters[std::max(l.cluster, 0)].count += ended;
    }
    if (bin.at_risk > 0) bin.hazard = static_cast<double>(bin.ended) / bin.at_risk;
    bin.interval = ClusteredInterval(clusters);
    bins.push_back(bin);
  }
  return bins;
}

std::optional<LogRank> LogRankTest(const std::vector<std::vector<Lifetime>>& groups) {
  const size_t count = groups.size();
  std::vector<const std::vector<Lifetime>*> members;
  std::vector<double> times;
  int clusters = 0;
  for (const std::vector<Lifetime>& group : groups) {
    members.push_back(&group);
    const std::vector<double> ends = EndTimes(group);
    times.insert(times.end(), ends.begin(), ends.end());
    clusters = std::max(clusters, ClusterCount(group));
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  const int seen = clusters == 0 ? 0 : ClustersSeen(members, clusters);
  const bool clustered = seen >= 2;
  std::vector<RiskTable> risks;
  for (const std::vector<Lifetime>& group : groups) risks.emplace_back(group, times, clusters);
  std::vector<double> excess(count, 0.0);  // observed less expected ends
  std::vector<double> covariance(count * count, 0.0);
  std::vector<double> parts(clustered ? clusters * count : 0, 0.0);  // of excess: [cluster][group]
  std::vector<double> shares(count);
  for (size_t t = 0; t < times.size(); ++t) {
    double n = 0;
    double d = 0;
    for (const RiskTable& risk : risks) {
      n += static_cast<double>(risk.At(t).at_risk);
      d += static_cast<double>(risk.At(t).ended);
    }
    for (size_t g = 0; g < count; ++g) {
      shares[g] = static_cast<double>(risks[g].At(t).at_risk) / n;
      excess[g] += static_cast<double>(risks[g].At(t).ended) - d * shares[g];
    }
    const double spread = n > 1 ? d * (n - d) / (n - 1) : 0;
    for (size_t g = 0; g < count && !clustered; ++g) {
      for (size_t h = 0; h < count; ++h) {
        covariance[g * count + h] += spread * ((g == h ? shares[g] : 0) - shares[g] * shares[h]);
      }
    }
    for (int c = 0; c < (clustered ? clusters : 0); ++c) {
      for (size_t h = 0; h < count; ++h) {
        const RiskTable::Count& part = risks[h].At(t, c);
        const double more =
            static_cast<double>(part.ended) - static_cast<double>(part.at_risk) * d / n;
        for (size_t g = 0; g < count; ++g) {
          parts[c * count + g] += ((g == h ? 1 : 0) - shares[g]) * more;
        }
      }
    }
  }
  for (size_t at = 0; at < parts.size(); ++at) {
    const size_t first = at / count * count;
    for (size_t h = 0; h < count; ++h) {
      covariance[at % count * count + h] += parts[at] * parts[first + h] * seen / (seen - 1);
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

}  // namespace hearsay
