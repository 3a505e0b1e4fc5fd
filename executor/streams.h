// Who draws what: the registry of random streams and, within an attempt, of draws. Append only: a
// number that changes its meaning changes every result ever published with a seed.
#ifndef HEARSAY_EXECUTOR_STREAMS_H_
#define HEARSAY_EXECUTOR_STREAMS_H_

#include <cstdint>

namespace hearsay {

enum class Stream : uint32_t {
  kAttempt = 1,   // a conditioned or round-0 attempt: (round, problem, lane)
  kBaseline = 2,  // a solo baseline: (agent * 2 + dsl, problem, lane)
  kSources = 3,   // which lanes a pool reads: (round, problem, lane)
  kSchedule = 4,  // random DSL of a lane: (round, problem, lane)
  kGate = 5,      // policies between source and receiver: (round, problem, receiving lane)
  kBias = 6,      // what an agent always believes wrongly of a problem: (agent, problem, 0)
};

// Draws of one attempt. Every decision has a place of its own, so that removing a claim or adding a
// policy leaves the random numbers of all other decisions as they were.
inline constexpr uint32_t kDrawPrior = 0;   // 4 blocks: noise of the prior, 8 bits a value
inline constexpr uint32_t kDrawPlan = 4;    // 1 block: following the note's plan; last measurement
inline constexpr uint32_t kDrawStart = 5;   // 1 block: the first design, a half a knob
inline constexpr uint32_t kDrawIntake = 8;  // 6 blocks: 2 halves a claim of the intake
inline constexpr uint32_t kDrawSubmission = 32;  // 10 blocks: one a submission
inline constexpr uint32_t kDrawJump = 48;        // 10 blocks: a design drawn afresh, a half a knob
inline constexpr uint32_t kDrawRetelling = 64;   // 6 blocks: 2 halves a claim of the intake
inline constexpr uint32_t kDrawWriting = 80;     // 4 blocks: 4 halves a knob
inline constexpr uint32_t kDrawFacts = 88;       // 1 block: census and bottleneck

}  // namespace hearsay

#endif  // HEARSAY_EXECUTOR_STREAMS_H_
