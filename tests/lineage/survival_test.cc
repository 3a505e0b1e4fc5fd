#include "lineage/survival.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>
#include <utility>

namespace hearsay {
namespace {

using ::testing::DoubleNear;

// Acute myelogenous leukemia, weeks of remission: the data set `aml` of R's package `survival`
// (Miller, Survival Analysis, 1997, p. 49). A negative number is a censored time.
std::vector<Lifetime> Weeks(std::vector<double> weeks) {
  std::vector<Lifetime> lifetimes;
  for (double week : weeks) lifetimes.push_back({std::abs(week), week > 0});
  return lifetimes;
}
std::vector<Lifetime> Maintained() {
  return Weeks({9, 13, -13, 18, 23, -28, 31, 34, -45, 48, -161});
}
std::vector<Lifetime> Nonmaintained() {
  return Weeks({5, 5, 8, 8, 12, -16, 23, 27, 30, 33, 43, 45});
}

TEST(KaplanMeierTest, AgreesWithRForTheMaintainedGroup) {
  const SurvivalCurve curve = KaplanMeier(Maintained());
  // summary(survfit(Surv(time, status) ~ x, aml, conf.type = "log-log"))
  const struct {
    double time;
    int64_t at_risk;
    double survival, error, low, high;
  } kExpected[] = {
      {9, 11, .909, .0867, .5081, .987}, {13, 10, .818, .1163, .4474, .951},
      {18, 8, .716, .1397, .3502, .899}, {23, 7, .614, .1526, .2658, .835},
      {31, 5, .491, .1642, .1673, .753}, {34, 4, .368, .1627, .0928, .657},
      {48, 2, .184, .1535, .0117, .525},
  };
  ASSERT_EQ(curve.steps.size(), std::size(kExpected));
  for (size_t i = 0; i < curve.steps.size(); ++i) {
    SCOPED_TRACE(kExpected[i].time);
    EXPECT_EQ(curve.steps[i].time, kExpected[i].time);
    EXPECT_EQ(curve.steps[i].at_risk, kExpected[i].at_risk);
    EXPECT_EQ(curve.steps[i].ended, 1);
    EXPECT_THAT(curve.steps[i].survival, DoubleNear(kExpected[i].survival, 6e-4));
    EXPECT_THAT(std::sqrt(curve.steps[i].variance), DoubleNear(kExpected[i].error, 6e-5));
    EXPECT_THAT(curve.steps[i].interval.low, DoubleNear(kExpected[i].low, 6e-5));
    EXPECT_THAT(curve.steps[i].interval.high, DoubleNear(kExpected[i].high, 6e-4));
  }
  EXPECT_EQ(curve.Median(), 31);
  EXPECT_EQ(curve.MedianLow(), 13);
  EXPECT_EQ(curve.MedianHigh(), std::nullopt);
  EXPECT_EQ(curve.count, 11);
  EXPECT_EQ(curve.ended, 7);
}

TEST(KaplanMeierTest, PlainAndLogLimitsAgreeWithR) {
  // summary(survfit(Surv(time, status) ~ 1, aml[aml$x == "Maintained", ])), by conf.type.
  const struct {
    double log_low, log_high, plain_low, plain_high;
  } kExpected[] = {
      {.7541, 1, .7392, 1},        {.6192, 1, .5903, 1},        {.4884, 1, .4422, .9897},
      {.3769, .999, .3145, .9127}, {.2549, .946, .1692, .8127}, {.1549, .875, .0493, .6871},
      {.0359, .944, 0, .4849},
  };
  const SurvivalCurve curve = KaplanMeier(Maintained());
  ASSERT_EQ(curve.steps.size(), std::size(kExpected));
  for (size_t i = 0; i < curve.steps.size(); ++i) {
    SCOPED_TRACE(curve.steps[i].time);
    EXPECT_THAT(curve.steps[i].log.low, DoubleNear(kExpected[i].log_low, 6e-5));
    EXPECT_THAT(curve.steps[i].log.high, DoubleNear(kExpected[i].log_high, 6e-4));
    EXPECT_THAT(curve.steps[i].plain.low, DoubleNear(kExpected[i].plain_low, 6e-4));
    EXPECT_THAT(curve.steps[i].plain.high, DoubleNear(kExpected[i].plain_high, 6e-4));
  }
}

// Acute leukaemia of children, weeks of remission under 6-mercaptopurine and under placebo
// (Freireich et al., Blood 21:699, 1963; as analysed by Gehan, Biometrika 52:203, 1965).
std::vector<Lifetime> Mercaptopurine() {
  return Weeks(
      {6, 6, 6, -6, 7, -9, 10, -10, -11, 13, 16, -17, -19, -20, 22, 23, -25, -32, -32, -34, -35});
}
std::vector<Lifetime> Placebo() {
  return Weeks({1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23});
}

TEST(KaplanMeierTest, RemissionsUnderMercaptopurine) {
  // Estimate and standard error of Greenwood's as printed in textbooks (Klein and Moeschberger,
  // Survival Analysis, 2nd ed., table 4.1).
  const struct {
    double time;
    int64_t at_risk, ended;
    double survival, error;
  } kExpected[] = {
      {6, 21, 3, .857, .076},  {7, 17, 1, .807, .087},  {10, 15, 1, .753, .096},
      {13, 12, 1, .690, .107}, {16, 11, 1, .627, .114}, {22, 7, 1, .538, .128},
      {23, 6, 1, .448, .135},
  };
  const SurvivalCurve curve = KaplanMeier(Mercaptopurine());
  ASSERT_EQ(curve.steps.size(), std::size(kExpected));
  for (size_t i = 0; i < curve.steps.size(); ++i) {
    SCOPED_TRACE(kExpected[i].time);
    EXPECT_EQ(curve.steps[i].time, kExpected[i].time);
    EXPECT_EQ(curve.steps[i].at_risk, kExpected[i].at_risk);
    EXPECT_EQ(curve.steps[i].ended, kExpected[i].ended);
    EXPECT_THAT(curve.steps[i].survival, DoubleNear(kExpected[i].survival, 6e-4));
    EXPECT_THAT(std::sqrt(curve.steps[i].variance), DoubleNear(kExpected[i].error, 6e-4));
  }
  EXPECT_EQ(curve.Median(), 23);
  EXPECT_EQ(KaplanMeier(Placebo()).Median(), 8);
}

// Two clusters. At 1 one of four ends, of cluster 0: each cluster moves log S by
// (1 - 2/4) / 3 = 1/6, one down, one up, so that the variance is (3/4)^2 (1/36 + 1/36) 2/1 = 1/16.
// At 2 one of three ends, of cluster 1, and the other way round by (1 - 2/3) / 2 = 1/6: by then one
// half has ended in either cluster, and they agree.
TEST(KaplanMeierTest, VarianceBetweenClustersByHand) {
  const SurvivalCurve curve = KaplanMeier({{.time = 1, .ended = true, .cluster = 0},
                                           {.time = 3, .cluster = 0},
                                           {.time = 2, .ended = true, .cluster = 1},
                                           {.time = 3, .cluster = 1}});
  ASSERT_EQ(curve.steps.size(), 2);
  EXPECT_THAT(curve.steps[0].variance, DoubleNear(1. / 16, 1e-12));
  // One degree of freedom: the quantile is 12.7062.
  EXPECT_THAT(curve.steps[0].log.low, DoubleNear(.75 * std::exp(-12.7062 / 3), 1e-6));
  EXPECT_THAT(curve.steps[1].survival, DoubleNear(.5, 1e-15));
  EXPECT_THAT(curve.steps[1].variance, DoubleNear(0, 1e-15));
}

TEST(KaplanMeierTest, LateEntryByHand) {
  // At risk at 2: the first two (the third enters at 2, after it). At 4: the second and third.
  const SurvivalCurve curve =
      KaplanMeier({{2, true}, {5, false}, {4, true, 2}, {3, true, 3}, {7, true, 4}});
  ASSERT_EQ(curve.steps.size(), 3);
  EXPECT_EQ(curve.steps[0].at_risk, 2);
  EXPECT_THAT(curve.steps[0].survival, DoubleNear(1. / 2, 1e-15));
  EXPECT_EQ(curve.steps[1].time, 4);
  EXPECT_EQ(curve.steps[1].at_risk, 2);
  EXPECT_THAT(curve.steps[1].survival, DoubleNear(1. / 4, 1e-15));
  EXPECT_EQ(curve.steps[2].at_risk, 1);
  EXPECT_EQ(curve.steps[2].survival, 0);
}

TEST(KaplanMeierTest, PsychiatricPatientsWhoEnterAtTheAgeOfAdmission) {
  // 26 inpatients of Iowa: age at admission, years followed, negative where alive at their end
  // (Woolson, Biometrics 37:687, 1981; `psych` in R's package KMsurv). Survival by age, as by
  // lifelines 0.30.3: KaplanMeierFitter().fit(age + years, died, entry=age).
  const std::pair<double, double> kPatients[] = {
      {51, 1},   {58, 1},   {55, 2},   {28, 22},  {21, -30}, {19, 28},  {25, 32},
      {48, 11},  {47, 14},  {25, -36}, {31, -31}, {24, -33}, {25, -33}, {30, -37},
      {33, -35}, {36, 25},  {30, -31}, {41, 22},  {43, 26},  {45, 24},  {35, -35},
      {29, -34}, {35, -30}, {32, 35},  {36, 40},  {32, -39}};
  std::vector<Lifetime> lifetimes;
  for (const auto& [age, years] : kPatients) {
    lifetimes.push_back({age + std::abs(years), years > 0, age});
  }
  const std::pair<double, double> kExpected[] = {
      {47, .952381}, {50, .909091}, {52, .865801}, {57, .783344}, {59, .696305},
      {61, .609267}, {63, .553879}, {67, .484644}, {69, .290787}, {76, 0}};
  const SurvivalCurve curve = KaplanMeier(lifetimes);
  ASSERT_EQ(curve.steps.size(), std::size(kExpected));
  for (size_t i = 0; i < curve.steps.size(); ++i) {
    EXPECT_EQ(curve.steps[i].time, kExpected[i].first);
    EXPECT_THAT(curve.steps[i].survival, DoubleNear(kExpected[i].second, 5e-7));
  }
}

TEST(KaplanMeierTest, LateEntryFindsTheRateThatIgnoringItMisses) {
  // One tenth ends in each round; half of the subjects are only seen if they live to round 10.
  std::mt19937_64 random(3);
  std::vector<Lifetime> known, ignored;
  for (int i = 0; i < 20000; ++i) {
    double time = 1;
    while (random() % 10 != 0) ++time;
    const double entry = i % 2 == 0 ? -1 : 10;
    if (time <= entry) continue;
    known.push_back({time, true, entry});
    ignored.push_back({time, true});
  }
  EXPECT_THAT(*KaplanMeier(known).At(10), DoubleNear(std::pow(.9, 10), .01));
  EXPECT_GT(*KaplanMeier(ignored).At(10), std::pow(.9, 10) + .1);
}

TEST(KaplanMeierTest, AgreesWithRForTheNonmaintainedGroup) {
  const SurvivalCurve curve = KaplanMeier(Nonmaintained());
  EXPECT_EQ(curve.Median(), 23);
  EXPECT_THAT(*curve.At(5), DoubleNear(10. / 12, 1e-12));
  EXPECT_EQ(curve.steps.front().ended, 2);
  EXPECT_EQ(curve.steps.back().survival, 0);
  EXPECT_EQ(curve.At(1000), 0);  // all have ended: known for ever
}

TEST(KaplanMeierTest, GreenwoodByHand) {
  // Of five two end at 1; one is censored at 2; of the two left one ends at 3.
  const SurvivalCurve curve =
      KaplanMeier({{1, true}, {1, true}, {2, false}, {3, true}, {4, false}});
  ASSERT_EQ(curve.steps.size(), 2);
  EXPECT_THAT(curve.steps[0].survival, DoubleNear(3. / 5, 1e-15));
  EXPECT_THAT(curve.steps[0].variance, DoubleNear(9. / 25 * (2. / (5 * 3)), 1e-15));
  EXPECT_THAT(curve.steps[1].survival, DoubleNear(3. / 10, 1e-15));
  EXPECT_THAT(curve.steps[1].variance, DoubleNear(9. / 100 * (2. / (5 * 3) + 1. / (2 * 1)), 1e-15));
  EXPECT_EQ(curve.At(0.5), 1);
  EXPECT_EQ(curve.At(2.5), curve.steps[0].survival);
  EXPECT_EQ(curve.At(4.5), std::nullopt);  // nobody was watched that long
}

TEST(KaplanMeierTest, MedianOfACurveThatRestsAtOneHalf) {
  // R: the middle of the stretch at exactly one half.
  const SurvivalCurve curve = KaplanMeier({{1, true}, {2, true}, {4, true}, {7, true}});
  EXPECT_EQ(curve.Median(), 3);
  EXPECT_EQ(curve.HalfLife(), 2);
}

TEST(KaplanMeierTest, NothingAndNobodyEnds) {
  const SurvivalCurve empty = KaplanMeier({});
  EXPECT_EQ(empty.count, 0);
  EXPECT_EQ(empty.At(1), std::nullopt);
  EXPECT_EQ(empty.HalfLife(), std::nullopt);
  const SurvivalCurve alive = KaplanMeier({{3, false}, {5, false}});
  EXPECT_EQ(alive.At(5), 1);
  EXPECT_EQ(alive.At(6), std::nullopt);
  EXPECT_EQ(alive.Median(), std::nullopt);
}

TEST(KaplanMeierTest, HalfLifeOfAGeometricProcess) {
  // Of 1,000 one tenth ends in each round: S(t) = 0.9^t.
  std::vector<Lifetime> lifetimes;
  int left = 100000;
  for (int round = 1; round <= 20; ++round) {
    for (int end = left / 10; end > 0; --end) lifetimes.push_back({double(round), true}), --left;
  }
  while (left-- > 0) lifetimes.push_back({20, false});
  const SurvivalCurve curve = KaplanMeier(lifetimes);
  EXPECT_THAT(*curve.HalfLife(), DoubleNear(std::log(2) / -std::log(0.9), 1e-3));
  EXPECT_EQ(curve.Median(), 7);
  EXPECT_LT(*curve.HalfLifeLow(), *curve.HalfLife());
  EXPECT_GT(*curve.HalfLifeHigh(), *curve.HalfLife());
}

// From the definition: at each time of an end, who is still there and who ends, counted afresh.
std::vector<SurvivalStep> SlowKaplanMeier(const std::vector<Lifetime>& lifetimes) {
  std::set<double> times;
  for (const Lifetime& l : lifetimes) {
    if (l.ended && l.entry < l.time) times.insert(l.time);
  }
  std::vector<SurvivalStep> steps;
  for (double time : times) {
    SurvivalStep step;
    step.time = time;
    double sum = 0;
    for (double earlier : times) {
      if (earlier > time) break;
      double n = 0, d = 0;
      for (const Lifetime& l : lifetimes) {
        n += l.time >= earlier && l.entry < earlier;
        d += l.time == earlier && l.ended && l.entry < earlier;
      }
      step.at_risk = static_cast<int64_t>(n);
      step.ended = static_cast<int64_t>(d);
      step.survival *= 1 - d / n;
      if (n > d) sum += d / (n * (n - d));
    }
    step.variance = step.survival * step.survival * sum;
    steps.push_back(step);
  }
  return steps;
}

TEST(KaplanMeierTest, AgreesWithItsSlowTwin) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::vector<Lifetime> lifetimes(random() % 40);
    for (Lifetime& l : lifetimes) {
      l = {double(random() % 12), random() % 3 != 0};
      if (seed % 2 == 0 && random() % 2 == 0) l.entry = double(random() % 8);
    }
    const SurvivalCurve curve = KaplanMeier(lifetimes);
    const std::vector<SurvivalStep> expected = SlowKaplanMeier(lifetimes);
    ASSERT_EQ(curve.steps.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(curve.steps[i].time, expected[i].time);
      EXPECT_EQ(curve.steps[i].at_risk, expected[i].at_risk);
      EXPECT_EQ(curve.steps[i].ended, expected[i].ended);
      EXPECT_THAT(curve.steps[i].survival, DoubleNear(expected[i].survival, 1e-12));
      EXPECT_THAT(curve.steps[i].variance, DoubleNear(expected[i].variance, 1e-12));
      EXPECT_LE(curve.steps[i].interval.low, curve.steps[i].survival);
      EXPECT_GE(curve.steps[i].interval.high, curve.steps[i].survival);
    }
  }
}

