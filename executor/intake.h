// From the notes of the sources to what an attempt reads: merging, and the policies that stand
// between.
#ifndef HEARSAY_EXECUTOR_INTAKE_H_
#define HEARSAY_EXECUTOR_INTAKE_H_

#include <cstdint>

#include "executor/agent.h"
#include "executor/note.h"
#include "executor/philox.h"
#include "executor/policy.h"
#include "tasks/claim.h"
#include "tasks/host_device.h"
#include "tasks/world.h"

namespace hearsay {

// The subjects on which a claim was refuted in one problem in one round, by stance: bit knob * 8 +
// value. A union, so that it does not matter in which order attempts add to it.
struct Retractions {
  uint64_t infeasible = 0;
  uint64_t not_worth_it = 0;
  uint64_t use = 0;

  HEARSAY_HD uint64_t* OfStance(Stance stance) {
    if (stance == Stance::kInfeasible) return &infeasible;
    if (stance == Stance::kNotWorthIt) return &not_worth_it;
    return stance == Stance::kUse ? &use : nullptr;
  }
  HEARSAY_HD void Add(Claim claim) {
    uint64_t* const set = OfStance(claim.stance());
    if (set != nullptr) *set |= uint64_t{1} << (claim.knob() * kMaxValues + claim.value());
  }
  HEARSAY_HD void Unite(const Retractions& other) {
    infeasible |= other.infeasible;
    not_worth_it |= other.not_worth_it;
    use |= other.use;
  }
  HEARSAY_HD bool Has(Claim claim) {
    const uint64_t* const set = OfStance(claim.stance());
    return set != nullptr && (*set >> (claim.knob() * kMaxValues + claim.value()) & 1) != 0;
  }
};

// Draws of Stream::kGate: two halves a source in blocks 0 and 1, two halves a claim from block 8
// on.
inline constexpr uint32_t kDrawGateSources = 0;
inline constexpr uint32_t kDrawGateClaims = 8;

// Whether claim `a` counts for more than `b`: by evidence, then by how sure it sounds.
HEARSAY_HD inline bool Outranks(Claim a, Claim b) {
  if (a.support() != b.support()) return a.support() > b.support();
  return a.confidence() > b.confidence();
}

// `winner` with what `other` adds to it. A retelling is no evidence: counts are not summed.
HEARSAY_HD inline Claim Combine(Claim winner, Claim other) {
  const int confidence =
      other.confidence() > winner.confidence() ? other.confidence() : winner.confidence();
  const int stamp =
      other.stamp_round() > winner.stamp_round() ? other.stamp_round() : winner.stamp_round();
  return winner.WithConfidence(confidence)
      .WithHedged(winner.hedged() && other.hedged())
      .WithGeneral(winner.general() || other.general())
      .WithStampRound(stamp);
}

// Adds a claim from `origin` to the intake. Of two claims on one subject the one that counts for
// more stays; where both take one stance, it takes over what the other adds, once.
HEARSAY_HD inline void MergeClaim(Claim claim, uint8_t origin, int capacity, Intake* intake) {
  for (int i = 0; i < intake->size; ++i) {
    Claim& held = intake->claims[i];
    if (held.subject() != claim.subject()) continue;
    const bool replaces = Outranks(claim, held);
    const Claim winner = replaces ? claim : held;
    const Claim other = replaces ? held : claim;
    const uint8_t other_origin = replaces ? intake->origin[i][0] : origin;
    const bool already_merged = intake->merged >> i & 1;
    if (replaces) {
      intake->origin[i][0] = origin;
      intake->origin[i][1] = kNoOrigin;
      intake->merged &= ~(1u << i);
      held = claim;
    }
    if (already_merged || winner.stance() != other.stance()) return;
    const Claim combined = Combine(winner, other);
    if (combined == winner) return;
    held = combined;
    intake->origin[i][1] = other_origin;
    intake->merged |= 1u << i;
    return;
  }
  if (intake->size >= capacity) return;
  intake->claims[intake->size] = claim;
  intake->origin[intake->size][0] = origin;
  intake->origin[intake->size][1] = kNoOrigin;
  ++intake->size;
}

// Merges the notes of `source_count` sources, slot by slot in turn, up to `capacity` claims.
// `notes[s]` is the note of source s. Claims that the retraction policy withdraws are left out.
HEARSAY_HD inline void MergeNotes(const WrittenNote* const* notes, int source_count, int capacity,
                                  const Policies& policies, Retractions retracted,
                                  const Draws& gate, Intake* intake) {
  intake->size = 0;
  intake->merged = 0;
  const bool retracting = policies.retract > 0 || policies.retract_false > 0;
  if (source_count == 1 && !retracting) {  // the subjects of one note differ already
    intake->size = static_cast<uint8_t>(notes[0]->size < capacity ? notes[0]->size : capacity);
    HEARSAY_UNROLL_FOUR
    for (int i = 0; i < intake->size; ++i) {
      intake->claims[i] = notes[0]->claims[i];
      intake->origin[i][0] = static_cast<uint8_t>(i);
      intake->origin[i][1] = kNoOrigin;
    }
    intake->Pad();
    return;
  }
  for (int slot = 0; slot < kMaxNoteClaims; ++slot) {
    for (int s = 0; s < source_count; ++s) {
      if (slot >= notes[s]->size) continue;
      const Claim claim = notes[s]->claims[slot];
      const uint8_t origin = static_cast<uint8_t>(s << 5 | slot);
      if (retracting) {
        const RandomWords words = gate.Block(kDrawGateClaims + origin);
        const Chance withdrawn = claim.knob() < kMaxKnobs && retracted.Has(claim) ? policies.retract
                                 : claim.is_closure() ? policies.retract_false
                                                      : 0;
        if (static_cast<Chance>(words.half(0)) < withdrawn) continue;
      }
      MergeClaim(claim, origin, capacity, intake);
    }
  }
  intake->Pad();
}

}  // namespace hearsay

#endif  // HEARSAY_EXECUTOR_INTAKE_H_
