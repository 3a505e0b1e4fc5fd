// Comparisons: every attempt of round 1 and later against the solo baseline of the same lane, agent
// and DSL. What the studies of transfer are made of.
#ifndef HEARSAY_LINEAGE_COMPARISONS_H_
#define HEARSAY_LINEAGE_COMPARISONS_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "kb/store.h"
#include "lineage/run_set.h"
#include "tasks/scoring.h"

namespace hearsay {

// Comparison::from, beside a DSL.
inline constexpr int kMixedSources = kDslCount;  // sources wrote in different DSLs
inline constexpr int kNoSources = kDslCount + 1;

// Valid during the visit only.
struct Comparison {
  AttemptId attempt;
  int place = 0;                         // of its run in the set
  int slot = 0;                          // of its problem in the set
  int cluster = 0;                       // in the set
  int agent = 0;                         // in the set
  const Outcome* recorded = nullptr;     // what the store has for the attempt
  const Outcome* conditioned = nullptr;  // the same, but the solo where it was skipped or gated
  const Outcome* solo = nullptr;
  double ratio = 1;  // rho; 1 where it was skipped or gated
  Effect effect = Effect::kNeutral;
  int from = kNoSources;                     // the DSL its sources wrote in
  absl::Span<const Outcome> sources;         // what came of them
  const BaselineBlock* baselines = nullptr;  // of its problem
  const AttemptBlock* block = nullptr;       // holds the attempt, its intake and its note ...
  int index = 0;                             // ... at this place

  int to() const { return static_cast<int>(recorded->dsl); }
  bool read_a_note() const { return recorded->reception == Reception::kConditioned; }
};

// Visits the comparisons of the runs in key order, in one scan; stops at the first error of
// `visit`. Errors: those of the store and of `visit`; kDataLoss naming the attempt that has no
// baseline or unknown sources.
absl::Status VisitComparisons(const Store& store, const RunSet& runs, const ScoringParams& params,
                              const std::function<absl::Status(const Comparison&)>& visit);
// The same, of one run of the set.
absl::Status VisitComparisonsOfRun(const Store& store, const RunSet& runs, int place,
                                   const ScoringParams& params,
                                   const std::function<absl::Status(const Comparison&)>& visit);

// "cute->tirx", "mixed->cute", "none->tirx".
std::string DirectionName(int from, int to);

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_COMPARISONS_H_
