#include "tasks/scoring.h"

#include <cmath>
#include <vector>

#include "gtest/gtest.h"

namespace hearsay {
namespace {

Outcome Passed(int speed_lg) {
  Outcome outcome;
  outcome.passed = 1;
  outcome.speed_lg = static_cast<int16_t>(speed_lg);
  return outcome;
}

Outcome Failed() { return Outcome(); }

TEST(ScoringTest, Tiers) {
  EXPECT_EQ(TierOf(Failed()), Tier::kFailed);
  EXPECT_EQ(TierOf(Passed(-500)), Tier::kPassed);
  EXPECT_EQ(TierOf(Passed(1023)), Tier::kPassed);
  EXPECT_EQ(TierOf(Passed(1024)), Tier::kPassedFast);
  ScoringParams params;
  params.upper_tier_speedup = 4;
  EXPECT_EQ(TierOf(Passed(2047), params), Tier::kPassed);
  EXPECT_EQ(TierOf(Passed(2048), params), Tier::kPassedFast);
}

TEST(ScoringTest, RatioOfTimes) {
  EXPECT_DOUBLE_EQ(ComparisonRatio(Passed(0), Passed(1024)), 2);
  EXPECT_DOUBLE_EQ(ComparisonRatio(Passed(1024), Passed(0)), 0.5);
  EXPECT_DOUBLE_EQ(ComparisonRatio(Passed(300), Passed(300)), 1);
}

TEST(ScoringTest, RatiosAreClipped) {
  EXPECT_DOUBLE_EQ(ComparisonRatio(Passed(0), Passed(9000)), 4);
  EXPECT_DOUBLE_EQ(ComparisonRatio(Passed(9000), Passed(0)), 0.25);
  ScoringParams params;
  params.ratio_clip = 2;
  EXPECT_DOUBLE_EQ(ComparisonRatio(Passed(0), Passed(9000), params), 2);
  EXPECT_DOUBLE_EQ(ComparisonRatio(Failed(), Passed(0), params), 2);
}

TEST(ScoringTest, FailuresCountAsTheClip) {
  EXPECT_DOUBLE_EQ(ComparisonRatio(Failed(), Passed(-2000)), 4);
  EXPECT_DOUBLE_EQ(ComparisonRatio(Passed(5000), Failed()), 0.25);
  EXPECT_DOUBLE_EQ(ComparisonRatio(Failed(), Failed()), 1);
}

TEST(ScoringTest, HelpedAndHarmedAreStrict) {
  EXPECT_EQ(EffectOf(1.05), Effect::kNeutral);
  EXPECT_EQ(EffectOf(1.0501), Effect::kHelped);
  EXPECT_EQ(EffectOf(0.95), Effect::kNeutral);
  EXPECT_EQ(EffectOf(0.9499), Effect::kHarmed);
  EXPECT_EQ(EffectOf(1), Effect::kNeutral);
}

TEST(ScoringTest, StandingComparesTiers) {
  EXPECT_EQ(StandingOf(Passed(2000), Passed(0)), Standing::kAbove);
  EXPECT_EQ(StandingOf(Passed(100), Passed(0)), Standing::kEqual);
  EXPECT_EQ(StandingOf(Failed(), Passed(0)), Standing::kBelow);
  EXPECT_EQ(StandingOf(Failed(), Failed()), Standing::kEqual);
}

TEST(ScoringTest, LiftIsTheGeometricMean) {
  EXPECT_DOUBLE_EQ(PairedLift({}), 0);
  EXPECT_NEAR(PairedLift({2.0, 0.5}), 0, 1e-12);
  EXPECT_NEAR(PairedLift({4.0, 1.0}), 1, 1e-12);
  EXPECT_NEAR(PairedLift({0.25}), -0.75, 1e-12);
}

TEST(ScoringTest, PassRatesAndScore) {
  // 4x, 2x, 0.5x and a failure.
  const std::vector<Outcome> outcomes = {Passed(2048), Passed(1024), Passed(-1024), Failed()};
  EXPECT_DOUBLE_EQ(PassRateAt(outcomes, 0), 0.75);
  EXPECT_DOUBLE_EQ(PassRateAt(outcomes, 0.5), 0.75);
  EXPECT_DOUBLE_EQ(PassRateAt(outcomes, 1), 0.5);
  EXPECT_DOUBLE_EQ(PassRateAt(outcomes, 2), 0.5);
  EXPECT_DOUBLE_EQ(PassRateAt(outcomes, 4), 0.25);
  EXPECT_DOUBLE_EQ(Score(outcomes), 100 * (0.75 + 0.75 + 0.5 + 0.5 + 0.25) / 5);
  EXPECT_DOUBLE_EQ(PassRateAt({}, 1), 0);
  EXPECT_DOUBLE_EQ(Score({}), 0);
}

TEST(ScoringTest, SpeedupOfUnits) {
  EXPECT_DOUBLE_EQ(SpeedupOf(0), 1);
  EXPECT_DOUBLE_EQ(SpeedupOf(-2048), 0.25);
  EXPECT_NEAR(SpeedupOf(72), 1.05, 1e-3);
}

}  // namespace
}  // namespace hearsay
