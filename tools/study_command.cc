// hearsay study: summaries of a run, one function a study.
#include <future>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lineage/ancestry.h"
#include "lineage/influence.h"
#include "lineage/persistence.h"
#include "lineage/policies.h"
#include "lineage/spread.h"
#include "lineage/transfer.h"
#include "tasks/words.h"
#include "tools/command.h"
#include "tools/kb_access.h"
#include "tools/output.h"
#include "tools/policy_runs.h"

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

Tables Policies(const Store& store, const RunRecord& run) {
  const absl::StatusOr<PolicyRuns> runs = FindPolicyRuns(store, run);
  if (!runs.ok()) return runs.status();
  const auto atlas = Atlas::Create(run.hardware());
  if (!atlas.ok()) return absl::DataLossError(atlas.status().message());
  const absl::StatusOr<PolicyStudy> study =
      StudyPolicies(store, runs->without, runs->with, **atlas);
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
  // All studies count attempts, or claims that they made.
  const absl::Status whole = (*store)->RequireWhole(run->run());
  if (!whole.ok()) return whole;
  const Tables tables = (*study)->run(**store, *run);
  if (!tables.ok()) return tables.status();
  const absl::Status printed = output_.Print(*tables, console);
  if (!printed.ok()) return printed;
  return ExitCode::kOk;
}

}  // namespace

std::unique_ptr<Command> NewStudyCommand() { return std::make_unique<StudyCommand>(); }

}  // namespace hearsay
