// Memory of a device, owned.
#ifndef HEARSAY_EXECUTOR_DEVICE_MEMORY_H_
#define HEARSAY_EXECUTOR_DEVICE_MEMORY_H_

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "executor/device.h"

namespace hearsay {

// `count` values of a plain type T in the device's memory, or in the host's where the device copies
// from and to. Empty until allocated. The device must outlive it.
template <typename T>
class DeviceArray {
 public:
  DeviceArray() = default;
  ~DeviceArray() { Free(); }
  DeviceArray(DeviceArray&& other) noexcept { *this = std::move(other); }
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    std::swap(on_host_, other.on_host_);
    return *this;
  }

  // REQUIRES: empty.
  absl::Status Allocate(Device* device, int64_t count) {
    return Take(device, count, false, device->Allocate(SizeBytes(count)));
  }
  absl::Status AllocateHost(Device* device, int64_t count) {
    return Take(device, count, true, device->AllocateHost(SizeBytes(count)));
  }

  T* get() const { return data_; }
  int64_t count() const { return count_; }
  static int64_t SizeBytes(int64_t count) { return count * static_cast<int64_t>(sizeof(T)); }

  // REQUIRES: device memory; [first, first + count) lies within it.
  absl::Status CopyIn(int queue, const T* from, int64_t count, int64_t first = 0) {
    return device_->CopyIn(queue, data_ + first, from, SizeBytes(count));
  }
  absl::Status CopyOut(int queue, T* to, int64_t count, int64_t first = 0) const {
    return device_->CopyOut(queue, to, data_ + first, SizeBytes(count));
  }
  absl::Status Zero(int queue) { return device_->Zero(queue, data_, SizeBytes(count_)); }

 private:
  absl::Status Take(Device* device, int64_t count, bool on_host, absl::StatusOr<void*> memory) {
    if (!memory.ok()) return memory.status();
    device_ = device;
    data_ = static_cast<T*>(*memory);
    count_ = count;
    on_host_ = on_host;
    return absl::OkStatus();
  }
  void Free() {
    if (data_ == nullptr) return;
    if (on_host_) {
      device_->FreeHost(data_);
    } else {
      device_->Free(data_);
    }
  }

  Device* device_ = nullptr;
  T* data_ = nullptr;
  int64_t count_ = 0;
  bool on_host_ = false;
};

}  // namespace hearsay

#endif  // HEARSAY_EXECUTOR_DEVICE_MEMORY_H_
