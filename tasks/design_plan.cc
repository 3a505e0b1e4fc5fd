#include "tasks/design_plan.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tasks/catalogue.h"

namespace hearsay {
namespace {

// A knob before it is known whether it fits.
struct Candidate {
  KnobKind kind;
  int importance;  // lower is kept longer
  std::string name;
  std::vector<std::string> values;
  std::vector<int> parameters;
  const RewriteSpec* rewrite = nullptr;

  void Add(std::string value, int parameter) {
    values.push_back(std::move(value));
    parameters.push_back(parameter);
  }
  void Remove(int value) {
    values.erase(values.begin() + value);
    parameters.erase(parameters.begin() + value);
  }
  int size() const { return static_cast<int>(values.size()); }
};

// How much of eager's time a stage takes, in seconds on a round-numbered GPU. Only ranks stages:
// the space must not change with the hardware.
double Weight(const StageSpec& stage) {
  return stage.eager_launches() * 5e-6 + stage.bytes() / 4e12 + stage.flops() / 2e14;
}

bool HasMatrixProduct(const ProblemSpec& problem) {
  return std::any_of(problem.stages().begin(), problem.stages().end(),
                     [](const StageSpec& stage) { return stage.matrix_product(); });
}

// Ops by name; the second linear_bias of a problem is "linear_bias_2".
std::vector<std::string> StageNames(const ProblemSpec& problem) {
  std::vector<std::string> names;
  for (int s = 0; s < problem.stages_size(); ++s) {
    int nth = 1;
    for (int before = 0; before < s; ++before) {
      if (problem.stages(before).op() == problem.stages(s).op()) ++nth;
    }
    names.push_back(nth == 1 ? problem.stages(s).op()
                             : absl::StrCat(problem.stages(s).op(), "_", nth));
  }
  return names;
}

struct Span {
  int first, last;
  double added_weight;  // by the stage that made this span out of the one before
};

// Spans from the heaviest stage outwards, always towards the heavier neighbour, until all is moved:
// at most 5, those that add most.
std::vector<Span> GrowingSpans(const ProblemSpec& problem, int heaviest) {
  const int n = problem.stages_size();
  std::vector<Span> spans = {{heaviest, heaviest, Weight(problem.stages(heaviest))}};
  while (spans.back().first > 0 || spans.back().last < n - 1) {
    const Span& span = spans.back();
    const double left = span.first > 0 ? Weight(problem.stages(span.first - 1)) : -1;
    const double right = span.last < n - 1 ? Weight(problem.stages(span.last + 1)) : -1;
    spans.push_back(left > right ? Span{span.first - 1, span.last, left}
                                 : Span{span.first, span.last + 1, right});
  }
  while (spans.size() > 5) {
    size_t least = 1;
    for (size_t i = 2; i + 1 < spans.size(); ++i) {
      if (spans[i].added_weight < spans[least].added_weight) least = i;
    }
    spans.erase(spans.begin() + least);
  }
  return spans;
}

Candidate MoveKnob(const ProblemSpec& problem) {
  const int n = problem.stages_size();
  const std::vector<std::string> names = StageNames(problem);
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&problem](int a, int b) {
    return Weight(problem.stages(a)) > Weight(problem.stages(b));
  });
  std::vector<Span> spans = GrowingSpans(problem, order[0]);
  Candidate knob{KnobKind::kMove, 0, "move", {}, {}};
  knob.Add("eager", 0);
  // An honest alternative to the heaviest stage: with products among the stages, to leave just
  // these to the library; without, the second heaviest.
  int others = 0;
  for (int s = 0; s < n; ++s) others |= problem.stages(s).matrix_product() ? 0 : 1 << s;
  const bool products = HasMatrixProduct(problem);
  for (const Span& span : spans) {
    int mask = 0;
    for (int s = span.first; s <= span.last; ++s) mask |= 1 << s;
    if (mask == others) others = 0;
    knob.Add(mask == (1 << n) - 1      ? "all"
             : span.first == span.last ? names[span.first]
                                       : absl::StrCat(names[span.first], "..", names[span.last]),
             mask);
    if (knob.size() > 2) continue;
    if (!products) knob.Add(names[order[1]], 1 << order[1]);
  }
  if (products && others != 0) {
    knob.values.insert(knob.values.begin() + 2, "all_but_products");
    knob.parameters.insert(knob.parameters.begin() + 2, others);
  }
  return knob;
}

// Bits of the edges i for which `fused(stage i, stage i + 1)` holds.
template <typename Predicate>
int EdgesWhere(const ProblemSpec& problem, Predicate fused) {
  int mask = 0;
  for (int i = 0; i + 1 < problem.stages_size(); ++i) {
    if (fused(i)) mask |= 1 << i;
  }
  return mask;
}

