// Study "policies": runs of one plan that differ in their policies alone, against the run without
// any. They share all random numbers that a policy does not touch, so differences are paired by
// problem.
#ifndef HEARSAY_LINEAGE_POLICIES_H_
#define HEARSAY_LINEAGE_POLICIES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lineage/run_measures.h"
#include "lineage/table.h"

namespace hearsay {

struct PolicyEffect {
  int run = 0;
  std::string policies;       // "verify_gate=1"; empty: none
  Estimate lift;              // dGM of the run itself
  Estimate lift_change;       // (1 + dGM) / (1 + dGM without policies) - 1
  Estimate harmed_points;     // change of H, in points
  Estimate notes_points;      // change of the share of late notes under a false closure, in points
  Estimate decisions_points;  // the same of late decisions
  Estimate true_claims;       // change of true claims a late note, as a share
  Estimate submissions;       // change of submissions an attempt
  // No other run has at least this lift with at most this share of decisions under a false closure,
  // and is better in one of them.
  bool on_frontier = false;
};

struct PolicyStudy {
  std::vector<PolicyEffect> effects;  // in the order of the runs given, without policies first
};

// Errors: those of MeasureRun. REQUIRES: runs have equal problems, lanes and seed; `runs` leaves
// out `without`; `atlas` is of their hardware.
absl::StatusOr<PolicyStudy> StudyPolicies(const Store& store, const RunRecord& without,
                                          const std::vector<RunRecord>& runs, Atlas& atlas,
                                          const BootstrapOptions& options = {});

std::vector<Table> PolicyTables(const PolicyStudy& study);

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_POLICIES_H_
