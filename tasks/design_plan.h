// What the values of a design space mean to the model: the rules that derive knobs from stages.
//
// design_space.h is for everyone; this header is for the model and its tests.
#ifndef HEARSAY_TASKS_DESIGN_PLAN_H_
#define HEARSAY_TASKS_DESIGN_PLAN_H_

#include <vector>

#include "tasks/design_space.h"
#include "tasks/problem.pb.h"

namespace hearsay {

enum class Instruction : int { kSimt = 0, kMma = 1, kWarpgroup = 2 };
inline constexpr int kInstructionCount = 3;

enum class Precision : int {
  kFp32 = 0,        // products and sums in fp32
  kTf32x3 = 1,      // fp32 operands split in two tf32 numbers, three products
  kTf32 = 2,        // operands rounded to tf32
  kBf16 = 3,        // everything in bf16 where the reference has fp32
  kBf16Inputs = 4,  // bf16 operands as in the reference, fp32 sums
  kBf16Sums = 5,    // bf16 operands and bf16 sums and state
  kFp8 = 6,         // products of fp8 codes
  kFp4 = 7,         // products of fp4 codes
};

struct DesignPlan {
  DesignSpace space;
  // [knob][value], by the knob's kind:
  //   kMove         bits of the stages that leave eager
  //   kFuse         bits of the edges that are fused, edge i between stages i and i + 1
  //   kRewrite      0 for off, else 1 + index in RewriteSpec::values
  //   kTile         rows or columns
  //   kVector       elements
  //   kPipeline     copies in flight
  //   kInstruction  an Instruction
  //   kPrecision    a Precision
  //   kSplit        blocks a reduction
  std::vector<std::vector<int>> parameters;
  // [knob]: borrowed from the catalogue; null for knobs that are no rewrite.
  std::vector<const RewriteSpec*> rewrites;

  // The knob of this kind (never kRewrite), or -1.
  int KnobOf(KnobKind kind) const;
};

// Derives the plan from the stages alone; docs/model.md, "Design spaces", states the rules.
// REQUIRES: 2 to 8 stages, whose rewrites are in the catalogue.
DesignPlan MakeDesignPlan(const ProblemSpec& problem);

// The plan of problem `problem_index`, derived once and kept for the life of the process. Thread
// safe.
const DesignPlan& DesignPlanOf(int problem_index);

}  // namespace hearsay

#endif  // HEARSAY_TASKS_DESIGN_PLAN_H_
