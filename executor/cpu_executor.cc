// The CPU executor: threads that take chunks of lanes from one counter.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "executor/executor.h"
#include "executor/ranking.h"
#include "tasks/thread_pool.h"

namespace hearsay {
namespace {

class CpuExecutor final : public Executor {
 public:
  CpuExecutor(const RunTables& run, int threads)
      : run_(run),
        threads_(threads),
        pool_(threads),
        chunks_a_problem_((run.lanes + kChunkLanes - 1) / kChunkLanes),
        outcomes_(Lanes()),
        notes_(Lanes()),
        next_outcomes_(Lanes()),
        next_notes_(Lanes()) {}

  std::string name() const override { return absl::StrCat("cpu, threads ", threads_); }

  absl::Status RunBaselines(std::vector<Outcome>* baselines) override {
    const int slots = run_.agent_slots();
    baselines->resize(Lanes() * slots * kDslCount);
    pool_.For(ChunkCount(), [&](int chunk) {
      const int slot = chunk / chunks_a_problem_;
      for (int lane = First(chunk); lane < End(chunk); ++lane) {
        for (int a = 0; a < slots; ++a) {
          const int agent = run_.agents_rotate ? a : run_.AgentOf(0, lane);
          for (int dsl = 0; dsl < kDslCount; ++dsl) {
            (*baselines)[(Index(slot, lane) * slots + a) * kDslCount + dsl] =
                RunSolo(run_, slot, lane, agent, static_cast<Dsl>(dsl));
          }
        }
      }
    });
    return absl::OkStatus();
  }

  absl::Status RunRound(int round, const ChunkVisitor& visit,
                        std::vector<uint64_t>* problem_digests) override {
    if (round > 0) ranker_.Rank(run_, outcomes_, retractions_);
    const Ranking ranking = ranker_.ranking();
    const RoundState before{outcomes_.data(), notes_.data()};
    std::vector<ChunkSum> sums(ChunkCount());
    pool_.For(ChunkCount(), [&](int chunk) {
      const int slot = chunk / chunks_a_problem_;
      const int first = First(chunk);
      const int count = End(chunk) - first;
      // Kept by the thread, since it is large and every chunk needs one.
      thread_local std::vector<LaneTrace> traces;
      traces.resize(kChunkLanes);
      Outcome* const outcomes = &next_outcomes_[Index(slot, first)];
      WrittenNote* const notes = &next_notes_[Index(slot, first)];
      NoObserver observer;
      AttemptMemory memory;
      ChunkSum& sum = sums[chunk];
      for (int i = 0; i < count; ++i) {
        sum.digest += RunLane<NoPace>(run_, ranking, before, round, slot, first + i, &outcomes[i],
                                      &notes[i], &traces[i], &observer, &memory);
        AddRefuted(outcomes[i], traces[i].intake, &sum.refuted);
      }
      if (visit) visit(chunk, {slot, first, count, outcomes, notes, traces.data()});
    });
    outcomes_.swap(next_outcomes_);
    notes_.swap(next_notes_);
    problem_digests->assign(run_.problem_count, 0);
    retractions_.assign(run_.problem_count, Retractions());
    for (int chunk = 0; chunk < ChunkCount(); ++chunk) {
      const int slot = chunk / chunks_a_problem_;
      (*problem_digests)[slot] += sums[chunk].digest;
      retractions_[slot].Unite(sums[chunk].refuted);
    }
    return absl::OkStatus();
  }

  absl::Status Restore(std::vector<Outcome> outcomes, std::vector<WrittenNote> notes,
                       std::vector<Retractions> retractions) override {
    outcomes_ = std::move(outcomes);
    notes_ = std::move(notes);
    retractions_ = std::move(retractions);
    return absl::OkStatus();
  }

  absl::StatusOr<RoundState> State() override {
    return RoundState{outcomes_.data(), notes_.data()};
  }

 private:
  struct alignas(64) ChunkSum {  // one cache line each: threads write neighbours
    uint64_t digest = 0;
    Retractions refuted;
  };

  int64_t Lanes() const { return static_cast<int64_t>(run_.problem_count) * run_.lanes; }
  int64_t Index(int slot, int lane) const { return static_cast<int64_t>(slot) * run_.lanes + lane; }
  int ChunkCount() const { return run_.problem_count * chunks_a_problem_; }
  int First(int chunk) const { return chunk % chunks_a_problem_ * kChunkLanes; }
  int End(int chunk) const { return std::min(First(chunk) + kChunkLanes, run_.lanes); }

  const RunTables& run_;
  const int threads_;
  ThreadPool pool_;
  const int chunks_a_problem_;
  Ranker ranker_;
  std::vector<Outcome> outcomes_;
  std::vector<WrittenNote> notes_;
  std::vector<Retractions> retractions_;
  std::vector<Outcome> next_outcomes_;
  std::vector<WrittenNote> next_notes_;
};

}  // namespace

std::unique_ptr<Executor> NewCpuExecutor(const RunTables& run, int threads) {
  return std::make_unique<CpuExecutor>(run, threads);
}

}  // namespace hearsay
