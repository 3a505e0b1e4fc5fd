// Study "policies": runs of one plan that differ in their policies alone, against the run without
// any. They share all random numbers that a policy does not touch, so differences are paired by
// problem; of several plans, which may differ in seed, topology or else, each run is paired with
// the one without policies of its own plan.
#ifndef HEARSAY_LINEAGE_POLICIES_H_
#define HEARSAY_LINEAGE_POLICIES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lineage/run_measures.h"
#include "lineage/table.h"

namespace hearsay {

// Runs of one plan.
struct PolicyRuns {
  RunRecord without;            // has no policies
  std::vector<RunRecord> with;  // one for each set of policies
};

struct PolicyEffect {
  std::string plan;           // "R1: relay, seed 3", by the run without policies; "all": pooled
  std::string run;            // "R4", or "3 runs" where pooled
  std::string policies;       // "verify_gate=1"; empty: none
  Estimate lift;              // dGM of the run itself
  Estimate lift_change;       // (1 + dGM) / (1 + dGM without policies) - 1
  Estimate harmed_points;     // change of H, in points
  Estimate notes_points;      // change of the share of late notes under a false closure, in points
  Estimate decisions_points;  // the same of late decisions
  Estimate true_claims;       // change of true claims a late note, as a share
  Estimate submissions;       // change of submissions an attempt
  // Of the same plan, or of those pooled over all plans, none has at least this lift with at most
  // this share of decisions under a false closure, and is better in one of them. Never of policies
  // that some of the plans were not run under.
  bool on_frontier = false;
};

struct PolicyStudy {
  int plans = 0;
  // Pooled over the plans, then plan by plan where there are several; in each without policies
  // first, then others as they first appear.
  std::vector<PolicyEffect> effects;
  std::vector<std::string> notes;  // of the set of runs without policies
};

// Errors: those of RunSet::Pool and MeasureRun. REQUIRES: runs of a plan have equal problems, lanes
// and seed; `atlas` is of their hardware.
absl::StatusOr<PolicyStudy> StudyPolicies(const Store& store, const std::vector<PolicyRuns>& plans,
                                          Atlas& atlas, const BootstrapOptions& options = {});

std::vector<Table> PolicyTables(const PolicyStudy& study);

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_POLICIES_H_
