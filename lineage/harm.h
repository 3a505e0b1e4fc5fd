// Which closures did the most harm: what attempts lost that believed them.
//
// An attempt's loss is its closure_cost_lg, log2(best overall / best without the value) of the
// costliest false closure that it believed untested. It is charged once, to the line of that
// closure (lines.h, Kinship::kAnyClosure); of several lines that a merged version is on, to the
// oldest.
#ifndef HEARSAY_LINEAGE_HARM_H_
#define HEARSAY_LINEAGE_HARM_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "kb/store.h"
#include "lineage/claim_table.h"
#include "tasks/landscape.h"

namespace hearsay {

struct HarmfulLine {
  ClaimId root;          // the first version
  double doublings = 0;  // lost, all attempts together
  int64_t attempts = 0;  // that lost them
};

// The k lines that cost most, the worst first; ties by id. Lines that cost nothing are left out.
std::vector<HarmfulLine> MostHarmfulLines(const ClaimTable& table, int k);

// The same of a whole run, or of one problem of it where `problem` is not negative.
// Errors: those of ClaimTable::Load.
absl::StatusOr<std::vector<HarmfulLine>> MostHarmfulLinesOfRun(const Store& store, int run,
                                                               Atlas& atlas, int problem, int k);

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_HARM_H_
