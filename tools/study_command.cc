// hearsay study: summaries of a run or of several, one function a study.
#include <future>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lineage/ancestry.h"
#include "lineage/content.h"
#include "lineage/influence.h"
#include "lineage/persistence.h"
#include "lineage/policies.h"
#include "lineage/published.h"
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

Tables Transfer(const Store& store, const RunSet& runs) {
  const absl::StatusOr<TransferStudy> study = StudyTransfer(store, runs, {});
  if (!study.ok()) return study.status();
  return TransferTables(*study);
}

Tables Persistence(const Store& store, const RunSet& runs) {
  PersistenceCount persistence(runs);
  SpreadCount spread(runs);
  std::vector<Table> longest_lived;
  const absl::Status status = VisitClaims(store, runs, [&](const ClaimTable& table) {
    // The second scan of the store goes beside what the table alone answers.
    auto spreading = std::async(std::launch::async, [&] { return spread.Add(store, table); });
    persistence.Add(table);
    longest_lived.push_back(LongestLivedTable(table, kLongestLived));
    return spreading.get();
  });
  if (!status.ok()) return status;
  auto estimating = std::async(std::launch::async, [&] { return spread.Finish(); });
  std::vector<Table> tables = PersistenceTables(persistence.Finish());
  for (Table& table : SpreadTables(estimating.get())) tables.push_back(std::move(table));
  tables.push_back(MergeLongestLived(std::move(longest_lived), runs.Title(), kLongestLived));
  return tables;
}

Tables Grouped(const GroupStudies& studies) {
  if (!studies.ok()) return studies.status();
  return GroupTables(*studies);
}

Tables Standing(const Store& store, const RunSet& runs) {
  return Grouped(StudyStanding(store, runs));
}

Tables Adoption(const Store& store, const RunSet& runs) {
  return Grouped(StudyAdoption(store, runs));
}

Tables Attribution(const Store& store, const RunSet& runs) {
  const auto atlas = AtlasOf(runs.run(0));
  if (!atlas.ok()) return atlas.status();
  return Grouped(StudyAttribution(store, runs, **atlas));
}

template <typename Count>
Tables OfClaims(const Store& store, const RunSet& runs) {
  Count count(runs);
  const absl::Status status =
      VisitClaims(store, runs, [&](const ClaimTable& table) { return count.Add(store, table); });
  if (!status.ok()) return status;
  return GroupTables(count.Finish());
}

Tables Policies(const Store& store, const RunSet& runs) {
  const absl::StatusOr<std::vector<PolicyRuns>> plans = FindPolicyRuns(store, runs);
  if (!plans.ok()) return plans.status();
  const auto atlas = AtlasOf(runs.run(0));
  if (!atlas.ok()) return atlas.status();
  const absl::StatusOr<PolicyStudy> study = StudyPolicies(store, *plans, **atlas);
  if (!study.ok()) return study.status();
  return PolicyTables(*study);
}

Tables Published(const Store& store, const RunSet& runs) {
  const auto atlas = AtlasOf(runs.run(0));
  if (!atlas.ok()) return atlas.status();
  auto attributing =
      std::async(std::launch::async, [&] { return StudyAttribution(store, runs, **atlas); });
  const absl::StatusOr<TransferStudy> transfer = StudyTransfer(store, runs, {});
  const GroupStudies attribution = attributing.get();
  if (!transfer.ok()) return transfer.status();
  if (!attribution.ok()) return attribution.status();
  ContentCount content(runs);
  PropagationCount propagation(runs);
  const absl::Status status = VisitClaims(store, runs, [&](const ClaimTable& table) {
    auto telling = std::async(std::launch::async, [&] { return content.Add(store, table); });
    absl::Status added = propagation.Add(store, table);
    added.Update(telling.get());
    return added;
  });
  if (!status.ok()) return status;
  auto estimating = std::async(std::launch::async, [&] { return content.Finish(); });
  const std::vector<GroupStudy> propagated = propagation.Finish();
  return PublishedTables({*transfer, estimating.get(), *attribution, propagated});
}

struct Study {
  const char* name;
  Tables (*make)(const Store& store, const RunSet& runs);
};

constexpr Study kStudies[] = {{"transfer", Transfer},
                              {"standing", Standing},
                              {"content", OfClaims<ContentCount>},
                              {"attribution", Attribution},
                              {"adoption", Adoption},
                              {"propagation", OfClaims<PropagationCount>},
                              {"persistence", Persistence},
                              {"policies", Policies},
                              {"published", Published}};

class StudyCommand : public Command {
 public:
  void Declare(ArgParser& args) override {
    args.AddWord(
        "STUDY",
        "transfer, standing, content, attribution, adoption, propagation, persistence, policies or "
        "published",
        &study_);
    kb_.Declare(args);
    runs_.Declare(args);
    output_.Declare(args);
  }
  absl::StatusOr<ExitCode> Run(Console& console) override;

 private:
  absl::StatusOr<const Study*> Find() const;

  std::string study_;
  KbFlag kb_;
  RunsFlag runs_;
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
  const absl::StatusOr<RunSet> runs = runs_.Find(**store);
  if (!runs.ok()) return runs.status();
  const Tables tables = (*study)->make(**store, *runs);
  if (!tables.ok()) return tables.status();
  const absl::Status printed = output_.Print(*tables, console);
  if (!printed.ok()) return printed;
  return ExitCode::kOk;
}

}  // namespace

std::unique_ptr<Command> NewStudyCommand() { return std::make_unique<StudyCommand>(); }

}  // namespace hearsay
