#include "tasks/design_space.h"

#include "absl/strings/str_cat.h"
#include "tasks/design_plan.h"

namespace hearsay {

int DesignSpace::point_count() const {
  return strides.back() * static_cast<int>(knobs.back().values.size());
}

int DesignSpace::ValueAt(int point, int knob) const {
  return point / strides[knob] % static_cast<int>(knobs[knob].values.size());
}

std::string DesignSpace::Describe(int point) const {
  std::string text;
  for (size_t k = 0; k < knobs.size(); ++k) {
    absl::StrAppend(&text, k == 0 ? "" : " ", knobs[k].name, "=",
                    knobs[k].values[ValueAt(point, static_cast<int>(k))]);
  }
  return text;
}

const DesignSpace& DesignSpaceOf(int problem_index) { return DesignPlanOf(problem_index).space; }

}  // namespace hearsay