TEST(LogRankTest, AgreesWithR) {
  // survdiff(Surv(time, status) ~ x, aml): 3.4 on 1 degree of freedom, p = .0653.
  const std::optional<LogRank> test = LogRankTest(Maintained(), Nonmaintained());
  ASSERT_TRUE(test.has_value());
  EXPECT_THAT(test->chi_squared, DoubleNear(3.3964, 1e-3));
  EXPECT_THAT(test->p, DoubleNear(.0653, 1e-4));
}

TEST(LogRankTest, RemissionsUnderMercaptopurine) {
  // survdiff(Surv(time, status) ~ group): 16.8 on 1 degree of freedom, p = 4e-05.
  const auto test = LogRankTest(Mercaptopurine(), Placebo());
  ASSERT_TRUE(test.has_value());
  EXPECT_THAT(test->chi_squared, DoubleNear(16.793, 5e-4));
  EXPECT_THAT(test->p, DoubleNear(4.17e-5, 1e-7));
}

// Group a: ends at 1 (cluster 0), seen to 3 (cluster 1). Group b: ends at 2 (cluster 0), seen to 3
// (cluster 1). Excess of a: (1 - 1/2) + (0 - 1/3) = 1/6. Parts of it by cluster,
// sum over times and groups h of ([h is a] - share of a at risk) (ended - at risk d / n):
//   cluster 0: (1/2)(1 - 1/4) + (-1/2)(0 - 1/4) = 1/2 at 1; (-1/3)(1 - 1/3) = -2/9 at 2: 5/18
//   cluster 1: (1/2)(0 - 1/4) + (-1/2)(0 - 1/4) = 0 at 1;
//              (2/3)(0 - 1/3) + (-1/3)(0 - 1/3) = -1/9 at 2: -2/18
// so the variance is 2/1 (25 + 4) / 18^2 and chi-squared (1/36) / (58/324) = 9/58.
TEST(LogRankTest, VarianceBetweenClustersByHand) {
  const auto test =
      LogRankTest({{.time = 1, .ended = true, .cluster = 0}, {.time = 3, .cluster = 1}},
                  {{.time = 2, .ended = true, .cluster = 0}, {.time = 3, .cluster = 1}});
  ASSERT_TRUE(test.has_value());
  EXPECT_EQ(test->degrees, 1);
  EXPECT_THAT(test->chi_squared, DoubleNear(9. / 58, 1e-12));
}

