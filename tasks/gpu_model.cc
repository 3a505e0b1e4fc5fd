#include "tasks/gpu_model.h"

#include <algorithm>

#include "tasks/catalogue.h"
#include "tasks/eager_model.h"
#include "tasks/lg.h"

namespace hearsay {
namespace {

int ToleranceSteps(const std::string& risk) { return risk == "low" ? 3 : risk == "medium" ? 2 : 1; }

uint64_t Picoseconds(double seconds) {
  return std::max<uint64_t>(1, static_cast<uint64_t>(seconds * 1e12 + 0.5));
}

// The first of two that a submission would meet.
Status Worse(Status a, Status b) {
  if (a == Status::kOk) return b;
  if (b == Status::kOk) return a;
  return std::min(a, b);
}

void AddTo(Cost& sum, const Cost& part) {
  sum.status = Worse(sum.status, part.status);
  sum.seconds += part.seconds;
  sum.launch_seconds += part.launch_seconds;
  sum.memory_seconds += part.memory_seconds;
  sum.compute_seconds += part.compute_seconds;
  sum.latency_seconds += part.latency_seconds;
  sum.bytes += part.bytes;
  sum.launches += part.launches;
}

}  // namespace

GpuModel::GpuModel(const ProblemSpec& problem, const DesignPlan& plan, const HardwareSpec& hardware,
                   const DslSpec& dsl)
    : plan_(plan), hardware_(hardware) {
  integers_ = problem.dtype() == "int";
  dtype_ = problem.dtype();
  quantised_ = dtype_ == "fp8" || dtype_ == "nvfp4";
  tolerance_steps_ = ToleranceSteps(problem.numeric_risk());
  parallel_units_ = problem.parallel_units();
  nominal_tile_ = problem.nominal_tile();
  element_bytes_ = problem.element_bytes();
  inner_elements_ = problem.inner_elements();
  reduction_elements_ = problem.reduction_elements();
  recurrence_steps_ = problem.recurrence_steps();
  memory_efficiency_ = dsl.memory_efficiency();
  simt_efficiency_ = dsl.simt_efficiency();
  data_dependent_saving_ = dsl.data_dependent_saving();
  for (const InstructionSpec& spec : dsl.instructions()) {
    if (spec.hardware() != hardware.name()) continue;
    const int index = spec.instruction() == "simt" ? 0 : spec.instruction() == "mma" ? 1 : 2;
    instruction_efficiency_[index] = spec.efficiency();
  }
  tile_knob_ = plan.KnobOf(KnobKind::kTile);
  vector_knob_ = plan.KnobOf(KnobKind::kVector);
  pipeline_knob_ = plan.KnobOf(KnobKind::kPipeline);
  instruction_knob_ = plan.KnobOf(KnobKind::kInstruction);
  precision_knob_ = plan.KnobOf(KnobKind::kPrecision);
  split_knob_ = plan.KnobOf(KnobKind::kSplit);
  for (size_t k = 0; k < plan.rewrites.size(); ++k) {
    if (plan.rewrites[k] != nullptr && plan.rewrites[k]->skips()) skip_knob_ = static_cast<int>(k);
  }

  const int n = problem.stages_size();
  double total_bytes = 0;
  for (const StageSpec& s : problem.stages()) total_bytes += s.bytes();
  // What of a stage's bytes is compulsory, were all stages alike.
  const double compulsory = total_bytes > 0 ? std::min(1.0, problem.min_bytes() / total_bytes) : 1;
  for (int i = 0; i < n; ++i) {
    const StageSpec& s = problem.stages(i);
    Stage stage = {};
    stage.flops = s.flops();
    stage.work_factor = std::max(1.0, s.eager_work_factor());
    stage.special_ops = s.special_ops();
    const double left = i > 0 ? std::min(s.bytes(), problem.stages(i - 1).bytes()) : 0;
    const double right = i + 1 < n ? std::min(s.bytes(), problem.stages(i + 1).bytes()) : 0;
    for (int fused = 0; fused < 4; ++fused) {
      const double inside = (fused & 1 ? left : 0) + (fused & 2 ? right : 0);
      const double share = left + right > 0 ? inside / (left + right) : 0;
      stage.bytes[fused] = s.bytes() * (1 - share * (1 - compulsory));
    }
    stage.matrix_product = s.matrix_product();
    stage.grid_wide = s.grid_wide();
    stage.reduces_rows = s.reduces_rows();
    stage.recurrent = s.serial_steps() > 1 && recurrence_steps_ > 1;
    stage.serial_steps = s.serial_steps();
    stage.rewrite = s.rewrite().empty() ? nullptr : &RewriteOf(s.rewrite());
    stage.chunking_stage = -1;
    stage.rewrite_knob = -1;
    for (size_t k = 0; k < plan.rewrites.size(); ++k) {
      if (plan.rewrites[k] != nullptr && plan.rewrites[k] == stage.rewrite) {
        stage.rewrite_knob = static_cast<int>(k);
      }
    }
    stage.row_elements = s.row_elements();
    stage.accumulator_columns = s.accumulator_columns();
    stage.eager_seconds = EagerStageSeconds(problem, hardware, i);
    stage.sync_seconds = SyncSeconds(problem, hardware, i);
    eager_seconds_ += stage.eager_seconds;
    stages_.push_back(stage);
  }
  eager_picoseconds_ = Picoseconds(eager_seconds_);
  // A loop is a run of neighbours with more than one turn; recurrences of different length are
  // different loops.
  for (int i = 0; i < n; ++i) {
    if (stages_[i].serial_steps <= 1) continue;
    const auto same = [this, i](int j) {
      return stages_[j].serial_steps > 1 &&
             (recurrence_steps_ == 1 || stages_[j].serial_steps == stages_[i].serial_steps);
    };
    for (int j = i; j >= 0 && same(j); --j) stages_[i].loop_mask |= 1 << j;
    for (int j = i; j < n && same(j); ++j) stages_[i].loop_mask |= 1 << j;
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const bool mine = j == i || (stages_[i].loop_mask >> j & 1) != 0;
      const RewriteSpec* rewrite = stages_[j].rewrite;
      if (mine && rewrite != nullptr && rewrite->chunks()) stages_[i].chunking_stage = j;
    }
  }
}

