// Which claims of a run? By what they say, how they came about, whether they are true, and how far
// they spread.
//
// Pure functions of a table; for any thread.
#ifndef HEARSAY_LINEAGE_FILTER_H_
#define HEARSAY_LINEAGE_FILTER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lineage/claim_table.h"
#include "lineage/table.h"

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

// The most carried claim of a run, or of one of its problems, that `text` finds (of several the
// first by id), and how many it finds in all; none where it finds none. Errors: those of
// ClaimTable::Load.
struct TextHit {
  ClaimId claim;
  int64_t total = 0;
};
absl::StatusOr<TextHit> MostCarriedWithText(const Store& store, int run, Atlas& atlas, int problem,
                                            const std::string& text);

// For the command.
Table ClaimsTable(const ClaimTable& table, const ClaimSelection& selection);

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_FILTER_H_
