#include "rounds/engine.h"

#include <unistd.h>

#include <chrono>
#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "executor/executor.h"
#include "kb/fold.h"
#include "rounds/plan.h"
#include "rounds/recorder.h"
#include "rounds/setup.h"
#include "rounds/state.h"

namespace hearsay {
namespace {

std::string Environment(const Executor& executor) {
  char host[256] = "unknown";
  gethostname(host, sizeof(host) - 1);
  return absl::StrCat("host ", host, ", executor ", executor.name(), ", compiler ", __VERSION__);
}

RunRecord NewRecord(const RunSetup& setup, int run, const Executor& executor) {
  const Plan& plan = setup.plan;
  RunRecord record;
  record.set_run(run);
  record.set_plan_text(FormatPlan(plan));
  record.set_seed(plan.seed());
  for (int problem : setup.problems) record.add_problems(problem);
  for (const std::string& agent : plan.agents()) record.add_agents(agent);
  record.set_lanes(plan.lanes());
  record.set_rounds(plan.rounds());
  record.set_hardware(plan.hardware());
  record.set_claims_recorded(plan.record() == "full");
  record.set_agents_rotate(setup.tables.agents_rotate);
  record.set_software("hearsay " HEARSAY_VERSION);
  record.set_environment(Environment(executor));
  record.set_created_unix_seconds(std::chrono::duration_cast<std::chrono::seconds>(
                                      std::chrono::system_clock::now().time_since_epoch())
                                      .count());
  record.set_state(RunRecord::RUNNING);
  record.set_worlds_digest(setup.worlds_digest);
  record.set_topology(plan.topology());
  record.set_policies(FormatPolicies(plan));
  if (plan.retain() != "all") record.set_retain(plan.retain());
  return record;
}

absl::Status PutBaselines(const RunSetup& setup, int run, Store* store) {
  const size_t a_problem = setup.baselines.size() / setup.problems.size();
  for (size_t slot = 0; slot < setup.problems.size(); ++slot) {
    BaselineBlock block;
    block.agent_slots = setup.tables.agent_slots();
    const auto begin = setup.baselines.begin() + static_cast<int64_t>(slot * a_problem);
    block.outcomes.assign(begin, begin + static_cast<int64_t>(a_problem));
    absl::Status status = store->PutBaselines(run, setup.problems[slot], block);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// Commits one round while the next is computed, and folds the run now and then.
class Committer {
 public:
  // All must outlive it. `first_round` is the first to be committed.
  Committer(const RunRecord& run, const Retention& retention, int first_round,
            const RunOptions& options, Store* store)
      : run_(run), retention_(retention), options_(options), folded_(first_round), store_(*store) {}

  // Of the rounds that were committed before.
  absl::Status Begin() const { return CheckPins(0, folded_ - 1); }

  // Waits for the round before; its error, if any, is this call's.
  absl::Status Commit(RecordedRound round) {
    absl::Status status = Wait();
    if (!status.ok()) return status;
    pending_ = std::async(std::launch::async, [this, round = std::move(round)] {
      absl::Status committed = store_.CommitRound(round.record, round.blocks);
      if (committed.ok()) committed = CheckPins(round.record.round(), round.record.round());
      return committed.ok() && IsDue(round.record.round() + 1) ? Fold() : committed;
    });
    return absl::OkStatus();
  }

  // When no more rounds come.
  absl::Status Finish() {
    absl::Status status = Wait();
    if (!status.ok() || retention_.kind == Retention::Kind::kAll) return status;
    status = Fold();
    return status.ok() ? store_.Compact(run_.run()) : status;
  }

 private:
  absl::Status Wait() { return pending_.valid() ? pending_.get() : absl::OkStatus(); }

  absl::Status Fold() { return FoldRun(run_.run(), retention_, options_.threads, &store_); }

  bool IsDue(int done) {
    if (retention_.kind == Retention::Kind::kAll) return false;
    int whole = 1;
    if (retention_.kind == Retention::Kind::kLast) whole = retention_.rounds;
    if (retention_.kind == Retention::Kind::kEvery) whole = done / retention_.rounds;
    if (done - folded_ < options_.rounds_to_fold + whole / 2) return false;
    folded_ = done;
    return true;
  }

  // Whether a pinned claim is there is known when its round is.
  absl::Status CheckPins(int first_round, int last_round) const {
    for (const ClaimId pin : retention_.pins) {
      const AttemptId author = pin.attempt();
      if (author.round() < first_round || author.round() > last_round) continue;
      const AttemptId here =
          AttemptId::Of(run_.run(), author.round(), author.problem(), author.lane());
      const absl::Status found = store_.FindClaim(ClaimId::Of(here, pin.place())).status();
      if (absl::IsNotFound(found)) {
        return absl::InvalidArgumentError(
            absl::StrCat("pin '", FormatPin(pin), "': ", Format(here), " wrote no such claim"));
      }
      if (!found.ok()) return found;
    }
    return absl::OkStatus();
  }

  const RunRecord& run_;
  const Retention& retention_;
  const RunOptions& options_;
  int folded_;  // rounds that there were when the run was folded
  Store& store_;
  std::future<absl::Status> pending_;
};

class Engine {
 public:
  // `executor` runs the tables of `setup`.
  Engine(RunSetup* setup, std::unique_ptr<Executor> executor, RunRecord record,
         const RunOptions& options, Store* store)
      : setup_(*setup),
        record_(std::move(record)),
        options_(options),
        store_(*store),
        executor_(std::move(executor)),
        recorder_(*setup, record_.run(), record_.claims_recorded()) {}

  absl::Status Begin() {
    absl::Status status = executor_->RunBaselines(&setup_.baselines);
    if (!status.ok()) return status;
    setup_.tables.baselines = setup_.baselines.data();
    return PutBaselines(setup_, record_.run(), &store_);
  }

  // Brings executor and recorder to where they were after the rounds already committed.
  absl::Status CatchUp(const std::vector<RoundRecord>& committed) {
    first_round_ = static_cast<int>(committed.size());
    if (committed.empty()) return absl::OkStatus();
    if (record_.claims_recorded()) {
      auto state =
          LoadState(store_, record_.run(), first_round_ - 1, setup_.problems, setup_.tables.lanes);
      if (!state.ok()) return state.status();
      absl::Status status = executor_->Restore(std::move(state->outcomes), std::move(state->notes),
                                               std::move(state->retractions));
      if (!status.ok()) return status;
      recorder_.Restore(std::move(state->ids));
      return absl::OkStatus();
    }
    // Without notes in the store the rounds are computed once more.
    for (const RoundRecord& round : committed) {
      std::vector<uint64_t> digests;
      absl::Status status = executor_->RunRound(round.round(), nullptr, &digests);
      if (!status.ok()) return status;
      const std::vector<uint64_t> stored(round.problem_digests().begin(),
                                         round.problem_digests().end());
      if (digests != stored) {
        return absl::DataLossError(absl::StrCat("round ", round.round(), " of run ", record_.run(),
                                                " has another digest when computed again"));
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<RunRecord> Run() {
    const absl::StatusOr<Retention> retention = RetentionOf(setup_.plan);
    if (!retention.ok()) return retention.status();
    Committer committer(record_, *retention, first_round_, options_, &store_);
    absl::Status status = committer.Begin();
    if (!status.ok()) return status;
    int round = first_round_;
    for (; round < record_.rounds() && !Stopped(); ++round) {
      std::vector<uint64_t> digests;
      recorder_.Begin(round);
      status = executor_->RunRound(
          round,
          [this](int chunk_index, const LaneChunk& chunk) { recorder_.Chunk(chunk_index, chunk); },
          &digests);
      if (!status.ok()) return status;
      status = committer.Commit(recorder_.End(digests));
      if (!status.ok()) return status;
      if (options_.progress) options_.progress(Progress(round + 1));
    }
    status = committer.Finish();
    if (!status.ok()) return status;
    record_.set_state(round == record_.rounds() ? RunRecord::COMPLETE : RunRecord::INTERRUPTED);
    status = store_.Flush();
    if (status.ok()) status = store_.PutRun(record_);
    if (!status.ok()) return status;
    return record_;
  }

 private:
  bool Stopped() const { return options_.stop != nullptr && options_.stop->load(); }

  RunProgress Progress(int rounds_done) const {
    const int64_t a_round = static_cast<int64_t>(setup_.problems.size()) * setup_.tables.lanes;
    return {record_.run(),
            executor_->name(),
            rounds_done,
            record_.rounds(),
            (rounds_done - first_round_) * a_round,
            (record_.rounds() - first_round_) * a_round};
  }

  RunSetup& setup_;
  RunRecord record_;
  const RunOptions& options_;
  Store& store_;
  std::unique_ptr<Executor> executor_;
  Recorder recorder_;
  int first_round_ = 0;
};

absl::StatusOr<RunRecord> FindResumable(int run, const Store& store) {
  if (run != 0) return store.Run(run);
  auto runs = store.Runs();
  if (!runs.ok()) return runs.status();
  for (auto it = runs->rbegin(); it != runs->rend(); ++it) {
    if (it->state() != RunRecord::COMPLETE) return *it;
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "there is no run to resume: ", runs->empty() ? "the kb has none" : "all are complete"));
}

}  // namespace

absl::StatusOr<RunRecord> ExecutePlan(const Plan& plan, const RunOptions& options, Store* store) {
  auto setup = PrepareRun(plan, options.threads);
  if (!setup.ok()) return setup.status();
  auto executor = NewExecutor(options.executor, (*setup)->tables, options.threads);
  if (!executor.ok()) return executor.status();
  const auto run = store->NextRun();
  if (!run.ok()) return run.status();
  const RunRecord record = NewRecord(**setup, *run, **executor);
  absl::Status status = store->PutRun(record);
  if (!status.ok()) return status;
  Engine engine(setup->get(), *std::move(executor), record, options, store);
  status = engine.Begin();
  if (!status.ok()) return status;
  return engine.Run();
}

absl::StatusOr<RunRecord> ResumeRun(int run, const RunOptions& options, Store* store) {
  auto record = FindResumable(run, *store);
  if (!record.ok()) return record.status();
  if (record->state() == RunRecord::COMPLETE) {
    return absl::FailedPreconditionError(
        absl::StrCat("run ", record->run(), " is complete: there is nothing to resume"));
  }
  const auto plan = ParsePlan(record->plan_text(), absl::StrCat("plan of run ", record->run()));
  if (!plan.ok()) return plan.status();
  auto setup = PrepareRun(*plan, options.threads);
  if (!setup.ok()) return setup.status();
  if ((*setup)->worlds_digest != record->worlds_digest()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "run ", record->run(), " began with other landscapes than this build (hearsay ",
        HEARSAY_VERSION, ") models; resume it with ", record->software()));
  }
  const auto rounds = store->Rounds(record->run());
  if (!rounds.ok()) return rounds.status();
  auto executor = NewExecutor(options.executor, (*setup)->tables, options.threads);
  if (!executor.ok()) return executor.status();
  Engine engine(setup->get(), *std::move(executor), *record, options, store);
  // A run killed before its first round may lack its baselines.
  absl::Status status = engine.Begin();
  if (status.ok()) status = engine.CatchUp(*rounds);
  if (!status.ok()) return status;
  return engine.Run();
}

}  // namespace hearsay
