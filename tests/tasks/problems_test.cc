#include "tasks/problems.h"

#include <map>
#include <numeric>
#include <set>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tasks/catalogue.h"

namespace hearsay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ProblemsTest, SeventyFourInOrderInSixFamilies) {
  ASSERT_EQ(ProblemCount(), 74);
  std::map<std::string, int> families;
  std::set<std::string> names;
  for (int i = 0; i < ProblemCount(); ++i) {
    EXPECT_EQ(Problems()[i].id(), absl::StrFormat("p%02d", i + 1));
    ++families[Problems()[i].family()];
    names.insert(Problems()[i].name());
  }
  EXPECT_EQ(names.size(), 74u);
  EXPECT_EQ(families, (std::map<std::string, int>{{"attention", 18},
                                                  {"kv_cache", 8},
                                                  {"mlp_norm", 17},
                                                  {"moe", 8},
                                                  {"quantization", 10},
                                                  {"linear_attention", 13}}));
}

TEST(ProblemsTest, EveryProblemIsComplete) {
  const std::set<std::string> dtypes = {"bf16", "fp32", "fp8", "nvfp4", "int"};
  const std::set<std::string> risks = {"low", "medium", "high"};
  int64_t stage_count = 0;
  for (const ProblemSpec& problem : Problems()) {
    SCOPED_TRACE(problem.id());
    EXPECT_TRUE(dtypes.count(problem.dtype())) << problem.dtype();
    EXPECT_TRUE(risks.count(problem.numeric_risk())) << problem.numeric_risk();
    EXPECT_TRUE(problem.eager_precision() == "fp32" || problem.eager_precision() == "bf16");
    EXPECT_FALSE(problem.model().empty());
    EXPECT_FALSE(problem.numeric_note().empty());
    EXPECT_GT(problem.dims_size(), 0);
    EXPECT_GE(problem.serial_steps(), 1);
    EXPECT_GE(problem.recurrence_steps(), 1);
    EXPECT_LE(problem.recurrence_steps(), problem.serial_steps());
    EXPECT_GE(problem.parallel_units(), 1);
    EXPECT_GE(problem.element_bytes(), 1);
    EXPECT_GE(problem.inner_elements(), 1);
    EXPECT_GE(problem.reduction_elements(), 1);
    EXPECT_GE(problem.stages_size(), 2);
    EXPECT_LE(problem.stages_size(), 7);
    stage_count += problem.stages_size();
    int64_t bytes = 0;
    for (const StageSpec& stage : problem.stages()) {
      SCOPED_TRACE(stage.op());
      EXPECT_FALSE(stage.op().empty());
      EXPECT_GT(stage.bytes(), 0);
      EXPECT_GE(stage.flops(), 0);
      EXPECT_GE(stage.eager_launches(), 1);
      EXPECT_GE(stage.serial_steps(), 1);
      EXPECT_GE(stage.row_elements(), 1);
      EXPECT_TRUE(stage.eager_work_factor() == 0 || stage.eager_work_factor() > 1);
      EXPECT_EQ(stage.matrix_product(), stage.accumulator_columns() > 0);
      if (!stage.rewrite().empty()) {
        EXPECT_EQ(RewriteOf(stage.rewrite()).name(), stage.rewrite());
      }
      bytes += stage.bytes();
    }
    // What is compulsory cannot exceed what eager moves.
    EXPECT_GT(problem.min_bytes(), 0);
    EXPECT_LE(problem.min_bytes(), bytes);
  }
  EXPECT_EQ(stage_count, 348);
}

TEST(ProblemsTest, IntegersHaveNoProducts) {
  for (const char* id : {"p25", "p26"}) {
    const ProblemSpec& problem = Problems()[*ParseProblemId(id)];
    EXPECT_EQ(problem.dtype(), "int");
    for (const StageSpec& stage : problem.stages()) EXPECT_FALSE(stage.matrix_product());
  }
}

