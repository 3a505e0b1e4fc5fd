// hearsay run: executes a plan into a kb, or resumes a run.
#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "rounds/engine.h"
#include "tools/command.h"
#include "tools/interrupt.h"
#include "tools/kb_access.h"
#include "tools/output.h"
#include "tools/plan_flags.h"
#include "tools/progress.h"
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
  absl::StatusOr<std::unique_ptr<Store>> OpenKb() const;
  absl::StatusOr<ExitCode> Report(const Store& store, const RunRecord& record, int64_t attempts,
                                  double seconds, Console& console) const;

  KbFlag kb_;
  PlanFlags plan_;
  OutputFlags output_;
  std::string executor_ = "auto";
  int64_t threads_ = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  bool resume_ = false;
  std::optional<std::string> resume_run_;
  bool quiet_ = false;
};

void RunCommand::Declare(ArgParser& args) {
  plan_.Declare(args);
  kb_.Declare(args);
  args.AddChoice("--executor", {"auto", "cpu", "cuda"}, "Where to run the lanes (auto)",
                 &executor_);
  args.AddNumber("--threads", "Of the CPU executor (all)", 1, kMaxThreads, &threads_);
  args.AddSwitch("--resume", "Go on with a run that was stopped", &resume_);
  args.AddText("--run", "N", "The run to resume (the latest unfinished)", &resume_run_);
  args.AddSwitch("--quiet", "No progress and no summary", &quiet_);
  output_.Declare(args);
}

absl::Status RunCommand::CheckFlags() const {
  if (executor_ == "cuda") {
    return absl::InvalidArgumentError(
        "--executor cuda: this build has no CUDA executor; use auto or cpu");
  }
  if (resume_ && !plan_.FirstGiven().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--resume goes on with the plan in the kb and takes no ", plan_.FirstGiven()));
  }
  if (!resume_ && resume_run_.has_value()) {
    return absl::InvalidArgumentError("--run names the run to resume and needs --resume");
  }
  return absl::OkStatus();
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
  const std::atomic<bool>& stop = StopOnSignal();
  const auto store = OpenKb();
  if (!store.ok()) return store.status();
  ProgressLine line(&console, quiet_);
  int64_t attempts = 0;
  RunOptions options;
  options.threads = static_cast<int>(threads_);
  options.stop = &stop;
  options.progress = [&](const RunProgress& progress) {
    attempts = progress.attempts_done;
    line.Update(progress);
  };
  const absl::StatusOr<RunRecord> record = resume_ ? ResumeRun(resume_run, options, store->get())
                                                   : ExecutePlan(plan, options, store->get());
  line.Finish();
  if (!record.ok()) return record.status();
  return Report(**store, *record, attempts, line.elapsed_seconds(), console);
}

absl::StatusOr<ExitCode> RunCommand::Report(const Store& store, const RunRecord& record,
                                            int64_t attempts, double seconds,
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
    console.Say(absl::StrFormat("%d attempts in %.2f s (%s) into %s; executor %sCPU, threads %d",
                                attempts, seconds,
                                FormatRate(static_cast<double>(attempts) / seconds), kb_.path(),
                                executor_ == "auto" ? "auto took the " : "", threads_));
  }
  if (record.state() == RunRecord::COMPLETE) return ExitCode::kOk;
  return absl::CancelledError(absl::StrCat(
      "interrupted after ", rounds->size(), " of ", record.rounds(),
      " rounds; go on with: ", "hearsay run --kb ", kb_.path(), " --resume --run ", record.run()));
}

}  // namespace

std::unique_ptr<Command> NewRunCommand() { return std::make_unique<RunCommand>(); }

}  // namespace hearsay
