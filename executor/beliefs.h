// What an agent believes of each value of each knob, and how it chooses by it.
//
// A belief is the logarithm of the odds of a choice, in 1/256 doublings: a value believed one
// doubling faster is four times as likely to be chosen (kOddsPerLg). Integers only: the same on
// every device.
#ifndef HEARSAY_EXECUTOR_BELIEFS_H_
#define HEARSAY_EXECUTOR_BELIEFS_H_

#include <cstdint>
#include <cstring>

#include "executor/agent.h"
#include "executor/bytes.h"
#include "executor/philox.h"
#include "executor/row.h"
#include "executor/streams.h"
#include "tasks/host_device.h"
#include "tasks/world.h"

namespace hearsay {

// A belief that rules the value out.
inline constexpr int16_t kBlocked = -32768;
inline constexpr int kBeliefLimit = 4096;

HEARSAY_HD inline int Clamp(int x, int low, int high) {
  return x < low ? low : (x > high ? high : x);
}

// `a` where the condition holds, else `b`; never a branch, which a random condition would make
// dear.
HEARSAY_HD constexpr int Select(bool condition, int a, int b) {
  const int mask = -static_cast<int>(condition);
  return (a & mask) | (b & ~mask);
}

// Index of the lowest bit. REQUIRES: bits != 0.
HEARSAY_HD inline int LowestBit(uint64_t bits) { return HEARSAY_COUNT_TRAILING_ZEROS(bits); }

// A difference of speeds in lg units (1024 a doubling) as a difference of beliefs: half of it,
// which is two doublings of odds for a doubling of speed.
HEARSAY_HD inline int OddsOfLg(int lg) { return lg / 2; }

struct Beliefs {
  int16_t odds[kMaxKnobs][kMaxValues];
  int16_t best[kMaxKnobs];  // the largest odds of each knob

  // Blocks the value unless it is the last one left of its knob.
  HEARSAY_HD void Block(int knob, int value) {
    const uint32_t blocked = Row::Load(odds[knob]).BitsOf(kBlocked);
    const uint32_t left = ~blocked & 0xff;
    if ((left & (left - 1)) != 0) Put(knob, value, kBlocked);
  }

  HEARSAY_HD void Shift(int knob, int value, int by) {
    const int belief = odds[knob][value];
    if (belief == kBlocked) return;
    Put(knob, value, static_cast<int16_t>(Clamp(belief + by, -kBeliefLimit, kBeliefLimit)));
  }

  // A value of the knob chosen by odds, from 16 random bits.
  HEARSAY_HD int Choose(int knob, uint32_t half) const {
    return Row::Load(odds[knob]).Pick(best[knob], half << 16);
  }

  // The same, but another than `value`; `value` where no other is left.
  HEARSAY_HD int ChooseOther(int knob, int value, uint32_t half) const {
    const Row others = Row::LoadBut(odds[knob], value, kBlocked);
    const int most = others.Most();
    if (most == kBlocked) return value;
    // The excepted value can be so far ahead that beside it the others weigh nothing.
    if (best[knob] - most > kWeightReach) return others.Pick(most, half << 16);
    return others.Pick(best[knob], half << 16);
  }

