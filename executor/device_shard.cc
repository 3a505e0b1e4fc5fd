#include "executor/device_shard.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "executor/ranking.h"

namespace hearsay {
namespace {

// The first error of some steps that are all done while there is none.
class Steps {
 public:
  template <typename Step>
  Steps& Then(Step step) {
    if (status_.ok()) status_ = step();
    return *this;
  }
  absl::Status status() const { return status_; }

 private:
  absl::Status status_;
};

int64_t Mebibytes(int64_t size_bytes) { return (size_bytes + (1 << 20) - 1) >> 20; }

// A card that shows pictures as well needs some; so do the kernels' own stacks.
int64_t Usable(int64_t free_bytes) { return free_bytes - free_bytes / 10; }

}  // namespace

absl::StatusOr<std::unique_ptr<DeviceShard>> DeviceShard::Create(const RunTables& run,
                                                                 Device* device, int first_slot,
                                                                 int slot_count,
                                                                 int64_t piece_lanes) {
  std::unique_ptr<DeviceShard> shard(new DeviceShard(run, device, first_slot, slot_count));
  const absl::Status status = Steps()
                                  .Then([&] { return shard->UploadTables(); })
                                  .Then([&] { return shard->Reserve(piece_lanes); })
                                  .status();
  if (!status.ok()) return status;
  return shard;
}

absl::Status DeviceShard::UploadTables() {
  const int64_t world_count = static_cast<int64_t>(run_.problem_count) * kDslCount;
  const int64_t bias_count = static_cast<int64_t>(run_.agent_count) * run_.problem_count;
  int64_t entry_count = 0;
  for (int64_t i = 0; i < world_count; ++i) entry_count += run_.worlds[i].point_count;
  Steps steps;
  steps.Then([&] { return entries_.Allocate(&device_, entry_count); })
      .Then([&] { return worlds_.Allocate(&device_, world_count); })
      .Then([&] { return priors_.Allocate(&device_, world_count); })
      .Then([&] { return biases_.Allocate(&device_, bias_count); })
      .Then([&] { return problem_index_.Allocate(&device_, run_.problem_count); })
      .Then([&] { return agents_.Allocate(&device_, run_.agent_count); });
  if (!steps.status().ok()) return steps.status();
  // The worlds of the device point to its own copy of the entries.
  std::vector<World> worlds(run_.worlds, run_.worlds + world_count);
  std::vector<Entry> entries;
  entries.reserve(entry_count);
  for (World& world : worlds) {
    const Entry* const from = world.entries;
    world.entries = entries_.get() + entries.size();
    entries.insert(entries.end(), from, from + world.point_count);
  }
  return steps.Then([&] { return entries_.CopyIn(0, entries.data(), entry_count); })
      .Then([&] { return worlds_.CopyIn(0, worlds.data(), world_count); })
      .Then([&] { return priors_.CopyIn(0, run_.priors, world_count); })
      .Then([&] { return biases_.CopyIn(0, run_.biases, bias_count); })
      .Then([&] { return problem_index_.CopyIn(0, run_.problem_index, run_.problem_count); })
      .Then([&] { return agents_.CopyIn(0, run_.agents, run_.agent_count); })
      .Then([&] { return device_.Wait(0); })
      .status();
}

int64_t DeviceShard::BytesASlot() const {
  int64_t a_lane = (2 + BaselinesALane()) * static_cast<int64_t>(sizeof(Outcome)) +
                   2 * static_cast<int64_t>(sizeof(WrittenNote));
  if (NeedsRanking(run_.topology)) a_lane += static_cast<int64_t>(sizeof(uint32_t));
  const int64_t a_slot = 2 * sizeof(Retractions) + sizeof(uint64_t) + 2 * sizeof(uint32_t);
  return a_slot + a_lane * run_.lanes +
         (NeedsRanking(run_.topology) ? device_.RankScratchBytes(run_.lanes) : 0);
}

absl::Status DeviceShard::Reserve(int64_t piece_lanes) {
  piece_lanes_ = std::max<int64_t>(piece_lanes / kChunkLanes, 1) * kChunkLanes;
  piece_lanes_ = std::min(piece_lanes_, static_cast<int64_t>(slot_count_) * run_.lanes);
  needs_refuted_ = run_.policies.retract > 0 || run_.policies.retract_false > 0;
  const auto free_bytes = device_.FreeBytes();
  if (!free_bytes.ok()) return free_bytes.status();
  const int64_t pieces_bytes = Device::kQueues * DeviceArray<LaneTrace>::SizeBytes(piece_lanes_);
  const int64_t usable = Usable(*free_bytes) - pieces_bytes;
  batch_slots_ =
      static_cast<int>(std::min<int64_t>(slot_count_, std::max<int64_t>(usable, 0) / BytesASlot()));
  if (batch_slots_ == 0) {
    return absl::ResourceExhaustedError(
        absl::StrCat(run_.lanes, " lanes of one problem need ",
                     Mebibytes(BytesASlot() + pieces_bytes), " MiB on ", device_.name(),
                     ", which has ", Mebibytes(Usable(*free_bytes)), " to spare; try fewer lanes"));
  }
  const int64_t lanes = static_cast<int64_t>(batch_slots_) * run_.lanes;
  Steps steps;
  steps.Then([&] { return baselines_.Allocate(&device_, lanes * BaselinesALane()); })
      .Then([&] { return outcomes_.Allocate(&device_, lanes); })
      .Then([&] { return next_outcomes_.Allocate(&device_, lanes); })
      .Then([&] { return notes_.Allocate(&device_, lanes); })
      .Then([&] { return next_notes_.Allocate(&device_, lanes); })
      .Then([&] { return refuted_.Allocate(&device_, batch_slots_); })
      .Then([&] { return next_refuted_.Allocate(&device_, batch_slots_); })
      .Then([&] { return digests_.Allocate(&device_, batch_slots_); });
  if (NeedsRanking(run_.topology)) {
    steps.Then([&] { return order_.Allocate(&device_, lanes); })
        .Then([&] { return tier_ends_.Allocate(&device_, 2 * batch_slots_); })
        .Then([&] { return rank_scratch_.Allocate(&device_, device_.RankScratchBytes(lanes)); });
  }
  // Notes and traces are copied whole, also where lanes leave them unwritten.
  return steps.Then([&] { return notes_.Zero(0); })
      .Then([&] { return next_notes_.Zero(0); })
      .Then([&] { return refuted_.Zero(0); })
      .Then([&] { return device_.Wait(0); })
      .status();
}

absl::Status DeviceShard::ReserveCopies() {
  if (copies_[0].traces.get() != nullptr) return absl::OkStatus();
  Steps steps;
  for (Copies& copies : copies_) {
    steps.Then([&] { return copies.device_traces.Allocate(&device_, piece_lanes_); })
        .Then([&] { return copies.device_traces.Zero(0); })
        .Then([&] { return copies.outcomes.AllocateHost(&device_, piece_lanes_); })
        .Then([&] { return copies.notes.AllocateHost(&device_, piece_lanes_); })
        .Then([&] { return copies.traces.AllocateHost(&device_, piece_lanes_); });
  }
  return steps.Then([&] { return device_.Wait(0); }).status();
}

void DeviceShard::SelectBatch(int batch) {
  batch_first_ = first_slot_ + batch * batch_slots_;
  batch_count_slots_ = std::min(batch_slots_, first_slot_ + slot_count_ - batch_first_);
}

RunTables DeviceShard::BatchTables() const {
  // The batch's slots count from 0: tables by slot begin at its first.
  RunTables run = run_;
  run.worlds = worlds_.get() + batch_first_ * kDslCount;
  run.priors = priors_.get() + batch_first_ * kDslCount;
  run.biases = biases_.get() + batch_first_;
  run.problem_index = problem_index_.get() + batch_first_;
  run.agents = agents_.get();
  run.baselines = baselines_.get();
  return run;
}

void DeviceShard::Cut(bool visiting) {
  pieces_.clear();
  if (!visiting) {
    pieces_.push_back({0, batch_count_slots_, 0, run_.lanes});
    return;
  }
  if (run_.lanes <= piece_lanes_) {
    const int slots = static_cast<int>(piece_lanes_ / run_.lanes);
    for (int slot = 0; slot < batch_count_slots_; slot += slots) {
      pieces_.push_back({slot, std::min(slots, batch_count_slots_ - slot), 0, run_.lanes});
    }
    return;
  }
  const int most = static_cast<int>(piece_lanes_);
  for (int slot = 0; slot < batch_count_slots_; ++slot) {
    for (int lane = 0; lane < run_.lanes; lane += most) {
      pieces_.push_back({slot, 1, lane, std::min(most, run_.lanes - lane)});
    }
  }
}

absl::Status DeviceShard::RunBaselines(std::vector<Outcome>* baselines) {
  for (int batch = 0; batch < batch_count(); ++batch) {
    SelectBatch(batch);
    BaselineLaunch launch;
    launch.run = BatchTables();
    launch.slot_count = batch_count_slots_;
    launch.baselines = baselines_.get();
    Outcome* const to =
        baselines->data() + static_cast<int64_t>(batch_first_) * run_.lanes * BaselinesALane();
    const absl::Status status =
        Steps()
            .Then([&] { return device_.RunBaselines(0, launch); })
            .Then([&] { return baselines_.CopyOut(0, to, Lanes() * BaselinesALane()); })
            .Then([&] { return device_.Wait(0); })
            .status();
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status DeviceShard::Begin(int batch, int round, bool visiting, const HostState& before) {
  SelectBatch(batch);
  Cut(visiting);
  round_ = round;
  visiting_ = visiting;
  Steps steps;
  if (visiting) steps.Then([&] { return ReserveCopies(); });
  if (!resident() && round > 0) {
    const Outcome* const from =
        run_.baselines + static_cast<int64_t>(batch_first_) * run_.lanes * BaselinesALane();
    steps.Then([&] { return baselines_.CopyIn(0, from, Lanes() * BaselinesALane()); }).Then([&] {
      return LoadBatch(before);
    });
  }
  if (round > 0 && NeedsRanking(run_.topology)) {
    RankLaunch launch;
    launch.topology = run_.topology;
    launch.slot_count = batch_count_slots_;
    launch.lanes = run_.lanes;
    launch.outcomes = outcomes_.get();
    launch.order = order_.get();
    launch.tier_ends = tier_ends_.get();
    launch.scratch = rank_scratch_.get();
    steps.Then([&] { return device_.Rank(0, launch); });
  }
  steps.Then([&] { return digests_.Zero(0); }).Then([&] { return next_refuted_.Zero(0); });
  // Pieces go through both queues and rest on what was done in the first.
  if (visiting) steps.Then([&] { return device_.Wait(0); });
  return steps.status();
}

absl::Status DeviceShard::Launch(int index) {
  const Piece& piece = pieces_[index];
  const int queue = index % Device::kQueues;
  const Copies& copies = copies_[queue];
  LaneLaunch launch;
  launch.run = BatchTables();
  launch.ranking.order = order_.get();
  launch.ranking.tier_ends = tier_ends_.get();
  launch.ranking.retractions = refuted_.get();
  launch.before = {outcomes_.get(), notes_.get()};
  launch.after = {next_outcomes_.get(), next_notes_.get()};
  launch.traces = visiting_ ? copies.device_traces.get() : nullptr;
  launch.digests = digests_.get();
  launch.refuted = needs_refuted_ ? next_refuted_.get() : nullptr;
  launch.round = round_;
  launch.first_slot = piece.first_slot;
  launch.slot_count = piece.slot_count;
  launch.first_lane = piece.first_lane;
  launch.lane_count = piece.lane_count;
  Steps steps;
  steps.Then([&] { return device_.RunLanes(queue, launch); });
  if (visiting_) {
    const int64_t first = static_cast<int64_t>(piece.first_slot) * run_.lanes + piece.first_lane;
    const int64_t count = static_cast<int64_t>(piece.slot_count) * piece.lane_count;
    steps.Then([&] { return next_outcomes_.CopyOut(queue, copies.outcomes.get(), count, first); })
        .Then([&] { return next_notes_.CopyOut(queue, copies.notes.get(), count, first); })
        .Then([&] { return copies.device_traces.CopyOut(queue, copies.traces.get(), count); });
  }
  return steps.status();
}

absl::Status DeviceShard::Collect(int index, const Executor::ChunkVisitor& visit,
                                  ThreadPool* pool) {
  const int queue = index % Device::kQueues;
  absl::Status status = device_.Wait(queue);
  if (!status.ok() || !visiting_) return status;
  const Piece& piece = pieces_[index];
  const Copies& copies = copies_[queue];
  const int chunks_a_slot = (piece.lane_count + kChunkLanes - 1) / kChunkLanes;
  const int chunks_a_problem = (run_.lanes + kChunkLanes - 1) / kChunkLanes;
  pool->For(piece.slot_count * chunks_a_slot, [&](int i) {
    const int slot = i / chunks_a_slot;
    const int offset = i % chunks_a_slot * kChunkLanes;
    const int64_t at = static_cast<int64_t>(slot) * piece.lane_count + offset;
    const int run_slot = batch_first_ + piece.first_slot + slot;
    const int first_lane = piece.first_lane + offset;
    visit(run_slot * chunks_a_problem + first_lane / kChunkLanes,
          {run_slot, first_lane, std::min(kChunkLanes, piece.lane_count - offset),
           copies.outcomes.get() + at, copies.notes.get() + at, copies.traces.get() + at});
  });
  return absl::OkStatus();
}

absl::Status DeviceShard::Finish(std::vector<uint64_t>* problem_digests, HostState* after) {
  std::swap(outcomes_, next_outcomes_);
  std::swap(notes_, next_notes_);
  std::swap(refuted_, next_refuted_);
  Steps steps;
  steps.Then([&] {
    return digests_.CopyOut(0, problem_digests->data() + batch_first_, batch_count_slots_);
  });
  if (!resident()) steps.Then([&] { return SaveBatch(after); });
  return steps.Then([&] { return device_.Wait(0); }).status();
}

absl::Status DeviceShard::LoadBatch(const HostState& state) {
  const int64_t first = static_cast<int64_t>(batch_first_) * run_.lanes;
  return Steps()
      .Then([&] { return outcomes_.CopyIn(0, state.outcomes.data() + first, Lanes()); })
      .Then([&] { return notes_.CopyIn(0, state.notes.data() + first, Lanes()); })
      .Then([&] {
        return refuted_.CopyIn(0, state.retractions.data() + batch_first_, batch_count_slots_);
      })
      .status();
}

absl::Status DeviceShard::SaveBatch(HostState* state) {
  const int64_t first = static_cast<int64_t>(batch_first_) * run_.lanes;
  return Steps()
      .Then([&] { return outcomes_.CopyOut(0, state->outcomes.data() + first, Lanes()); })
      .Then([&] { return notes_.CopyOut(0, state->notes.data() + first, Lanes()); })
      .Then([&] {
        return refuted_.CopyOut(0, state->retractions.data() + batch_first_, batch_count_slots_);
      })
      .status();
}

absl::Status DeviceShard::Load(const HostState& state) {
  SelectBatch(0);
  return Steps()
      .Then([&] { return LoadBatch(state); })
      .Then([&] { return device_.Wait(0); })
      .status();
}

absl::Status DeviceShard::Save(HostState* state) {
  SelectBatch(0);
  return Steps()
      .Then([&] { return SaveBatch(state); })
      .Then([&] { return device_.Wait(0); })
      .status();
}

}  // namespace hearsay
