// A GPU as a Device: one thread a lane, blocks that stay within one problem.
#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "executor/device.h"

namespace hearsay {
namespace {

constexpr int kThreads = 128;  // of a block, but for blocks that run lanes
// Two blocks of 256 lanes fill a multiprocessor's registers. Larger blocks would wait longer for
// their slowest thread, smaller ones would each fetch code at times of their own
// (docs/performance.md).
constexpr int kLaneThreads = 256;
constexpr int kLaneBlocks = 2;

int Blocks(int64_t count) { return static_cast<int>((count + kThreads - 1) / kThreads); }

absl::Status StatusOf(cudaError_t error, const char* doing) {
  if (error == cudaSuccess) return absl::OkStatus();
  const std::string what = absl::StrCat("CUDA, ", doing, ": ", cudaGetErrorString(error));
  if (error == cudaErrorMemoryAllocation) return absl::ResourceExhaustedError(what);
  return absl::InternalError(what);
}

// The sum and the union over a warp, in its first thread. The first threads of the warp take part,
// those in `mask`.
__device__ uint64_t WarpSum(unsigned mask, uint64_t value) {
  for (int by = 16; by > 0; by /= 2) {
    const uint64_t other = __shfl_down_sync(mask, value, by);
    value += threadIdx.x % 32 + by < __popc(mask) ? other : 0;
  }
  return value;
}
__device__ uint64_t WarpUnion(unsigned mask, uint64_t bits) {
  for (int by = 16; by > 0; by /= 2) {
    const uint64_t other = __shfl_down_sync(mask, bits, by);
    bits |= threadIdx.x % 32 + by < __popc(mask) ? other : 0;
  }
  return bits;
}

__device__ void UniteBits(uint64_t* to, uint64_t bits) {
  if (bits != 0) atomicOr(reinterpret_cast<unsigned long long*>(to), bits);
}

// The memory of each thread begins an odd number of 4-byte words after that of the thread before:
// then threads that use the same place of theirs use different banks.
constexpr int kMemoryBytes = (sizeof(AttemptMemory) / 4 | 1) * 4;
static_assert(sizeof(AttemptMemory) % 4 == 0 && alignof(AttemptMemory) == 4);
constexpr int kBlockMemoryBytes = kLaneThreads * kMemoryBytes;

// The threads of a block in step. Bodies are for the device alone: on the host nobody calls them.
struct BlockPace {
  static constexpr bool kTogether = true;
  HEARSAY_HD static bool Works(bool works) {
#ifdef __CUDA_ARCH__
    return __syncthreads_or(works);
#else
    return works;
#endif
  }
  HEARSAY_HD static Design Draw(bool wanted, const World& world, const Beliefs& beliefs,
                                const RandomWords& words) {
#ifdef __CUDA_ARCH__
    return DrawTogether(wanted, world, beliefs, words);
#else
    return Design();
#endif
  }

