// Whether a claim is true, and what a false one costs: the simulator knows the landscape.
#ifndef HEARSAY_TASKS_TRUTH_H_
#define HEARSAY_TASKS_TRUTH_H_

#include <cstdint>

#include "tasks/claim.h"
#include "tasks/host_device.h"
#include "tasks/world.h"

namespace hearsay {

enum class Truth : uint8_t {
  kTrue = 0,
  kFalse = 1,
  kOpen = 2,  // the claim asserts nothing that a landscape could bear out or refute
};

// 1.05x in lg units (1024 x log2 1.05 = 72.1): what a value must gain to be worth it.
inline constexpr int kWorthLg = 72;

// What every believer of "do not use this value" loses at best: log2(best overall / best without
// the value), in lg units, 0 or more. Source: docs/model.md, "Truth".
//
// REQUIRES: claim has a knob and a value of `world`.
HEARSAY_HD inline int ClosureCostLg(const World& world, Claim claim) {
  const int without = world.best_without_lg[claim.knob()][claim.value()];
  // Without any passing point left the believer still has eager, at speed 0.
  const int fallback = without == kNoSpeed ? 0 : without;
  return world.best_lg > fallback ? world.best_lg - fallback : 0;
}

// Truth of `claim` in `world`, whichever DSL the claim was made in: a claim can be true where it
// was born and false where it arrives.
//   kInfeasible  true iff no passing point has the value (of those that move something: world.h)
//   kNotWorthIt  true iff no passing point with the value beats the best without it by 5%
//   kUse         true iff the best point with the value is within 5% of the best of all
//   kFact about a knob (a bottleneck)  true iff some value of it costs 5% or more to do without
//   else         kOpen; a census of the workload is kTrue
HEARSAY_HD inline Truth TruthOf(const World& world, Claim claim) {
  const int k = claim.knob();
  const int v = claim.value();
  if (claim.stance() == Stance::kOpen) return Truth::kOpen;
  if (claim.stance() == Stance::kFact) {
    if (claim.label() == Label::kWorkloadCensus) return Truth::kTrue;
    if (k >= kMaxKnobs || k >= world.knob_count) return Truth::kOpen;
    for (int i = 0; i < world.value_count[k]; ++i) {
      if (world.best_with_lg[k][i] - world.best_without_lg[k][i] > kWorthLg) return Truth::kTrue;
    }
    return Truth::kFalse;
  }
  if (k >= kMaxKnobs || k >= world.knob_count || v >= world.value_count[k]) return Truth::kOpen;
  const int with = world.best_with_lg[k][v];
  const bool passes = with != kNoSpeed;
  // A bit for each of the three stances, rather than a branch that nobody can predict.
  const bool infeasible = !passes;
  const bool not_worth_it = !passes | (with - world.best_without_lg[k][v] <= kWorthLg);
  const bool use = passes & (world.best_lg - with <= kWorthLg);
  const uint32_t holds =
      static_cast<uint32_t>(infeasible) << static_cast<int>(Stance::kInfeasible) |
      static_cast<uint32_t>(not_worth_it) << static_cast<int>(Stance::kNotWorthIt) |
      static_cast<uint32_t>(use) << static_cast<int>(Stance::kUse);
  return (holds >> static_cast<int>(claim.stance()) & 1) != 0 ? Truth::kTrue : Truth::kFalse;
}

}  // namespace hearsay

#endif  // HEARSAY_TASKS_TRUTH_H_
