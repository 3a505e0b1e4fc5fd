#include <memory>
#include <utility>
#include <vector>

#include "executor/device.h"
#include "executor/device_executor.h"
#include "executor/executor.h"

namespace hearsay {

absl::StatusOr<std::unique_ptr<Executor>> NewExecutor(ExecutorKind kind, const RunTables& run,
                                                      int threads) {
  if (kind == ExecutorKind::kCpu) return NewCpuExecutor(run, threads);
  auto devices = CudaDevices();
  if (devices.ok()) return NewDeviceExecutor(run, *std::move(devices), threads);
  if (kind == ExecutorKind::kCuda) return devices.status();
  return NewCpuExecutor(run, threads);
}

}  // namespace hearsay
