// The studies of what stands in notes: content and propagation. As in influence.h, but they read
// the claims of the runs, one table after the other, so that not all have to be in memory.
//
// Make one of a set of runs, add the table of each run in the order of the set, and finish.
// Not thread safe, but two studies may add from one table at a time.
#ifndef HEARSAY_LINEAGE_CONTENT_H_
#define HEARSAY_LINEAGE_CONTENT_H_

#include <vector>

#include "absl/status/status.h"
#include "kb/store.h"
#include "lineage/claim_table.h"
#include "lineage/grouped.h"
#include "lineage/influence.h"
#include "lineage/run_set.h"

namespace hearsay {

// Of each label: share of harmful and of helpful notes that hold it, as they were read.
class ContentCount {
 public:
  // `runs` must outlive the study.
  ContentCount(const RunSet& runs, const InfluenceOptions& options = {});
  // Errors: those of VisitComparisons; kNotFound naming a claim that was read and is not there.
  // REQUIRES: `table` holds all problems of a run of the set.
  absl::Status Add(const Store& store, const ClaimTable& table);
  std::vector<GroupStudy> Finish() const;

 private:
  const RunSet& runs_;
  const InfluenceOptions options_;
  GroupedSums sums_;
};

// Unverified claims (unverified assertions and unsupported closures) received, and written on in
// the new note as such, unchanged or changed: by attempts and by claims, harmed against helped.
class PropagationCount {
 public:
  // As above.
  PropagationCount(const RunSet& runs, const InfluenceOptions& options = {});
  absl::Status Add(const Store& store, const ClaimTable& table);
  std::vector<GroupStudy> Finish() const;

 private:
  const RunSet& runs_;
  const InfluenceOptions options_;
  GroupedSums sums_;
};

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_CONTENT_H_
