#include "tasks/difficulty.h"

#include <algorithm>

#include "tasks/words.h"

namespace hearsay {
namespace {

// A stage in a kernel of one's own: a product asks for more than an elementwise pass, a reduction
// or a loop for something.
int StageDifficulty(const StageSpec& stage) {
  int sixteenths = 3;
  if (stage.matrix_product()) sixteenths += 5;
  if (stage.reduces_rows() || stage.grid_wide()) sixteenths += 2;
  if (stage.serial_steps() > 1) sixteenths += 2;
  return sixteenths;
}

int MoveDifficulty(const ProblemSpec& problem, int mask) {
  int sum = 0;
  for (int s = 0; s < problem.stages_size(); ++s) {
    if ((mask >> s & 1) != 0) sum += StageDifficulty(problem.stages(s));
  }
  return std::min(sum, 40);
}

// A seam between two products is the hard one: the first must stay on chip in the second's layout.
int FuseDifficulty(const ProblemSpec& problem, int mask) {
  int sum = 0;
  for (int i = 0; i + 1 < problem.stages_size(); ++i) {
    if ((mask >> i & 1) == 0) continue;
    const bool products =
        problem.stages(i).matrix_product() || problem.stages(i + 1).matrix_product();
    sum += products ? 6 : 3;
  }
  return std::min(sum, 28);
}

int PrecisionDifficulty(Precision precision) {
  switch (precision) {
    case Precision::kFp32:
    case Precision::kBf16Inputs:
      return 0;
    case Precision::kTf32x3:
      return 12;
    case Precision::kTf32:
      return 4;
    case Precision::kBf16:
    case Precision::kBf16Sums:
      return 3;
    case Precision::kFp8:
      return 10;
    case Precision::kFp4:
      return 18;
  }
  return 0;
}

int ValueDifficulty(const ProblemSpec& problem, const DesignPlan& plan, const DslSpec& dsl,
                    int knob, int value) {
  const int parameter = plan.parameters[knob][value];
  switch (plan.space.knobs[knob].kind) {
    case KnobKind::kMove:
      return MoveDifficulty(problem, parameter);
    case KnobKind::kFuse:
      return FuseDifficulty(problem, parameter);
    case KnobKind::kRewrite: {
      const RewriteSpec& rewrite = *plan.rewrites[knob];
      return rewrite.values(parameter - 1).difficulty() +
             (rewrite.data_dependent() ? dsl.data_dependent_difficulty() : 0);
    }
    case KnobKind::kTile:
      return 2 * value;
    case KnobKind::kVector:
      return 2 * value;
    case KnobKind::kPipeline:
      return 4 * value;
    case KnobKind::kInstruction:
      return static_cast<Instruction>(parameter) == Instruction::kMma ? 10 : 24;
    case KnobKind::kPrecision:
      return PrecisionDifficulty(static_cast<Precision>(parameter));
    case KnobKind::kSplit:
      return 4 + 2 * value;
  }
  return 0;
}

int Scale(const DslSpec& dsl, KnobKind kind) {
  for (const KnobDifficultySpec& spec : dsl.difficulty()) {
    if (spec.kind() == Name(kind)) return spec.sixteenths();
  }
  return 16;
}

}  // namespace

void FillDifficulty(const ProblemSpec& problem, const DesignPlan& plan, const DslSpec& dsl,
                    uint8_t (&difficulty)[kMaxKnobs][kMaxValues]) {
  for (auto& row : difficulty) std::fill(std::begin(row), std::end(row), uint8_t{0});
  for (size_t k = 0; k < plan.space.knobs.size(); ++k) {
    const int scale = Scale(dsl, plan.space.knobs[k].kind);
    for (size_t v = 1; v < plan.parameters[k].size(); ++v) {
      const int plain =
          ValueDifficulty(problem, plan, dsl, static_cast<int>(k), static_cast<int>(v));
      difficulty[k][v] = static_cast<uint8_t>(std::clamp((plain * scale + 8) / 16, 1, 255));
    }
  }
}

}  // namespace hearsay
