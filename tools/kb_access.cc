#include "tools/kb_access.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
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

absl::StatusOr<std::unique_ptr<Atlas>> AtlasOf(const RunRecord& run) {
  auto atlas = Atlas::Create(run.hardware());
  if (!atlas.ok()) return absl::DataLossError(atlas.status().message());
  return atlas;
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
