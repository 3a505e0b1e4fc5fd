// The first part of an attempt: what the agent believes when it has read its note.
#ifndef HEARSAY_EXECUTOR_READING_H_
#define HEARSAY_EXECUTOR_READING_H_

#include <cstdint>

#include "executor/agent.h"
#include "executor/beliefs.h"
#include "executor/note.h"
#include "executor/philox.h"
#include "executor/policy.h"
#include "executor/streams.h"
#include "tasks/claim.h"
#include "tasks/outcome.h"
#include "tasks/truth.h"
#include "tasks/world.h"

namespace hearsay {

// What reading leaves behind.
struct Reading {
  Beliefs beliefs;
  uint32_t adopted = 0;         // slots of the intake that are believed
  uint32_t to_test = 0;         // slots of closures to be tried out before they are obeyed
  int8_t plan[kMaxKnobs];       // value that believed claims recommend; -1 where none does
  int16_t focus[kMaxKnobs];     // extra odds of working on a knob, from believed bottlenecks
  uint8_t subjects[kMaxKnobs];  // bit v: the intake has a claim on this value
  bool has_census = false;
  bool has_bottleneck = false;
};

// The chance that the agent believes the claim.
HEARSAY_HD inline Chance BeliefChance(const AgentProfile& agent, Dsl dsl, Claim claim) {
  Chance p = agent.trust / 16 * (claim.confidence() + 1);
  if (claim.hedged()) p = Both(p, agent.hedge_discount);
  if (claim.dsl() != dsl && !claim.general()) p = Both(p, agent.foreign_discount);
  // Evidence closes part of the distance to certainty: an eighth for each submission, at most half.
  const int support = claim.support() < 4 ? claim.support() : 4;
  return p + (kCertain - p) / 8 * support;
}

// Notes in `outcome` what harm an unverified belief can do.
HEARSAY_HD inline void RecordFalseBelief(const World& world, Claim claim, int slot,
                                         Outcome* outcome) {
  outcome->events |= kEventFalseAdopted;
  if (!claim.is_closure()) return;
  const int cost = ClosureCostLg(world, claim);
  if (cost > kWorthLg) outcome->events |= kEventTruncated;
  if (cost > outcome->closure_cost_lg || outcome->costly_slot == kNoSlot) {
    outcome->closure_cost_lg = static_cast<int16_t>(cost);
    outcome->costly_slot = static_cast<uint8_t>(slot);
  }
}

// Obeys one believed claim.
HEARSAY_HD inline void Obey(const World& world, Claim claim, Reading* reading) {
  const int k = claim.knob();
  const int v = claim.value();
  if (claim.stance() == Stance::kFact) {
    if (k < world.knob_count) reading->focus[k] = 512;
    return;
  }
  if (claim.is_closure()) {
    reading->beliefs.Block(k, v);
  } else if (claim.stance() == Stance::kUse) {
    const int effect = Clamp(claim.effect_eighths(), 0, 24);
    reading->beliefs.Shift(k, v, 256 + effect * 64);
    reading->plan[k] = static_cast<int8_t>(v);
  } else {
    reading->beliefs.Shift(k, v, 128);
  }
}

HEARSAY_HD inline void Read(const World& world, const PriorTable& priors, Dsl dsl,
                            const AgentProfile& agent, const Policies& policies,
                            const Intake& intake, const Draws& draws, Reading* reading,
                            Outcome* outcome) {
  for (int k = 0; k < kMaxKnobs; ++k) {
    reading->plan[k] = -1;
    reading->focus[k] = 0;
    reading->subjects[k] = 0;
  }
  Chance quality = agent.prior_quality;
  RandomWords words;
  for (int i = 0; i < intake.size; ++i) {
    const Claim claim = intake.claims[i];
    if ((i & 3) == 0) words = draws.Block(kDrawIntake + i / 4);
    const int half = (i & 3) * 2;
    if (claim.knob() < kMaxKnobs && claim.value() < kMaxValues) {
      reading->subjects[claim.knob()] |= static_cast<uint8_t>(1 << claim.value());
    }
    reading->has_census |= claim.label() == Label::kWorkloadCensus;
    reading->has_bottleneck |= claim.label() == Label::kBottleneckDiagnosis;
    if (static_cast<Chance>(words.half(half)) >= BeliefChance(agent, dsl, claim)) continue;
    // A note that describes the workload mends an eighth of what the prior has wrong.
    if (claim.label() == Label::kWorkloadCensus) quality += (kCertain - quality) / 8;
    const Chance verifying = Either(agent.verifying, policies.verify_gate);
    const bool verify = static_cast<Chance>(words.half(half + 1)) < verifying;
    if (claim.is_closure() && verify) {
      reading->to_test |= 1u << i;
    } else {
      reading->adopted |= 1u << i;
    }
  }
  FormPrior(priors, agent, quality, draws, &reading->beliefs);
  for (int i = 0; i < intake.size; ++i) {
    if ((reading->adopted >> i & 1) == 0) continue;
    const Claim claim = intake.claims[i];
    Obey(world, claim, reading);
    if (claim.label() == Label::kDslIdiom && claim.dsl() != dsl) {
      outcome->events |= kEventForeignIdiom;
    }
    if (TruthOf(world, claim) == Truth::kFalse) RecordFalseBelief(world, claim, i, outcome);
  }
}

}  // namespace hearsay

#endif  // HEARSAY_EXECUTOR_READING_H_
