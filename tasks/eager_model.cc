#include "tasks/eager_model.h"

#include <algorithm>

namespace hearsay {
namespace {

// Shares of the peak that library kernels reach; estimates.
constexpr double kEagerMemory = 0.80;
constexpr double kEagerTensor = 0.72;
constexpr double kEagerFp32Product = 0.78;
constexpr double kEagerSimt = 0.50;
// Every launch of a stage after the first moves this share of the stage's bytes again, up to so
// many.
constexpr double kRepeatedBytes = 0.15;
constexpr double kMostRepeats = 5;

}  // namespace

double Overlapped(double a, double b, double exposed) {
  return std::max(a, b) + exposed * std::min(a, b);
}

double SyncSeconds(const ProblemSpec& problem, const HardwareSpec& hardware, int stage) {
  if (problem.host_syncs() == 0) return 0;
  int64_t in_loops = 0, all = 0;
  for (const StageSpec& s : problem.stages()) {
    all += s.eager_launches();
    if (s.serial_steps() > 1) in_loops += s.eager_launches();
  }
  const StageSpec& s = problem.stages(stage);
  const double total = problem.host_syncs() * hardware.host_sync_seconds();
  if (in_loops == 0) return total * s.eager_launches() / all;
  return s.serial_steps() > 1 ? total * s.eager_launches() / in_loops : 0;
}

double EagerStageSeconds(const ProblemSpec& problem, const HardwareSpec& hardware, int stage) {
  const StageSpec& s = problem.stages(stage);
  const double turns = std::max(1, s.serial_steps());
  const double repeats = std::min(std::max(s.eager_launches() / turns - 1, 0.0), kMostRepeats);
  // What a later launch reads again is still in L2 if one turn's bytes fit there.
  const bool cached = s.bytes() / turns < static_cast<double>(hardware.l2_size_bytes());
  const double repeat_rate = cached ? hardware.l2_bytes() : hardware.hbm_bytes();
  const double memory = s.bytes() / (hardware.hbm_bytes() * kEagerMemory) +
                        kRepeatedBytes * repeats * s.bytes() / (repeat_rate * kEagerMemory);

  const double work = s.flops() * std::max(1.0, s.eager_work_factor());
  double rate = hardware.fp32_flops() * kEagerSimt;
  if (s.matrix_product()) {
    rate = problem.eager_precision() == "bf16" ? hardware.tensor_bf16_flops() * kEagerTensor
                                               : hardware.fp32_flops() * kEagerFp32Product;
  }
  const double compute = work / rate + s.special_ops() / hardware.special_ops();
  const double device = Overlapped(memory, compute, kExposedMemory);
  const double launches = s.eager_launches() * hardware.launch_seconds();
  return Overlapped(device, launches, kExposedLaunch) + SyncSeconds(problem, hardware, stage);
}

}  // namespace hearsay
