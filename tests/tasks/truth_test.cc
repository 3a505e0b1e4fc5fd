#include "tasks/truth.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "tasks/landscape.h"
#include "tasks/problems.h"
#include "tasks/words.h"

namespace hearsay {
namespace {

Claim Of(int knob, int value, Stance stance, Label label = Label::kUnverifiedAssertion) {
  return Claim().WithKnob(knob).WithValue(value).WithStance(stance).WithLabel(label);
}

// Knob 0 moves, knob 1 has values: 0 trivial, 1 best, 2 within 5% of the best, 3 fails, 4 pays
// nothing.
class TruthTest : public testing::Test {
 protected:
  TruthTest() {
    const DesignSpace space = {{{KnobKind::kMove, "move", {"eager", "all"}},
                                {KnobKind::kTile, "tile", {"a", "b", "c", "d", "e"}}},
                               {1, 2}};
    const uint8_t difficulty[kMaxKnobs][kMaxValues] = {{0, 1}, {0, 1, 1, 1, 1}};
    const Entry eager = Entry::Speed(0);
    landscape_ = std::make_unique<Landscape>(
        space, Dsl::kCute, LandscapeSource::kModelled,
        std::vector<Entry>{eager, Entry::Speed(-100), eager, Entry::Speed(1000), eager,
                           Entry::Speed(928), eager, Entry::Failure(Status::kIncorrect), eager,
                           Entry::Speed(900)},
        difficulty);
  }
  const World& world() const { return landscape_->world(); }
  // Not inlined: with kNoSubject as a constant the compiler warns of a read that is guarded.
  [[gnu::noinline]] Truth At(int knob, int value, Stance stance,
                             Label label = Label::kUnverifiedAssertion) const {
    return TruthOf(world(), Of(knob, value, stance, label));
  }

