// hearsay compare: whether two runs are the same, and where they part.
#include "absl/strings/str_cat.h"
#include "tools/command.h"
#include "tools/kb_access.h"
#include "tools/output.h"
#include "tools/run_compare.h"
#include "tools/run_words.h"

namespace hearsay {
namespace {

class CompareCommand : public Command {
 public:
  void Declare(ArgParser& args) override {
    args.AddWord("RUN_A", "A run such as R1", &run_a_);
    args.AddWord("RUN_B", "Another, such as R2", &run_b_);
    kb_.Declare(args);
    args.AddText("--kb-b", "DIR", "Directory of the kb of RUN_B (that of --kb)", &kb_b_);
    output_.Declare(args);
  }
  absl::StatusOr<ExitCode> Run(Console& console) override;

 private:
  std::string run_a_, run_b_;
  KbFlag kb_;
  std::optional<std::string> kb_b_;
  OutputFlags output_;
};

absl::StatusOr<ExitCode> CompareCommand::Run(Console& console) {
  const absl::StatusOr<int> number_a = ParseRun(run_a_);
  if (!number_a.ok()) return number_a.status();
  const absl::StatusOr<int> number_b = ParseRun(run_b_);
  if (!number_b.ok()) return number_b.status();
  const auto store_a = kb_.Open(Store::Mode::kRead);
  if (!store_a.ok()) return store_a.status();
  const auto store_b = Store::Open(kb_b_.value_or(kb_.path()), Store::Mode::kRead);
  if (!store_b.ok()) return store_b.status();
  const absl::StatusOr<RunRecord> run_a = (*store_a)->Run(*number_a);
  if (!run_a.ok()) return run_a.status();
  const absl::StatusOr<RunRecord> run_b = (*store_b)->Run(*number_b);
  if (!run_b.ok()) return run_b.status();
  const absl::StatusOr<std::optional<RunDifference>> difference =
      CompareRuns(**store_a, *run_a, **store_b, *run_b);
  if (!difference.ok()) return difference.status();

  const bool equal = !difference->has_value();
  Table table;
  table.columns = {"run_a", "run_b", "result", "round", "problem", "lane", "difference"};
  const RunDifference first = difference->value_or(RunDifference{});
  table.rows.push_back({Text(FormatRun(*number_a)), Text(FormatRun(*number_b)),
                        Text(equal ? "equal" : "differ"), equal ? Missing() : Integer(first.round),
                        first.problem < 0 ? Missing() : Text(FormatProblem(first.problem)),
                        first.lane < 0 ? Missing() : Integer(first.lane),
                        equal ? Missing() : Text(first.what)});
  const absl::Status printed = output_.Print({table}, console);
  if (!printed.ok()) return printed;
  if (equal) return ExitCode::kOk;
  console.Say(absl::StrCat(FormatRun(*number_a), " and ", FormatRun(*number_b), " differ first in ",
                           WordsFor(first)));
  return ExitCode::kMismatch;
}

}  // namespace

std::unique_ptr<Command> NewCompareCommand() { return std::make_unique<CompareCommand>(); }

}  // namespace hearsay
