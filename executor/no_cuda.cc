// Stands in for cuda_device.cu in builds without CUDA.
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "executor/device.h"

namespace hearsay {

absl::StatusOr<std::vector<std::unique_ptr<Device>>> CudaDevices() {
  return absl::FailedPreconditionError("this build of hearsay has no CUDA executor");
}

}  // namespace hearsay
