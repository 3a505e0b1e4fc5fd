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
#include "executor/philox.h"
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

// The weight of a choice whose belief lies `below` (0 or less) the best one: 2^((below + 14 * 256)
// / 256), linear between powers of two, and 0 where that is below 1. At most 2^22.
//
// With 8 fraction bits such a number is what the bits of a float mean, so the conversion is exact
// and, unlike a shift by a variable or a branch, the same few instructions for eight values at
// once.
HEARSAY_HD inline uint32_t ChoiceWeight(int below) {
  const int e = below + 14 * 256;
  const uint32_t in_reach = ~static_cast<uint32_t>(e >> 31);
  const uint32_t bits = (static_cast<uint32_t>(e) & in_reach) * (1u << 15) + ((8u + 127u) << 23);
  return static_cast<uint32_t>(static_cast<int32_t>(__builtin_bit_cast(float, bits))) & in_reach;
}

// Which of eight weights 32 random bits fall on; 0 where all are 0.
HEARSAY_HD inline int PickOfEight(const uint32_t* weights, uint32_t random) {
  uint32_t ends[8];
  uint32_t total = 0;
  for (int i = 0; i < 8; ++i) {
    total += weights[i];
    ends[i] = total;
  }
  const uint32_t pick = Below(random, total);
  int index = 0;
  for (int i = 0; i < 7; ++i) index += pick >= ends[i];
  return total == 0 ? 0 : index;
}
static_assert(kMaxKnobs == 8 && kMaxValues == 8, "PickOfEight picks knobs and values");

struct Beliefs {
  int16_t odds[kMaxKnobs][kMaxValues];
  int16_t best[kMaxKnobs];  // the largest odds of each knob

  // Blocks the value unless it is the last one left of its knob.
  HEARSAY_HD void Block(int knob, int value) {
    int left = 0;
    for (int v = 0; v < kMaxValues; ++v) left += odds[knob][v] != kBlocked;
    if (left > 1) Put(knob, value, kBlocked);
  }

  HEARSAY_HD void Shift(int knob, int value, int by) {
    const int belief = odds[knob][value];
    if (belief == kBlocked) return;
    Put(knob, value, static_cast<int16_t>(Clamp(belief + by, -kBeliefLimit, kBeliefLimit)));
  }

  // The largest odds of a knob, from scratch.
  HEARSAY_HD int16_t Largest(int knob) const {
    int16_t most = odds[knob][0];
    for (int v = 1; v < kMaxValues; ++v) most = odds[knob][v] > most ? odds[knob][v] : most;
    return most;
  }

  // A value of the knob chosen by odds, from 16 random bits; never `except` (-1: none is excepted).
  // Returns `except` where no other value is left.
  HEARSAY_HD int Choose(int knob, int except, uint32_t half) const {
    const int16_t* const row = odds[knob];
    uint32_t weights[kMaxValues];
    const int most = best[knob];
    for (int v = 0; v < kMaxValues; ++v) {
      weights[v] = v == except ? 0 : ChoiceWeight(row[v] - most);
    }
    if (except >= 0) {
      uint32_t total = 0;
      for (int v = 0; v < kMaxValues; ++v) total += weights[v];
      // The excepted value can be so far ahead that beside it the others weigh nothing.
      if (total == 0) return Runner(knob, except, half);
    }
    return PickOfEight(weights, half << 16);
  }

 private:
  HEARSAY_HD void Put(int knob, int value, int16_t belief) {
    odds[knob][value] = belief;
    best[knob] = Largest(knob);
  }

  HEARSAY_HD int Runner(int knob, int except, uint32_t half) const {
    const int16_t* const row = odds[knob];
    int most = kBlocked;
    for (int v = 0; v < kMaxValues; ++v) {
      if (v != except && row[v] > most) most = row[v];
    }
    if (most == kBlocked) return except;
    uint32_t weights[kMaxValues];
    for (int v = 0; v < kMaxValues; ++v) {
      weights[v] = v == except ? 0 : ChoiceWeight(row[v] - most);
    }
    return PickOfEight(weights, half << 16);
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
inline constexpr int kNoiseOfABlock = 16;

HEARSAY_HD inline void NoiseOf(const RandomWords& words, int16_t* odds) {
  int8_t bytes[kNoiseOfABlock];
  memcpy(bytes, words.word, kNoiseOfABlock);  // little endian on every device we know
  HEARSAY_UNROLL
  for (int i = 0; i < kNoiseOfABlock; ++i) odds[i] = static_cast<int16_t>(bytes[i] * 24);
}

struct PriorNoise {
  int16_t odds[kMaxKnobs * kMaxValues];

  HEARSAY_HD void Draw(const Draws& draws, uint32_t first_draw) {
    for (int b = 0; b < 4; ++b) NoiseOf(draws.Block(first_draw + b), odds + b * kNoiseOfABlock);
  }
};

// The prior: truth mixed with error by the agent's quality, less what the difficulty of a value
// puts the agent off. Truth is the marginal effect of the value, up to 3 doublings of speed. The
// error is as large; part of it (AgentProfile::consistency) is `bias`, the same in all of the
// agent's attempts at the problem, the rest is drawn anew.
HEARSAY_HD inline void FormPrior(const PriorTable& table, const PriorNoise& bias,
                                 const AgentProfile& agent, Chance quality, const Draws& draws,
                                 Beliefs* beliefs) {
  const int16_t* const truth = &table.truth[0][0];
  const int16_t* const difficulty = &table.difficulty[0][0];
  const int16_t* const valid = &table.valid[0][0];
  int16_t* const odds = &beliefs->odds[0][0];
  const Chance error = kCertain - quality;
  const Chance steady = Both(error, agent.consistency);
  const int16_t truth_share = static_cast<int16_t>(Clamp(quality / 2, 0, 32767));
  const int16_t bias_share = static_cast<int16_t>(Clamp(steady / 2, 0, 32767));
  const int16_t noise_share = static_cast<int16_t>(Clamp((error - steady) / 2, 0, 32767));
  const int16_t caution = static_cast<int16_t>(agent.caution);
  HEARSAY_ROLLED
  for (int first = 0; first < kMaxKnobs * kMaxValues; first += kNoiseOfABlock) {
    int16_t noise[kNoiseOfABlock];
    NoiseOf(draws.Block(kDrawPrior + first / kNoiseOfABlock), noise);
    HEARSAY_UNROLL
    for (int j = 0; j < kNoiseOfABlock; ++j) {
      const int i = first + j;
      const int16_t known = static_cast<int16_t>(truth[i] * truth_share >> 16);
      const int16_t biased = static_cast<int16_t>(bias.odds[i] * bias_share >> 16);
      const int16_t guessed = static_cast<int16_t>(noise[j] * noise_share >> 16);
      const int16_t put_off = static_cast<int16_t>(difficulty[i] * caution >> 12);
      const int16_t mixed = static_cast<int16_t>(known + biased + guessed - put_off);
      odds[i] = static_cast<int16_t>((mixed & valid[i]) | (kBlocked & ~valid[i]));
    }
  }
  HEARSAY_ROLLED
  for (int knob = 0; knob < kMaxKnobs; ++knob) beliefs->best[knob] = beliefs->Largest(knob);
}

}  // namespace hearsay

#endif  // HEARSAY_EXECUTOR_BELIEFS_H_
