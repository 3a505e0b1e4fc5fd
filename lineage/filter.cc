#include "lineage/filter.h"

#include <algorithm>
#include <bitset>
#include <iterator>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "kb/skill.h"
#include "lineage/by_problem.h"
#include "tasks/words.h"

namespace hearsay {
namespace {

// The values asked for, as bits; all of them where none is named.
template <typename Enum>
uint32_t MaskOf(const std::vector<Enum>& values) {
  uint32_t mask = 0;
  for (Enum value : values) mask |= uint32_t{1} << static_cast<int>(value);
  return values.empty() ? ~uint32_t{0} : mask;
}

template <typename Enum>
bool Has(uint32_t mask, Enum value) {
  return (mask >> static_cast<int>(value) & 1) != 0;
}

int LifetimeRounds(const ClaimRow& row) { return row.last_round - row.first_round + 1; }

// Sorts the first `kept` of `rows`; the rest end up in no order.
template <typename Key>
void SortBy(std::vector<RowIndex>& rows, size_t kept, Key key) {
  std::partial_sort(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(kept), rows.end(),
                    [&](RowIndex a, RowIndex b) {
                      const int64_t key_a = key(a);
                      const int64_t key_b = key(b);
                      return key_a != key_b ? key_a > key_b : a < b;
                    });
}

// Whether a text stands in claims. Claims that say the same are put into words once.
class TextSearch {
 public:
  explicit TextSearch(absl::string_view text) : text_(absl::AsciiStrToLower(text)) {}
  bool Finds(int problem, Claim claim) {
    if (text_.empty()) return true;
    constexpr uint64_t kStatement = (1 << 15) - 1;  // knob, value, label, stance
    const uint64_t key = static_cast<uint64_t>(problem) << 15 | (claim.bits & kStatement);
    const auto [at, fresh] = known_.try_emplace(key, false);
    if (fresh) {
      const std::string words =
          absl::StrCat(StatementInWords(problem, claim), " (",
                       absl::StrReplaceAll(Name(claim.label()), {{"_", " "}}), ")");
      at->second = absl::StrContains(absl::AsciiStrToLower(words), text_);
    }
    return at->second;
  }

