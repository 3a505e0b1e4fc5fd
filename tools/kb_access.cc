#include "tools/kb_access.h"

#include <algorithm>
#include <future>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "rounds/plan.h"
#include "tasks/problems.h"
#include "tools/run_words.h"

namespace hearsay {

void KbFlag::Declare(ArgParser& args) {
  args.AddText("--kb", "DIR", "Directory of the kb (hearsay.kb)", &path_);
}

absl::StatusOr<std::unique_ptr<Store>> KbFlag::Open(Store::Mode mode) const {
  if (path().empty()) return absl::InvalidArgumentError("--kb: '' is no directory");
  return Store::Open(path(), mode);
}

absl::StatusOr<int> ParseRun(absl::string_view text) {
  const auto number = ParseWholeNumber(absl::StripPrefix(text, "R"), 1, kMaxRuns - 1);
  if (number.ok()) return static_cast<int>(*number);
  return absl::InvalidArgumentError(
      absl::StrCat("'", text, "' is no run; one is written like R3 or 3"));
}

void RunFlag::Declare(ArgParser& args) {
  args.AddText("--run", "N", "Number of the run (the latest)", &text_);
}

absl::StatusOr<RunRecord> FindRun(const Store& store, const std::optional<std::string>& text) {
  if (text.has_value()) {
    const absl::StatusOr<int> run = ParseRun(*text);
    if (!run.ok()) return run.status();
    return store.Run(*run);
  }
  absl::StatusOr<std::vector<RunRecord>> runs = store.Runs();
  if (!runs.ok()) return runs.status();
  if (runs->empty()) return absl::NotFoundError("the kb has no runs yet; make one: hearsay run");
  return std::move(runs->back());
}

absl::Status CheckHasProblem(const RunRecord& run, int problem) {
  const auto& problems = run.problems();
  if (std::count(problems.begin(), problems.end(), problem) > 0) return absl::OkStatus();
  return absl::NotFoundError(
      absl::StrCat("run ", FormatRun(run.run()), " has no problem ", FormatProblem(problem)));
}

absl::StatusOr<RunRecord> RunFlag::Find(const Store& store) const {
  absl::StatusOr<RunRecord> run = FindRun(store, text_);
  if (absl::IsInvalidArgument(run.status())) {
    return absl::InvalidArgumentError(absl::StrCat("--run: ", run.status().message()));
  }
  return run;
}

absl::Status RunFlag::CheckAgainst(int run) const {
  if (!text_.has_value()) return absl::OkStatus();
  const absl::StatusOr<int> given = ParseRun(*text_);
  if (!given.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--run: ", given.status().message()));
  }
  if (*given == run) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--run ", *given, ": the id is of run R", run));
}

namespace {

// Agents of one name must be one agent: that of the plan, or where it defines none the built-in
// one.
absl::Status CheckAgents(const std::vector<RunRecord>& runs) {
  std::map<std::string, std::pair<std::string, int>> known;  // definition, and a run that has it
  for (const RunRecord& run : runs) {
    const auto plan = ParsePlan(run.plan_text(), absl::StrCat("plan of run R", run.run()));
    if (!plan.ok()) return absl::DataLossError(plan.status().message());
    std::map<std::string, std::string> defined;
    for (const AgentSpec& spec : plan->agent_specs()) {
      defined[spec.name()] = spec.ShortDebugString();
    }
    for (const std::string& name : run.agents()) {
      const auto [found, is_new] = known.try_emplace(name, defined[name], run.run());
      if (is_new || found->second.first == defined[name]) continue;
      return absl::InvalidArgumentError(absl::StrCat("R", found->second.second, " and R", run.run(),
                                                     " cannot be pooled: agent '", name,
                                                     "' is not the same in both"));
    }
  }
  return absl::OkStatus();
}

// Appends the runs of "3", "2-6" or "all".
absl::Status AppendRuns(const Store& store, absl::string_view text, std::vector<RunRecord>* runs) {
  if (text == "all") {
    absl::StatusOr<std::vector<RunRecord>> all = store.Runs();
    if (!all.ok()) return all.status();
    if (all->empty()) return absl::NotFoundError("the kb has no runs yet; make one: hearsay run");
    *runs = *std::move(all);
    return absl::OkStatus();
  }
  const std::vector<absl::string_view> ends = absl::StrSplit(text, absl::MaxSplits('-', 1));
  const absl::StatusOr<int> first = ParseRun(ends.front());
  const absl::StatusOr<int> last = ParseRun(ends.back());
  if (!first.ok() || !last.ok() || *last < *first) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' is no run; write R3, or several as 1,3,5, 2-6 or all"));
  }
  for (int run = *first; run <= *last; ++run) {
    absl::StatusOr<RunRecord> record = store.Run(run);
    if (!record.ok()) return record.status();
    runs->push_back(*std::move(record));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RunSet> FindRuns(const Store& store, const std::optional<std::string>& text) {
  std::vector<RunRecord> runs;
  if (text.has_value()) {
    for (absl::string_view part : absl::StrSplit(*text, ',')) {
      const absl::Status status = AppendRuns(store, part, &runs);
      if (!status.ok()) return status;
    }
  } else {
    absl::StatusOr<RunRecord> latest = FindRun(store, text);
    if (!latest.ok()) return latest.status();
    runs.push_back(*std::move(latest));
  }
  if (runs.size() > 1) {
    const absl::Status status = CheckAgents(runs);
    if (!status.ok()) return status;
  }
  return RunSet::Pool(store, std::move(runs));
}

void RunsFlag::Declare(ArgParser& args) {
  args.AddText("--run", "N",
               "Number of the run, or runs to pool, as 1,3,5, 2-6 or all (the latest)", &text_);
}

absl::StatusOr<RunSet> RunsFlag::Find(const Store& store) const {
  absl::StatusOr<RunSet> runs = FindRuns(store, text_);
  if (absl::IsInvalidArgument(runs.status())) {
    return absl::InvalidArgumentError(absl::StrCat("--run: ", runs.status().message()));
  }
  return runs;
}

absl::StatusOr<std::unique_ptr<Atlas>> AtlasOf(const RunRecord& run) {
  auto atlas = Atlas::Create(run.hardware());
  if (!atlas.ok()) return absl::DataLossError(atlas.status().message());
  return atlas;
}

absl::Status VisitClaims(const Store& store, const RunSet& runs,
                         const std::function<absl::Status(const ClaimTable&)>& visit) {
  const auto atlas = AtlasOf(runs.run(0));
  if (!atlas.ok()) return atlas.status();
  const auto load = [&](int place) {
    return std::async(std::launch::async, [&store, &runs, &atlas, place] {
      return ClaimTable::Load(store, runs.run(place).run(), **atlas);
    });
  };
  // The next table is loaded beside the visit of this one.
  auto loading = load(0);
  for (int place = 0; place < runs.size(); ++place) {
    const auto table = loading.get();
    if (!table.ok()) return table.status();
    if (place + 1 < runs.size()) loading = load(place + 1);
    const absl::Status status = visit(**table);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<RunClaims> LoadClaims(const Store& store, const RunRecord& run, int problem) {
  RunClaims claims;
  auto atlas = AtlasOf(run);
  if (!atlas.ok()) return atlas.status();
  claims.atlas = *std::move(atlas);
  auto table = ClaimTable::Load(store, run.run(), *claims.atlas, problem);
  if (!table.ok()) return table.status();
  claims.table = *std::move(table);
  return claims;
}

}  // namespace hearsay
