// What came of an attempt, as plain values: computed by executor/, stored by kb/, scored by
// lineage/.
#ifndef HEARSAY_TASKS_OUTCOME_H_
#define HEARSAY_TASKS_OUTCOME_H_

#include <cstdint>

#include "tasks/claim.h"

namespace hearsay {

// How an attempt came by its note, or why it had none.
enum class Reception : uint8_t {
  kSolo = 0,         // round 0, or a baseline: no note was meant for it
  kConditioned = 1,  // read a note of at least one claim
  kSkipped = 2,      // its sources wrote nothing: scored as its own solo, with the solo's note
  kGated = 3,        // a policy held the note back: likewise scored as its own solo
};

// How far the plan in the note was followed.
enum class Following : uint8_t { kNone = 0, kPartly = 1, kFully = 2 };

// What happened in an attempt that can have harmed it; several may hold. Bits of Outcome::events.
inline constexpr int kEventTruncated = 1 << 0;  // adopted closures ruled out all near-best points
inline constexpr int kEventFalseAdopted = 1 << 1;  // a false claim was believed untested
inline constexpr int kEventOwnBug = 1 << 2;  // a submission failed by the author's own mistake
inline constexpr int kEventForeignIdiom = 1 << 3;  // an idiom of the other DSL was followed
inline constexpr int kEventOutOfTime = 1 << 4;     // the 2,400 s ran out before the submissions did
inline constexpr int kEventFellBack = 1 << 5;      // a design was given up after its repairs failed

// Outcome::costly_slot where no false closure was adopted.
inline constexpr uint8_t kNoSlot = 31;

struct Outcome {
  int16_t speed_lg = 0;         // of the final submission, as measured; 0 unless passed
  uint16_t point = 0;           // design point of the final submission; 0 unless passed
  uint16_t seconds = 0;         // used of the budget
  int16_t closure_cost_lg = 0;  // ClosureCostLg of the costliest false closure adopted
  uint8_t passed = 0;           // 1 iff some submission passed
  uint8_t submissions = 0;      // 0 to 10
  uint8_t failures = 0;         // submissions that did not pass
  uint8_t bugs = 0;             // of those, failed by the author's own mistake alone
  Reception reception = Reception::kSolo;
  Following following = Following::kNone;
  uint8_t events = 0;             // kEvent bits
  uint8_t costly_slot = kNoSlot;  // of the intake: the costliest false closure adopted
  // Claims of the intake (bit i: the i-th) that were believed, and those that own submissions bore
  // out or refuted.
  uint32_t adopted = 0;
  uint32_t confirmed = 0;
  uint32_t refuted = 0;
  uint8_t agent = 0;  // index in the run's agents
  Dsl dsl = Dsl::kCute;
  uint8_t intake_size = 0;  // claims read, after merging and policies
  uint8_t note_size = 0;    // claims written

  friend bool operator==(const Outcome&, const Outcome&) = default;
};
static_assert(sizeof(Outcome) == 32, "an outcome is four 64-bit words, without padding");

}  // namespace hearsay

#endif  // HEARSAY_TASKS_OUTCOME_H_
