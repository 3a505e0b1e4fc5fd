// The claims of a run problem by problem: what keeps questions about a whole run within memory,
// since claims of two problems are never related.
#ifndef HEARSAY_LINEAGE_BY_PROBLEM_H_
#define HEARSAY_LINEAGE_BY_PROBLEM_H_

#include <functional>

#include "absl/status/status.h"
#include "kb/store.h"
#include "lineage/claim_table.h"
#include "tasks/landscape.h"

namespace hearsay {

// Tables in memory at once, one a thread.
inline constexpr int kMostTables = 4;

// Calls `visit` with the table of each problem of the run, or of one where `problem` is not
// negative: in any order, by several threads at a time.
// Errors: those of ClaimTable::Load, after which no more problems are visited.
absl::Status VisitProblems(const Store& store, int run, Atlas& atlas, int problem,
                           const std::function<void(const ClaimTable&)>& visit);

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_BY_PROBLEM_H_
