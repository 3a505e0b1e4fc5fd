#include "lineage/clustered.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace hearsay {

SumStatistic RatioOf(int numerator, int denominator) {
  return [=](absl::Span<const double> sums) -> std::optional<double> {
    if (sums[denominator] == 0) return std::nullopt;
    return sums[numerator] / sums[denominator];
  };
}

SumStatistic LiftOf(int log_sum, int count) {
  return [=](absl::Span<const double> sums) -> std::optional<double> {
    if (sums[count] == 0) return std::nullopt;
    return std::exp(sums[log_sum] / sums[count]) - 1;
  };
}

SumStatistic PointsBetween(int a, int b, int c, int d) {
  return [=](absl::Span<const double> sums) -> std::optional<double> {
    if (sums[b] == 0 || sums[d] == 0) return std::nullopt;
    return 100 * (sums[a] / sums[b] - sums[c] / sums[d]);
  };
}

void ClusterSums::Add(const ClusterSums& other) {
  for (size_t at = 0; at < sums_.size(); ++at) sums_[at] += other.sums_[at];
  for (size_t c = 0; c < touched_.size(); ++c) touched_[c] |= other.touched_[c];
}

double ClusterSums::Total(int field) const {
  double total = 0;
  for (size_t at = field; at < sums_.size(); at += fields_) total += sums_[at];
  return total;
}

int ClusterSums::Clusters() const {
  return static_cast<int>(std::count(touched_.begin(), touched_.end(), 1));
}

ClusterSums ClusterSums::Beside(const ClusterSums& other) const {
  ClusterSums both(static_cast<int>(touched_.size()), fields_ + other.fields_);
  for (size_t c = 0; c < touched_.size(); ++c) {
    const auto begin = both.sums_.begin() + static_cast<int64_t>(c * both.fields_);
    std::copy_n(sums_.begin() + static_cast<int64_t>(c * fields_), fields_, begin);
    std::copy_n(other.sums_.begin() + static_cast<int64_t>(c * other.fields_), other.fields_,
                begin + fields_);
    both.touched_[c] = touched_[c] != 0 || other.touched_[c] != 0;
  }
  return both;
}

std::vector<Estimate> ClusterSums::Estimates(const std::vector<SumStatistic>& statistics,
                                             const BootstrapOptions& options) const {
  std::vector<const double*> clusters;
  for (size_t c = 0; c < touched_.size(); ++c) {
    if (touched_[c] != 0) clusters.push_back(&sums_[c * fields_]);
  }
  std::vector<double> sums(fields_);
  const auto evaluate = [&](absl::Span<const int> times) {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (size_t c = 0; c < clusters.size(); ++c) {
      if (times[c] == 0) continue;
      for (int f = 0; f < fields_; ++f) sums[f] += times[c] * clusters[c][f];
    }
    std::vector<std::optional<double>> values;
    for (const SumStatistic& statistic : statistics) values.push_back(statistic(sums));
    return values;
  };
  const std::vector<int> once(clusters.size(), 1);
  const std::vector<std::optional<double>> values = evaluate(once);
  const auto intervals = BootstrapIntervals(static_cast<int>(clusters.size()),
                                            static_cast<int>(statistics.size()), evaluate, options);
  std::vector<Estimate> estimates;
  for (size_t s = 0; s < statistics.size(); ++s) estimates.push_back({values[s], intervals[s]});
  return estimates;
}

void AppendEstimate(const Estimate& estimate, std::vector<Cell>* row) {
  row->push_back(Real(estimate.value));
  row->push_back(estimate.interval.has_value() ? Real(estimate.interval->low) : Missing());
  row->push_back(estimate.interval.has_value() ? Real(estimate.interval->high) : Missing());
}

void AppendEstimateColumns(const std::string& name, std::vector<std::string>* columns) {
  for (const char* end : {"", "_low", "_high"}) columns->push_back(absl::StrCat(name, end));
}

}  // namespace hearsay