TEST(ProblemsTest, ParsesIds) {
  EXPECT_EQ(*ParseProblemId("p01"), 0);
  EXPECT_EQ(*ParseProblemId("p74"), 73);
  const absl::Status near = ParseProblemId("p75").status();
  EXPECT_EQ(near.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(near.message()), HasSubstr("unknown problem 'p75'; did you mean 'p"));
  EXPECT_THAT(std::string(ParseProblemId("problem-one").status().message()),
              HasSubstr("known: p01 to p74"));
}

TEST(ProblemsTest, ParsesSelections) {
  EXPECT_THAT(*ParseProblemSelection("p03"), ElementsAre(2));
  EXPECT_THAT(*ParseProblemSelection("p05, p01-p03"), ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(*ParseProblemSelection("p02,p02,p01-p02"), ElementsAre(0, 1));
  EXPECT_THAT(*ParseProblemSelection("p74-p74"), ElementsAre(73));
  EXPECT_THAT(*ParseProblemSelection("moe,p01"), ElementsAre(0, 43, 44, 45, 46, 47, 48, 49, 50));
  EXPECT_EQ(ParseProblemSelection("all")->size(), 74u);
}

TEST(ProblemsTest, RefusesBadSelectionsAndSaysWhy) {
  const auto message = [](absl::string_view selection) {
    const auto parsed = ParseProblemSelection(selection);
    EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument) << selection;
    return std::string(parsed.status().message());
  };
  EXPECT_THAT(message("p01,,p02"), HasSubstr("empty part in problem selection 'p01,,p02'"));
  EXPECT_THAT(message(""), HasSubstr("empty part"));
  EXPECT_THAT(message("p05-p01"), HasSubstr("write 'p01-p05'"));
  EXPECT_THAT(message("atention"), HasSubstr("did you mean 'attention'?"));
  EXPECT_THAT(message("p01-p99"), HasSubstr("unknown problem 'p99'"));
  EXPECT_THAT(message("p00"), HasSubstr("did you mean 'p"));
  EXPECT_THAT(message("fluid_dynamics"), HasSubstr("known: attention, kv_cache"));
}

TEST(ProblemsTest, FormatsSelectionsAsShortAsMayBe) {
  EXPECT_EQ(FormatProblemSelection({0}), "p01");
  EXPECT_EQ(FormatProblemSelection({0, 1}), "p01,p02");
  EXPECT_EQ(FormatProblemSelection({0, 1, 2, 70}), "p01-p03,p71");
  EXPECT_EQ(FormatProblemSelection({}), "");
  std::vector<int> all(74);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(FormatProblemSelection(all), "all");
  for (const char* text : {"all", "p01", "p01,p03-p09,p74", "p44-p51"}) {
    EXPECT_EQ(FormatProblemSelection(*ParseProblemSelection(text)), text);
  }
}

TEST(CatalogueTest, HardwareByName) {
  EXPECT_THAT(HardwareNames(), ElementsAre("h200", "b200"));
  EXPECT_EQ((*FindHardware("h200"))->sm_count(), 132);
  EXPECT_EQ((*FindHardware("h200"))->tensor_fp4_flops(), 0);
  EXPECT_GT((*FindHardware("b200"))->tensor_fp4_flops(), 0);
  EXPECT_THAT(std::string(FindHardware("h100").status().message()),
              HasSubstr("unknown hardware 'h100'; did you mean 'h200'?"));
}

TEST(CatalogueTest, OnlyTirxLacksWarpgroupProductsAndOnlyOnHopper) {
  std::set<std::string> has;
  for (Dsl dsl : {Dsl::kCute, Dsl::kTirx}) {
    for (const InstructionSpec& spec : DslSpecOf(dsl).instructions()) {
      if (spec.instruction() == "warpgroup") {
        has.insert(DslSpecOf(dsl).name() + "/" + spec.hardware());
      }
    }
  }
  EXPECT_THAT(has, ElementsAre("cute/b200", "cute/h200", "tirx/b200"));
}

}  // namespace
}  // namespace hearsay
