// hearsay run: executes a plan into a kb, or resumes a run.
#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "executor/device.h"
#include "executor/executor.h"
#include "rounds/engine.h"
#include "rounds/setup.h"
#include "tools/command.h"
#include "tools/interrupt.h"
#include "tools/kb_access.h"
#include "tools/output.h"
#include "tools/plan_flags.h"
#include "tools/progress.h"
#include "tools/run_verify.h"
#include "tools/run_words.h"

namespace hearsay {
namespace {

constexpr int kMaxThreads = 1024;

class RunCommand : public Command {
 public:
  void Declare(ArgParser& args) override;
  absl::StatusOr<ExitCode> Run(Console& console) override;

 private:
  absl::Status CheckFlags() const;
  ExecutorKind Kind() const;
  // Runs a sample of the plan with both executors and says how that went.
  absl::StatusOr<ExitCode> Verify(const Plan& plan, Console& console) const;
  absl::StatusOr<std::unique_ptr<Store>> OpenKb() const;
  absl::StatusOr<ExitCode> Report(const Store& store, const RunRecord& record,
                                  const RunProgress& progress, double seconds,
                                  Console& console) const;

  KbFlag kb_;
  PlanFlags plan_;
  OutputFlags output_;
  std::string executor_ = "auto";
  int64_t threads_ = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  bool verify_ = false;
  bool resume_ = false;
  std::optional<std::string> resume_run_;
  bool quiet_ = false;
};

void RunCommand::Declare(ArgParser& args) {
  plan_.Declare(args);
  kb_.Declare(args);
  args.AddChoice("--executor", {"auto", "cpu", "cuda"},
                 "Where to run the lanes (auto: on GPUs if there are any)", &executor_);
  args.AddNumber("--threads", "Of the CPU (all)", 1, kMaxThreads, &threads_);
  args.AddSwitch("--verify", "Before the run compare CPU and GPU on a sample of it", &verify_);
  args.AddSwitch("--resume", "Go on with a run that was stopped", &resume_);
  args.AddText("--run", "N", "The run to resume (the latest unfinished)", &resume_run_);
  args.AddSwitch("--quiet", "No progress and no summary", &quiet_);
  output_.Declare(args);
}

absl::Status RunCommand::CheckFlags() const {
  if (resume_ && !plan_.FirstGiven().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--resume goes on with the plan in the kb and takes no ", plan_.FirstGiven()));
  }
  if (!resume_ && resume_run_.has_value()) {
    return absl::InvalidArgumentError("--run names the run to resume and needs --resume");
  }
  if (resume_ && verify_) {
    return absl::InvalidArgumentError("--verify is for new runs and excludes --resume");
  }
  // Asked before a kb is made for a run that cannot be.
  if (executor_ != "cuda" && !verify_) return absl::OkStatus();
  const absl::Status cuda = CudaDevices().status();
  if (cuda.ok()) return cuda;
  return absl::Status(cuda.code(),
                      absl::StrCat(verify_ ? "--verify: " : "--executor cuda: ", cuda.message()));
}

ExecutorKind RunCommand::Kind() const {
  if (executor_ == "cpu") return ExecutorKind::kCpu;
  return executor_ == "cuda" ? ExecutorKind::kCuda : ExecutorKind::kAuto;
}

absl::StatusOr<ExitCode> RunCommand::Verify(const Plan& plan, Console& console) const {
  const Plan sample = SampleOf(plan);
  const int threads = static_cast<int>(threads_);
  const auto setup = PrepareRun(sample, threads);
  if (!setup.ok()) return setup.status();
  const auto cpu = NewExecutor(ExecutorKind::kCpu, (*setup)->tables, threads);
  if (!cpu.ok()) return cpu.status();
  const auto cuda = NewExecutor(ExecutorKind::kCuda, (*setup)->tables, threads);
  if (!cuda.ok()) return cuda.status();
  const auto difference = CompareExecutors(setup->get(), sample.rounds(), cpu->get(), cuda->get());
  if (!difference.ok()) return difference.status();
  if (difference->has_value()) {
    console.Say(absl::StrCat("CPU and GPU differ first in ", WordsFor(**difference)));
    return ExitCode::kMismatch;
  }
  if (!quiet_) {
    console.Say(absl::StrFormat("CPU and GPU are equal over %d rounds of %d problems x %d lanes",
                                sample.rounds(), (*setup)->tables.problem_count, sample.lanes()));
  }
  return ExitCode::kOk;
}

absl::StatusOr<std::unique_ptr<Store>> RunCommand::OpenKb() const {
  // Opening for writing makes a kb where there is none, which is not what --resume asks for.
  if (resume_) {
    const auto existing = kb_.Open(Store::Mode::kRead);
    if (!existing.ok()) return existing.status();
  }
  return kb_.Open(Store::Mode::kWrite);
}

absl::StatusOr<ExitCode> RunCommand::Run(Console& console) {
  absl::Status status = CheckFlags();
  if (!status.ok()) return status;
  Plan plan;
  int resume_run = 0;
  if (!resume_) {
    absl::StatusOr<Plan> made = plan_.Make();
    if (!made.ok()) return made.status();
    plan = *std::move(made);
  } else if (resume_run_.has_value()) {
    const absl::StatusOr<int> run = ParseRun(*resume_run_);
    if (!run.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--run: ", run.status().message()));
    }
    resume_run = *run;
  }
  if (verify_) {
    const absl::StatusOr<ExitCode> verified = Verify(plan, console);
    if (!verified.ok() || *verified != ExitCode::kOk) return verified;
  }
  const std::atomic<bool>& stop = StopOnSignal();
  const auto store = OpenKb();
  if (!store.ok()) return store.status();
  ProgressLine line(&console, quiet_);
  RunProgress last;
  RunOptions options;
  options.executor = Kind();
  options.threads = static_cast<int>(threads_);
  options.stop = &stop;
  options.progress = [&](const RunProgress& progress) {
    last = progress;
    line.Update(progress);
  };
  const absl::StatusOr<RunRecord> record = resume_ ? ResumeRun(resume_run, options, store->get())
                                                   : ExecutePlan(plan, options, store->get());
  line.Finish();
  if (!record.ok()) return record.status();
  return Report(**store, *record, last, line.elapsed_seconds(), console);
}

absl::StatusOr<ExitCode> RunCommand::Report(const Store& store, const RunRecord& record,
                                            const RunProgress& progress, double seconds,
                                            Console& console) const {
  const auto rounds = store.Rounds(record.run());
  if (!rounds.ok()) return rounds.status();
  Table table;
  table.columns = {"run", "state", "rounds", "attempts", "digest"};
  int64_t all_attempts = 0;
  for (const RoundRecord& round : *rounds) all_attempts += round.attempts();
  table.rows.push_back({Text(FormatRun(record.run())), Word(StateWord(record.state())),
                        Integer(static_cast<int64_t>(rounds->size())), Integer(all_attempts),
                        rounds->empty() ? Missing() : Text(FormatDigest(rounds->back().digest()))});
  const absl::Status printed = output_.Print({table}, console);
  if (!printed.ok()) return printed;
  if (!quiet_) {
    const auto attempts = static_cast<double>(progress.attempts_done);
    console.Say(absl::StrFormat("%d attempts in %.2f s (%s) into %s; executor %s%s",
                                progress.attempts_done, seconds, FormatRate(attempts / seconds),
                                kb_.path(), executor_ == "auto" ? "auto took " : "",
                                progress.executor));
  }
  if (record.state() == RunRecord::COMPLETE) return ExitCode::kOk;
  return absl::CancelledError(absl::StrCat(
      "interrupted after ", rounds->size(), " of ", record.rounds(),
      " rounds; go on with: ", "hearsay run --kb ", kb_.path(), " --resume --run ", record.run()));
}

}  // namespace

std::unique_ptr<Command> NewRunCommand() { return std::make_unique<RunCommand>(); }

}  // namespace hearsay
