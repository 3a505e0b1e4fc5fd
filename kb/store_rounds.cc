// What a store can say of whole rounds, from what it can find.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "kb/store.h"

namespace hearsay {

absl::StatusOr<std::vector<std::vector<NotedClaim>>> Store::NotesOfRound(int run, int round,
                                                                         int problem) const {
  std::vector<std::vector<NotedClaim>> notes;
  bool recorded = true;
  const absl::Status scanned = ScanRound(run, round, problem, [&](const AttemptBlock& block) {
    recorded = block.has_claims();
    if (!recorded) return false;
    for (int i = 0; i < block.size(); ++i) {
      std::vector<NotedClaim>& note = notes.emplace_back();
      for (const ClaimId id : block.note_of(i)) note.push_back({id, {}});
    }
    return true;
  });
  if (!scanned.ok()) return scanned;
  if (!recorded) {
    return absl::NotFoundError(absl::StrCat("notes of round ", round, " of R", run, ", ",
                                            FormatProblem(problem), ": recorded without claims"));
  }
  if (notes.empty()) return BlockOf(AttemptId::Of(run, round, problem, 0)).status();
  // In the order of the claims' ids, every birth block is needed once.
  std::vector<std::pair<ClaimId, NotedClaim*>> wanted;
  for (std::vector<NotedClaim>& note : notes) {
    for (NotedClaim& claim : note) wanted.emplace_back(claim.id, &claim);
  }
  std::sort(wanted.begin(), wanted.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [id, claim] : wanted) {
    const absl::StatusOr<NewClaim> found = FindClaim(id);
    if (!found.ok()) return found.status();
    claim->claim = found->claim;
  }
  return notes;
}

absl::Status Store::RequireWhole(int run, int first, int last) const {
  const absl::StatusOr<std::vector<RoundRecord>> rounds = Rounds(run);
  if (!rounds.ok()) return rounds.status();
  int dropped = 0, wanted = 0, last_dropped = 0;
  for (const RoundRecord& round : *rounds) {
    if (round.round() < first || round.round() > last) continue;
    ++wanted;
    if (!round.dropped()) continue;
    ++dropped;
    last_dropped = round.round();
  }
  if (dropped == 0) return absl::OkStatus();
  const absl::StatusOr<RunRecord> record = Run(run);
  if (!record.ok()) return record.status();
  return absl::FailedPreconditionError(absl::StrCat(
      "this needs the attempts of ",
      wanted == 1 ? absl::StrCat("round ", last_dropped, " of R", run, ", which were")
                  : absl::StrCat(wanted, " rounds of R", run, ", of which ", dropped, " were"),
      " dropped: it was made with --retain ", record->retain(),
      wanted > 1 && last_dropped < last && last_dropped + 1 < static_cast<int>(rounds->size())
          ? absl::StrCat("; from round ", last_dropped + 1, " on all are there")
          : ""));
}

}  // namespace hearsay
