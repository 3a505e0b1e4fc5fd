// Folding: dropping from a run, as it goes, what its retention does not keep.
#ifndef HEARSAY_KB_FOLD_H_
#define HEARSAY_KB_FOLD_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "kb/retention.h"
#include "kb/store.h"

namespace hearsay {

// Drops the attempts of all rounds of the run that are not whole by `retention`, seen from its last
// committed round, at once or, after an error, not at all. Of their claims are kept
//  - last, every: those that whole rounds refer to: that their attempts read or wrote;
//  - ancestral: those that the last round refers to, pinned ones, and all these were made from,
// each with counts of what dropped attempts did to it. What is kept in the end does not depend on
// how often or when a run was folded on its way. Takes the memory of the claims of a
// problem since the last fold for each thread, and of what is kept as it is stored.
// Errors: those of the store.
absl::Status FoldRun(int run, const Retention& retention, int threads, Store* store);

// The blocks of kept claims that turn `before`, as they are stored, into `after`. REQUIRES: both
// are of one problem and ascend by id.
std::vector<KeptBlock> ChangedBlocks(absl::Span<const KeptClaim> before,
                                     absl::Span<const KeptClaim> after);

}  // namespace hearsay

#endif  // HEARSAY_KB_FOLD_H_
