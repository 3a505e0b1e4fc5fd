// hearsay runs: what a kb holds.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tasks/problems.h"
#include "tools/command.h"
#include "tools/kb_access.h"
#include "tools/output.h"
#include "tools/run_words.h"

namespace hearsay {
namespace {

class RunsCommand : public Command {
 public:
  void Declare(ArgParser& args) override {
    kb_.Declare(args);
    output_.Declare(args);
  }
  absl::StatusOr<ExitCode> Run(Console& console) override;

 private:
  KbFlag kb_;
  OutputFlags output_;
};

Cell TextOrMissing(const std::string& text) { return text.empty() ? Missing() : Text(text); }

std::vector<Cell> RunRow(const RunRecord& run, const std::vector<RoundRecord>& rounds) {
  int64_t attempts = 0;
  for (const RoundRecord& round : rounds) attempts += round.attempts();
  return {Text(FormatRun(run.run())),
          Word(StateWord(run.state())),
          Text(FormatTime(run.created_unix_seconds())),
          Integer(static_cast<int64_t>(rounds.size())),
          Integer(run.rounds()),
          Text(FormatProblemSelection({run.problems().begin(), run.problems().end()})),
          Integer(run.lanes()),
          Integer(attempts),
          Text(run.topology()),
          TextOrMissing(run.policies()),
          Text(absl::StrJoin(run.agents(), " ")),
          Text(run.agents_rotate() ? "rotate" : "fixed"),
          Text(run.hardware()),
          Text(absl::StrCat(run.seed())),
          Text(run.claims_recorded() ? "full" : "summary"),
          Text(run.retain().empty() ? "all" : run.retain()),
          rounds.empty() ? Missing() : Text(FormatDigest(rounds.back().digest())),
          Text(run.software())};
}

absl::StatusOr<ExitCode> RunsCommand::Run(Console& console) {
  const auto store = kb_.Open(Store::Mode::kRead);
  if (!store.ok()) return store.status();
  const auto runs = (*store)->Runs();
  if (!runs.ok()) return runs.status();
  Table table;
  table.title = "Runs of " + kb_.path();
  table.columns = {"run",      "state",    "created",  "rounds",   "planned", "problems",
                   "lanes",    "attempts", "topology", "policies", "agents",  "agent_schedule",
                   "hardware", "seed",     "record",   "retain",   "digest",  "software"};
  for (const RunRecord& run : *runs) {
    const auto rounds = (*store)->Rounds(run.run());
    if (!rounds.ok()) return rounds.status();
    table.rows.push_back(RunRow(run, *rounds));
  }
  const absl::Status printed = output_.Print({table}, console);
  if (!printed.ok()) return printed;
  return ExitCode::kOk;
}

}  // namespace

std::unique_ptr<Command> NewRunsCommand() { return std::make_unique<RunsCommand>(); }

}  // namespace hearsay
