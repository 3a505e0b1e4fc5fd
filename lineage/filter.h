// Which claims of a run? By what they say, how they came about, whether they are true, and how far
// they spread.
//
// For any thread.
#ifndef HEARSAY_LINEAGE_FILTER_H_
#define HEARSAY_LINEAGE_FILTER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "kb/store.h"
#include "lineage/ancestry.h"
#include "lineage/claim_table.h"
#include "lineage/table.h"
#include "tasks/landscape.h"

namespace hearsay {

enum class ClaimOrder {
  kCarriers,  // most carriers first, then by id
  kLifetime,  // most rounds from birth to the last note first, then by id
  kId,
};

// All parts must hold; an empty list or absent value asks for nothing.
struct ClaimFilter {
  std::vector<Label> labels;
  std::vector<Stance> stances;
  std::vector<Change> changes;
  std::vector<Truth> truths;  // in the DSL the claim was made in
  std::vector<int> problems;  // indexes
  std::optional<Dsl> dsl;     // the one it was made in
  int min_carriers = 0;
  int born_from = 0;  // first and last round it may have been born in
  int born_to = kMaxRounds;
  bool alive_at_end = false;  // carried in the last committed round
  // Stands in what the claim says, "tile=128: not worth it", or in its label, whatever the case.
  std::string text;

  ClaimOrder order = ClaimOrder::kCarriers;
  int64_t limit = 0;  // 0: no limit
};

struct ClaimSelection {
  std::vector<RowIndex> rows;  // in the order asked for
  int64_t total = 0;           // all that match, listed or not
};

// Errors: kInvalidArgument if the limit is negative or the round range is empty.
absl::StatusOr<ClaimSelection> SelectClaims(const ClaimTable& table, const ClaimFilter& filter);

// Claims of a run, described.
struct FoundClaims {
  std::vector<ClaimVersion> claims;  // in the order asked for
  int64_t total = 0;                 // all that match, listed or not
  std::string dropped;               // ClaimTable::KeptWords, where claims may have been dropped
};

// The same over a whole run, with a problem in memory at a time on each of several threads.
// Errors: also those of ClaimTable::Load.
absl::StatusOr<FoundClaims> FindClaims(const Store& store, int run, Atlas& atlas,
                                       const ClaimFilter& filter);

// For the command.
Table ClaimsTable(int run, const FoundClaims& found);

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_FILTER_H_
