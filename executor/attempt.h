// One attempt: an agent works on a problem in a DSL, with or without a note, and writes a note.
//
// A pure function of its arguments: fixed size, no heap, no libm, no globals, integers only. The
// executors loop over it; nothing else computes what an attempt does.
#ifndef HEARSAY_EXECUTOR_ATTEMPT_H_
#define HEARSAY_EXECUTOR_ATTEMPT_H_

#include "executor/agent.h"
#include "executor/note.h"
#include "executor/policy.h"
#include "executor/reading.h"
#include "executor/search.h"
#include "executor/writing.h"

namespace hearsay {

// The tables an attempt works with, which mean nothing before and after it. The caller says where
// it lies: threads of a GPU have theirs in shared memory.
struct AttemptMemory {
  Beliefs beliefs;
  ValueFindings findings;
};

// Runs an attempt. Sets all of `outcome` but reception and agent, which the caller knows, and all
// of `note`. `round` stamps the claims; the random numbers come from `draws` alone. REQUIRES: every
// claim of `intake` that names a knob names one of `world`, with a value of it.
template <typename Pace, typename Observer>
HEARSAY_HD inline void RunAttempt(const World& world, const PriorTable& priors,
                                  const PriorNoise& bias, Dsl dsl, const AgentProfile& agent,
                                  const Policies& policies, int round, const Intake& intake,
                                  const Draws& draws, Outcome* outcome, WrittenNote* note,
                                  Observer* observer, AttemptMemory* memory) {
  outcome->dsl = dsl;
  outcome->intake_size = intake.size;
  Reading reading(&memory->beliefs);
  Read(world, priors, bias, dsl, agent, policies, intake, draws, &reading, outcome);
  Findings findings(&memory->findings);
  Search<Pace, Observer>(world, dsl, agent, intake, draws, &reading, outcome, observer)
      .Run(&findings);
  outcome->adopted = reading.adopted;
  Writer(world, dsl, agent, policies, round, intake, reading, findings, draws, outcome, note)
      .Write();
}

// The same with memory of its own.
template <typename Observer>
HEARSAY_HD inline void RunAttempt(const World& world, const PriorTable& priors,
                                  const PriorNoise& bias, Dsl dsl, const AgentProfile& agent,
                                  const Policies& policies, int round, const Intake& intake,
                                  const Draws& draws, Outcome* outcome, WrittenNote* note,
                                  Observer* observer) {
  AttemptMemory memory;
  RunAttempt<NoPace>(world, priors, bias, dsl, agent, policies, round, intake, draws, outcome, note,
                     observer, &memory);
}

}  // namespace hearsay

#endif  // HEARSAY_EXECUTOR_ATTEMPT_H_
