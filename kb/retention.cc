#include "kb/retention.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tasks/claim.h"
#include "tasks/words.h"

namespace hearsay {

bool Retention::Whole(int round, int last) const {
  switch (kind) {
    case Kind::kAll:
      return true;
    case Kind::kLast:
      return round > last - rounds;
    case Kind::kEvery:
      return round % rounds == 0 || round == last;
    case Kind::kAncestral:
      return round == last;
  }
  return true;
}

absl::StatusOr<Retention> ParseRetention(absl::string_view text) {
  Retention retention;
  if (text.empty() || text == "all") return retention;
  if (text == "ancestral") {
    retention.kind = Retention::Kind::kAncestral;
    return retention;
  }
  absl::string_view count = text;
  if (absl::ConsumePrefix(&count, "last:")) {
    retention.kind = Retention::Kind::kLast;
  } else if (absl::ConsumePrefix(&count, "every:")) {
    retention.kind = Retention::Kind::kEvery;
  } else {
    return UnknownWord("retention", std::string(text), {"all", "last:N", "every:N", "ancestral"});
  }
  if (!absl::SimpleAtoi(count, &retention.rounds) || retention.rounds < 1 ||
      retention.rounds > kMaxRounds) {
    return absl::InvalidArgumentError(absl::StrCat(
        "retention '", text, "': '", count, "' is not a whole number from 1 to ", kMaxRounds));
  }
  return retention;
}

absl::StatusOr<ClaimId> ParsePin(absl::string_view text) {
  const absl::StatusOr<ClaimId> claim =
      ParseClaimId(absl::StartsWith(text, "R") ? std::string(text) : absl::StrCat("R1:", text));
  if (claim.ok()) return claim;
  return absl::InvalidArgumentError(
      absl::StrCat("pin '", text, "' is no claim; one is written like r5.p71.l3#2"));
}

std::string FormatPin(ClaimId pin) {
  const std::string whole = Format(pin);
  return whole.substr(whole.find(':') + 1);
}

}  // namespace hearsay
