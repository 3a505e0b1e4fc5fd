// The part of the integrity check that looks at the attempts of one round. Private to kb/.
#ifndef HEARSAY_KB_ROUND_CHECK_H_
#define HEARSAY_KB_ROUND_CHECK_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "kb/block.h"
#include "kb/check.h"
#include "kb/store.h"

namespace hearsay {

// Collects findings into a report, the first ones in full and all of them in number.
class Findings {
 public:
  Findings(int max, CheckReport& report) : max_(max), report_(report) {}
  void Add(int requirement, absl::string_view where, absl::string_view problem);

 private:
  const int max_;
  CheckReport& report_;
};

// The blocks of one round in key order.
using RoundBlocks = std::vector<AttemptBlock>;

// What is wrong with the fields of an outcome alone, or "".
std::string OutcomeFault(const Outcome& outcome, int agents);
// What is wrong with the fields of a claim written in `round`, or "".
std::string ClaimFault(Claim claim, int round);

// Checks the rounds of one run, each with the round before. Not thread safe.
class RoundCheck {
 public:
  // All must outlive the check.
  RoundCheck(const Store& store, const RunRecord& run, Findings* findings)
      : store_(store), run_(run), findings_(*findings) {}

  // REQUIRES: called for rounds 0, 1, 2 ...; `before` is what was passed as `blocks` for the round
  // before.
  void Check(const RoundRecord& record, const RoundBlocks& before, const RoundBlocks& blocks);
  // REQUIRES: `blocks` is the last round, already checked.
  void CheckLast(int round, const RoundBlocks& blocks) { CheckReceivers(round + 1, blocks, {}); }

 private:
  void CheckCoverage(int round, const RoundBlocks& blocks);
  void CheckAttempt(const AttemptBlock& block, int i, const RoundBlocks& before);
  void CheckSources(const AttemptBlock& block, int i);
  void CheckClaims(const AttemptBlock& block, int i, const RoundBlocks& before);
  void CheckParents(AttemptId attempt, int place, const NewClaim& claim,
                    const std::vector<ClaimId>& read);
  void CheckTotals(const RoundRecord& record, const RoundBlocks& blocks);
  void CheckReceivers(int round, const RoundBlocks& before, const RoundBlocks& blocks);

  // The text of a claim that stands in the note of an attempt of this round; Claim{} where there is
  // none.
  Claim TextOf(const AttemptBlock& block, int i, ClaimId id) const;
  // Keeps the texts of the claims that this round's notes hold, for the next round's digests.
  void KeepTexts(const RoundBlocks& blocks);

  const Store& store_;
  const RunRecord& run_;
  Findings& findings_;
  // Claims in the notes of the round before: the next round can hold no other old ones.
  absl::flat_hash_map<uint64_t, Claim> texts_;
};

}  // namespace hearsay

#endif  // HEARSAY_KB_ROUND_CHECK_H_
