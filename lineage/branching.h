// Branching processes: how many copies one carrier of a claim leaves, and whether they die out.
// Pure functions, for any thread.
#ifndef HEARSAY_LINEAGE_BRANCHING_H_
#define HEARSAY_LINEAGE_BRANCHING_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "absl/types/span.h"

namespace hearsay {

// offspring[n] parents left n children each.
using OffspringCounts = std::vector<int64_t>;

inline constexpr double kPoisson = std::numeric_limits<double>::infinity();

// Offspring with mean R and variance R + R^2 / k (Lloyd-Smith et al., Nature 438:355, 2005).
struct OffspringFit {
  int64_t parents = 0;
  double mean = 0;  // the reproduction number R
  // By maximum likelihood; kPoisson where the counts scatter no more than Poisson's, for then the
  // likelihood has no finite maximum.
  double k = kPoisson;
};

// nullopt without parents.
std::optional<OffspringFit> FitNegativeBinomial(absl::Span<const int64_t> offspring);

// The chance that the descendants of one die out: the smallest root of q = G(q), with the
// generating function G(q) = (1 + R (1 - q) / k)^-k, or exp(-R (1 - q)) for kPoisson. REQUIRES:
// mean >= 0, k > 0.
double ExtinctionProbability(double mean, double k);

// The same with the counts themselves as the distribution; nullopt without parents.
std::optional<double> ExtinctionProbability(absl::Span<const int64_t> offspring);

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_BRANCHING_H_