 private:
  // Few threads of a warp want a design at once, and each design is eight choices. So eight threads
  // make one design, each the choice of one knob, and a warp four at a time.
  __device__ static Design DrawTogether(bool wanted, const World& world, const Beliefs& beliefs,
                                        const RandomWords& words) {
    constexpr unsigned kAll = 0xffffffffu;
    unsigned left = __ballot_sync(kAll, wanted);
    if (left == 0) return Design();
    if (__ballot_sync(kAll, true) != kAll) {  // the last warp of a problem may lack threads
      return wanted ? DrawDesign(world, beliefs, words) : Design();
    }
    __syncwarp();  // what each wrote to its beliefs before is seen by all
    const int lane = static_cast<int>(threadIdx.x % 32);
    const int knob = lane % kMaxKnobs;
    int rank = wanted ? __popc(left & ((1u << lane) - 1)) : -1;  // among those that are left
    unsigned bits[3] = {};  // of the values chosen for this thread: bit k for knob k
    for (; left != 0; rank -= 4) {
      unsigned of_group = left;
      for (int group = 0; group < lane / kMaxKnobs; ++group) of_group &= of_group - 1;
      const int from = of_group == 0 ? lane : __ffs(static_cast<int>(of_group)) - 1;
      uint32_t word = 0;
      for (int i = 0; i < 4; ++i) {
        const uint32_t of_theirs = __shfl_sync(kAll, words.word[i], from);
        word = i == knob / 2 ? of_theirs : word;
      }
      const Beliefs& their_beliefs = *reinterpret_cast<const Beliefs*>(
          reinterpret_cast<const char*>(&beliefs) + (from - lane) * kMemoryBytes);
      const int value = their_beliefs.Choose(knob, word >> (knob % 2 * 16) & 0xffff);
      const bool mine = 0 <= rank && rank < 4;
      for (int i = 0; i < 3; ++i) {
        const unsigned of_all = __ballot_sync(kAll, value >> i & 1);
        bits[i] = mine ? of_all >> (rank * kMaxKnobs & 31) & 0xff : bits[i];
      }
      for (int i = 0; i < 4; ++i) left &= left - 1;
    }
    __syncwarp();  // nobody writes to what others still read
    Design design;
    if (!wanted) return design;
    HEARSAY_UNROLL
    for (int k = 0; k < kMaxKnobs; ++k) {
      design.Put(world, k, (bits[0] >> k & 1) + 2 * (bits[1] >> k & 1) + 4 * (bits[2] >> k & 1));
    }
    return design;
  }
};

// blockIdx.x counts blocks of one slot, blockIdx.y slots.
template <bool kTraced>
__global__ void __launch_bounds__(kLaneThreads, kLaneBlocks) RunLanesKernel(LaneLaunch launch) {
  extern __shared__ uint32_t block_memory[];
  AttemptMemory* const memory =
      reinterpret_cast<AttemptMemory*>(block_memory + threadIdx.x * (kMemoryBytes / 4));
  const int slot = launch.first_slot + static_cast<int>(blockIdx.y);
  const int position = static_cast<int>(blockIdx.x * kLaneThreads + threadIdx.x);
  const bool works = position < launch.lane_count;
  const unsigned mask = __ballot_sync(0xffffffffu, works);
  if (!works) return;
  Retractions refuted;
  uint64_t digest = RunPosition<BlockPace, kTraced>(launch, slot, position, memory, &refuted);
  // Sums modulo 2^64 and unions: in whatever order blocks add to them, they come out the same.
  digest = WarpSum(mask, digest);
  const bool first = threadIdx.x % 32 == 0;
  if (first) atomicAdd(reinterpret_cast<unsigned long long*>(&launch.digests[slot]), digest);
  if (launch.refuted == nullptr) return;
  refuted.infeasible = WarpUnion(mask, refuted.infeasible);
  refuted.not_worth_it = WarpUnion(mask, refuted.not_worth_it);
  refuted.use = WarpUnion(mask, refuted.use);
  if (!first) return;
  UniteBits(&launch.refuted[slot].infeasible, refuted.infeasible);
  UniteBits(&launch.refuted[slot].not_worth_it, refuted.not_worth_it);
  UniteBits(&launch.refuted[slot].use, refuted.use);
}

// As above; blockIdx.z counts the baselines of a lane.
__global__ void __launch_bounds__(kThreads) RunBaselinesKernel(BaselineLaunch launch) {
  const int lane = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (lane < launch.run.lanes) {
    RunBaseline(launch, static_cast<int>(blockIdx.y), lane, static_cast<int>(blockIdx.z));
  }
}

// What a stable sort in ascending order brings into the order of Ranking: slots, and in each the
// lanes with the largest RankOf first.
__global__ void __launch_bounds__(kThreads)
    MakeRankKeysKernel(RankLaunch launch, uint32_t* keys, uint32_t* lanes) {
  const int slot = static_cast<int>(blockIdx.y);
  const int lane = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  int tier = 0;
  if (lane < launch.lanes) {
    const int64_t index = static_cast<int64_t>(slot) * launch.lanes + lane;
    const Outcome outcome = launch.outcomes[index];
    keys[index] = static_cast<uint32_t>(slot) << 16 |
                  static_cast<uint32_t>(32767 - RankOf(launch.topology, outcome));
    lanes[index] = static_cast<uint32_t>(lane);
    tier = StandingOf(outcome);
  }
  const unsigned at_two = __ballot_sync(0xffffffffu, tier == 2);
  const unsigned at_one = __ballot_sync(0xffffffffu, tier >= 1);
  if (threadIdx.x % 32 != 0) return;
  atomicAdd(&launch.tier_ends[slot * 2], __popc(at_two));
  atomicAdd(&launch.tier_ends[slot * 2 + 1], __popc(at_one));
}

int64_t SortScratchBytes(int64_t lanes) {
  size_t size_bytes = 0;
  uint32_t* const none = nullptr;
  cub::DeviceRadixSort::SortPairs(nullptr, size_bytes, none, none, none, none, lanes);
  return static_cast<int64_t>(size_bytes);
}

class CudaDevice final : public Device {
 public:
  static absl::StatusOr<std::unique_ptr<Device>> Open(int index) {
    std::unique_ptr<CudaDevice> device(new CudaDevice(index));
    cudaDeviceProp properties;
    absl::Status status = StatusOf(cudaGetDeviceProperties(&properties, index), "asking for a GPU");
    if (status.ok()) status = device->Select();
    for (cudaStream_t& stream : device->streams_) {
      if (!status.ok()) break;
      status =
          StatusOf(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
    }
    if (!status.ok()) return status;
    for (auto* kernel : {RunLanesKernel<false>, RunLanesKernel<true>}) {
      status = StatusOf(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             kBlockMemoryBytes),
                        "asking for shared memory");
      if (!status.ok()) return status;
    }
    device->name_ = absl::StrCat("cuda, ", properties.name);
    return device;
  }