TEST(LogRankTest, NothingToCompare) {
  EXPECT_EQ(LogRankTest({}, Maintained()), std::nullopt);
  EXPECT_EQ(LogRankTest({{1, false}}, {{1, false}}), std::nullopt);
}

TEST(LogRankTest, ThreeGroupsByHand) {
  // At 1: 1 of 2, 0 of 2, 0 of 2 end. At 2: 0 of 1, 1 of 2, 0 of 2. At 3: 0 of 0, 1 of 1, 1 of 2.
  const std::vector<Lifetime> a = {{1, true}, {2, false}};
  const std::vector<Lifetime> b = {{2, true}, {3, true}};
  const std::vector<Lifetime> c = {{3, true}, {4, false}};
  // Excess: a 1 - 1/3 - 1/5, b 2 - 1/3 - 2/5 - 2/3. Covariance of (a, b), summed over the times.
  const double ua = 7. / 15, ub = 3. / 5;
  const double vaa = 2. / 9 + 4. / 25;
  const double vbb = 2. / 9 + 6. / 25 + 2. / 9;
  const double vab = -1. / 9 - 2. / 25;
  const double det = vaa * vbb - vab * vab;
  const double expected = (ua * ua * vbb - 2 * ua * ub * vab + ub * ub * vaa) / det;
  const std::optional<LogRank> test = LogRankTest({a, b, c});
  ASSERT_TRUE(test.has_value());
  EXPECT_EQ(test->degrees, 2);
  EXPECT_THAT(test->chi_squared, DoubleNear(expected, 1e-12));
  EXPECT_THAT(test->p, DoubleNear(std::exp(-expected / 2), 1e-12));
  // The order of the groups does not matter, nor does one without anybody.
  EXPECT_THAT(LogRankTest({c, {}, a, b})->chi_squared, DoubleNear(expected, 1e-12));
  EXPECT_EQ(LogRankTest({c, {}, a, b})->degrees, 2);
}

