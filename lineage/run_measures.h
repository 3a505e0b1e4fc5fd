// What runs come to in a handful of numbers, by problem: what sweeps list and policies are
// compared by.
#ifndef HEARSAY_LINEAGE_RUN_MEASURES_H_
#define HEARSAY_LINEAGE_RUN_MEASURES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "kb/store.h"
#include "lineage/clustered.h"
#include "lineage/run_set.h"
#include "tasks/landscape.h"
#include "tasks/scoring.h"

namespace hearsay {

// Fields of the sums. Those named late are of the last tenth of the rounds (at least one), where
// the start is forgotten; they stay 0 in a run recorded as a summary.
enum RunField {
  kRunComparisons,
  kRunHelped,
  kRunHarmed,
  kRunLogRatio,
  kRunSubmissions,     // of the same comparisons
  kRunLateAttempts,    // of these comparisons
  kRunLateDecisions,   // of those, that obeyed a closure that is false in their DSL
  kRunLateNotes,       // not empty
  kRunLateNotesUnder,  // of those, with a false unsupported closure
  kRunLateTrueClaims,  // in all of them, asserting and true in the DSL they were made in
  kRunLateFalseClaims,
  kRunFieldCount,
};

// Of one run of the set. Errors: those of VisitComparisons; kDataLoss naming the attempt whose note
// does not fit its sources. REQUIRES: `atlas` is of the runs' hardware.
absl::StatusOr<ClusterSums> MeasureRun(const Store& store, const RunSet& runs, int place,
                                       Atlas& atlas, const ScoringParams& scoring = {});

// Names of the measures below, for tables.
std::vector<std::string> RunMeasureNames();
// dGM, T, H, share of late notes and of late decisions under a false closure, true and false
// asserting claims a late note, submissions an attempt.
std::vector<Estimate> RunEstimates(const ClusterSums& sums, const BootstrapOptions& options = {});

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_RUN_MEASURES_H_
