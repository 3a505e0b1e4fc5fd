// hearsay report: all studies of a run as one HTML page.
#include <algorithm>
#include <future>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lineage/ancestry.h"
#include "lineage/influence.h"
#include "tasks/problems.h"
#include "tools/command.h"
#include "tools/files.h"
#include "tools/kb_access.h"
#include "tools/policy_runs.h"
#include "tools/report_page.h"
#include "tools/report_plots.h"
#include "tools/run_words.h"

namespace hearsay {
namespace {

constexpr int kLongestLived = 10;
const PlotAxis kShareOfComparisons = {"share of comparisons", true};

absl::Status AddTransfer(const absl::StatusOr<TransferStudy>& study, ReportPage* page) {
  if (!study.ok()) return study.status();
  page->Section("Transfer",
                "Attempts that read a note against the solo attempts of the same lane, "
                "agent and language. Bands and bars are 95% intervals.");
  page->Add(LiftByRound(*study));
  page->Add(EffectByRound(*study));
  page->Add(LiftByAgent(*study));
  page->Add(TransferTables(*study));
  return absl::OkStatus();
}

absl::Status AddStanding(const GroupStudies& studies, ReportPage* page) {
  if (!studies.ok()) return studies.status();
  const std::vector<GroupStudy>& study = *studies;
  page->Section("Standing",
                "Does it matter how well the author of a note did, seen from the "
                "reader's own solo?");
  page->Add(SeveralDots(study[0], {"T", "H"}, {"helped", "harmed"},
                        "Helped and harmed, by standing of the source", kShareOfComparisons));
  page->Add(PooledDots(study[0], "dGM", "Paired lift, by standing", {"dGM", true}, 0.0));
  page->Add(SeveralDots(study[1], {"correlation"}, {}, "Coupling of the two directions",
                        {"correlation of mean log rho"}));
  page->Add(GroupTables(study));
  return absl::OkStatus();
}

absl::Status AddAdoption(const GroupStudies& studies, ReportPage* page) {
  if (!studies.ok()) return studies.status();
  const std::vector<GroupStudy>& study = *studies;
  page->Section("Adoption", "How far the plan of the note was followed, and what came of it.");
  page->Add(SeveralDots(study[0], {"T", "H"}, {"helped", "harmed"},
                        "Helped and harmed, by adoption", kShareOfComparisons));
  page->Add(PooledDots(study[0], "dGM", "Paired lift, by adoption", {"dGM", true}, 0.0));
  page->Add(GroupTables(study));
  return absl::OkStatus();
}

absl::Status AddAttribution(const GroupStudies& studies, ReportPage* page) {
  if (!studies.ok()) return studies.status();
  const std::vector<GroupStudy>& study = *studies;
  page->Section("Attribution",
                "Why harmed attempts were harmed, from what the simulator recorded.");
  page->Add(PooledDots(study[0], "share", "Causes of harm", {"share of harmed", true}, 0.0));
  page->Add(
      PooledDots(study[1], "points", "Events in harmed attempts less others", {"points"}, 0.0));
  page->Add(GroupTables(study));
  return absl::OkStatus();
}

absl::Status AddContent(const GroupStudies& content, const GroupStudies& propagation,
                        ReportPage* page) {
  if (!content.ok()) return content.status();
  if (!propagation.ok()) return propagation.status();
  page->Section("Content and propagation",
                "What stands in notes that harm and in notes that help, "
                "and what is written on without having been tested.");
  page->Add(PooledDots((*content)[0], "points", "Labels in harmful notes less helpful ones",
                       {"points"}, 0.0));
  page->Add(SeveralDots((*propagation)[0], {"harmed_written", "helped_written"},
                        {"harmed", "helped"}, "Unverified claims written on, by agent",
                        {"share of attempts that received one", true}));
  std::vector<Table> tables = GroupTables(*content);
  for (Table& table : GroupTables(*propagation)) tables.push_back(std::move(table));
  page->Add(tables);
  return absl::OkStatus();
}

absl::Status AddPersistence(const ClaimTable& claims, const PersistenceStudy& persistence,
                            const absl::StatusOr<SpreadStudy>& spread, ReportPage* page) {
  if (!spread.ok()) return spread.status();
  page->Section("Persistence", "What becomes of unsupported closures when notes are handed on.");
  page->Add(BurdenPlot(*spread));
  page->Add(TrendPlot(*spread));
  page->Add(SurvivalPlot(persistence));
  page->Add(HazardPlot(persistence));
  page->Add(ReproductionPlot(*spread));
  page->Add(CitationPlot(*spread));
  std::vector<Table> tables = PersistenceTables(claims, persistence);
  for (Table& table : SpreadTables(*spread)) tables.push_back(std::move(table));
  tables.push_back(LongestLivedTable(claims, kLongestLived));
  page->Add(tables);
  return absl::OkStatus();
}

absl::Status AddClaimStudies(const Store& store, const RunRecord& run, ReportPage* page) {
  const absl::StatusOr<RunClaims> claims = LoadClaims(store, run, -1);
  if (!claims.ok()) return claims.status();
  const ClaimTable& table = *claims->table;
  auto spreading = std::async(std::launch::async, [&] { return StudySpread(store, table); });
  auto telling = std::async(std::launch::async, [&] { return StudyContent(store, table); });
  const PersistenceStudy persistence = StudyPersistence(table);
  const GroupStudies propagation = StudyPropagation(store, table);
  absl::Status status = AddContent(telling.get(), propagation, page);
  const absl::StatusOr<SpreadStudy> spread = spreading.get();
  if (status.ok()) status = AddPersistence(table, persistence, spread, page);
  return status;
}

// Only where the kb holds other runs of the plan.
absl::Status AddPolicies(const Store& store, const RunRecord& run, Atlas& atlas, ReportPage* page) {
  const absl::StatusOr<PolicyRuns> runs = FindPolicyRuns(store, run);
  if (absl::IsFailedPrecondition(runs.status())) return absl::OkStatus();
  if (!runs.ok()) return runs.status();
  if (runs->with.empty()) return absl::OkStatus();
  const absl::StatusOr<PolicyStudy> study = StudyPolicies(store, runs->without, runs->with, atlas);
  if (!study.ok()) return study.status();
  page->Section("Policies",
                "Runs of the same plan in this kb that differ in their policies alone, on "
                "common random numbers. Up is better, left is better.");
  page->Add(FrontierPlot(*study));
  page->Add(PolicyTables(*study));
  return absl::OkStatus();
}

absl::StatusOr<std::string> MakeReport(const Store& store, const RunRecord& run) {
  const auto atlas = Atlas::Create(run.hardware());
  if (!atlas.ok()) return absl::DataLossError(atlas.status().message());
  const auto rounds = store.Rounds(run.run());
  if (!rounds.ok()) return rounds.status();
  ReportPage page(
      absl::StrCat("hearsay: run ", FormatRun(run.run())),
      absl::StrCat(run.problems_size(), " problems, ", run.agents_size(), " agents, ", run.lanes(),
                   " lanes, ", rounds->size(), " of ", run.rounds(), " rounds, ", run.topology(),
                   ", ", run.policies().empty() ? "no policies" : run.policies(), ", seed ",
                   run.seed(), ", hardware ", run.hardware(), ", ", run.software(), ", digest ",
                   rounds->empty() ? "none" : FormatDigest(rounds->back().digest()),
                   ". Landscapes are modelled, not measured."));
  absl::Status status = AddTransfer(StudyTransfer(store, run.run(), {}), &page);
  if (status.ok()) status = AddStanding(StudyStanding(store, run), &page);
  if (status.ok()) status = AddAdoption(StudyAdoption(store, run), &page);
  if (status.ok()) status = AddAttribution(StudyAttribution(store, run, **atlas), &page);
  if (status.ok() && run.claims_recorded()) status = AddClaimStudies(store, run, &page);
  if (status.ok()) status = AddPolicies(store, run, **atlas, &page);
  if (!status.ok()) return status;
  return page.Finish();
}

class ReportCommand : public Command {
 public:
  void Declare(ArgParser& args) override {
    args.AddOptionalWord("RUN", "A run such as R1 (the latest)", &run_);
    kb_.Declare(args);
    args.AddText("-o,--output", "FILE", "Where to write the page (standard output)", &output_);
  }
  absl::StatusOr<ExitCode> Run(Console& console) override;

 private:
  std::optional<std::string> run_, output_;
  KbFlag kb_;
};

absl::StatusOr<ExitCode> ReportCommand::Run(Console& console) {
  const auto store = kb_.Open(Store::Mode::kRead);
  if (!store.ok()) return store.status();
  const absl::StatusOr<RunRecord> run = FindRun(**store, run_);
  if (!run.ok()) return run.status();
  const absl::Status whole = (*store)->RequireWhole(run->run());
  if (!whole.ok()) return whole;
  const absl::StatusOr<std::string> page = MakeReport(**store, *run);
  if (!page.ok()) return page.status();
  if (!output_.has_value()) {
    console.Out(*page);
    return ExitCode::kOk;
  }
  const absl::Status written = WriteFile(*output_, *page);
  if (!written.ok()) return written;
  console.Say(absl::StrCat("wrote ", *output_));
  return ExitCode::kOk;
}

}  // namespace

std::unique_ptr<Command> NewReportCommand() { return std::make_unique<ReportCommand>(); }

}  // namespace hearsay
