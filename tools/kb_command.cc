// hearsay kb: the store as a thing on disk.
#include <algorithm>
#include <optional>
#include <thread>

#include "absl/strings/str_cat.h"
#include "kb/repair.h"
#include "tools/command.h"
#include "tools/kb_access.h"
#include "tools/output.h"

namespace hearsay {
namespace {

class KbCommand : public Command {
 public:
  void Declare(ArgParser& args) override {
    args.AddWord("ACTION", "stat or repair", &action_);
    kb_.Declare(args);
    args.AddText("-o,--output", "DIR", "repair: the new kb (required)", &target_);
    output_.Declare(args);
  }
  absl::StatusOr<ExitCode> Run(Console& console) override;

 private:
  absl::StatusOr<ExitCode> Stat(Console& console) const;
  absl::StatusOr<ExitCode> Repair(Console& console) const;

  std::string action_;
  std::optional<std::string> target_;
  KbFlag kb_;
  OutputFlags output_;
};

Cell Share(int64_t bytes, int64_t count) {
  return count > 0 ? Real(static_cast<double>(bytes) / static_cast<double>(count)) : Missing();
}

absl::StatusOr<ExitCode> KbCommand::Stat(Console& console) const {
  const auto store = kb_.Open(Store::Mode::kRead);
  if (!store.ok()) return store.status();
  const auto sizes = (*store)->Sizes();
  if (!sizes.ok()) return sizes.status();
  const auto runs = (*store)->Runs();
  if (!runs.ok()) return runs.status();
  int64_t attempts = 0, claims = 0, dropped = 0, kept = 0;
  for (const RunRecord& run : *runs) {
    const auto rounds = (*store)->Rounds(run.run());
    if (!rounds.ok()) return rounds.status();
    for (const RoundRecord& round : *rounds) {
      attempts += round.attempts();
      if (round.dropped()) dropped += round.attempts();
      if (round.dropped()) kept += round.kept_claims();
      if (run.claims_recorded()) claims += round.claims_born();
    }
  }
  Table table;
  table.title = absl::StrCat("Bytes of ", kb_.path());
  table.columns = {"part", "entries", "files", "bytes", "per_attempt", "per_claim"};
  const auto add = [&](const std::string& part, Cell entries, Cell files, int64_t bytes) {
    table.rows.push_back({Text(part), std::move(entries), std::move(files), Integer(bytes),
                          Share(bytes, attempts), Share(bytes, claims)});
  };
  for (const StoreSizes::Family& family : sizes->families) {
    add(family.name, Integer(family.entries), Integer(family.files), family.bytes);
  }
  add("log", Missing(), Missing(), sizes->log_bytes);
  add("other", Missing(), Missing(), sizes->other_bytes);
  add("all", Missing(), Missing(), sizes->total_bytes());
  table.notes = {
      absl::StrCat("holds ", runs->size(), " runs, ", attempts, " attempts, ", claims, " claims"),
      "log: written lately and not compressed yet; entries: about"};
  if (dropped > 0) {
    table.notes.push_back(
        absl::StrCat(dropped, " of these attempts were dropped (--retain), of their claims ", kept,
                     " are kept; the columns per attempt and claim count all that were made"));
  }
  const absl::Status printed = output_.Print({table}, console);
  if (!printed.ok()) return printed;
  return ExitCode::kOk;
}

absl::StatusOr<ExitCode> KbCommand::Repair(Console& console) const {
  if (!target_.has_value() || target_->empty()) {
    return absl::InvalidArgumentError("repair writes what is whole to a new kb: say where with -o");
  }
  const int threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const auto report = RepairKb(kb_.path(), *target_, threads);
  if (!report.ok()) return report.status();
  Table table;
  table.title = absl::StrCat("Damaged or lost in ", kb_.path());
  table.columns = {"loss"};
  for (const std::string& loss : report->losses) table.rows.push_back({Text(loss)});
  table.notes = {absl::StrCat("kept ", report->runs, " runs, ", report->rounds, " rounds, ",
                              report->attempts, " attempts, ", report->texts, " texts in ",
                              *target_, "; ", kb_.path(), " is as it was")};
  for (const int run : report->resumable) {
    table.notes.push_back(
        absl::StrCat("go on with: hearsay run --kb ", *target_, " --resume --run ", run));
  }
  const absl::Status printed = output_.Print({table}, console);
  if (!printed.ok()) return printed;
  return ExitCode::kOk;
}

absl::StatusOr<ExitCode> KbCommand::Run(Console& console) {
  if (action_ == "repair") return Repair(console);
  if (target_.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat("-o does not go with '", action_, "'"));
  }
  if (action_ == "stat") return Stat(console);
  return absl::InvalidArgumentError(
      absl::StrCat("unknown action '", action_, "'; known: stat, repair"));
}

}  // namespace

std::unique_ptr<Command> NewKbCommand() { return std::make_unique<KbCommand>(); }

}  // namespace hearsay