TEST(LogRankTest, HoldsItsLevelWithLateEntry) {
  // Three groups of one rate, of which one is seen late: p below 0.05 in about one of twenty.
  int rejected = 0;
  constexpr int kSamples = 400;
  for (int sample = 0; sample < kSamples; ++sample) {
    std::mt19937_64 random(sample);
    std::vector<std::vector<Lifetime>> groups(3);
    for (int i = 0; i < 240; ++i) {
      double time = 1;
      while (random() % 5 != 0) ++time;
      const double entry = i % 3 == 0 ? 3 : -1;
      if (time > entry) groups[i % 3].push_back({time, true, entry});
    }
    rejected += LogRankTest(groups)->p < .05;
  }
  EXPECT_GE(rejected, 8);
  EXPECT_LE(rejected, 36);
}

TEST(ChiSquaredTailTest, KnownQuantiles) {
  // The 5% points of the tables: 3.841, 5.991, 7.815, 9.488, 11.070; 18.307 on 10.
  EXPECT_THAT(ChiSquaredTail(3.841459, 1), DoubleNear(.05, 1e-7));
  EXPECT_THAT(ChiSquaredTail(5.991465, 2), DoubleNear(.05, 1e-7));
  EXPECT_THAT(ChiSquaredTail(7.814728, 3), DoubleNear(.05, 1e-7));
  EXPECT_THAT(ChiSquaredTail(9.487729, 4), DoubleNear(.05, 1e-7));
  EXPECT_THAT(ChiSquaredTail(11.070498, 5), DoubleNear(.05, 1e-7));
  EXPECT_THAT(ChiSquaredTail(18.307038, 10), DoubleNear(.05, 1e-7));
  EXPECT_EQ(ChiSquaredTail(0, 3), 1);
}