 private:
  std::unique_ptr<Landscape> landscape_;
};

TEST_F(TruthTest, InfeasibleMeansThatNothingPasses) {
  EXPECT_EQ(At(1, 3, Stance::kInfeasible), Truth::kTrue);
  EXPECT_EQ(At(1, 4, Stance::kInfeasible), Truth::kFalse);
  EXPECT_EQ(At(1, 1, Stance::kInfeasible), Truth::kFalse);
  EXPECT_EQ(At(0, 0, Stance::kInfeasible), Truth::kFalse);
}

TEST_F(TruthTest, NotWorthItMeansLessThanFivePercentGained) {
  EXPECT_EQ(At(1, 3, Stance::kNotWorthIt), Truth::kTrue);   // fails outright
  EXPECT_EQ(At(1, 4, Stance::kNotWorthIt), Truth::kTrue);   // 900 against 1000
  EXPECT_EQ(At(1, 1, Stance::kNotWorthIt), Truth::kTrue);   // 1000 against 928: 72 is not enough
  EXPECT_EQ(At(0, 1, Stance::kNotWorthIt), Truth::kFalse);  // 1000 against eager
}

TEST_F(TruthTest, UseMeansWithinFivePercentOfTheBest) {
  EXPECT_EQ(At(1, 1, Stance::kUse), Truth::kTrue);
  EXPECT_EQ(At(1, 2, Stance::kUse), Truth::kTrue);   // 72 below
  EXPECT_EQ(At(1, 4, Stance::kUse), Truth::kFalse);  // 100 below
  EXPECT_EQ(At(1, 3, Stance::kUse), Truth::kFalse);
  EXPECT_EQ(At(0, 0, Stance::kUse), Truth::kFalse);
}

TEST_F(TruthTest, FactsAndOpenQuestions) {
  EXPECT_EQ(At(1, 1, Stance::kOpen), Truth::kOpen);
  EXPECT_EQ(At(1, 0, Stance::kFact, Label::kWorkloadCensus), Truth::kTrue);
  EXPECT_EQ(At(kNoSubject, kNoSubject, Stance::kFact, Label::kWorkloadCensus), Truth::kTrue);
  EXPECT_EQ(At(0, kNoSubject, Stance::kFact, Label::kBottleneckDiagnosis), Truth::kTrue);
  EXPECT_EQ(At(1, kNoSubject, Stance::kFact, Label::kBottleneckDiagnosis), Truth::kFalse);
  EXPECT_EQ(At(kNoSubject, 0, Stance::kFact, Label::kBottleneckDiagnosis), Truth::kOpen);
  EXPECT_EQ(At(1, kNoSubject, Stance::kUse), Truth::kOpen);
  EXPECT_EQ(At(5, 0, Stance::kInfeasible), Truth::kOpen);
}

TEST_F(TruthTest, ClosuresCostWhatTheyRuleOut) {
  EXPECT_EQ(ClosureCostLg(world(), Of(1, 1, Stance::kInfeasible)), 72);
  EXPECT_EQ(ClosureCostLg(world(), Of(1, 3, Stance::kInfeasible)), 0);
  EXPECT_EQ(ClosureCostLg(world(), Of(0, 1, Stance::kNotWorthIt)), 1000);
}

// By the words of truth.h, from the points alone.
Truth SlowTruth(const World& world, Claim claim) {
  if (claim.stance() == Stance::kOpen) return Truth::kOpen;
  if (claim.label() == Label::kWorkloadCensus && claim.stance() == Stance::kFact) {
    return Truth::kTrue;
  }
  const auto best = [&world](int knob, int value, bool with) {
    int most = kNoSpeed;
    for (int p = 0; p < world.point_count; ++p) {
      if (!world.entries[p].ok()) continue;
      const bool moves = p % world.value_count[0] != 0;
      const int own = moves ? p / world.stride[knob] % world.value_count[knob] : 0;
      if ((own == value) == with) most = std::max(most, world.entries[p].speed_lg());
    }
    return most;
  };
  if (claim.stance() == Stance::kFact) {
    bool matters = false;
    for (int v = 0; v < world.value_count[claim.knob()]; ++v) {
      matters |= best(claim.knob(), v, true) > best(claim.knob(), v, false) + kWorthLg;
    }
    return matters ? Truth::kTrue : Truth::kFalse;
  }
  const int with = best(claim.knob(), claim.value(), true);
  const int without = best(claim.knob(), claim.value(), false);
  switch (claim.stance()) {
    case Stance::kInfeasible:
      return with == kNoSpeed ? Truth::kTrue : Truth::kFalse;
    case Stance::kNotWorthIt:
      return with <= without + kWorthLg ? Truth::kTrue : Truth::kFalse;
    default:
      return with + kWorthLg >= std::max(with, without) ? Truth::kTrue : Truth::kFalse;
  }
}

TEST(TruthOnLandscapesTest, AgreesWithAScanOfThePoints) {
  const auto atlas = *Atlas::Create("h200");
  int of_each[3] = {};
  for (const char* id : {"p25", "p36", "p63"}) {
    for (Dsl dsl : {Dsl::kCute, Dsl::kTirx}) {
      const World& world = atlas->Get(*ParseProblemId(id), dsl).world();
      for (int k = 0; k < world.knob_count; ++k) {
        for (int v = 0; v < world.value_count[k]; ++v) {
          for (int s = 0; s < kStanceCount; ++s) {
            for (Label label : {Label::kWorkloadCensus, Label::kBottleneckDiagnosis}) {
              const Claim claim = Of(k, v, static_cast<Stance>(s), label);
              const Truth truth = TruthOf(world, claim);
              ASSERT_EQ(truth, SlowTruth(world, claim))
                  << id << " " << Name(dsl) << " knob " << k << " value " << v << " "
                  << Name(claim.stance());
              ++of_each[static_cast<int>(truth)];
            }
          }
        }
      }
    }
  }
  for (int count : of_each) EXPECT_GT(count, 0);
}

// A claim can be true where it was born and false where it arrives.
TEST(TruthOnLandscapesTest, WarpgroupProductsAreInfeasibleInOneDslOnly) {
  const auto atlas = *Atlas::Create("h200");
  const int problem = *ParseProblemId("p29");
  const DesignSpace& space = DesignSpaceOf(problem);
  for (size_t k = 0; k < space.knobs.size(); ++k) {
    if (space.knobs[k].kind != KnobKind::kInstruction) continue;
    const Claim claim = Of(static_cast<int>(k), 2, Stance::kInfeasible);
    EXPECT_EQ(TruthOf(atlas->Get(problem, Dsl::kTirx).world(), claim), Truth::kTrue);
    EXPECT_EQ(TruthOf(atlas->Get(problem, Dsl::kCute).world(), claim), Truth::kFalse);
    EXPECT_GT(ClosureCostLg(atlas->Get(problem, Dsl::kCute).world(), claim), 100);
  }
}

}  // namespace
}  // namespace hearsay
