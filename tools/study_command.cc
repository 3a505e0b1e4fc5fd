// hearsay study: summaries of a run, one function a study.
#include <future>
#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lineage/ancestry.h"
#include "lineage/influence.h"
#include "lineage/persistence.h"
#include "lineage/policies.h"
#include "lineage/spread.h"
#include "lineage/transfer.h"
#include "rounds/plan.h"
#include "tasks/words.h"
#include "tools/command.h"
#include "tools/kb_access.h"
#include "tools/output.h"

namespace hearsay {
namespace {

constexpr int kLongestLived = 10;

using Tables = absl::StatusOr<std::vector<Table>>;

Tables Transfer(const Store& store, const RunRecord& run) {
  const absl::StatusOr<TransferStudy> study = StudyTransfer(store, run.run(), {});
  if (!study.ok()) return study.status();
  return TransferTables(*study);
}

Tables Persistence(const Store& store, const RunRecord& run) {
  const absl::StatusOr<RunClaims> claims = LoadClaims(store, run, -1);
  if (!claims.ok()) return claims.status();
  const ClaimTable& table = *claims->table;
  // The second scan of the store goes beside what the table alone answers.
  auto spreading = std::async(std::launch::async, [&] { return StudySpread(store, table); });
  std::vector<Table> tables = PersistenceTables(table, StudyPersistence(table));
  Table longest_lived = LongestLivedTable(table, kLongestLived);
  const absl::StatusOr<SpreadStudy> spread = spreading.get();
  if (!spread.ok()) return spread.status();
  for (Table& spread_table : SpreadTables(*spread)) tables.push_back(std::move(spread_table));
  tables.push_back(std::move(longest_lived));
  return tables;
}

Tables Grouped(const GroupStudies& studies) {
  if (!studies.ok()) return studies.status();
  return GroupTables(*studies);
}

Tables Standing(const Store& store, const RunRecord& run) {
  return Grouped(StudyStanding(store, run));
}

Tables Adoption(const Store& store, const RunRecord& run) {
  return Grouped(StudyAdoption(store, run));
}

Tables Attribution(const Store& store, const RunRecord& run) {
  const auto atlas = Atlas::Create(run.hardware());
  if (!atlas.ok()) return absl::DataLossError(atlas.status().message());
  return Grouped(StudyAttribution(store, run, **atlas));
}

template <GroupStudies (*study)(const Store&, const ClaimTable&, const InfluenceOptions&)>
Tables OfClaims(const Store& store, const RunRecord& run) {
  const absl::StatusOr<RunClaims> claims = LoadClaims(store, run, -1);
  if (!claims.ok()) return claims.status();
  return Grouped(study(store, *claims->table, {}));
}

// The plan of a run without its policies, as text.
absl::StatusOr<std::string> PlanWithoutPolicies(const RunRecord& run) {
  absl::StatusOr<Plan> plan = ParsePlan(run.plan_text(), absl::StrCat("plan of run R", run.run()));
  if (!plan.ok()) return absl::DataLossError(plan.status().message());
  plan->clear_policies();
  return FormatPlan(*plan);
}

Tables Policies(const Store& store, const RunRecord& run) {
  const absl::StatusOr<std::string> wanted = PlanWithoutPolicies(run);
  if (!wanted.ok()) return wanted.status();
  const absl::StatusOr<std::vector<RunRecord>> all = store.Runs();
  if (!all.ok()) return all.status();
  std::vector<RunRecord> runs;
  std::optional<RunRecord> without;
  std::set<std::string> seen;
  for (const RunRecord& other : *all) {
    const absl::StatusOr<std::string> plan = PlanWithoutPolicies(other);
    if (!plan.ok()) return plan.status();
    if (*plan != *wanted || other.worlds_digest() != run.worlds_digest() ||
        other.state() != RunRecord::COMPLETE || !seen.insert(other.policies()).second) {
      continue;
    }
    if (other.policies().empty()) {
      without = other;
    } else {
      runs.push_back(other);
    }
  }
  if (!without.has_value()) {
    return absl::FailedPreconditionError(
        absl::StrCat("no complete run of the plan of R", run.run(),
                     " without policies; make one: hearsay sweep --vary policy=none/verify_gate"));
  }
  const auto atlas = Atlas::Create(run.hardware());
  if (!atlas.ok()) return absl::DataLossError(atlas.status().message());
  const absl::StatusOr<PolicyStudy> study = StudyPolicies(store, *without, runs, **atlas);
  if (!study.ok()) return study.status();
  return PolicyTables(*study);
}

struct Study {
  const char* name;
  Tables (*run)(const Store& store, const RunRecord& run);
};

constexpr Study kStudies[] = {{"transfer", Transfer},
                              {"standing", Standing},
                              {"content", OfClaims<StudyContent>},
                              {"attribution", Attribution},
                              {"adoption", Adoption},
                              {"propagation", OfClaims<StudyPropagation>},
                              {"persistence", Persistence},
                              {"policies", Policies}};

class StudyCommand : public Command {
 public:
  void Declare(ArgParser& args) override {
    args.AddWord(
        "STUDY",
        "transfer, standing, content, attribution, adoption, propagation, persistence or policies",
        &study_);
    kb_.Declare(args);
    run_.Declare(args);
    output_.Declare(args);
  }
  absl::StatusOr<ExitCode> Run(Console& console) override;

 private:
  absl::StatusOr<const Study*> Find() const;

  std::string study_;
  KbFlag kb_;
  RunFlag run_;
  OutputFlags output_;
};

absl::StatusOr<const Study*> StudyCommand::Find() const {
  std::vector<std::string> known;
  for (const Study& study : kStudies) {
    if (study_ == study.name) return &study;
    known.push_back(study.name);
  }
  return UnknownWord("study", study_, known);
}

absl::StatusOr<ExitCode> StudyCommand::Run(Console& console) {
  const absl::StatusOr<const Study*> study = Find();
  if (!study.ok()) return study.status();
  const auto store = kb_.Open(Store::Mode::kRead);
  if (!store.ok()) return store.status();
  const absl::StatusOr<RunRecord> run = run_.Find(**store);
  if (!run.ok()) return run.status();
  const Tables tables = (*study)->run(**store, *run);
  if (!tables.ok()) return tables.status();
  const absl::Status printed = output_.Print(*tables, console);
  if (!printed.ok()) return printed;
  return ExitCode::kOk;
}

}  // namespace

std::unique_ptr<Command> NewStudyCommand() { return std::make_unique<StudyCommand>(); }

}  // namespace hearsay
