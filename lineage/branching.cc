#include "lineage/branching.h"

#include <cmath>

namespace hearsay {
namespace {

// The smallest root of q = g(q) in [0, 1] for a generating function of mean `mean`. g is convex
// with g(1) = 1: up to the root g(q) > q, between the root and 1 g(q) < q.
template <typename Generating>
double SmallestRoot(double mean, Generating g) {
  if (g(0) <= 0) return 0;
  if (mean <= 1) return 1;
  // At 1 both are equal; just below it the root lies to the left, for the mean is above 1.
  double low = 0;
  double high = 1 - 1e-12;
  if (g(high) >= high) return 1;
  for (int i = 0; i < 200 && high - low > 1e-15; ++i) {
    const double middle = (low + high) / 2;
    (g(middle) > middle ? low : high) = middle;
  }
  return (low + high) / 2;
}

// The derivative of the log-likelihood by k, with the mean at its best. at_least[j] parents have
// more than j children; psi(n + k) - psi(k) is the sum of 1 / (k + j) over j < n.
double Score(const std::vector<double>& more_than, double parents, double mean, double k) {
  double sum = -parents * std::log1p(mean / k);
  for (size_t j = 0; j < more_than.size(); ++j) {
    sum += more_than[j] / (k + static_cast<double>(j));
  }
  return sum;
}

}  // namespace

std::optional<OffspringFit> FitNegativeBinomial(absl::Span<const int64_t> offspring) {
  OffspringFit fit;
  double sum = 0;
  double squares = 0;
  for (size_t n = 0; n < offspring.size(); ++n) {
    const auto count = static_cast<double>(offspring[n]);
    const auto children = static_cast<double>(n);
    fit.parents += offspring[n];
    sum += count * children;
    squares += count * children * children;
  }
  if (fit.parents == 0) return std::nullopt;
  const auto parents = static_cast<double>(fit.parents);
  fit.mean = sum / parents;
  const double variance = squares / parents - fit.mean * fit.mean;
  if (variance <= fit.mean * (1 + 1e-12)) return fit;

  std::vector<double> more_than(offspring.empty() ? 0 : offspring.size() - 1, 0.0);
  double above = 0;
  for (size_t n = offspring.size(); n-- > 1;) {
    above += static_cast<double>(offspring[n]);
    more_than[n - 1] = above;
  }
  // The score is positive below the maximum and negative above it.
  double low = std::log(1e-8);
  double high = std::log(1e8);
  for (int i = 0; i < 200 && high - low > 1e-13; ++i) {
    const double middle = (low + high) / 2;
    (Score(more_than, parents, fit.mean, std::exp(middle)) > 0 ? low : high) = middle;
  }
  fit.k = std::exp((low + high) / 2);
  return fit;
}

double ExtinctionProbability(double mean, double k) {
  return SmallestRoot(mean, [=](double q) {
    if (k == kPoisson) return std::exp(-mean * (1 - q));
    return std::exp(-k * std::log1p(mean * (1 - q) / k));
  });
}

std::optional<double> ExtinctionProbability(absl::Span<const int64_t> offspring) {
  double parents = 0;
  double children = 0;
  for (size_t n = 0; n < offspring.size(); ++n) {
    parents += static_cast<double>(offspring[n]);
    children += static_cast<double>(offspring[n]) * static_cast<double>(n);
  }
  if (parents == 0) return std::nullopt;
  // Every parent has exactly one child: the line goes on for ever.
  return SmallestRoot(children / parents, [&](double q) {
    double sum = 0;
    for (size_t n = offspring.size(); n-- > 0;) {
      sum = sum * q + static_cast<double>(offspring[n]);
    }
    return sum / parents;
  });
}

}  // namespace hearsay
