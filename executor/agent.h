// Agent profiles: bounded-rational kernel authors as plain values.
#ifndef HEARSAY_EXECUTOR_AGENT_H_
#define HEARSAY_EXECUTOR_AGENT_H_

#include <cstdint>

#include "tasks/claim.h"
#include "tasks/host_device.h"

namespace hearsay {

// A chance in units of 1/65536; kCertain is 1.
using Chance = int32_t;
inline constexpr Chance kCertain = 65536;

// Of two chances: that both come true, and that at least one does, if they are independent.
HEARSAY_HD constexpr Chance Both(Chance a, Chance b) {
  return static_cast<Chance>(static_cast<int64_t>(a) * b >> 16);
}
HEARSAY_HD constexpr Chance Either(Chance a, Chance b) { return a + b - Both(a, b); }

struct AgentProfile {
  // Difficulty (sixteenths of a step, World::difficulty) at which every second first try has a bug.
  int32_t skill[kDslCount];
  int32_t pace_seconds;   // for one submission of no difficulty
  int32_t note_capacity;  // claims in a note, at most kMaxNoteClaims

  // Search.
  Chance prior_quality;  // share of truth in what is believed before the first submission
  Chance consistency;    // share of its error that is the same in every attempt at a problem
  Chance boldness;       // to leave the eager plateau when standing on it
  Chance jump;           // that a next design is drawn afresh rather than near the best
  Chance repairing;      // to submit a failed design again, mended
  int32_t caution;       // believed loss of a value for each 16 of its difficulty, 1/256 doublings

  // Reading.
  Chance trust;             // to believe a claim of full confidence, unhedged, made in this DSL
  Chance hedge_discount;    // of that trust for a hedged claim
  Chance foreign_discount;  // of that trust for a claim said of the other DSL only
  Chance following_fully;   // to take the plan in the note as a whole
  Chance following_partly;  // to take each part of it with chance 1/2
  Chance verifying;         // to try a believed closure out before obeying it

  // Writing.
  Chance closing_failed;   // to call an option infeasible after one failure
  Chance closing_untried;  // to call a difficult option, never tried, not worth it
  Chance asserting;        // to recommend an option that was never tried
  Chance asking;           // to leave an untried option as an open question
  Chance describing;       // to write a census of the workload and a bottleneck
  Chance measuring;        // to write down a measured gain, loss or failure
  Chance hedging;          // to hedge a claim made without evidence

  // Retelling.
  Chance fidelity;      // to copy an inherited claim that was not tested
  Chance hedge_loss;    // that a copied hedge is dropped
  Chance generalising;  // that a claim of the other DSL is copied as one of both
};

}  // namespace hearsay

#endif  // HEARSAY_EXECUTOR_AGENT_H_
