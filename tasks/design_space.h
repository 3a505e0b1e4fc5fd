// The design space of a problem: its knobs and their values, derived from the problem's own stages.
#ifndef HEARSAY_TASKS_DESIGN_SPACE_H_
#define HEARSAY_TASKS_DESIGN_SPACE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tasks/problems.h"
#include "tasks/world.h"

namespace hearsay {

struct Knob {
  KnobKind kind;
  std::string name;                 // "move", "chunked_recurrence", "tile" ...; unique in the space
  std::vector<std::string> values;  // value 0 is the trivial one; 2 to kMaxValues, unique
};

// Immutable. The same for both DSLs and any hardware: they differ in times and statuses only.
struct DesignSpace {
  std::vector<Knob> knobs;   // 1 to kMaxKnobs; knobs[0] is the kMove knob
  std::vector<int> strides;  // point = sum of value[k] * strides[k]; strides[0] == 1

  int point_count() const;  // at most kMaxPoints
  int ValueAt(int point, int knob) const;
  // "move=all fuse=none ..." for people.
  std::string Describe(int point) const;
};

// The design space of problem `problem_index`, derived once and kept for the life of the process.
// Thread safe.
const DesignSpace& DesignSpaceOf(int problem_index);

}  // namespace hearsay

#endif  // HEARSAY_TASKS_DESIGN_SPACE_H_
