// A device that runs lanes: its memory, its queues, its kernels, and nothing of what they are for.
//
// executor/cuda_device.cu drives a GPU; the tests have a twin on the host, so that everything above
// this line is tested without one. One thread at a time uses a device.
#ifndef HEARSAY_EXECUTOR_DEVICE_H_
#define HEARSAY_EXECUTOR_DEVICE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executor/lane_launch.h"

namespace hearsay {

class Device {
 public:
  // Work in one queue is done in order, work in different queues at once. A call that takes a queue
  // returns before its work is done; Wait returns after all that was put into the queue.
  static constexpr int kQueues = 2;

  virtual ~Device() = default;

  virtual std::string name() const = 0;

  // Errors of all below: kResourceExhausted where memory is short, else kInternal, with what the
  // device says.

  virtual absl::StatusOr<int64_t> FreeBytes() = 0;
  // Memory of the device, aligned to 256 bytes, and memory of the host that it copies from and to
  // while it computes. Both live until given to Free.
  virtual absl::StatusOr<void*> Allocate(int64_t size_bytes) = 0;
  virtual absl::StatusOr<void*> AllocateHost(int64_t size_bytes) = 0;
  virtual void Free(void* memory) = 0;
  virtual void FreeHost(void* memory) = 0;

  virtual absl::Status CopyIn(int queue, void* device, const void* host, int64_t size_bytes) = 0;
  virtual absl::Status CopyOut(int queue, void* host, const void* device, int64_t size_bytes) = 0;
  virtual absl::Status Zero(int queue, void* device, int64_t size_bytes) = 0;

  virtual absl::Status RunBaselines(int queue, const BaselineLaunch& launch) = 0;
  virtual absl::Status RunLanes(int queue, const LaneLaunch& launch) = 0;
  virtual int64_t RankScratchBytes(int64_t lanes) const = 0;
  virtual absl::Status Rank(int queue, const RankLaunch& launch) = 0;

  virtual absl::Status Wait(int queue) = 0;
};

// All GPUs of this machine that the build has code for.
// Errors: kFailedPrecondition where there is none, or where the build has no CUDA.
absl::StatusOr<std::vector<std::unique_ptr<Device>>> CudaDevices();

}  // namespace hearsay

#endif  // HEARSAY_EXECUTOR_DEVICE_H_