 private:
  HEARSAY_HD void Put(int knob, int value, int16_t belief) {
    Row::Replace(odds[knob], value, belief);
    Row::Replace(best, knob, static_cast<int16_t>(Row::Load(odds[knob]).Most()));
  }
};

// What priors in one world are made from, ready for 16-bit products of which the high half is kept.
struct PriorTable {
  int16_t truth[kMaxKnobs][kMaxValues];       // twice the marginal effect of the value, in odds
  int16_t difficulty[kMaxKnobs][kMaxValues];  // 4096 / 16 times World::difficulty, at most 32767
  int16_t valid[kMaxKnobs][kMaxValues];       // all ones where the value exists, else 0
};

HEARSAY_HD inline PriorTable MakePriorTable(const World& world) {
  PriorTable table;
  for (int k = 0; k < kMaxKnobs; ++k) {
    for (int v = 0; v < kMaxValues; ++v) {
      const int effect = Clamp(world.best_with_lg[k][v] - world.best_without_lg[k][v], -3072, 3072);
      table.truth[k][v] = static_cast<int16_t>(2 * OddsOfLg(effect));
      table.difficulty[k][v] = static_cast<int16_t>(Clamp(256 * world.difficulty[k][v], 0, 32767));
      table.valid[k][v] = static_cast<int16_t>(v < world.value_count[k] ? -1 : 0);
    }
  }
  return table;
}

// Numbers that are uniform over +-3 doublings of speed, given as twice their odds: 16 from a block
// of draws, 64 from 4.
inline constexpr int kNoiseOfABlock = 2 * kRowSize;

HEARSAY_HD inline Row NoiseOf(const RandomWords& words, int row) {
  const uint64_t bytes = words.word[2 * row] | uint64_t{words.word[2 * row + 1]} << 32;
  // As signed bytes: those from 128 on count 256 less.
  const Row unsigned_bytes = Row::OfBytes(bytes ^ kEachByte * 0x80);
  return (unsigned_bytes - Row::All(128)) * Row::All(24);
}

struct PriorNoise {
  int16_t odds[kMaxKnobs * kMaxValues];

  HEARSAY_HD void Draw(const Draws& draws, uint32_t first_draw) {
    for (int b = 0; b < kMaxKnobs / 2; ++b) {
      const RandomWords words = draws.Block(first_draw + b);
      NoiseOf(words, 0).Store(odds + b * kNoiseOfABlock);
      NoiseOf(words, 1).Store(odds + b * kNoiseOfABlock + kRowSize);
    }
  }
};

// The prior: truth mixed with error by the agent's quality, less what the difficulty of a value
// puts the agent off. Truth is the marginal effect of the value, up to 3 doublings of speed. The
// error is as large; part of it (AgentProfile::consistency) is `bias`, the same in all of the
// agent's attempts at the problem, the rest is drawn anew.
HEARSAY_HD inline void FormPrior(const PriorTable& table, const PriorNoise& bias,
                                 const AgentProfile& agent, Chance quality, const Draws& draws,
                                 Beliefs* beliefs) {
  const Chance error = kCertain - quality;
  const Chance steady = Both(error, agent.consistency);
  const Row truth_share = Row::All(static_cast<int16_t>(Clamp(quality / 2, 0, 32767)));
  const Row bias_share = Row::All(static_cast<int16_t>(Clamp(steady / 2, 0, 32767)));
  const Row noise_share = Row::All(static_cast<int16_t>(Clamp((error - steady) / 2, 0, 32767)));
  const Row caution = Row::All(static_cast<int16_t>(agent.caution));
  DrawSequence<kMaxKnobs / 2> noise(draws, kDrawPrior);
  HEARSAY_ROLLED
  for (int first = 0; first < kMaxKnobs; first += 2) {
    const RandomWords words = noise.Next();
    HEARSAY_UNROLL
    for (int j = 0; j < 2; ++j) {
      const int k = first + j;
      const Row known = HighProduct(Row::Load(table.truth[k]), truth_share);
      const Row biased = HighProduct(Row::Load(bias.odds + k * kMaxValues), bias_share);
      const Row guessed = HighProduct(NoiseOf(words, j), noise_share);
      const Row put_off = ProductOf4096ths(Row::Load(table.difficulty[k]), caution);
      // However far a value puts the agent off, that alone does not rule it out.
      const Row liked =
          Max(BoundedDifference(known + biased + guessed, put_off), Row::All(kBlocked + 1));
      const Row mixed = Where(Row::Load(table.valid[k]), liked, Row::All(kBlocked));
      mixed.Store(beliefs->odds[k]);
      beliefs->best[k] = static_cast<int16_t>(mixed.Most());
    }
  }
}

}  // namespace hearsay

#endif  // HEARSAY_EXECUTOR_BELIEFS_H_
