#include "kb/ids.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "tasks/claim.h"

namespace hearsay {
namespace {

constexpr char kAttemptForm[] = "\"R3:r17.p71.l42\"";
constexpr char kClaimForm[] = "\"R3:r17.p71.l42#5\"";

// Takes `prefix` and the number after it off the front of `text`.
bool Take(absl::string_view* text, absl::string_view prefix, int* number) {
  if (text->substr(0, prefix.size()) != prefix) return false;
  text->remove_prefix(prefix.size());
  size_t digits = 0;
  while (digits < text->size() && absl::ascii_isdigit((*text)[digits])) ++digits;
  if (!absl::SimpleAtoi(text->substr(0, digits), number)) return false;
  text->remove_prefix(digits);
  return true;
}

absl::Status NoId(absl::string_view text, absl::string_view what, absl::string_view form) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", text, "' is no ", what, "; one is written like ", form));
}

absl::Status OutOfRange(absl::string_view text, absl::string_view part, int low, int high) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", text, "': the ", part, " must be ", low, " to ", high));
}

// Parses the attempt at the front of `*rest`, which is all or part of `whole`.
absl::StatusOr<AttemptId> TakeAttempt(absl::string_view whole, absl::string_view* rest,
                                      absl::string_view what, absl::string_view form) {
  int run, round, problem, lane;
  if (!Take(rest, "R", &run) || !Take(rest, ":r", &round) || !Take(rest, ".p", &problem) ||
      !Take(rest, ".l", &lane)) {
    return NoId(whole, what, form);
  }
  if (run < 1 || run >= kMaxRuns) return OutOfRange(whole, "run", 1, kMaxRuns - 1);
  if (round >= kMaxRounds) return OutOfRange(whole, "round", 0, kMaxRounds - 1);
  if (problem < 1 || problem > kMaxProblems) return OutOfRange(whole, "problem", 1, kMaxProblems);
  if (lane >= kMaxLanes) return OutOfRange(whole, "lane", 0, kMaxLanes - 1);
  return AttemptId::Of(run, round, problem - 1, lane);
}

}  // namespace

std::string Format(AttemptId id) {
  return absl::StrFormat("R%d:r%d.p%02d.l%d", id.run(), id.round(), id.problem() + 1, id.lane());
}

std::string FormatProblem(int problem) { return absl::StrFormat("p%02d", problem + 1); }

std::string Format(ClaimId id) { return absl::StrCat(Format(id.attempt()), "#", id.place() + 1); }

absl::StatusOr<AttemptId> ParseAttemptId(absl::string_view text) {
  absl::string_view rest = text;
  absl::StatusOr<AttemptId> id = TakeAttempt(text, &rest, "attempt id", kAttemptForm);
  if (!id.ok()) return id;
  // One spelling for each id: "R03:r17.p71.l42" and "...l42 " would not be found in other output.
  if (Format(*id) != text) return NoId(text, "attempt id", kAttemptForm);
  return id;
}

absl::StatusOr<ClaimId> ParseClaimId(absl::string_view text) {
  absl::string_view rest = text;
  absl::StatusOr<AttemptId> attempt = TakeAttempt(text, &rest, "claim id", kClaimForm);
  if (!attempt.ok()) return attempt.status();
  int number;
  if (!Take(&rest, "#", &number)) return NoId(text, "claim id", kClaimForm);
  if (number < 1 || number > kMaxNewClaims) {
    return OutOfRange(text, "number of the claim", 1, kMaxNewClaims);
  }
  const ClaimId id = ClaimId::Of(*attempt, number - 1);
  if (Format(id) != text) return NoId(text, "claim id", kClaimForm);
  return id;
}

}  // namespace hearsay
