// The first part of an attempt: what the agent believes when it has read its note.
#ifndef HEARSAY_EXECUTOR_READING_H_
#define HEARSAY_EXECUTOR_READING_H_

#include <cstdint>

#include "executor/agent.h"
#include "executor/beliefs.h"
#include "executor/bytes.h"
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
  HEARSAY_HD explicit Reading(Beliefs* memory) : beliefs(*memory) {}

  Beliefs& beliefs;
  uint32_t adopted = 0;          // slots of the intake that are believed
  uint32_t to_test = 0;          // slots of closures to be tried out before they are obeyed
  uint64_t plan = ~uint64_t{0};  // byte k: the value that believed claims recommend; 0xff for none
  uint32_t focus = 0;            // bit k: a believed bottleneck draws attention to the knob
  uint64_t subjects = 0;         // bit knob * 8 + value: the intake has a claim on this value
  bool has_census = false;
  bool has_bottleneck = false;

  // Bit k: the plan has a value for the knob.
  HEARSAY_HD uint32_t planned() const { return BitsOfBytes(NonzeroBytes(~plan)); }
};

// The chance that the agent believes the claim. Without branches, as all below that loops over
// claims: what a note says is as good as random to a branch predictor.
HEARSAY_HD inline Chance BeliefChance(const AgentProfile& agent, Dsl dsl, Claim claim) {
  const Chance confident = agent.trust / 16 * (claim.confidence() + 1);
  const bool foreign = (claim.dsl() != dsl) & !claim.general();
  const Chance discount = Both(Select(claim.hedged(), agent.hedge_discount, kCertain),
                               Select(foreign, agent.foreign_discount, kCertain));
  const Chance p = Both(confident, discount);
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
    if (k < world.knob_count) reading->focus |= 1u << k;
    return;
  }
  if (claim.is_closure()) {
    reading->beliefs.Block(k, v);
  } else if (claim.stance() == Stance::kUse) {
    const int effect = Clamp(claim.effect_eighths(), 0, 24);
    reading->beliefs.Shift(k, v, 256 + effect * 64);
    const uint64_t others = ~(uint64_t{0xff} << (8 * k));
    reading->plan = (reading->plan & others) | static_cast<uint64_t>(v) << (8 * k);
  } else {
    reading->beliefs.Shift(k, v, 128);
  }
}

HEARSAY_HD inline void Read(const World& world, const PriorTable& priors, const PriorNoise& bias,
                            Dsl dsl, const AgentProfile& agent, const Policies& policies,
                            const Intake& intake, const Draws& draws, Reading* reading,
                            Outcome* outcome) {
  const Chance verifying = Either(agent.verifying, policies.verify_gate);
  uint32_t believed = 0;
  uint32_t verified = 0;
  uint32_t closures = 0;
  uint32_t censuses = 0;
  uint32_t bottlenecks = 0;
  uint64_t subjects = 0;
  for (int first = 0; first < intake.size; first += 4) {
    const RandomWords words = draws.Block(kDrawIntake + first / 4);
    for (int j = 0; j < 4; ++j) {
      const int i = first + j;
      const Claim claim = intake.claims[i];
      const auto bit = [i](bool condition) { return static_cast<uint32_t>(condition) << i; };
      subjects |= claim.mark();
      bottlenecks |= bit(claim.label() == Label::kBottleneckDiagnosis);
      censuses |= bit(claim.label() == Label::kWorkloadCensus);
      closures |= bit(claim.is_closure());
      believed |= bit(static_cast<Chance>(words.half(2 * j)) < BeliefChance(agent, dsl, claim));
      verified |= bit(static_cast<Chance>(words.half(2 * j + 1)) < verifying);
    }
  }
  believed &= intake.slots();
  censuses &= intake.slots();
  reading->subjects = subjects;
  reading->has_bottleneck = (bottlenecks & intake.slots()) != 0;
  reading->has_census = censuses != 0;
  reading->to_test = believed & closures & verified;
  reading->adopted = believed & ~reading->to_test;
  // A note that describes the workload mends an eighth of what the prior has wrong.
  const Chance mended =
      (reading->adopted & censuses) != 0 ? (kCertain - agent.prior_quality) / 8 : 0;
  FormPrior(priors, bias, agent, agent.prior_quality + mended, draws, &reading->beliefs);
  for (uint32_t left = reading->adopted; left != 0; left &= left - 1) {
    const int i = LowestBit(left);
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