Candidate FuseKnob(const ProblemSpec& problem) {
  const auto product = [&problem](int s) { return problem.stages(s).matrix_product(); };
  const auto turns = [&problem](int s) { return problem.stages(s).serial_steps(); };
  const auto streams = [&problem](int s) {
    const std::string& rewrite = problem.stages(s).rewrite();
    return !rewrite.empty() && RewriteOf(rewrite).streams();
  };
  std::vector<std::pair<std::string, int>> values = {{"none", 0}};
  if (problem.recurrence_steps() > 1) {
    values.push_back({"loop", EdgesWhere(problem, [&](int i) {
                        return turns(i) > 1 && turns(i) == turns(i + 1);
                      })});
  }
  if (HasMatrixProduct(problem)) {
    values.push_back({"prologues", EdgesWhere(problem, [&](int i) { return !product(i); })});
    values.push_back({"epilogues", EdgesWhere(problem, [&](int i) { return !product(i + 1); })});
    values.push_back(
        {"streams", EdgesWhere(problem, [&](int i) { return streams(i) || streams(i + 1); })});
  } else {
    values.push_back({"pairs", EdgesWhere(problem, [](int i) { return i % 2 == 0; })});
  }
  values.push_back({"all", EdgesWhere(problem, [](int) { return true; })});

  const int everything = values.back().second;
  Candidate knob{KnobKind::kFuse, 10, "fuse", {}, {}};
  for (const auto& [name, mask] : values) {
    // Of equal values the first stays, except that "all" keeps its name.
    const bool repeated =
        std::find(knob.parameters.begin(), knob.parameters.end(), mask) != knob.parameters.end();
    if (!repeated && (mask != everything || name == "all")) knob.Add(name, mask);
  }
  return knob;
}

// The weightiest distinct rewrites of the stages, at most 3.
std::vector<Candidate> RewriteKnobs(const ProblemSpec& problem) {
  std::vector<std::pair<std::string, double>> weights;
  for (const StageSpec& stage : problem.stages()) {
    if (stage.rewrite().empty()) continue;
    auto it = std::find_if(weights.begin(), weights.end(),
                           [&stage](const auto& w) { return w.first == stage.rewrite(); });
    if (it == weights.end()) it = weights.insert(weights.end(), {stage.rewrite(), 0.0});
    it->second += Weight(stage);
  }
  std::stable_sort(weights.begin(), weights.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  constexpr int kImportance[] = {20, 60, 100};
  std::vector<Candidate> knobs;
  for (const auto& [name, weight] : weights) {
    if (knobs.size() == 3) break;
    const RewriteSpec& rewrite = RewriteOf(name);
    Candidate knob{KnobKind::kRewrite, kImportance[knobs.size()], name, {}, {}, &rewrite};
    // How a reduction is dealt out matters more than how deep its pipeline is.
    if (rewrite.splits()) knob.importance = std::min(knob.importance, 65);
    knob.Add("off", 0);
    for (int v = 0; v < rewrite.values_size(); ++v) knob.Add(rewrite.values(v).name(), v + 1);
    knobs.push_back(std::move(knob));
  }
  return knobs;
}

Candidate NumberKnob(KnobKind kind, int importance, std::string name,
                     const std::vector<int>& numbers) {
  Candidate knob{kind, importance, std::move(name), {}, {}};
  for (int number : numbers) knob.Add(absl::StrCat(number), number);
  return knob;
}

Candidate VectorKnob(const ProblemSpec& problem, int importance) {
  // Up to 64 bytes, twice what any GPU loads at once: too wide must be there to be tried.
  if (problem.element_bytes() == 1) {
    return NumberKnob(KnobKind::kVector, importance, "vector", {1, 4, 8, 16, 32, 64});
  }
  std::vector<int> widths;
  for (int width = 1; width * problem.element_bytes() <= 64; width *= 2) widths.push_back(width);
  return NumberKnob(KnobKind::kVector, importance, "vector", widths);
}

Candidate PrecisionKnob(const ProblemSpec& problem, bool products) {
  Candidate knob{KnobKind::kPrecision, 50, "precision", {}, {}};
  const auto add = [&knob](const char* name, Precision precision) {
    knob.Add(name, static_cast<int>(precision));
  };
  if (problem.dtype() == "fp32") {
    add("fp32", Precision::kFp32);
    if (products) {
      add("tf32x3", Precision::kTf32x3);
      add("tf32", Precision::kTf32);
    }
    add("bf16", Precision::kBf16);
    return knob;
  }
  add("sums_fp32", Precision::kBf16Inputs);
  if (products && (problem.dtype() == "fp8" || problem.dtype() == "nvfp4")) {
    add("fp8", Precision::kFp8);
  }
  if (products && problem.dtype() == "nvfp4") add("fp4", Precision::kFp4);
  add("sums_bf16", Precision::kBf16Sums);
  return knob;
}

// Whether more of eager's time goes to bytes than to operations.
bool MemoryBound(const ProblemSpec& problem) {
  double bytes = 0, flops = 0;
  for (const StageSpec& stage : problem.stages()) {
    bytes += stage.bytes() / 4e12;
    flops += stage.flops() / 2e14;
  }
  return bytes > flops;
}

std::vector<Candidate> AllKnobs(const ProblemSpec& problem) {
  const bool products = HasMatrixProduct(problem);
  std::vector<Candidate> knobs = {MoveKnob(problem), FuseKnob(problem)};
  bool splits = false;
  bool grid_wide = false;
  for (const StageSpec& stage : problem.stages()) grid_wide |= stage.grid_wide();
  for (Candidate& knob : RewriteKnobs(problem)) {
    splits |= knob.rewrite->splits();
    knobs.push_back(std::move(knob));
  }
  const std::vector<int> tiles = !products                     ? std::vector<int>{1, 2, 4, 8, 16}
                                 : problem.nominal_tile() == 0 ? std::vector<int>{16, 32, 64, 128}
                                                               : std::vector<int>{32, 64, 128, 256};
  knobs.push_back(NumberKnob(KnobKind::kTile, 40, "tile", tiles));
  const bool wide = !products || MemoryBound(problem);
  if (wide) knobs.push_back(VectorKnob(problem, products ? 90 : 30));
  knobs.push_back(NumberKnob(KnobKind::kPipeline, 70, "pipeline",
                             products ? std::vector<int>{1, 2, 4, 6} : std::vector<int>{1, 2, 4}));
  if (products) {
    Candidate knob{KnobKind::kInstruction, 30, "instruction", {}, {}};
    knob.Add("simt", static_cast<int>(Instruction::kSimt));
    knob.Add("mma", static_cast<int>(Instruction::kMma));
    knob.Add("warpgroup", static_cast<int>(Instruction::kWarpgroup));
    knobs.push_back(std::move(knob));
  }
  if (problem.dtype() != "int") knobs.push_back(PrecisionKnob(problem, products));
  // 264: two blocks for each SM of the smallest GPU in the catalogue.
  if (!splits &&
      (problem.parallel_units() < 264 || problem.reduction_elements() >= 4096 || grid_wide)) {
    knobs.push_back(NumberKnob(KnobKind::kSplit, 80, "split", {1, 2, 4, 8}));
  }
  return knobs;
}

int64_t PointCount(const std::vector<Candidate>& knobs) {
  int64_t product = 1;
  for (const Candidate& knob : knobs) product *= knob.size();
  return product;
}

// Drops one value of one knob: which kind first, down to how many, and which of its values.
bool DropValue(std::vector<Candidate>& knobs) {
  struct Step {
    KnobKind kind;
    int keep;
    bool from_end;
  };
  constexpr Step kSteps[] = {
      {KnobKind::kPipeline, 3, true}, {KnobKind::kSplit, 3, true},    {KnobKind::kVector, 5, false},
      {KnobKind::kMove, 6, false},    {KnobKind::kRewrite, 4, false}, {KnobKind::kVector, 4, false},
      {KnobKind::kTile, 3, false},    {KnobKind::kFuse, 4, false},    {KnobKind::kMove, 5, false}};
  for (const Step& step : kSteps) {
    for (Candidate& knob : knobs) {
      if (knob.kind != step.kind || knob.size() <= step.keep) continue;
      // Never value 0. A move loses the least of its growing spans.
      knob.Remove(step.from_end                  ? knob.size() - 1
                  : step.kind == KnobKind::kMove ? knob.size() - 2
                                                 : 1);
      return true;
    }
  }
  return false;
}

void DropLeastImportantKnob(std::vector<Candidate>& knobs) {
  knobs.erase(std::max_element(
      knobs.begin(), knobs.end(),
      [](const Candidate& a, const Candidate& b) { return a.importance < b.importance; }));
}

}  // namespace