  ~CudaDevice() override {
    for (cudaStream_t stream : streams_) {
      if (stream != nullptr) cudaStreamDestroy(stream);
    }
  }

  std::string name() const override { return name_; }

  absl::StatusOr<int64_t> FreeBytes() override {
    size_t free_bytes = 0;
    size_t total_bytes = 0;
    const absl::Status status =
        Do([&] { return cudaMemGetInfo(&free_bytes, &total_bytes); }, "asking for free memory");
    if (!status.ok()) return status;
    return static_cast<int64_t>(free_bytes);
  }

  absl::StatusOr<void*> Allocate(int64_t size_bytes) override {
    void* memory = nullptr;
    const absl::Status status =
        Do([&] { return cudaMalloc(&memory, std::max<int64_t>(size_bytes, 1)); },
           "taking device memory");
    if (!status.ok()) return status;
    return memory;
  }

  absl::StatusOr<void*> AllocateHost(int64_t size_bytes) override {
    void* memory = nullptr;
    const absl::Status status =
        Do([&] { return cudaMallocHost(&memory, std::max<int64_t>(size_bytes, 1)); },
           "taking page-locked memory");
    if (!status.ok()) return status;
    return memory;
  }

  void Free(void* memory) override { cudaFree(memory); }
  void FreeHost(void* memory) override { cudaFreeHost(memory); }

  absl::Status CopyIn(int queue, void* device, const void* host, int64_t size_bytes) override {
    return Do(
        [&] {
          return cudaMemcpyAsync(device, host, size_bytes, cudaMemcpyHostToDevice, streams_[queue]);
        },
        "copying to the GPU");
  }

  absl::Status CopyOut(int queue, void* host, const void* device, int64_t size_bytes) override {
    return Do(
        [&] {
          return cudaMemcpyAsync(host, device, size_bytes, cudaMemcpyDeviceToHost, streams_[queue]);
        },
        "copying from the GPU");
  }

