// The digest of a round: a sum over its attempts of a 64-bit hash of each attempt's canonical
// words.
//
// A sum does not depend on how the attempts were split over threads, batches or ranks, and needs no
// order. The words of an attempt, in this order (docs/formats.md, "Digest"):
//   its coordinates        round << 32 | problem, then lane
//   its outcome            four words, the fields of Outcome in order, little endian
//   its sources            their count, then each source lane
//   its note               for each claim its bits, with its change (Change::kCopied for a copy) in
//   the
//                          six bits that a claim leaves free
#ifndef HEARSAY_TASKS_DIGEST_H_
#define HEARSAY_TASKS_DIGEST_H_

#include <cstdint>
#include <cstring>

#include "tasks/claim.h"
#include "tasks/host_device.h"
#include "tasks/outcome.h"

namespace hearsay {

class AttemptDigest {
 public:
  HEARSAY_HD AttemptDigest(uint32_t round, uint32_t problem, uint32_t lane) {
    Add(static_cast<uint64_t>(round) << 32 | problem);
    Add(lane);
  }
  HEARSAY_HD void Add(uint64_t word) {
    hash_ = (hash_ ^ word) * 0x9e3779b97f4a7c15u;
    hash_ ^= hash_ >> 32;
  }
  HEARSAY_HD void Add(const Outcome& outcome) {
    uint64_t words[4];
    memcpy(words, &outcome, sizeof(words));
    for (uint64_t word : words) Add(word);
  }
  HEARSAY_HD void Add(Claim claim, Change change) {
    Add(claim.bits | static_cast<uint64_t>(change) << 58);
  }
  HEARSAY_HD uint64_t Finish() const {
    uint64_t h = hash_ * 0xbf58476d1ce4e5b9u;
    h ^= h >> 29;
    return h * 0x94d049bb133111ebu;
  }

 private:
  uint64_t hash_ = 0x6865617273617921u;
};

}  // namespace hearsay

#endif  // HEARSAY_TASKS_DIGEST_H_
