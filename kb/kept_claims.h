// Claims that outlive the attempts that wrote them: what is left of a round whose attempts its run
// no longer keeps (kb/retention.h).
//
// They are stored by the block that held them: all claims of one that are still needed, in the
// order of their ids. Plain data and pure functions.
#ifndef HEARSAY_KB_KEPT_CLAIMS_H_
#define HEARSAY_KB_KEPT_CLAIMS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "kb/block.h"
#include "kb/ids.h"

namespace hearsay {

// A claim with what attempts that were dropped did to it. Of one whose own round is whole there is
// only the latter: `made` and `agent` are empty, and stand in its block.
struct KeptClaim {
  ClaimId id;
  NewClaim made;
  uint8_t agent = 0;       // of its author
  int32_t last_round = 0;  // the last whose dropped notes held it; its own where none did
  // Dropped attempts whose notes held it, and that believed it, bore it out or refuted it.
  int32_t carriers = 0;
  int32_t adopted = 0;
  int32_t confirmed = 0;
  int32_t refuted = 0;
};
bool operator==(const KeptClaim& a, const KeptClaim& b);

// nullptr where it is not there. REQUIRES: `claims` ascend by id.
const KeptClaim* FindKept(absl::Span<const KeptClaim> claims, ClaimId id);

// Keys sort by run, problem, round, first lane: who walks over ancestors does so within a problem.
std::string KeptKey(AttemptId first);
std::string KeptKey(int run, int problem);  // the beginning of all of the problem
absl::StatusOr<AttemptId> ParseKeptKey(absl::string_view key);

// REQUIRES: claims of one block, ascending, at least one; parents are of the same run and problem
// and of earlier rounds.
std::string EncodeKept(absl::Span<const KeptClaim> claims);
// Errors: kDataLoss saying what does not fit. Never reads past the bytes, whatever they are.
absl::StatusOr<std::vector<KeptClaim>> DecodeKept(AttemptId first, absl::string_view bytes);

// Of one claim; that of a round is the sum over its claims, modulo 2^64. The run's number is not
// part of it.
uint64_t KeptDigest(const KeptClaim& claim);

}  // namespace hearsay

#endif  // HEARSAY_KB_KEPT_CLAIMS_H_