  absl::Status Zero(int queue, void* device, int64_t size_bytes) override {
    return Do([&] { return cudaMemsetAsync(device, 0, size_bytes, streams_[queue]); },
              "clearing device memory");
  }

  absl::Status RunBaselines(int queue, const BaselineLaunch& launch) override {
    return Do(
        [&] {
          const dim3 grid(Blocks(launch.run.lanes), launch.slot_count,
                          launch.run.agent_slots() * kDslCount);
          RunBaselinesKernel<<<grid, kThreads, 0, streams_[queue]>>>(launch);
          return cudaGetLastError();
        },
        "running baselines");
  }

  absl::Status RunLanes(int queue, const LaneLaunch& launch) override {
    return Do(
        [&] {
          const dim3 grid((launch.lane_count + kLaneThreads - 1) / kLaneThreads, launch.slot_count);
          auto* const kernel =
              launch.traces == nullptr ? RunLanesKernel<false> : RunLanesKernel<true>;
          kernel<<<grid, kLaneThreads, kBlockMemoryBytes, streams_[queue]>>>(launch);
          return cudaGetLastError();
        },
        "running lanes");
  }

  // Keys and lanes before the sort, keys after it, and what the sort itself needs.
  int64_t RankScratchBytes(int64_t lanes) const override {
    return 3 * Aligned(lanes * 4) + SortScratchBytes(lanes);
  }

  absl::Status Rank(int queue, const RankLaunch& launch) override {
    const int64_t count = static_cast<int64_t>(launch.slot_count) * launch.lanes;
    uint8_t* const scratch = static_cast<uint8_t*>(launch.scratch);
    const auto part = [&](int i) {
      return reinterpret_cast<uint32_t*>(scratch + i * Aligned(count * 4));
    };
    const absl::Status cleared =
        Zero(queue, launch.tier_ends, launch.slot_count * 2 * sizeof(uint32_t));
    if (!cleared.ok()) return cleared;
    return Do(
        [&] {
          const dim3 grid(Blocks(launch.lanes), launch.slot_count);
          MakeRankKeysKernel<<<grid, kThreads, 0, streams_[queue]>>>(launch, part(0), part(1));
          const cudaError_t error = cudaGetLastError();
          if (error != cudaSuccess) return error;
          size_t size_bytes = SortScratchBytes(count);
          return cub::DeviceRadixSort::SortPairs(part(3), size_bytes, part(0), part(2), part(1),
                                                 launch.order, count, 0, 32, streams_[queue]);
        },
        "ranking lanes");
  }

  absl::Status Wait(int queue) override {
    return Do([&] { return cudaStreamSynchronize(streams_[queue]); }, "waiting for the GPU");
  }

 private:
  explicit CudaDevice(int index) : index_(index) {}

  static int64_t Aligned(int64_t size_bytes) { return (size_bytes + 255) / 256 * 256; }

  absl::Status Select() { return StatusOf(cudaSetDevice(index_), "choosing a GPU"); }

  template <typename Call>
  absl::Status Do(Call call, const char* doing) {
    const absl::Status status = Select();
    return status.ok() ? StatusOf(call(), doing) : status;
  }

  const int index_;
  std::string name_;
  cudaStream_t streams_[kQueues] = {};
};

}  // namespace

absl::StatusOr<std::vector<std::unique_ptr<Device>>> CudaDevices() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("there is no GPU that CUDA can use: ",
                     error == cudaSuccess ? "none was found" : cudaGetErrorString(error)));
  }
  std::vector<std::unique_ptr<Device>> devices;
  for (int i = 0; i < count; ++i) {
    auto device = CudaDevice::Open(i);
    if (!device.ok()) return device.status();
    devices.push_back(*std::move(device));
  }
  return devices;
}

}  // namespace hearsay