GpuModel::Settings GpuModel::SettingsOf(int point) const {
  const auto parameter = [this, point](int knob, int otherwise) {
    return knob < 0 ? otherwise : plan_.parameters[knob][plan_.space.ValueAt(point, knob)];
  };
  Settings settings;
  settings.tile = parameter(tile_knob_, 1);
  // Without a vector knob copies are as wide as all hardware allows.
  settings.vector_elements = parameter(vector_knob_, std::max(1, 16 / element_bytes_));
  settings.pipeline = parameter(pipeline_knob_, 2);
  settings.split = parameter(split_knob_, 1);
  settings.instruction = static_cast<Instruction>(parameter(instruction_knob_, 0));
  settings.precision = static_cast<Precision>(
      parameter(precision_knob_,
                static_cast<int>(dtype_ == "fp32" ? Precision::kFp32 : Precision::kBf16Inputs)));
  settings.skips = skip_knob_ >= 0 && parameter(skip_knob_, 0) != 0;
  for (size_t k = 0; k < plan_.rewrites.size(); ++k) {
    if (plan_.rewrites[k] != nullptr) settings.rewrite[k] = parameter(static_cast<int>(k), 0);
  }
  return settings;
}

std::vector<GpuModel::Group> GpuModel::GroupsOf(int move_mask, int fuse_mask) const {
  std::vector<Group> groups;
  const int n = static_cast<int>(stages_.size());
  for (int i = 0; i < n; ++i) {
    if ((move_mask >> i & 1) == 0) continue;
    Group group{i, i, 0};
    while (group.last + 1 < n && (move_mask >> (group.last + 1) & 1) != 0 &&
           (fuse_mask >> group.last & 1) != 0) {
      ++group.last;
    }
    for (int s = group.first; s <= group.last; ++s) {
      if ((stages_[s].loop_mask & ~move_mask) != 0) group.left_mask |= 1 << s;
    }
    groups.push_back(group);
    i = group.last;
  }
  return groups;
}

Entry GpuModel::EntryOf(Status status, double seconds) const {
  if (status != Status::kOk) return Entry::Failure(status);
  if (seconds > kTimeoutFactor * eager_seconds_ || seconds > kTimeoutSeconds + eager_seconds_) {
    return Entry::Failure(Status::kTimeout);
  }
  return Entry::Speed(LgRatio(eager_picoseconds_, Picoseconds(seconds)));
}

Cost GpuModel::PointCost(int point) const {
  const int move_mask = plan_.parameters[0][plan_.space.ValueAt(point, 0)];
  const int fuse_mask = plan_.parameters[1][plan_.space.ValueAt(point, 1)];
  const Settings settings = SettingsOf(point);
  Cost sum;
  for (size_t s = 0; s < stages_.size(); ++s) {
    if ((move_mask >> s & 1) == 0) sum.seconds += stages_[s].eager_seconds;
  }
  for (const Group& group : GroupsOf(move_mask, fuse_mask)) {
    AddTo(sum, GroupCost(group, settings));
  }
  sum.status = EntryOf(sum.status, sum.seconds).status();
  return sum;
}

std::vector<Entry> GpuModel::Entries() const {
  // A front is one setting of move and fuse; the groups of all fronts, each once.
  struct Front {
    double eager_seconds = 0;
    std::vector<int> groups;
  };
  std::vector<Group> groups;
  std::vector<Front> fronts;
  const std::vector<int>& moves = plan_.parameters[0];
  const std::vector<int>& fusions = plan_.parameters[1];
  for (int fuse_mask : fusions) {
    for (int move_mask : moves) {
      Front front;
      for (size_t s = 0; s < stages_.size(); ++s) {
        if ((move_mask >> s & 1) == 0) front.eager_seconds += stages_[s].eager_seconds;
      }
      for (const Group& group : GroupsOf(move_mask, fuse_mask)) {
        auto it = std::find(groups.begin(), groups.end(), group);
        if (it == groups.end()) it = groups.insert(groups.end(), group);
        front.groups.push_back(static_cast<int>(it - groups.begin()));
      }
      fronts.push_back(std::move(front));
    }
  }

  const int point_count = plan_.space.point_count();
  const int front_count = static_cast<int>(fronts.size());
  std::vector<Entry> entries(point_count);
  std::vector<Cost> costs(groups.size());
  // The knobs of the front have the smallest strides: the points of one setting are neighbours.
  for (int base = 0; base < point_count; base += front_count) {
    const Settings settings = SettingsOf(base);
    for (size_t g = 0; g < groups.size(); ++g) costs[g] = GroupCost(groups[g], settings);
    for (int f = 0; f < front_count; ++f) {
      // In the order of PointCost: sums of doubles depend on it.
      double seconds = fronts[f].eager_seconds;
      Status status = Status::kOk;
      for (int g : fronts[f].groups) {
        seconds += costs[g].seconds;
        status = Worse(status, costs[g].status);
      }
      entries[base + f] = EntryOf(status, seconds);
    }
  }
  return entries;
}

}  // namespace hearsay
