#include "lineage/branching.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace hearsay {
namespace {

using ::testing::DoubleNear;

TEST(ExtinctionTest, KnownRoots) {
  // (1 + R (1 - q) / k)^-k = q; for k = 1 the root is 1 / R.
  EXPECT_THAT(ExtinctionProbability(2, .5), DoubleNear(.640388, 5e-7));
  EXPECT_THAT(ExtinctionProbability(1.5, 1), DoubleNear(2. / 3, 1e-9));
  EXPECT_THAT(ExtinctionProbability(1.5, kPoisson), DoubleNear(.417188, 5e-7));
}

TEST(ExtinctionTest, CertainBelowOneAndAtIt) {
  EXPECT_EQ(ExtinctionProbability(0, 1), 1);
  EXPECT_EQ(ExtinctionProbability(.7, .2), 1);
  EXPECT_EQ(ExtinctionProbability(1, kPoisson), 1);
  EXPECT_LT(ExtinctionProbability(1.01, kPoisson), 1);
}

TEST(ExtinctionTest, OfCounts) {
  // q = 1/4 + 3/4 q^2 at q = 1/3.
  EXPECT_THAT(*ExtinctionProbability(OffspringCounts{1, 0, 3}), DoubleNear(1. / 3, 1e-9));
  EXPECT_EQ(ExtinctionProbability(OffspringCounts{}), std::nullopt);
  EXPECT_EQ(ExtinctionProbability(OffspringCounts{0, 5}), 0);  // every one has exactly one child
  EXPECT_EQ(ExtinctionProbability(OffspringCounts{1, 5}), 1);
}

double LogLikelihood(const OffspringCounts& counts, double mean, double k) {
  double sum = 0;
  for (size_t n = 0; n < counts.size(); ++n) {
    const auto x = static_cast<double>(n);
    const double each = k == kPoisson
                            ? x * std::log(mean) - mean - std::lgamma(x + 1)
                            : std::lgamma(x + k) - std::lgamma(k) - std::lgamma(x + 1) +
                                  k * std::log(k / (k + mean)) + x * std::log(mean / (k + mean));
    sum += static_cast<double>(counts[n]) * each;
  }
  return sum;
}

TEST(NegativeBinomialTest, RedMitesOnAppleLeaves) {
  // 150 leaves by their number of mites; k by maximum likelihood is 1.0246 (Bliss and Fisher,
  // Biometrics 9:176, 1953).
  const OffspringFit fit = *FitNegativeBinomial(OffspringCounts{70, 38, 17, 10, 9, 3, 2, 1});
  EXPECT_EQ(fit.parents, 150);
  EXPECT_THAT(fit.mean, DoubleNear(172. / 150, 1e-12));
  EXPECT_THAT(fit.k, DoubleNear(1.0246, 1e-4));
}

TEST(NegativeBinomialTest, NothingNearbyIsMoreLikely) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    OffspringCounts counts(2 + random() % 8);
    for (int64_t& count : counts) count = static_cast<int64_t>(random() % 30);
    counts[0] += 20;
    counts.back() += 1;
    const OffspringFit fit = *FitNegativeBinomial(counts);
    const double best = LogLikelihood(counts, fit.mean, fit.k);
    for (double k = 1e-3; k < 1e4; k *= 1.07) {
      EXPECT_LE(LogLikelihood(counts, fit.mean, k), best + 1e-7) << k;
      EXPECT_LE(LogLikelihood(counts, fit.mean * 1.02, fit.k), best + 1e-7);
    }
  }
}

TEST(NegativeBinomialTest, RecoversWhatItWasDrawnFrom) {
  std::mt19937_64 random(11);
  std::gamma_distribution<double> rate(.5, 2 / .5);
  OffspringCounts counts;
  for (int i = 0; i < 20000; ++i) {
    const auto children = static_cast<size_t>(std::poisson_distribution<int>(rate(random))(random));
    if (counts.size() <= children) counts.resize(children + 1, 0);
    ++counts[children];
  }
  const OffspringFit fit = *FitNegativeBinomial(counts);
  EXPECT_EQ(fit.parents, 20000);
  EXPECT_THAT(fit.mean, DoubleNear(2, .08));
  EXPECT_THAT(fit.k, DoubleNear(.5, .02));
  EXPECT_THAT(ExtinctionProbability(fit.mean, fit.k), DoubleNear(.640388, .01));
  EXPECT_THAT(*ExtinctionProbability(counts), DoubleNear(.640388, .02));
}

TEST(NegativeBinomialTest, NoMoreScatterThanPoissonHasNoFiniteK) {
  EXPECT_EQ(FitNegativeBinomial(OffspringCounts{3, 7})->k, kPoisson);  // a relay: none or one
  EXPECT_EQ(FitNegativeBinomial(OffspringCounts{5})->mean, 0);
  EXPECT_EQ(FitNegativeBinomial(OffspringCounts{}), std::nullopt);
}

}  // namespace
}  // namespace hearsay
