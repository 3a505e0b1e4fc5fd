// hearsay report: all studies of a run, or of several, as one HTML page.
#include <algorithm>
#include <future>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lineage/ancestry.h"
#include "lineage/content.h"
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

void AddContent(const std::vector<GroupStudy>& content, const std::vector<GroupStudy>& propagation,
                ReportPage* page) {
  page->Section("Content and propagation",
                "What stands in notes that harm and in notes that help, "
                "and what is written on without having been tested.");
  page->Add(PooledDots(content[0], "points", "Labels in harmful notes less helpful ones",
                       {"points"}, 0.0));
  page->Add(SeveralDots(propagation[0], {"harmed_written", "helped_written"}, {"harmed", "helped"},
                        "Unverified claims written on, by agent",
                        {"share of attempts that received one", true}));
  std::vector<Table> tables = GroupTables(content);
  for (Table& table : GroupTables(propagation)) tables.push_back(std::move(table));
  page->Add(tables);
}

void AddPersistence(const PersistenceStudy& persistence, const SpreadStudy& spread,
                    Table longest_lived, ReportPage* page) {
  page->Section("Persistence", "What becomes of unsupported closures when notes are handed on.");
  page->Add(BurdenPlot(spread));
  page->Add(TrendPlot(spread));
  page->Add(SurvivalPlot(persistence));
  page->Add(HazardPlot(persistence));
  page->Add(ReproductionPlot(spread));
  page->Add(CitationPlot(spread));
  std::vector<Table> tables = PersistenceTables(persistence);
  for (Table& table : SpreadTables(spread)) tables.push_back(std::move(table));
  tables.push_back(std::move(longest_lived));
  page->Add(tables);
}

absl::Status AddClaimStudies(const Store& store, const RunSet& runs, ReportPage* page) {
  PersistenceCount persistence(runs);
  SpreadCount spread(runs);
  ContentCount content(runs);
  PropagationCount propagation(runs);
  std::vector<Table> longest_lived;
  const absl::Status status = VisitClaims(store, runs, [&](const ClaimTable& table) {
    auto spreading = std::async(std::launch::async, [&] { return spread.Add(store, table); });
    auto telling = std::async(std::launch::async, [&] { return content.Add(store, table); });
    persistence.Add(table);
    longest_lived.push_back(LongestLivedTable(table, kLongestLived));
    absl::Status added = propagation.Add(store, table);
    added.Update(telling.get());
    added.Update(spreading.get());
    return added;
  });
  if (!status.ok()) return status;
  auto estimating = std::async(std::launch::async, [&] { return spread.Finish(); });
  AddContent(content.Finish(), propagation.Finish(), page);
  AddPersistence(persistence.Finish(), estimating.get(),
                 MergeLongestLived(std::move(longest_lived), runs.Title(), kLongestLived), page);
  return absl::OkStatus();
}

// Only where the kb holds other runs of the plans.
absl::Status AddPolicies(const Store& store, const RunSet& runs, Atlas& atlas, ReportPage* page) {
  const absl::StatusOr<std::vector<PolicyRuns>> plans = FindPolicyRuns(store, runs);
  if (absl::IsFailedPrecondition(plans.status())) return absl::OkStatus();
  if (!plans.ok()) return plans.status();
  if (std::all_of(plans->begin(), plans->end(),
                  [](const PolicyRuns& plan) { return plan.with.empty(); })) {
    return absl::OkStatus();
  }
  const absl::StatusOr<PolicyStudy> study = StudyPolicies(store, *plans, atlas);
  if (!study.ok()) return study.status();
  page->Section("Policies",
                "Runs of the same plan in this kb that differ in their policies alone, on "
                "common random numbers. Up is better, left is better.");
  page->Add(FrontierPlot(*study));
  page->Add(PolicyTables(*study));
  return absl::OkStatus();
}

// "74 problems, 6 agents, 24 lanes, 101 of 101 rounds, relay ...", or what several runs are.
absl::StatusOr<std::string> Subtitle(const Store& store, const RunSet& runs) {
  const RunRecord& run = runs.run(0);
  const auto rounds = store.Rounds(run.run());
  if (!rounds.ok()) return rounds.status();
  std::string text =
      absl::StrCat(runs.problem_count(), " problems, ", runs.agent_count(), " agents, ");
  if (runs.size() == 1) {
    absl::StrAppend(&text, run.lanes(), " lanes, ", rounds->size(), " of ", run.rounds(),
                    " rounds, ", run.topology(), ", ",
                    run.policies().empty() ? "no policies" : run.policies(), ", seed ", run.seed(),
                    ", hardware ", run.hardware(), ", ", run.software(), ", digest ",
                    rounds->empty() ? "none" : FormatDigest(rounds->back().digest()));
  } else {
    absl::StrAppend(&text, rounds->size(), " rounds, hardware ", run.hardware(), ". ",
                    absl::StrJoin(runs.Notes(), "; "));
  }
  return absl::StrCat(text, ". Landscapes are modelled, not measured.");
}

absl::StatusOr<std::string> MakeReport(const Store& store, const RunSet& runs) {
  const auto atlas = AtlasOf(runs.run(0));
  if (!atlas.ok()) return atlas.status();
  const absl::StatusOr<std::string> subtitle = Subtitle(store, runs);
  if (!subtitle.ok()) return subtitle.status();
  ReportPage page(absl::StrCat("hearsay: ", runs.Title()), *subtitle);
  auto standing = std::async(std::launch::async, [&] { return StudyStanding(store, runs); });
  absl::Status status = AddTransfer(StudyTransfer(store, runs, {}), &page);
  status.Update(AddStanding(standing.get(), &page));
  auto adoption = std::async(std::launch::async, [&] { return StudyAdoption(store, runs); });
  const GroupStudies attribution = StudyAttribution(store, runs, **atlas);
  status.Update(AddAdoption(adoption.get(), &page));
  if (status.ok()) status = AddAttribution(attribution, &page);
  const bool claims_recorded =
      std::all_of(runs.runs().begin(), runs.runs().end(),
                  [](const RunRecord& one) { return one.claims_recorded(); });
  if (status.ok() && claims_recorded) status = AddClaimStudies(store, runs, &page);
  if (status.ok()) status = AddPolicies(store, runs, **atlas, &page);
  if (!status.ok()) return status;
  return page.Finish();
}

class ReportCommand : public Command {
 public:
  void Declare(ArgParser& args) override {
    args.AddOptionalWord(
        "RUN", "A run such as R1, or runs to pool, as 1,3,5, 2-6 or all (the latest)", &runs_);
    kb_.Declare(args);
    args.AddText("-o,--output", "FILE", "Where to write the page (standard output)", &output_);
  }
  absl::StatusOr<ExitCode> Run(Console& console) override;

 private:
  std::optional<std::string> runs_, output_;
  KbFlag kb_;
};

absl::StatusOr<ExitCode> ReportCommand::Run(Console& console) {
  const auto store = kb_.Open(Store::Mode::kRead);
  if (!store.ok()) return store.status();
  const absl::StatusOr<RunSet> runs = FindRuns(**store, runs_);
  if (!runs.ok()) return runs.status();
  const absl::StatusOr<std::string> page = MakeReport(**store, *runs);
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
