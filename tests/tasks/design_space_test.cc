#include "tasks/design_space.h"

#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_testing.h"
#include "tasks/design_plan.h"

namespace hearsay {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

const Knob* FindKnob(const DesignSpace& space, absl::string_view name) {
  for (const Knob& knob : space.knobs) {
    if (knob.name == name) return &knob;
  }
  return nullptr;
}

TEST(DesignSpaceTest, EverySpaceKeepsTheLimits) {
  for (int i = 0; i < ProblemCount(); ++i) {
    SCOPED_TRACE(Problems()[i].id());
    const DesignSpace& space = DesignSpaceOf(i);
    ASSERT_GE(space.knobs.size(), 3u);
    ASSERT_LE(space.knobs.size(), static_cast<size_t>(kMaxKnobs));
    ASSERT_EQ(space.strides.size(), space.knobs.size());
    EXPECT_EQ(space.knobs[0].kind, KnobKind::kMove);
    EXPECT_EQ(space.knobs[0].values[0], "eager");
    EXPECT_EQ(space.knobs[1].kind, KnobKind::kFuse);
    EXPECT_EQ(space.knobs[1].values[0], "none");
    EXPECT_GE(space.point_count(), 64);
    EXPECT_LE(space.point_count(), kMaxPoints);
    std::set<std::string> names;
    int stride = 1;
    for (size_t k = 0; k < space.knobs.size(); ++k) {
      const Knob& knob = space.knobs[k];
      EXPECT_TRUE(names.insert(knob.name).second) << knob.name;
      EXPECT_GE(knob.values.size(), 2u) << knob.name;
      EXPECT_LE(knob.values.size(), static_cast<size_t>(kMaxValues)) << knob.name;
      const std::set<std::string> values(knob.values.begin(), knob.values.end());
      EXPECT_EQ(values.size(), knob.values.size()) << knob.name;
      EXPECT_EQ(space.strides[k], stride);
      stride *= static_cast<int>(knob.values.size());
      EXPECT_EQ(knob.kind == KnobKind::kMove, k == 0);
    }
  }
}

TEST(DesignSpaceTest, EverythingCanBeMovedAndFused) {
  for (int i = 0; i < ProblemCount(); ++i) {
    SCOPED_TRACE(Problems()[i].id());
    EXPECT_EQ(DesignSpaceOf(i).knobs[0].values.back(), "all");
    EXPECT_THAT(DesignSpaceOf(i).knobs[1].values, Contains("all"));
  }
}

TEST(DesignSpaceTest, PointNumbersRoundTrip) {
  for (int i = 0; i < ProblemCount(); i += 9) {
    const DesignSpace& space = DesignSpaceOf(i);
    for (int point = 0; point < space.point_count(); ++point) {
      int sum = 0;
      for (size_t k = 0; k < space.knobs.size(); ++k) {
        sum += space.ValueAt(point, static_cast<int>(k)) * space.strides[k];
      }
      ASSERT_EQ(sum, point);
    }
  }
}

TEST(DesignSpaceTest, DescribesPoints) {
  const DesignSpace space = MakeDesignPlan(TinyProblem()).space;
  EXPECT_EQ(space.Describe(0),
            "move=eager fuse=none tile=1 vector=1 pipeline=1 precision=fp32 split=1");
  EXPECT_EQ(space.Describe(PointOf(space, {{"move", "all"}, {"vector", "4"}})),
            "move=all fuse=none tile=1 vector=4 pipeline=1 precision=fp32 split=1");
}

TEST(DesignSpaceTest, KnobsFollowFromTheStages) {
  // Decode attention: no instruction-free problem, keys can be split.
  const DesignSpace& decode = DesignSpaceOf(*ParseProblemId("p01"));
  EXPECT_NE(FindKnob(decode, "split_kv"), nullptr);
  EXPECT_NE(FindKnob(decode, "instruction"), nullptr);
  EXPECT_EQ(FindKnob(decode, "split"), nullptr);  // split_kv says it already
  // A recurrence: the loop can be chunked.
  const DesignSpace& recurrence = DesignSpaceOf(*ParseProblemId("p74"));
  ASSERT_NE(FindKnob(recurrence, "chunked_recurrence"), nullptr);
  EXPECT_EQ(FindKnob(recurrence, "chunked_recurrence")->values[0], "off");
  // Rows without products: no instruction, but vector widths up to one that is too wide.
  const DesignSpace& norm = DesignSpaceOf(*ParseProblemId("p36"));
  EXPECT_EQ(FindKnob(norm, "instruction"), nullptr);
  EXPECT_EQ(FindKnob(norm, "vector")->values.back(), "32");
  // Precisions by dtype.
  EXPECT_THAT(FindKnob(DesignSpaceOf(*ParseProblemId("p29")), "precision")->values,
              ElementsAre("fp32", "tf32x3", "tf32", "bf16"));
  EXPECT_THAT(FindKnob(DesignSpaceOf(*ParseProblemId("p58")), "precision")->values,
              ElementsAre("sums_fp32", "fp8", "fp4", "sums_bf16"));
  EXPECT_EQ(FindKnob(DesignSpaceOf(*ParseProblemId("p25")), "precision"), nullptr);
}

TEST(DesignPlanTest, MasksMatchTheNamesOfMoves) {
  for (int i = 0; i < ProblemCount(); ++i) {
    SCOPED_TRACE(Problems()[i].id());
    const DesignPlan& plan = DesignPlanOf(i);
    const int all = (1 << Problems()[i].stages_size()) - 1;
    EXPECT_EQ(plan.parameters[0].front(), 0);
    EXPECT_EQ(plan.parameters[0].back(), all);
    std::set<int> moves(plan.parameters[0].begin(), plan.parameters[0].end());
    EXPECT_EQ(moves.size(), plan.parameters[0].size());
    for (size_t v = 0; v < plan.parameters[0].size(); ++v) {
      if (plan.space.knobs[0].values[v] != "all_but_products") continue;
      for (int s = 0; s < Problems()[i].stages_size(); ++s) {
        EXPECT_EQ((plan.parameters[0][v] >> s & 1) != 0, !Problems()[i].stages(s).matrix_product());
      }
    }
  }
}

TEST(DesignPlanTest, RewriteKnobsPointIntoTheirRewrite) {
  for (int i = 0; i < ProblemCount(); ++i) {
    SCOPED_TRACE(Problems()[i].id());
    const DesignPlan& plan = DesignPlanOf(i);
    for (size_t k = 0; k < plan.rewrites.size(); ++k) {
      const bool rewrite = plan.space.knobs[k].kind == KnobKind::kRewrite;
      ASSERT_EQ(plan.rewrites[k] != nullptr, rewrite);
      if (!rewrite) continue;
      EXPECT_EQ(plan.rewrites[k]->name(), plan.space.knobs[k].name);
      EXPECT_EQ(plan.parameters[k][0], 0);
      for (size_t v = 1; v < plan.parameters[k].size(); ++v) {
        EXPECT_EQ(plan.rewrites[k]->values(plan.parameters[k][v] - 1).name(),
                  plan.space.knobs[k].values[v]);
      }
    }
  }
}

}  // namespace
}  // namespace hearsay
