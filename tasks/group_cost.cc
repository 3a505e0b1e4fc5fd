// The cost of one kernel: the part of GpuModel that is physics.
#include <algorithm>

#include "tasks/eager_model.h"
#include "tasks/gpu_model.h"

namespace hearsay {
namespace {

constexpr double kThreadsPerBlock = 256;
constexpr double kMostBlocksPerSm = 6;
constexpr double kDepthElements = 64;  // of the operands a pipeline slot holds
// Bytes in flight that reach half of what memory gives, as a share of latency times bandwidth.
constexpr double kHalfFlight = 0.25;
// Pipeline depth at which an instruction reaches half of its rate.
constexpr double kHalfDepth[kInstructionCount] = {0.2, 0.4, 0.7};
// Rows the instruction works on at once: smaller tiles waste the rest.
constexpr double kInstructionRows[kInstructionCount] = {1, 16, 64};
// Each further stage in a kernel costs its products this share of their rate, up to a limit.
constexpr double kFusedDrag = 0.03;
constexpr double kMostDrag = 0.25;
// A prologue is computed again by so many of the blocks that share its rows.
constexpr double kPrologueRepeats = 3;
constexpr double kSpillFactor = 1.6;
constexpr double kSplitBytes =
    0.02;  // partial results of each further block, as a share of the bytes
constexpr double kWaveSeconds = 0.4e-6;  // starting and ending the blocks of a full wave
// The kernel that merges the parts of a split is queued behind the first: this much of a launch
// shows.
constexpr double kMergeLaunch = 0.25;
constexpr double kStepSeconds = 0.8e-6;         // one step of a recurrence within a kernel
constexpr double kExposedStepSeconds = 0.6e-6;  // of it, what deeper pipelines hide
constexpr double kChunkSeconds = 2.5e-6;        // one chunk: a few dependent small products
constexpr double kSlowSumsFactor = 0.8;         // of the SIMT time with sums in bf16
constexpr double kTensorMemoryShare = 0.5;      // of the registers: as much again lies beside them

// Blocks that work at once divided by what the SMs could hold at once: the last wave is ragged.
double Utilisation(double blocks, double sm_count) {
  const double waves =
      static_cast<double>(static_cast<int64_t>((blocks + sm_count - 1) / sm_count));
  return blocks / (std::max(1.0, waves) * sm_count);
}

double TensorFlops(const HardwareSpec& hardware, Precision precision) {
  switch (precision) {
    case Precision::kFp32:
      return 0;
    case Precision::kTf32x3:
      return hardware.tensor_tf32_flops() / 3;
    case Precision::kTf32:
      return hardware.tensor_tf32_flops();
    case Precision::kFp8:
      return hardware.tensor_fp8_flops();
    case Precision::kFp4:
      return hardware.tensor_fp4_flops();
    default:
      return hardware.tensor_bf16_flops();
  }
}

double OperandBytes(Precision precision) {
  switch (precision) {
    case Precision::kFp32:
    case Precision::kTf32x3:
    case Precision::kTf32:
      return 4;
    case Precision::kFp8:
      return 1;
    case Precision::kFp4:
      return 0.5;
    default:
      return 2;
  }
}

// Operations with chunks of this length (0: none) by operations without. A recurrence gains
// products within its chunks; what eager computes for all pairs of steps at once loses the pairs
// far apart.
double ChunkFactor(int chunk, bool recurrence) {
  if (chunk == 0) return 1;
  return recurrence ? 1 + chunk / 128.0 : 0.25 + chunk / 512.0;
}

double FactorOr1(double factor) { return factor > 0 ? factor : 1; }

}  // namespace

int GpuModel::RewriteParameter(const Stage& stage, const Settings& settings) const {
  if (stage.rewrite == nullptr) return 0;
  // Without a knob a rewrite comes with the move, but a split is always a choice.
  if (stage.rewrite_knob < 0) {
    return stage.rewrite->splits() ? 0 : std::max(1, stage.rewrite->values(0).parameter());
  }
  const int value = settings.rewrite[stage.rewrite_knob];
  return value == 0 ? 0 : std::max(1, stage.rewrite->values(value - 1).parameter());
}

bool GpuModel::RewriteOn(const Stage& stage, const Settings& settings) const {
  return RewriteParameter(stage, settings) != 0;
}

int GpuModel::ChunkOf(const Stage& stage, const Settings& settings) const {
  return stage.chunking_stage < 0 ? 0 : RewriteParameter(stages_[stage.chunking_stage], settings);
}

int GpuModel::SplitOf(const Group& group, const Settings& settings) const {
  int split = settings.split;
  for (int s = group.first; s <= group.last; ++s) {
    const Stage& stage = stages_[s];
    if (stage.rewrite != nullptr && stage.rewrite->splits()) {
      split = std::max(split, RewriteParameter(stage, settings));
    }
  }
  return split;
}

bool GpuModel::Unavailable(const Group& group, const Settings& settings) const {
  if (settings.vector_elements * element_bytes_ > hardware_.max_vector_bytes()) return true;
  // A kernel that names an instruction the DSL lacks does not compile, whether it needs it or not.
  if (instruction_knob_ >= 0 &&
      instruction_efficiency_[static_cast<int>(settings.instruction)] == 0) {
    return true;
  }
  bool products = false;
  for (int s = group.first; s <= group.last; ++s) products |= stages_[s].matrix_product;
  if (!products) return false;
  // There is no unit for the precision: fp32 on any GPU, fp4 on Hopper.
  return settings.instruction != Instruction::kSimt &&
         TensorFlops(hardware_, settings.precision) == 0;
}

double GpuModel::SharedBytes(const Group& group, const Settings& settings) const {
  double bytes = 0;
  bool products = false;
  for (int s = group.first; s <= group.last; ++s) {
    products |= stages_[s].matrix_product;
    if (s == group.last) break;
    const Stage& from = stages_[s];
    const Stage& to = stages_[s + 1];
    if (!to.matrix_product && !to.reduces_rows) continue;
    const bool streams =
        (from.rewrite != nullptr && from.rewrite->streams() && RewriteOn(from, settings)) ||
        (to.rewrite != nullptr && to.rewrite->streams() && RewriteOn(to, settings));
    if (streams) continue;
    // Without a tile of rows a block still holds the 16 rows of the smallest product.
    const double rows = nominal_tile_ == 0 ? 16 : settings.tile;
    bytes += rows * from.row_elements * (to.matrix_product ? OperandBytes(settings.precision) : 4);
  }
  if (products) {
    const double columns = std::min(2.0 * settings.tile, 256.0);
    bytes += settings.pipeline * (settings.tile + columns) * kDepthElements *
             OperandBytes(settings.precision);
  } else {
    bytes += settings.pipeline * kThreadsPerBlock * settings.vector_elements * element_bytes_;
  }
  // Chunks of a recurrence are held square, in fp32, beside the state.
  for (int s = group.first; s <= group.last; ++s) {
    const Stage& stage = stages_[s];
    if (!stage.recurrent) continue;
    const double chunk = ChunkOf(stage, settings);
    bytes += chunk * chunk * 4;
  }
  return bytes;
}

double GpuModel::RegisterBytes(const Group& group, const Settings& settings) const {
  double bytes = 0;
  const double wide = settings.precision == Precision::kBf16Sums ? 2 : 4;
  for (int s = group.first; s <= group.last; ++s) {
    bytes += settings.tile * stages_[s].accumulator_columns * wide;
  }
  const bool beside = hardware_.tensor_memory() && settings.instruction == Instruction::kWarpgroup;
  return beside ? bytes * kTensorMemoryShare : bytes;
}

int GpuModel::ErrorSteps(const Group& group, const Settings& settings) const {
  if (integers_) return 0;
  int steps = 0;
  bool products = false;
  bool sums = false;
  int counted_knobs = 0;
  for (int s = group.first; s <= group.last; ++s) {
    const Stage& stage = stages_[s];
    products |= stage.matrix_product;
    sums |= stage.matrix_product || stage.reduces_rows || stage.recurrent;
    if (stage.rewrite_knob < 0 || (counted_knobs >> stage.rewrite_knob & 1) != 0) continue;
    const int value = settings.rewrite[stage.rewrite_knob];
    if (value == 0 || (quantised_ && stage.rewrite->exact_if_quantised())) continue;
    counted_knobs |= 1 << stage.rewrite_knob;
    steps += stage.rewrite->values(value - 1).error_steps();
  }
  switch (settings.precision) {
    case Precision::kFp32:
    case Precision::kBf16Inputs:
      break;
    case Precision::kTf32x3:
      steps += products ? 1 : 0;
      break;
    case Precision::kTf32:
      steps += products ? 3 : 0;
      break;
    case Precision::kBf16:
      steps += 5;
      break;
    case Precision::kBf16Sums:
      steps += sums ? 2 : 1;
      if (sums && reduction_elements_ > 128) steps += 2;
      // A state or output that is stored in fp32 shows every sum in bf16.
      if (element_bytes_ == 4) steps += 2;
      if (recurrence_steps_ > 64) steps += 2;
      break;
    case Precision::kFp8:
      steps += products ? 1 : 0;
      if (products && dtype_ == "fp8" && reduction_elements_ > 4096) steps += 1;
      break;
    case Precision::kFp4:
      steps += products ? 1 : 0;
      break;
  }
  return steps;
}

Status GpuModel::StatusOf(const Group& group, const Settings& settings) const {
  if (Unavailable(group, settings)) return Status::kCompileError;
  if (SharedBytes(group, settings) > static_cast<double>(hardware_.shared_size_bytes())) {
    return Status::kCompileError;
  }
  if (RegisterBytes(group, settings) > 0.75 * hardware_.register_size_bytes()) {
    return Status::kCompileError;
  }
  if (inner_elements_ % settings.vector_elements != 0) return Status::kRuntimeError;
  const int split = SplitOf(group, settings);
  for (int s = group.first; s <= group.last; ++s) {
    const Stage& stage = stages_[s];
    const bool rewritten = RewriteOn(stage, settings);
    const bool resolved = rewritten && stage.rewrite->resolves_grid();
    // Blocks would wait for blocks that have not started.
    if (stage.grid_wide && s != group.last && split == 1 && !resolved) {
      return Status::kRuntimeError;
    }
    // A chain of steps dealt out to blocks computes something else.
    if (stage.recurrent && split > 1 && ChunkOf(stage, settings) == 0) return Status::kIncorrect;
  }
  return ErrorSteps(group, settings) > tolerance_steps_ ? Status::kIncorrect : Status::kOk;
}

double GpuModel::Turns(const Group& group, const Settings& settings) const {
  const int group_mask = ((1 << (group.last - group.first + 1)) - 1) << group.first;
  double turns = 1;
  for (int s = group.first; s <= group.last; ++s) {
    const Stage& stage = stages_[s];
    if (stage.serial_steps <= 1) continue;
    const bool on = RewriteOn(stage, settings);
    const bool looped = (group.left_mask >> s & 1) != 0;
    const bool unbatched = stage.rewrite != nullptr && stage.rewrite->batches() && !on;
    // The state of a recurrence leaves the chip between kernels, step by step.
    const bool torn =
        stage.recurrent && ChunkOf(stage, settings) == 0 && (stage.loop_mask & ~group_mask) != 0;
    if (looped || unbatched || torn) turns = std::max<double>(turns, stage.serial_steps);
  }
  return turns;
}

double GpuModel::RecurrenceSeconds(const Group& group, const Settings& settings) const {
  double seconds = 0;
  for (int s = group.first; s <= group.last; ++s) {
    const Stage& stage = stages_[s];
    if (!stage.recurrent) continue;
    const double steps = std::min(stage.serial_steps, recurrence_steps_);
    const int chunk = ChunkOf(stage, settings);
    const double each = chunk > 0 ? kChunkSeconds + kExposedStepSeconds / settings.pipeline
                                  : kStepSeconds + kExposedStepSeconds / settings.pipeline;
    seconds = std::max(seconds, (chunk > 0 ? steps / chunk : steps) * each);
  }
  return seconds;
}

double GpuModel::MatrixRate(const Stage& stage, const Settings& settings) const {
  const int i = static_cast<int>(settings.instruction);
  // A step of a recurrence is a product with a vector: nothing for tensor cores.
  if (i == 0 || (stage.recurrent && ChunkOf(stage, settings) == 0)) {
    return hardware_.fp32_flops() * instruction_efficiency_[0] * settings.pipeline /
           (settings.pipeline + kHalfDepth[0]);
  }
  const double rows = std::min(1.0, settings.tile / kInstructionRows[i]);
  return TensorFlops(hardware_, settings.precision) * instruction_efficiency_[i] * rows *
         settings.pipeline / (settings.pipeline + kHalfDepth[i]);
}

Cost GpuModel::GroupCost(const Group& group, const Settings& settings) const {
  Cost cost;
  cost.status = StatusOf(group, settings);
  if (cost.status != Status::kOk) return cost;

  const double turns = Turns(group, settings);
  const int split = SplitOf(group, settings);
  // Turns of a loop over independent work share the blocks; steps of a recurrence each have them
  // all.
  double blocks = parallel_units_ * split;
  if (nominal_tile_ > 0) blocks = blocks * nominal_tile_ / settings.tile;
  if (recurrence_steps_ == 1) blocks /= turns;
  blocks = std::max(1.0, blocks);
  const double sm_count = hardware_.sm_count();
  const double utilisation = Utilisation(blocks, sm_count);
  const double resident =
      std::min({kMostBlocksPerSm, std::max(1.0, blocks / sm_count),
                std::max(1.0, hardware_.shared_size_bytes() / SharedBytes(group, settings)),
                std::max(1.0, hardware_.register_size_bytes() /
                                  std::max(1.0, RegisterBytes(group, settings)))});

  const double stage_count = group.last - group.first + 1;
  const double drag = std::min(kMostDrag, kFusedDrag * (stage_count - 1));
  double product_seconds = 0, simt_seconds = 0, l2_bytes = 0, sync_seconds = 0;
  for (int s = group.first; s <= group.last; ++s) {
    const Stage& stage = stages_[s];
    const bool on = RewriteOn(stage, settings);
    const bool off = stage.rewrite != nullptr && !on;
    const int fused = (s > group.first ? 1 : 0) + (s < group.last ? 2 : 0);
    cost.bytes += stage.bytes[fused] * (off  ? FactorOr1(stage.rewrite->off_bytes_factor())
                                        : on ? FactorOr1(stage.rewrite->on_bytes_factor())
                                             : 1);
    double flops = stage.flops * (off ? FactorOr1(stage.rewrite->off_flops_factor()) : 1);
    flops *= settings.skips ? 1 + (stage.work_factor - 1) * (1 - data_dependent_saving_)
                            : stage.work_factor;
    if (stage.matrix_product) {
      flops *= ChunkFactor(ChunkOf(stage, settings), recurrence_steps_ > 1);
      product_seconds += flops / (MatrixRate(stage, settings) * (1 - drag));
      const double columns = std::min(2.0 * settings.tile, 256.0);
      l2_bytes +=
          flops / 2 * OperandBytes(settings.precision) * (1.0 / settings.tile + 1.0 / columns);
    } else {
      const bool prologue = s < group.last && stages_[s + 1].matrix_product;
      const double repeats = prologue ? kPrologueRepeats : 1;
      simt_seconds += repeats * (flops / (hardware_.fp32_flops() * simt_efficiency_) +
                                 stage.special_ops / hardware_.special_ops());
    }
    if ((group.left_mask >> s & 1) != 0) sync_seconds += stage.sync_seconds;
  }
  if (settings.precision == Precision::kBf16Sums) simt_seconds *= kSlowSumsFactor;
  if (RegisterBytes(group, settings) > 0.5 * hardware_.register_size_bytes()) {
    product_seconds *= kSpillFactor;
  }
  cost.compute_seconds = (product_seconds + simt_seconds) / utilisation;

  cost.bytes *= 1 + kSplitBytes * (split - 1);
  const double in_flight = std::min(blocks, resident * sm_count) * kThreadsPerBlock *
                           settings.vector_elements * element_bytes_ * settings.pipeline;
  const double needed = hardware_.memory_latency_seconds() * hardware_.hbm_bytes();
  const double reached = in_flight / (in_flight + kHalfFlight * needed);
  cost.memory_seconds =
      std::max(cost.bytes / (hardware_.hbm_bytes() * memory_efficiency_ * reached),
               l2_bytes / (hardware_.l2_bytes() * memory_efficiency_));

  const double waves = blocks / (kMostBlocksPerSm * sm_count);
  cost.latency_seconds =
      waves * kWaveSeconds + (turns == 1 ? RecurrenceSeconds(group, settings) : 0);
  cost.launches = turns * (split > 1 ? 2 : 1);
  const double launching = turns * (split > 1 ? 1 + kMergeLaunch : 1) * hardware_.launch_seconds();
  cost.launch_seconds = launching + sync_seconds;
  const double device =
      Overlapped(cost.memory_seconds, cost.compute_seconds, kExposedMemory) + cost.latency_seconds;
  cost.seconds = Overlapped(device, launching, kExposedLaunch) + sync_seconds;
  return cost;
}

}  // namespace hearsay
