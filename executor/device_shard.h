// The problems of a run that one device works on: their memory there, and what a round does with
// it.
//
// Where all of a shard fits into the device it stays there from round to round. Else it is worked
// on in batches of problems, and the state between rounds lives with the host.
#ifndef HEARSAY_EXECUTOR_DEVICE_SHARD_H_
#define HEARSAY_EXECUTOR_DEVICE_SHARD_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executor/device.h"
#include "executor/device_memory.h"
#include "executor/executor.h"
#include "tasks/thread_pool.h"

namespace hearsay {

// The state of a run between two rounds in the host's memory.
struct HostState {
  std::vector<Outcome> outcomes;         // [problem_count * lanes]
  std::vector<WrittenNote> notes;        // likewise
  std::vector<Retractions> retractions;  // [problem_count]
};

class DeviceShard {
 public:
  // Slots [first_slot, first_slot + slot_count) of `run`. A piece, of which all that lanes did is
  // copied out while the next is computed, has about `piece_lanes` lanes.
  // Errors: kResourceExhausted where not even one problem fits.
  static absl::StatusOr<std::unique_ptr<DeviceShard>> Create(const RunTables& run, Device* device,
                                                             int first_slot, int slot_count,
                                                             int64_t piece_lanes);

  bool resident() const { return batch_count() == 1; }
  int batch_count() const { return (slot_count_ + batch_slots_ - 1) / batch_slots_; }

  // Fills the shard's part of `baselines`, and keeps it on the device where all fits.
  absl::Status RunBaselines(std::vector<Outcome>* baselines);

  // A round of one batch: Begin, then for each piece Launch and, any time before the next but one,
  // Collect, then Finish. A shard that is not resident takes the state before the round from
  // `before` and leaves the one after it in `after`.
  absl::Status Begin(int batch, int round, bool visiting, const HostState& before);
  int piece_count() const { return static_cast<int>(pieces_.size()); }
  absl::Status Launch(int piece);
  absl::Status Collect(int piece, const Executor::ChunkVisitor& visit, ThreadPool* pool);
  absl::Status Finish(std::vector<uint64_t>* problem_digests, HostState* after);

  // The state between rounds. REQUIRES: resident().
  absl::Status Load(const HostState& state);
  absl::Status Save(HostState* state);

 private:
  // Either all lanes of some slots, or some lanes of one slot; slots are counted within the batch.
  struct Piece {
    int first_slot, slot_count, first_lane, lane_count;
  };
  // What a piece leaves for the visitor, in the host's memory.
  struct Copies {
    DeviceArray<LaneTrace> device_traces;
    DeviceArray<Outcome> outcomes;
    DeviceArray<WrittenNote> notes;
    DeviceArray<LaneTrace> traces;
  };

  DeviceShard(const RunTables& run, Device* device, int first_slot, int slot_count)
      : run_(run), device_(*device), first_slot_(first_slot), slot_count_(slot_count) {}

  int64_t BytesASlot() const;
  int64_t BaselinesALane() const { return run_.agent_slots() * kDslCount; }
  absl::Status UploadTables();
  absl::Status Reserve(int64_t piece_lanes);
  absl::Status ReserveCopies();
  void Cut(bool visiting);
  void SelectBatch(int batch);
  RunTables BatchTables() const;
  absl::Status LoadBatch(const HostState& state);
  absl::Status SaveBatch(HostState* state);
  absl::Status Wait();
  int64_t Lanes() const { return static_cast<int64_t>(batch_count_slots_) * run_.lanes; }

  const RunTables& run_;
  Device& device_;
  const int first_slot_;
  const int slot_count_;
  int batch_slots_ = 0;  // of a batch at most
  int64_t piece_lanes_ = 0;
  bool needs_refuted_ = false;

  // What lanes share, for all slots of the run.
  DeviceArray<World> worlds_;
  DeviceArray<Entry> entries_;
  DeviceArray<PriorTable> priors_;
  DeviceArray<PriorNoise> biases_;
  DeviceArray<int32_t> problem_index_;
  DeviceArray<AgentProfile> agents_;

  // Of one batch.
  DeviceArray<Outcome> baselines_;
  DeviceArray<Outcome> outcomes_, next_outcomes_;
  DeviceArray<WrittenNote> notes_, next_notes_;
  DeviceArray<Retractions> refuted_, next_refuted_;
  DeviceArray<uint64_t> digests_;
  DeviceArray<uint32_t> order_, tier_ends_;
  DeviceArray<uint8_t> rank_scratch_;
  Copies copies_[Device::kQueues];

  // The batch and round in hand.
  int batch_first_ = 0;  // slot of the run
  int batch_count_slots_ = 0;
  int round_ = 0;
  bool visiting_ = false;
  std::vector<Piece> pieces_;
};

}  // namespace hearsay

#endif  // HEARSAY_EXECUTOR_DEVICE_SHARD_H_
