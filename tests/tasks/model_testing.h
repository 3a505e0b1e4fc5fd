// What the tests of the model share: points by words, and a problem small enough to compute by
// hand.
#ifndef HEARSAY_TESTS_TASKS_MODEL_TESTING_H_
#define HEARSAY_TESTS_TASKS_MODEL_TESTING_H_

#include <map>
#include <string>

#include "tasks/design_plan.h"
#include "tasks/problem.pb.h"

namespace hearsay {

// The point with these values, by name, and value 0 of all knobs that are not named. Fails the test
// and returns -1 on a knob or value that the space does not have.
int PointOf(const DesignSpace& space, const std::map<std::string, std::string>& values);

// Two elementwise stages in fp32 on 100 blocks, and a GPU and a DSL of round numbers.
ProblemSpec TinyProblem();
HardwareSpec TinyHardware();
DslSpec TinyDsl();

}  // namespace hearsay

#endif  // HEARSAY_TESTS_TASKS_MODEL_TESTING_H_
