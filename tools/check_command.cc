// hearsay check: the integrity of a kb.
#include <algorithm>
#include <thread>

#include "absl/strings/str_cat.h"
#include "kb/check.h"
#include "tools/command.h"
#include "tools/kb_access.h"
#include "tools/output.h"

namespace hearsay {
namespace {

class CheckCommand : public Command {
 public:
  void Declare(ArgParser& args) override {
    kb_.Declare(args);
    args.AddNumber("--max-findings", "Findings to list (100)", 1, INT32_MAX, &max_findings_);
    output_.Declare(args);
  }
  absl::StatusOr<ExitCode> Run(Console& console) override;

 private:
  KbFlag kb_;
  int64_t max_findings_ = 100;
  OutputFlags output_;
};

absl::StatusOr<ExitCode> CheckCommand::Run(Console& console) {
  const int threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const absl::StatusOr<CheckReport> report =
      CheckKb(kb_.path(), static_cast<int>(max_findings_), threads);
  if (!report.ok()) return report.status();
  Table findings;
  findings.title = absl::StrCat("Findings in ", kb_.path());
  findings.columns = {"requirement", "where", "problem"};
  for (const Finding& finding : report->findings) {
    findings.rows.push_back(
        {Integer(finding.requirement), Text(finding.where), Text(finding.problem)});
  }
  findings.notes = {absl::StrCat("looked at ", report->runs, " runs, ", report->rounds, " rounds, ",
                                 report->attempts, " attempts, ", report->claims,
                                 " claims; requirements are those of docs/data-model.md")};
  const absl::Status printed = output_.Print({findings}, console);
  if (!printed.ok()) return printed;
  if (report->finding_count == 0) return ExitCode::kOk;
  return absl::DataLossError(absl::StrCat("kb '", kb_.path(), "' breaks its requirements in ",
                                          report->finding_count,
                                          report->finding_count == 1 ? " place" : " places"));
}

}  // namespace

std::unique_ptr<Command> NewCheckCommand() { return std::make_unique<CheckCommand>(); }

}  // namespace hearsay
