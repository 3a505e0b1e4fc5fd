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

// How likely an agent that works in `dsl` is to believe what it reads. Without branches, as all
// that loops over claims: what a note says is as good as random to a branch predictor.
class Trust {
 public:
  HEARSAY_HD Trust(const AgentProfile& agent, Dsl dsl)
      : dsl_(dsl),
        each_(agent.trust / 16),
        hedged_(agent.hedge_discount),
        foreign_(agent.foreign_discount),
        hedged_and_foreign_(Both(agent.hedge_discount, agent.foreign_discount)) {}

  // The chance that the claim is believed.
  HEARSAY_HD Chance In(Claim claim) const {
    const bool foreign = (claim.dsl() != dsl_) & !claim.general();
    const Chance discount = Select(claim.hedged(), Select(foreign, hedged_and_foreign_, hedged_),
                                   Select(foreign, foreign_, kCertain));
    const Chance p = Both(each_ * (claim.confidence() + 1), discount);
    // Evidence closes part of the distance to certainty: an eighth for each submission, at most
    // half.
    const int support = claim.support() < 4 ? claim.support() : 4;
    return p + static_cast<Chance>(static_cast<uint32_t>(kCertain - p) / 8) * support;
  }

 private:
  const Dsl dsl_;
  const Chance each_, hedged_, foreign_, hedged_and_foreign_;
};

// Notes in `outcome` what harm a false closure can do that is believed untested.
HEARSAY_HD inline void RecordFalseBelief(const World& world, Claim closure, int slot,
                                         Outcome* outcome) {
  const int cost = ClosureCostLg(world, closure);
  outcome->events |= kEventFalseAdopted;
  if (cost > kWorthLg) outcome->events |= kEventTruncated;
  if (cost > outcome->closure_cost_lg || outcome->costly_slot == kNoSlot) {
    outcome->closure_cost_lg = static_cast<int16_t>(cost);
    outcome->costly_slot = static_cast<uint8_t>(slot);
  }
}

// Obeys one believed claim that is no closure.
HEARSAY_HD inline void Obey(const World& world, Claim claim, Reading* reading) {
  const int k = claim.knob();
  const int v = claim.value();
  if (claim.stance() == Stance::kFact) {
    if (k < world.knob_count) reading->focus |= 1u << k;
    return;
  }
  const bool use = claim.stance() == Stance::kUse;
  const int effect = Clamp(claim.effect_eighths(), 0, 24);
  reading->beliefs.Shift(k, v, Select(use, 256 + effect * 64, 128));
  const uint64_t planned = use ? uint64_t{0xff} << (8 * k) : 0;
  const uint64_t value = static_cast<uint64_t>(v) * kEachByte;
  reading->plan = (reading->plan & ~planned) | (value & planned);
}

HEARSAY_HD inline void Read(const World& world, const PriorTable& priors, const PriorNoise& bias,
                            Dsl dsl, const AgentProfile& agent, const Policies& policies,
                            const Intake& intake, const Draws& draws, Reading* reading,
                            Outcome* outcome) {
  const Trust trust(agent, dsl);
  const Chance verifying = Either(agent.verifying, policies.verify_gate);
  uint32_t believed = 0;
  uint32_t verified = 0;
  uint32_t closures = 0;
  uint32_t censuses = 0;
  uint32_t bottlenecks = 0;
  uint64_t subjects = 0;
  DrawSequence<kMaxNoteClaims / 4> drawn(draws, kDrawIntake, (intake.size + 3) / 4);
  for (int first = 0; first < intake.size; first += 4) {
    const RandomWords words = drawn.Next();
    for (int j = 0; j < 4; ++j) {
      const int i = first + j;
      const Claim claim = intake.claims[i];
      const auto bit = [i](bool condition) { return static_cast<uint32_t>(condition) << i; };
      subjects |= claim.mark();
      bottlenecks |= bit(claim.label() == Label::kBottleneckDiagnosis);
      censuses |= bit(claim.label() == Label::kWorkloadCensus);
      closures |= bit(claim.is_closure());
      believed |= bit(static_cast<Chance>(words.half(2 * j)) < trust.In(claim));
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
  // No two claims speak of the same value, so that it does not matter which is obeyed first.
  for (uint32_t left = reading->adopted & closures; left != 0; left &= left - 1) {
    const int i = LowestBit(left);
    const Claim claim = intake.claims[i];
    reading->beliefs.Block(claim.knob(), claim.value());
    if (TruthOf(world, claim) == Truth::kFalse) RecordFalseBelief(world, claim, i, outcome);
  }
  for (uint32_t left = reading->adopted & ~closures; left != 0; left &= left - 1) {
    const Claim claim = intake.claims[LowestBit(left)];
    Obey(world, claim, reading);
    if (claim.label() == Label::kDslIdiom && claim.dsl() != dsl) {
      outcome->events |= kEventForeignIdiom;
    }
    if (TruthOf(world, claim) == Truth::kFalse) outcome->events |= kEventFalseAdopted;
  }
}

}  // namespace hearsay

#endif  // HEARSAY_EXECUTOR_READING_H_
