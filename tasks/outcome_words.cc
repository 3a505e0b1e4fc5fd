#include "tasks/outcome_words.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tasks/scoring.h"

namespace hearsay {
namespace {

using Fields = std::vector<std::pair<const char*, int64_t>>;

// In the order of Outcome, which is that of the digest.
Fields FieldsOf(const Outcome& o) {
  return {{"speed_lg", o.speed_lg},
          {"point", o.point},
          {"seconds", o.seconds},
          {"closure_cost_lg", o.closure_cost_lg},
          {"passed", o.passed},
          {"submissions", o.submissions},
          {"failures", o.failures},
          {"bugs", o.bugs},
          {"reception", static_cast<int64_t>(o.reception)},
          {"following", static_cast<int64_t>(o.following)},
          {"events", o.events},
          {"costly_slot", o.costly_slot},
          {"adopted", o.adopted},
          {"confirmed", o.confirmed},
          {"refuted", o.refuted},
          {"agent", o.agent},
          {"dsl", static_cast<int64_t>(o.dsl)},
          {"intake_size", o.intake_size},
          {"note_size", o.note_size}};
}

struct Event {
  int bit;
  const char* word;
};

constexpr Event kEvents[] = {
    {kEventTruncated, "truncated"},   {kEventFalseAdopted, "false_adopted"},
    {kEventOwnBug, "own_bug"},        {kEventForeignIdiom, "foreign_idiom"},
    {kEventOutOfTime, "out_of_time"}, {kEventFellBack, "fell_back"}};

}  // namespace

const char* Name(Reception reception) {
  switch (reception) {
    case Reception::kSolo:
      return "solo";
    case Reception::kConditioned:
      return "conditioned";
    case Reception::kSkipped:
      return "skipped";
    case Reception::kGated:
      return "gated";
  }
  return "invalid";
}

const char* Name(Following following) {
  switch (following) {
    case Following::kNone:
      return "none";
    case Following::kPartly:
      return "partly";
    case Following::kFully:
      return "fully";
  }
  return "invalid";
}

std::string EventWords(uint8_t events) {
  std::vector<std::string> words;
  for (const Event& event : kEvents) {
    if ((events & event.bit) != 0) words.push_back(event.word);
  }
  return absl::StrJoin(words, " ");
}

std::string SpeedWords(const Outcome& outcome) {
  if (outcome.passed == 0) return "failed";
  return absl::StrFormat("%.3gx", SpeedupOf(outcome.speed_lg));
}

std::string FirstDifference(const Outcome& a, const Outcome& b) {
  const Fields in_a = FieldsOf(a);
  const Fields in_b = FieldsOf(b);
  for (size_t i = 0; i < in_a.size(); ++i) {
    if (in_a[i].second == in_b[i].second) continue;
    return absl::StrCat(in_a[i].first, " is ", in_a[i].second, ", not ", in_b[i].second);
  }
  return "";
}

}  // namespace hearsay
