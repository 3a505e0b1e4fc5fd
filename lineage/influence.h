// The studies of what in a note helps and harms: standing, attribution and adoption; content.h has
// those that read claims. Comparisons, scoring and intervals are those of transfer.h; attempts that
// were skipped or gated read nothing and are left out.
#ifndef HEARSAY_LINEAGE_INFLUENCE_H_
#define HEARSAY_LINEAGE_INFLUENCE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "kb/store.h"
#include "lineage/grouped.h"
#include "lineage/run_set.h"
#include "lineage/stats.h"
#include "tasks/landscape.h"
#include "tasks/scoring.h"

namespace hearsay {

struct InfluenceOptions {
  ScoringParams scoring;
  BootstrapOptions bootstrap;
};

// Errors of all: those of VisitComparisons.
using GroupStudies = absl::StatusOr<std::vector<GroupStudy>>;

// Outcome by the source's tier against the receiver's solo tier (of several sources the best
// counts), then how the two directions of one agent and problem of a run go together: correlation
// of their mean log ratios, and shares of those that gain in both, lose in both, or part.
GroupStudies StudyStanding(const Store& store, const RunSet& runs,
                           const InfluenceOptions& options = {});

// Outcome by how far the plan of the note was followed: not at all, in part, fully.
GroupStudies StudyAdoption(const Store& store, const RunSet& runs,
                           const InfluenceOptions& options = {});

// Causes of harm. The first that holds is the cause:
//   baseline_luck        beside most solos of other lanes (agent, problem, DSL alike) no harm
//   search_truncation    what believed false closures left open was slower than the solo
//   dsl_mismatch         an idiom of the other DSL was followed
//   unverified_adoption  a false claim was believed untested
//   execution_error      a submission failed by the author's own mistake alone
//   budget_exhaustion    time ran out before the submissions did
//   none_recorded        none of these
// Then how much commoner each event is in harmed attempts than in others.
// REQUIRES: `atlas` is of the runs' hardware.
GroupStudies StudyAttribution(const Store& store, const RunSet& runs, Atlas& atlas,
                              const InfluenceOptions& options = {});

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_INFLUENCE_H_
