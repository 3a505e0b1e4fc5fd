#include "tests/executor/twin_device_testing.h"

#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "executor/ranking.h"

namespace hearsay {
namespace {

class TwinDevice final : public Device {
 public:
  explicit TwinDevice(int64_t memory_bytes) : free_bytes_(memory_bytes) {}
  ~TwinDevice() override {
    if (!sizes_.empty()) std::abort();  // whoever took memory gives it back
  }

  std::string name() const override { return "twin"; }
  absl::StatusOr<int64_t> FreeBytes() override { return free_bytes_; }

  absl::StatusOr<void*> Allocate(int64_t size_bytes) override {
    if (size_bytes > free_bytes_) return absl::ResourceExhaustedError("the twin is full");
    const auto host = AllocateHost(size_bytes);
    free_bytes_ -= size_bytes;
    sizes_[*host] = size_bytes;
    return host;
  }
  absl::StatusOr<void*> AllocateHost(int64_t size_bytes) override {
    void* const memory = ::operator new(size_bytes);
    memset(memory, 0xcd, size_bytes);
    return memory;
  }
  void Free(void* memory) override {
    free_bytes_ += sizes_.at(memory);
    sizes_.erase(memory);
    FreeHost(memory);
  }
  void FreeHost(void* memory) override { ::operator delete(memory); }

  absl::Status CopyIn(int queue, void* device, const void* host, int64_t size_bytes) override {
    return Put(queue, [=] { memcpy(device, host, size_bytes); });
  }
  absl::Status CopyOut(int queue, void* host, const void* device, int64_t size_bytes) override {
    return Put(queue, [=] { memcpy(host, device, size_bytes); });
  }
  absl::Status Zero(int queue, void* device, int64_t size_bytes) override {
    return Put(queue, [=] { memset(device, 0, size_bytes); });
  }

  absl::Status RunBaselines(int queue, const BaselineLaunch& launch) override {
    return Put(queue, [launch] {
      for (int slot = 0; slot < launch.slot_count; ++slot) {
        for (int lane = 0; lane < launch.run.lanes; ++lane) {
          for (int i = 0; i < launch.run.agent_slots() * kDslCount; ++i) {
            RunBaseline(launch, slot, lane, i);
          }
        }
      }
    });
  }

  absl::Status RunLanes(int queue, const LaneLaunch& launch) override {
    return Put(queue, [launch] {
      for (int i = 0; i < launch.slot_count; ++i) {
        const int slot = launch.first_slot + i;
        // Backwards, for a GPU keeps no order either.
        for (int position = launch.lane_count - 1; position >= 0; --position) {
          Retractions refuted;
          AttemptMemory memory;
          launch.digests[slot] +=
              launch.traces == nullptr
                  ? RunPosition<NoPace, false>(launch, slot, position, &memory, &refuted)
                  : RunPosition<NoPace, true>(launch, slot, position, &memory, &refuted);
          if (launch.refuted != nullptr) launch.refuted[slot].Unite(refuted);
        }
      }
    });
  }

  int64_t RankScratchBytes(int64_t) const override { return 0; }
  absl::Status Rank(int queue, const RankLaunch& launch) override {
    return Put(queue, [launch] {
      for (int slot = 0; slot < launch.slot_count; ++slot) {
        const int64_t first = static_cast<int64_t>(slot) * launch.lanes;
        RankLanes(launch.topology, launch.outcomes + first, launch.lanes, launch.order + first,
                  launch.tier_ends + slot * 2);
      }
    });
  }

  absl::Status Wait(int queue) override {
    for (const auto& work : queues_[queue]) work();
    queues_[queue].clear();
    return absl::OkStatus();
  }

 private:
  absl::Status Put(int queue, std::function<void()> work) {
    queues_[queue].push_back(std::move(work));
    return absl::OkStatus();
  }

  int64_t free_bytes_;
  std::map<void*, int64_t> sizes_;
  std::vector<std::function<void()>> queues_[kQueues];
};

}  // namespace

std::unique_ptr<Device> NewTwinDevice(int64_t memory_bytes) {
  return std::make_unique<TwinDevice>(memory_bytes);
}

}  // namespace hearsay
