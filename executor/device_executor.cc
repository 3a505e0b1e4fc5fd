#include "executor/device_executor.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "executor/device_shard.h"
#include "tasks/thread_pool.h"

namespace hearsay {
namespace {

class DeviceExecutor final : public Executor {
 public:
  DeviceExecutor(const RunTables& run, std::vector<std::unique_ptr<Device>> devices, int threads)
      : run_(run), devices_(std::move(devices)), pool_(threads) {}

  absl::Status Split(int64_t piece_lanes) {
    const int count = static_cast<int>(devices_.size());
    for (int d = 0; d < count; ++d) {
      const int first = run_.problem_count * d / count;
      const int end = run_.problem_count * (d + 1) / count;
      if (first == end) continue;
      auto shard = DeviceShard::Create(run_, devices_[d].get(), first, end - first, piece_lanes);
      if (!shard.ok()) return shard.status();
      shards_.push_back(*std::move(shard));
    }
    if (!AllResident()) MakeRoom(&state_);
    return absl::OkStatus();
  }

  std::string name() const override {
    std::string name = devices_[0]->name();
    if (devices_.size() > 1) absl::StrAppend(&name, " and ", devices_.size() - 1, " more");
    return name;
  }

  absl::Status RunBaselines(std::vector<Outcome>* baselines) override {
    baselines->resize(Lanes() * run_.agent_slots() * kDslCount);
    return Each([&](DeviceShard& shard) { return shard.RunBaselines(baselines); });
  }

  absl::Status RunRound(int round, const ChunkVisitor& visit,
                        std::vector<uint64_t>* problem_digests) override {
    problem_digests->assign(run_.problem_count, 0);
    if (!AllResident()) MakeRoom(&next_state_);
    int batches = 0;
    for (const auto& shard : shards_) batches = std::max(batches, shard->batch_count());
    for (int batch = 0; batch < batches; ++batch) {
      absl::Status status = RunBatch(batch, round, visit, problem_digests);
      if (!status.ok()) return status;
    }
    if (!AllResident()) std::swap(state_, next_state_);
    return absl::OkStatus();
  }

  absl::Status Restore(std::vector<Outcome> outcomes, std::vector<WrittenNote> notes,
                       std::vector<Retractions> retractions) override {
    state_ = {std::move(outcomes), std::move(notes), std::move(retractions)};
    return Each([&](DeviceShard& shard) {
      return shard.resident() ? shard.Load(state_) : absl::OkStatus();
    });
  }

  absl::StatusOr<RoundState> State() override {
    MakeRoom(&state_);
    const absl::Status status = Each([&](DeviceShard& shard) {
      return shard.resident() ? shard.Save(&state_) : absl::OkStatus();
    });
    if (!status.ok()) return status;
    return RoundState{state_.outcomes.data(), state_.notes.data()};
  }

 private:
  template <typename Body>
  absl::Status Each(Body body) {
    for (const auto& shard : shards_) {
      absl::Status status = body(*shard);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // All devices work on a batch of theirs at once: what they do is put into their queues before any
  // is waited for.
  absl::Status RunBatch(int batch, int round, const ChunkVisitor& visit,
                        std::vector<uint64_t>* problem_digests) {
    const auto each = [&](auto body) {
      return Each([&](DeviceShard& shard) {
        return batch < shard.batch_count() ? body(shard) : absl::OkStatus();
      });
    };
    absl::Status status = each(
        [&](DeviceShard& shard) { return shard.Begin(batch, round, visit != nullptr, state_); });
    int pieces = 0;
    for (const auto& shard : shards_) pieces = std::max(pieces, shard->piece_count());
    for (int piece = 0; status.ok() && piece <= pieces; ++piece) {
      status = each([&](DeviceShard& shard) {
        return piece < shard.piece_count() ? shard.Launch(piece) : absl::OkStatus();
      });
      if (!status.ok() || piece == 0) continue;
      status = each([&](DeviceShard& shard) {
        return piece - 1 < shard.piece_count() ? shard.Collect(piece - 1, visit, &pool_)
                                               : absl::OkStatus();
      });
    }
    if (!status.ok()) return status;
    return each([&](DeviceShard& shard) { return shard.Finish(problem_digests, &next_state_); });
  }

  bool AllResident() const {
    return std::all_of(shards_.begin(), shards_.end(),
                       [](const auto& shard) { return shard->resident(); });
  }

  void MakeRoom(HostState* state) const {
    state->outcomes.resize(Lanes());
    state->notes.resize(Lanes());
    state->retractions.resize(run_.problem_count);
  }

  int64_t Lanes() const { return static_cast<int64_t>(run_.problem_count) * run_.lanes; }

  const RunTables& run_;
  const std::vector<std::unique_ptr<Device>> devices_;
  ThreadPool pool_;
  std::vector<std::unique_ptr<DeviceShard>> shards_;  // after devices_, whose memory they hold
  // The state after the last round; of shards that are resident only after Restore and State.
  HostState state_;
  HostState next_state_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Executor>> NewDeviceExecutor(
    const RunTables& run, std::vector<std::unique_ptr<Device>> devices, int threads,
    int64_t piece_lanes) {
  auto executor = std::make_unique<DeviceExecutor>(run, std::move(devices), threads);
  absl::Status status = executor->Split(piece_lanes);
  if (!status.ok()) return status;
  return executor;
}

}  // namespace hearsay
