// Which rounds of a run stay whole while it goes on: `hearsay run --retain`.
//
// Of any other round the attempts are dropped, and of its claims those are kept that are still
// needed (kb/fold.h).
#ifndef HEARSAY_KB_RETENTION_H_
#define HEARSAY_KB_RETENTION_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kb/ids.h"

namespace hearsay {

struct Retention {
  enum class Kind {
    kAll,
    kLast,       // the last `rounds` rounds
    kEvery,      // each `rounds`-th round from round 0 on, and the last
    kAncestral,  // the last round, and the claims that its own and the pinned ones were made from
  };
  Kind kind = Kind::kAll;
  int rounds = 0;
  std::vector<ClaimId> pins;  // kAncestral; of any run: what counts is the place in it

  // Whether the round is whole in a run whose last round is `last`.
  bool Whole(int round, int last) const;
};

// "all", "last:5", "every:10", "ancestral"; "" is "all". Errors: kInvalidArgument, one sentence.
absl::StatusOr<Retention> ParseRetention(absl::string_view text);

// "r5.p71.l3#2", or the same with a run before it, which is passed over: the number of a run to
// come is not known. Errors: kInvalidArgument.
absl::StatusOr<ClaimId> ParsePin(absl::string_view text);
// Without the run.
std::string FormatPin(ClaimId pin);

}  // namespace hearsay

#endif  // HEARSAY_KB_RETENTION_H_
