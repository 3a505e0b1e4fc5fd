#include "tools/claim_subject.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lineage/ancestry.h"
#include "lineage/filter.h"
#include "tasks/problems.h"
#include "tools/run_words.h"

namespace hearsay {
namespace {

// The latest-born version of the line that is carried in its last round.
ClaimId LastVersion(const ClaimTable& table, const LongLived& line) {
  const absl::StatusOr<Pedigree> versions = Descendants(table, line.claim, table.size());
  ClaimId last = line.claim;
  if (!versions.ok()) return last;
  const Claim root = table.row(table.Find(line.claim)).claim;
  for (const ClaimVersion& version : versions->versions) {
    const bool same =
        version.claim.subject() == root.subject() && version.claim.stance() == root.stance();
    if (same && version.last_round == line.last_round) last = version.id;
  }
  return last;
}

}  // namespace

void ClaimSubject::Declare(ArgParser& args, const char* problem_help) {
  args.AddOptionalWord("CLAIM", "Id such as R1:r0.p71.l4#2 (the longest-lived false closure)",
                       &claim_);
  run_.Declare(args);
  args.AddText("--problem", "P", problem_help, &problem_);
}

void ClaimSubject::DeclareText(ArgParser& args) {
  args.AddText("--text", "WORDS", "The most carried claim that says this, such as 'tile=128'",
               &text_);
}

absl::Status ClaimSubject::Check() const {
  if (text_.has_value() && text_->empty()) {
    return absl::InvalidArgumentError("--text: '' is said by every claim");
  }
  if (claim_.has_value()) {
    const absl::StatusOr<ClaimId> claim = ParseClaimId(*claim_);
    if (!claim.ok()) return claim.status();
    if (text_.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--text '", *text_, "' chooses a claim, but '", *claim_, "' is given"));
    }
    if (problem_.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--problem ", *problem_, " chooses a claim, but '", *claim_, "' is given"));
    }
    return run_.CheckAgainst(claim->attempt().run());
  }
  return Problem().status();
}

absl::StatusOr<int> ClaimSubject::Problem() const {
  if (!problem_.has_value()) return -1;
  const absl::StatusOr<int> problem = ParseProblemId(*problem_);
  if (problem.ok()) return problem;
  return absl::InvalidArgumentError(absl::StrCat("--problem: ", problem.status().message()));
}

absl::StatusOr<ClaimSubject::Found> ClaimSubject::Find(const Store& store) const {
  absl::Status status = Check();
  if (!status.ok()) return status;
  if (text_.has_value()) return FindText(store);
  if (!claim_.has_value()) return FindLongestLived(store);
  const absl::StatusOr<ClaimId> claim = ParseClaimId(*claim_);
  if (!claim.ok()) return claim.status();
  const absl::StatusOr<RunRecord> run = store.Run(claim->attempt().run());
  if (!run.ok()) return run.status();
  absl::StatusOr<RunClaims> claims = LoadClaims(store, *run, claim->attempt().problem());
  if (!claims.ok()) return claims.status();
  return Found{*std::move(claims), *claim};
}

absl::StatusOr<ClaimSubject::Found> ClaimSubject::FindLongestLived(const Store& store) const {
  const absl::StatusOr<int> named = Problem();
  if (!named.ok()) return named.status();
  const int problem = *named;
  const absl::StatusOr<RunRecord> run = run_.Find(store);
  if (!run.ok()) return run.status();
  const absl::Status has = problem < 0 ? absl::OkStatus() : CheckHasProblem(*run, problem);
  if (!has.ok()) return has;
  const auto atlas = AtlasOf(*run);
  if (!atlas.ok()) return atlas.status();
  const absl::StatusOr<std::optional<LongLived>> longest =
      LongestLivedOfRun(store, run->run(), **atlas, problem);
  if (!longest.ok()) return longest.status();
  if (!longest->has_value()) {
    return absl::NotFoundError(absl::StrCat(
        "run ", FormatRun(run->run()), " has no false closure",
        problem < 0 ? "" : absl::StrCat(" on ", FormatProblem(problem)), "; name a claim"));
  }
  const LongLived& line = **longest;
  absl::StatusOr<RunClaims> claims = LoadClaims(store, *run, line.claim.attempt().problem());
  if (!claims.ok()) return claims.status();
  const ClaimId claim =
      version_ == Version::kFirst ? line.claim : LastVersion(*claims->table, line);
  return Found{*std::move(claims), claim};
}

absl::StatusOr<ClaimSubject::Found> ClaimSubject::FindText(const Store& store) const {
  const absl::StatusOr<int> problem = Problem();
  if (!problem.ok()) return problem.status();
  const absl::StatusOr<RunRecord> run = run_.Find(store);
  if (!run.ok()) return run.status();
  const absl::Status has = *problem < 0 ? absl::OkStatus() : CheckHasProblem(*run, *problem);
  if (!has.ok()) return has;
  const auto atlas = AtlasOf(*run);
  if (!atlas.ok()) return atlas.status();
  ClaimFilter filter;
  filter.text = *text_;
  filter.limit = 1;
  if (*problem >= 0) filter.problems = {*problem};
  const absl::StatusOr<FoundClaims> found = FindClaims(store, run->run(), **atlas, filter);
  if (!found.ok()) return found.status();
  if (found->claims.empty()) {
    return absl::NotFoundError(absl::StrCat(
        "no claim of run ", FormatRun(run->run()),
        *problem < 0 ? "" : absl::StrCat(" on ", FormatProblem(*problem)), " says '", *text_, "'"));
  }
  const ClaimId claim = found->claims.front().id;
  absl::StatusOr<RunClaims> claims = LoadClaims(store, *run, claim.attempt().problem());
  if (!claims.ok()) return claims.status();
  return Found{*std::move(claims), claim, found->total};
}

}  // namespace hearsay