TEST(HazardByAgeTest, ByHand) {
  // Ages 1 and 2: four and three at risk, one and one end. Ages 3 to 5: one lives to 5 and ends;
  // one is seen from age 3 on, up to 4.
  const std::vector<Lifetime> lifetimes = {
      {1, true}, {2, true}, {2, false}, {5, true}, {4, false, 3}};
  const int edges[] = {0, 1, 2, 5, 9};
  const std::vector<HazardBin> bins = HazardByAge(lifetimes, edges);
  ASSERT_EQ(bins.size(), 4);
  EXPECT_EQ(bins[0].at_risk, 4);
  EXPECT_THAT(*bins[0].hazard, DoubleNear(1. / 4, 1e-15));
  EXPECT_THAT(*bins[1].hazard, DoubleNear(1. / 3, 1e-15));
  EXPECT_EQ(bins[2].at_risk, 4);
  EXPECT_THAT(*bins[2].hazard, DoubleNear(1. / 4, 1e-15));
  EXPECT_EQ(bins[3].hazard, std::nullopt);
}

TEST(CumulativeIncidenceTest, SharesWithoutCensoringAndByHandWith) {
  const std::vector<IncidenceStep> plain =
      CumulativeIncidence({{1, 0}, {1, 1}, {2, 0}, {3, 1}, {3, 1}}, 2);
  ASSERT_EQ(plain.size(), 3);
  EXPECT_THAT(plain.back().by_cause[0], DoubleNear(2. / 5, 1e-15));
  EXPECT_THAT(plain.back().by_cause[1], DoubleNear(3. / 5, 1e-15));
  // Of four one ends by 0 at 1; one is lost; of two one ends by 1 at 3: 3/4 x 1/2.
  const std::vector<IncidenceStep> lost =
      CumulativeIncidence({{1, 0}, {2, -1}, {3, 1}, {4, -1}}, 2);
  EXPECT_THAT(lost.back().by_cause[0], DoubleNear(1. / 4, 1e-15));
  EXPECT_THAT(lost.back().by_cause[1], DoubleNear(3. / 8, 1e-15));
}

TEST(CumulativeIncidenceTest, SumsWithSurvivalToOne) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<CausedEnd> ends;
    std::vector<Lifetime> lifetimes;
    for (int i = 0; i < 50; ++i) {
      const double time = double(1 + random() % 15);
      const int cause = static_cast<int>(random() % 4) - 1;
      ends.push_back({time, cause});
      lifetimes.push_back({time, cause >= 0});
    }
    const SurvivalCurve curve = KaplanMeier(lifetimes);
    const std::vector<IncidenceStep> steps = CumulativeIncidence(ends, 3);
    ASSERT_EQ(steps.size(), curve.steps.size());
    for (size_t i = 0; i < steps.size(); ++i) {
      double sum = curve.steps[i].survival;
      for (double chance : steps[i].by_cause) sum += chance;
      EXPECT_THAT(sum, DoubleNear(1, 1e-12)) << seed;
    }
  }
}

}  // namespace
}  // namespace hearsay