int DesignPlan::KnobOf(KnobKind kind) const {
  for (size_t k = 0; k < space.knobs.size(); ++k) {
    if (space.knobs[k].kind == kind) return static_cast<int>(k);
  }
  return -1;
}

DesignPlan MakeDesignPlan(const ProblemSpec& problem) {
  std::vector<Candidate> knobs = AllKnobs(problem);
  while (knobs.size() > kMaxKnobs) DropLeastImportantKnob(knobs);
  while (PointCount(knobs) > kMaxPoints) {
    if (!DropValue(knobs)) DropLeastImportantKnob(knobs);
  }
  std::stable_sort(knobs.begin(), knobs.end(),
                   [](const Candidate& a, const Candidate& b) { return a.kind < b.kind; });
  DesignPlan plan;
  int stride = 1;
  for (Candidate& knob : knobs) {
    plan.space.strides.push_back(stride);
    stride *= knob.size();
    plan.space.knobs.push_back({knob.kind, std::move(knob.name), std::move(knob.values)});
    plan.parameters.push_back(std::move(knob.parameters));
    plan.rewrites.push_back(knob.rewrite);
  }
  return plan;
}

const DesignPlan& DesignPlanOf(int problem_index) {
  static const std::vector<DesignPlan>& plans = *[] {
    auto* made = new std::vector<DesignPlan>;
    for (const ProblemSpec& problem : Problems()) made->push_back(MakeDesignPlan(problem));
    return made;
  }();
  return plans[problem_index];
}

}  // namespace hearsay
