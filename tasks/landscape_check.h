// What the landscapes of an atlas look like as a whole, and which of them are degenerate.
#ifndef HEARSAY_TASKS_LANDSCAPE_CHECK_H_
#define HEARSAY_TASKS_LANDSCAPE_CHECK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tasks/landscape.h"

namespace hearsay {

// Of the landscapes of one family in one DSL.
struct FamilySummary {
  std::string family;
  Dsl dsl;
  int problem_count = 0;
  // Best speeds of its landscapes, in lg units. The median of an even number is the lower middle.
  int least_best_lg = 0, median_best_lg = 0, greatest_best_lg = 0;
  int64_t point_count = 0;
  int64_t plateau_count = 0;  // points that leave everything in eager
  int64_t status_counts[kStatusCount] = {};
};

// A landscape in which nothing can be learnt, or learnt wrongly.
struct DegenerateLandscape {
  int problem_index;
  Dsl dsl;
  std::string reason;
};

struct LandscapeReport {
  // Families in the order of their first problem, CuTe before TIRx.
  std::vector<FamilySummary> families;
  std::vector<DegenerateLandscape> degenerate;
};

// Looks at the landscapes of `problem_indexes` in both DSLs, modelling those that are not there
// yet.
//
// Degenerate is: fewer than 64 points; an all-eager point off speed 0; nothing incorrect or
// uncompilable; one DSL a copy of the other in entries or in difficulty. That nothing beats eager
// is not: some problems are one well-fed library call, and to find that out is the task.
LandscapeReport CheckLandscapes(Atlas& atlas, const std::vector<int>& problem_indexes);

}  // namespace hearsay

#endif  // HEARSAY_TASKS_LANDSCAPE_CHECK_H_
