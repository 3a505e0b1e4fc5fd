#include "lineage/stats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <utility>
#include <vector>

namespace hearsay {
namespace {

using ::testing::DoubleNear;

TEST(WilsonIntervalTest, KnownValues) {
  // R: prop.test(5, 10, correct = FALSE) and prop.test(0, 10, correct = FALSE)
  EXPECT_THAT(WilsonInterval(5, 10).low, DoubleNear(.2366, 1e-4));
  EXPECT_THAT(WilsonInterval(5, 10).high, DoubleNear(.7634, 1e-4));
  EXPECT_EQ(WilsonInterval(0, 10).low, 0);
  EXPECT_THAT(WilsonInterval(0, 10).high, DoubleNear(.2775, 1e-4));
  EXPECT_EQ(WilsonInterval(10, 10).high, 1);
  EXPECT_EQ(WilsonInterval(0, 0).low, 0);
  EXPECT_EQ(WilsonInterval(0, 0).high, 1);
}

TEST(Student975Test, AgreesWithTables) {
  const std::pair<int, double> kTable[] = {{1, 12.7062}, {2, 4.3027},  {3, 3.1824},  {5, 2.5706},
                                           {10, 2.2281}, {30, 2.0423}, {100, 1.9840}};
  for (const auto& [degrees, quantile] : kTable) {
    EXPECT_THAT(Student975(degrees), DoubleNear(quantile, 5e-5)) << degrees;
  }
  EXPECT_THAT(Student975(2000), DoubleNear(1.96, 1e-3));
}

TEST(ClusteredIntervalTest, ByHand) {
  // 1 of 2, 3 of 4 and 0 of 4: 4 of 10. Excess 1 - .8, 3 - 1.6 and 0 - 1.6; their squares sum to
  // 4.56, so the variance is 4.56 (3/2) / 10^2 = .0684, that of .24 / .0684 = 3.5088 independent
  // observations; Student's quantile at 2 degrees, 4.3027, makes .7281 of them.
  const std::vector<ClusterShare> clusters = {{1, 2}, {3, 4}, {0, 4}};
  const double effective = .24 / .0684 * std::pow(kNormal975 / 4.302653, 2);
  const Interval expected = WilsonInterval(.4 * effective, effective);
  EXPECT_THAT(ClusteredInterval(clusters).low, DoubleNear(expected.low, 1e-6));
  EXPECT_THAT(ClusteredInterval(clusters).high, DoubleNear(expected.high, 1e-6));
  // In clusters that all have the same share nothing is seen to scatter.
  EXPECT_EQ(ClusteredInterval(std::vector<ClusterShare>{{1, 2}, {2, 4}}).low,
            WilsonInterval(3, 6).low);
}

std::optional<Interval> MeanInterval(const std::vector<double>& values, BootstrapOptions options) {
  return BootstrapInterval(
      static_cast<int>(values.size()),
      [&](absl::Span<const int> times) -> std::optional<double> {
        double sum = 0;
        int count = 0;
        for (size_t i = 0; i < values.size(); ++i) {
          sum += times[i] * values[i];
          count += times[i];
        }
        EXPECT_EQ(count, static_cast<int>(values.size()));
        return sum / count;
      },
      options);
}

TEST(BootstrapTest, SameSeedSameInterval) {
  const std::vector<double> values = {1, 2, 3, 5, 8, 13, 21};
  const Interval one = *MeanInterval(values, {.replicates = 200, .seed = 7});
  const Interval again = *MeanInterval(values, {.replicates = 200, .seed = 7});
  const Interval other = *MeanInterval(values, {.replicates = 200, .seed = 8});
  EXPECT_EQ(one.low, again.low);
  EXPECT_EQ(one.high, again.high);
  EXPECT_TRUE(one.low != other.low || one.high != other.high);
}

TEST(BootstrapTest, CoversAKnownMeanAboutAsOftenAsItSays) {
  // 40 values, uniform on [0, 1): 95% intervals should miss the mean in about one of twenty
  // samples.
  int covered = 0;
  constexpr int kSamples = 200;
  for (int sample = 0; sample < kSamples; ++sample) {
    std::mt19937_64 random(sample);
    std::vector<double> values(40);
    for (double& v : values) v = static_cast<double>(random() >> 11) * 0x1p-53;
    const Interval interval = *MeanInterval(values, {.replicates = 400, .seed = 5});
    covered += interval.low <= 0.5 && 0.5 <= interval.high;
    EXPECT_LT(interval.high - interval.low, 0.3);
  }
  EXPECT_GE(covered, kSamples * 88 / 100);
  EXPECT_LT(covered, kSamples);
}

TEST(BootstrapTest, TooFewClustersOrNoStatistic) {
  EXPECT_EQ(MeanInterval({1}, {}), std::nullopt);
  const auto never = [](absl::Span<const int>) { return std::optional<double>(); };
  EXPECT_EQ(BootstrapInterval(5, never, {}), std::nullopt);
}

}  // namespace
}  // namespace hearsay
