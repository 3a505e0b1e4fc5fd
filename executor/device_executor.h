// The executor that drives devices: it splits problems over them and keeps them in step.
#ifndef HEARSAY_EXECUTOR_DEVICE_EXECUTOR_H_
#define HEARSAY_EXECUTOR_DEVICE_EXECUTOR_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "executor/device.h"
#include "executor/executor.h"

namespace hearsay {

// Lanes of a piece: enough to fill a large GPU, few enough that copies of two stay small.
inline constexpr int64_t kPieceLanes = 1 << 16;

// Runs on `devices`, of which it uses no more than there are problems; `threads` threads visit what
// was computed. Errors: kResourceExhausted where a device cannot hold even one problem.
// REQUIRES: devices is not empty; RunBaselines is called before any round after round 0.
absl::StatusOr<std::unique_ptr<Executor>> NewDeviceExecutor(
    const RunTables& run, std::vector<std::unique_ptr<Device>> devices, int threads,
    int64_t piece_lanes = kPieceLanes);

}  // namespace hearsay

#endif  // HEARSAY_EXECUTOR_DEVICE_EXECUTOR_H_