 private:
  const std::string text_;
  std::unordered_map<uint64_t, bool> known_;
};

}  // namespace

absl::StatusOr<ClaimSelection> SelectClaims(const ClaimTable& table, const ClaimFilter& filter) {
  if (filter.limit < 0) {
    return absl::InvalidArgumentError(absl::StrCat("a limit of ", filter.limit, " claims"));
  }
  if (filter.born_from > filter.born_to) {
    return absl::InvalidArgumentError(
        absl::StrCat("no round is in ", filter.born_from, " to ", filter.born_to));
  }
  const uint32_t labels = MaskOf(filter.labels);
  const uint32_t stances = MaskOf(filter.stances);
  const uint32_t changes = MaskOf(filter.changes);
  const uint32_t truths = MaskOf(filter.truths);
  std::bitset<kMaxProblems> problems;
  if (filter.problems.empty()) problems.set();
  for (int problem : filter.problems) {
    if (problem >= 0 && problem < kMaxProblems) problems.set(problem);
  }
  ClaimSelection selection;
  TextSearch search(filter.text);
  for (RowIndex i = 0; i < table.size(); ++i) {
    const ClaimRow& row = table.row(i);
    if (!Has(labels, row.claim.label()) || !Has(stances, row.claim.stance()) ||
        !Has(changes, row.change) || !problems.test(row.id.attempt().problem())) {
      continue;
    }
    if (filter.dsl.has_value() && row.claim.dsl() != *filter.dsl) continue;
    if (row.carriers < filter.min_carriers || row.first_round < filter.born_from ||
        row.first_round > filter.born_to) {
      continue;
    }
    if (filter.alive_at_end && !table.alive_at_end(i)) continue;
    if (!search.Finds(row.id.attempt().problem(), row.claim)) continue;
    // Last, since it may have to model a landscape.
    if (!filter.truths.empty() && !Has(truths, table.TruthOfRow(i))) continue;
    selection.rows.push_back(i);
  }
  selection.total = static_cast<int64_t>(selection.rows.size());
  const size_t kept = filter.limit == 0
                          ? selection.rows.size()
                          : std::min(selection.rows.size(), static_cast<size_t>(filter.limit));
  switch (filter.order) {
    case ClaimOrder::kCarriers:
      SortBy(selection.rows, kept, [&](RowIndex i) { return table.row(i).carriers; });
      break;
    case ClaimOrder::kLifetime:
      SortBy(selection.rows, kept, [&](RowIndex i) { return LifetimeRounds(table.row(i)); });
      break;
    case ClaimOrder::kId:  // as they were found
      break;
  }
  selection.rows.resize(kept);
  return selection;
}

namespace {

// Whether one is listed before the other.
bool Before(ClaimOrder order, const ClaimVersion& a, const ClaimVersion& b) {
  const auto key = [order](const ClaimVersion& v) {
    return order == ClaimOrder::kCarriers   ? v.carriers
           : order == ClaimOrder::kLifetime ? v.last_round - v.first_round
                                            : 0;
  };
  return key(a) != key(b) ? key(a) > key(b) : a.id < b.id;
}

}  // namespace

absl::StatusOr<FoundClaims> FindClaims(const Store& store, int run, Atlas& atlas,
                                       const ClaimFilter& filter) {
  std::mutex mutex;  // of the two below
  FoundClaims found;
  absl::Status refused;
  const auto before = [&](const ClaimVersion& a, const ClaimVersion& b) {
    return Before(filter.order, a, b);
  };
  const auto visit = [&](const ClaimTable& table) {
    const absl::StatusOr<ClaimSelection> selection = SelectClaims(table, filter);
    std::vector<ClaimVersion> claims;
    if (selection.ok()) {
      for (RowIndex i : selection->rows) claims.push_back(DescribeVersion(table, i));
    }
    const std::lock_guard<std::mutex> lock(mutex);
    refused.Update(selection.status());
    if (!selection.ok()) return;
    found.total += selection->total;
    if (table.dropped_rounds() > 0) found.dropped = table.KeptWords();
    // Both are sorted; what is past the limit of the two together will not be listed.
    const auto middle = static_cast<std::ptrdiff_t>(found.claims.size());
    std::move(claims.begin(), claims.end(), std::back_inserter(found.claims));
    std::inplace_merge(found.claims.begin(), found.claims.begin() + middle, found.claims.end(),
                       before);
    if (filter.limit > 0 && found.claims.size() > static_cast<size_t>(filter.limit)) {
      found.claims.resize(static_cast<size_t>(filter.limit));
    }
  };
  const int only = filter.problems.size() == 1 ? filter.problems.front() : -1;
  const absl::Status visited = VisitProblems(store, run, atlas, only, visit);
  if (!visited.ok()) return visited;
  if (!refused.ok()) return refused;
  return found;
}

Table ClaimsTable(int run, const FoundClaims& found) {
  const auto word = [](absl::string_view name) { return Text(std::string(name)); };
  Table out;
  out.title = absl::StrCat("Claims of run R", run);
  out.columns = {"claim",   "agent",     "dsl",     "change",        "label",
                 "stance",  "hedged",    "truth",   "through_round", "carriers",
                 "adopted", "confirmed", "refuted", "alive",         "words"};
  for (const ClaimVersion& v : found.claims) {
    out.rows.push_back({Text(Format(v.id)), Text(v.agent), word(Name(v.claim.dsl())),
                        word(Name(v.change)), word(Name(v.claim.label())),
                        word(Name(v.claim.stance())), Text(v.claim.hedged() ? "yes" : "no"),
                        word(Name(v.truth)), Integer(v.last_round), Integer(v.carriers),
                        Integer(v.adopted), Integer(v.confirmed), Integer(v.refuted),
                        Text(v.alive ? "yes" : "no"), Text(v.words)});
  }
  out.notes = {absl::StrCat("showing ", found.claims.size(), " of ", found.total, " claims")};
  if (!found.dropped.empty()) {
    out.notes.push_back(
        absl::StrCat(found.dropped, "; claims that were not kept are not among these"));
  }
  return out;
}

}  // namespace hearsay
