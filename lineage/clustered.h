// Sums by cluster, and statistics of them with bootstrap intervals that draw whole clusters:
// attempts on one problem share its landscape, so they are drawn together or not at all.
//
// Not thread safe; plain values.
#ifndef HEARSAY_LINEAGE_CLUSTERED_H_
#define HEARSAY_LINEAGE_CLUSTERED_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "lineage/stats.h"
#include "lineage/table.h"

namespace hearsay {

// A number with its 95% interval; either may be missing.
struct Estimate {
  std::optional<double> value;
  std::optional<Interval> interval;
};

// A function of the sums of all clusters, one sum a field; nullopt where they do not suffice.
using SumStatistic = std::function<std::optional<double>(absl::Span<const double> sums)>;

// sums[numerator] / sums[denominator].
SumStatistic RatioOf(int numerator, int denominator);
// exp(sums[log_sum] / sums[count]) - 1.
SumStatistic LiftOf(int log_sum, int count);
// 100 (a / b - c / d), in points, where each is a field.
SumStatistic PointsBetween(int a, int b, int c, int d);

class ClusterSums {
 public:
  ClusterSums() = default;
  ClusterSums(int clusters, int fields)
      : fields_(fields), sums_(static_cast<size_t>(clusters) * fields), touched_(clusters, 0) {}

  void Add(int cluster, int field, double amount) {
    sums_[static_cast<size_t>(cluster) * fields_ + field] += amount;
    touched_[cluster] = 1;
  }
  // REQUIRES: as many clusters and fields.
  void Add(const ClusterSums& other);
  bool empty() const { return sums_.empty(); }
  double Total(int field) const;
  // Clusters to which something, be it 0, was added.
  int Clusters() const;
  // Both sets of fields by cluster, those of `other` after these. REQUIRES: as many clusters.
  ClusterSums Beside(const ClusterSums& other) const;
  // The statistics of the totals. Intervals as by BootstrapIntervals, over touched clusters.
  std::vector<Estimate> Estimates(const std::vector<SumStatistic>& statistics,
                                  const BootstrapOptions& options) const;

 private:
  int fields_ = 0;
  std::vector<double> sums_;  // [cluster][field]
  std::vector<uint8_t> touched_;
};

// Appends value, low and high.
void AppendEstimate(const Estimate& estimate, std::vector<Cell>* row);
// Appends "name", "name_low" and "name_high".
void AppendEstimateColumns(const std::string& name, std::vector<std::string>* columns);

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_CLUSTERED_H_
