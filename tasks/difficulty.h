// What it takes to write each knob value in a DSL.
#ifndef HEARSAY_TASKS_DIFFICULTY_H_
#define HEARSAY_TASKS_DIFFICULTY_H_

#include <cstdint>

#include "tasks/design_plan.h"
#include "tasks/problem.pb.h"
#include "tasks/world.h"

namespace hearsay {

// World::difficulty: sixteenths of a step of skill; 0 for value 0 of every knob and for values that
// the space does not have. Estimates of ours, docs/model.md, "Difficulty".
//
// REQUIRES: `plan` was made of `problem`.
void FillDifficulty(const ProblemSpec& problem, const DesignPlan& plan, const DslSpec& dsl,
                    uint8_t (&difficulty)[kMaxKnobs][kMaxValues]);

}  // namespace hearsay

#endif  // HEARSAY_TASKS_DIFFICULTY_H_
