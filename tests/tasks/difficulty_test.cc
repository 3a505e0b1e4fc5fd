#include "tasks/difficulty.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "tasks/catalogue.h"
#include "tasks/landscape.h"
#include "tasks/problems.h"

namespace hearsay {
namespace {

// Difficulty of a value by name in problem `id`.
int Of(absl::string_view id, Dsl dsl, absl::string_view knob, absl::string_view value) {
  const int problem = *ParseProblemId(id);
  const DesignPlan& plan = DesignPlanOf(problem);
  uint8_t difficulty[kMaxKnobs][kMaxValues];
  FillDifficulty(Problems()[problem], plan, DslSpecOf(dsl), difficulty);
  for (size_t k = 0; k < plan.space.knobs.size(); ++k) {
    if (plan.space.knobs[k].name != knob) continue;
    for (size_t v = 0; v < plan.space.knobs[k].values.size(); ++v) {
      if (plan.space.knobs[k].values[v] == value) return difficulty[k][v];
    }
  }
  ADD_FAILURE() << "no " << knob << "=" << value << " in " << id;
  return -1;
}

TEST(DifficultyTest, TrivialValuesAreFree) {
  EXPECT_EQ(Of("p74", Dsl::kCute, "move", "eager"), 0);
  EXPECT_EQ(Of("p74", Dsl::kCute, "chunked_recurrence", "off"), 0);
  EXPECT_EQ(Of("p74", Dsl::kTirx, "instruction", "simt"), 0);
}

TEST(DifficultyTest, ByHand) {
  // Plain 40; CuTe takes rewrites as they are, TIRx at 18/16.
  EXPECT_EQ(Of("p74", Dsl::kCute, "chunked_recurrence", "64"), 40);
  EXPECT_EQ(Of("p74", Dsl::kTirx, "chunked_recurrence", "64"), 45);
  // Plain 24 at 16/16 and 20/16.
  EXPECT_EQ(Of("p29", Dsl::kCute, "instruction", "warpgroup"), 24);
  EXPECT_EQ(Of("p29", Dsl::kTirx, "instruction", "warpgroup"), 30);
  // One elementwise stage is 3; at 18/16 it rounds to 3.
  EXPECT_EQ(Of("p28", Dsl::kCute, "move", "residual_add"), 3);
  EXPECT_EQ(Of("p28", Dsl::kTirx, "move", "residual_add"), 3);
}

TEST(DifficultyTest, LoopsOverDataAreHarderWithoutAnEarlyExit) {
  EXPECT_GT(Of("p04", Dsl::kCute, "causal_tile_skip", "on"),
            Of("p04", Dsl::kTirx, "causal_tile_skip", "on"));
  EXPECT_LT(Of("p04", Dsl::kCute, "online_softmax", "on"),
            Of("p04", Dsl::kTirx, "online_softmax", "on"));
}

TEST(DifficultyTest, MoreOfAKindIsNeverEasier) {
  const auto atlas = *Atlas::Create("h200");
  for (int i = 0; i < ProblemCount(); ++i) {
    const World& world = atlas->Get(i, Dsl::kCute).world();
    for (int k = 0; k < world.knob_count; ++k) {
      const KnobKind kind = world.kind[k];
      if (kind != KnobKind::kTile && kind != KnobKind::kVector && kind != KnobKind::kPipeline &&
          kind != KnobKind::kSplit && kind != KnobKind::kInstruction) {
        continue;
      }
      EXPECT_TRUE(std::is_sorted(world.difficulty[k], world.difficulty[k] + world.value_count[k]));
    }
    // Moving everything is the hardest move.
    EXPECT_EQ(world.difficulty[0][world.value_count[0] - 1],
              *std::max_element(world.difficulty[0], world.difficulty[0] + kMaxValues));
  }
}

// A best point takes between a step and some ten steps of skill.
TEST(DifficultyTest, BestPointsAskForASensibleAmount) {
  const auto atlas = *Atlas::Create("h200");
  for (int i = 0; i < ProblemCount(); ++i) {
    for (Dsl dsl : {Dsl::kCute, Dsl::kTirx}) {
      const World& world = atlas->Get(i, dsl).world();
      int least = 1 << 20;
      for (int p = 0; p < world.point_count; ++p) {
        if (!world.entries[p].ok() || world.entries[p].speed_lg() != world.best_lg) continue;
        int sum = 0;
        for (int k = 0; k < world.knob_count; ++k) {
          sum += world.difficulty[k][p / world.stride[k] % world.value_count[k]];
        }
        least = std::min(least, sum);
      }
      EXPECT_GE(least, 16) << Problems()[i].id();
      EXPECT_LE(least, 170) << Problems()[i].id();
    }
  }
}

}  // namespace
}  // namespace hearsay
