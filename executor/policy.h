// Policies: interventions in what is passed on, as plain values. All zero: no policy.
#ifndef HEARSAY_EXECUTOR_POLICY_H_
#define HEARSAY_EXECUTOR_POLICY_H_

#include <cstdint>

#include "executor/agent.h"

namespace hearsay {

struct Policies {
  Chance drop_failed_source = 0;  // a note whose author failed is held back
  Chance standing_gate =
      0;  // a note is held back unless its author's tier is above the receiver's solo
  Chance verify_gate = 0;    // a closure must be tested before it is obeyed
  Chance evidence_only = 0;  // an inherited claim without any support is not copied
  Chance keep_hedges = 0;    // a hedge cannot be lost
  int32_t ttl_rounds = 0;    // a claim not verified for so many rounds is dropped; 0 is never
  Chance retract = 0;  // a claim on a subject and stance that the round before refuted is withdrawn
  Chance retract_false = 0;  // a closure that nobody refuted is withdrawn all the same
};

}  // namespace hearsay

#endif  // HEARSAY_EXECUTOR_POLICY_H_
