// Two questions about a claim that take more than its versions: who carried it when, and what it
// has in common with another.
#ifndef HEARSAY_LINEAGE_KINSHIP_H_
#define HEARSAY_LINEAGE_KINSHIP_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "lineage/claim_table.h"
#include "lineage/table.h"
#include "lineage/walk.h"

namespace hearsay {

// Notes of one round.
struct RoundCarriers {
  int round = 0;
  int64_t of_claim = 0;  // that carry the claim itself
  int64_t of_any = 0;    // that carry any version, each once
  bool dropped = false;  // the round's attempts were: both are 0
  friend bool operator==(const RoundCarriers&, const RoundCarriers&) = default;
};

// From the first round in which a version was carried to the last, by one more scan of those
// rounds: a table keeps how many notes carry a claim, not which. `versions` are rows of `table`,
// the first of them the claim. Errors: those of the store. REQUIRES: `store` holds the run of the
// table.
absl::StatusOr<std::vector<RoundCarriers>> CarriersByRound(const Store& store,
                                                           const ClaimTable& table,
                                                           absl::Span<const Reached> versions);
Table CarriersTable(const std::vector<RoundCarriers>& rounds);

// What two claims both come from, as in Walker::LastCommonAncestors. Errors: kNotFound naming the
// claim that is not in the table; kInvalidArgument where the claims are of two runs or problems,
// which are never related.
absl::StatusOr<Table> CommonAncestorsTable(const ClaimTable& table, ClaimId a, ClaimId b);

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_KINSHIP_H_
