// What an agent believes of each value of each knob, and how it chooses by it.
//
// A belief is the logarithm of the odds of a choice, in 1/256 doublings: a value believed one
// doubling faster is four times as likely to be chosen (kOddsPerLg). Integers only: the same on
// every device.
#ifndef HEARSAY_EXECUTOR_BELIEFS_H_
#define HEARSAY_EXECUTOR_BELIEFS_H_

#include <cstdint>

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

// A difference of speeds in lg units (1024 a doubling) as a difference of beliefs: half of it,
// which is two doublings of odds for a doubling of speed.
HEARSAY_HD inline int OddsOfLg(int lg) { return lg / 2; }

// 2^(x / 256) in units of 2^-14 of the largest, linear between powers of two: by definition the
// weight of a choice. `below` is how far the belief lies below the best one, 0 or less.
HEARSAY_HD inline uint32_t ChoiceWeight(int below) {
  const int e = below + 14 * 256;
  return e < 0 ? 0 : static_cast<uint32_t>(256 + (e & 255)) << (e >> 8);
}

struct Beliefs {
  int16_t odds[kMaxValues][kMaxKnobs];

  // Blocks the value unless it is the last one left of its knob.
  HEARSAY_HD void Block(const World& world, int knob, int value) {
    int left = 0;
    for (int v = 0; v < world.value_count[knob]; ++v) {
      left += v != value && odds[v][knob] != kBlocked;
    }
    if (left > 0) odds[value][knob] = kBlocked;
  }

  HEARSAY_HD void Shift(int knob, int value, int by) {
    int16_t& belief = odds[value][knob];
    if (belief != kBlocked) {
      belief = static_cast<int16_t>(Clamp(belief + by, -kBeliefLimit, kBeliefLimit));
    }
  }

  // A value of the knob chosen by odds, from 16 random bits; never `except` (-1: none is excepted).
  // Returns `except` where no other value is left.
  HEARSAY_HD int Choose(const World& world, int knob, int except, uint32_t half) const {
    const int count = world.value_count[knob];
    int best = kBlocked;
    for (int v = 0; v < count; ++v) {
      if (v != except && odds[v][knob] > best) best = odds[v][knob];
    }
    if (best == kBlocked) return except < 0 ? 0 : except;
    uint32_t weight[kMaxValues];
    uint32_t total = 0;
    for (int v = 0; v < count; ++v) {
      weight[v] = v == except ? 0 : ChoiceWeight(odds[v][knob] - best);
      total += weight[v];
    }
    uint32_t pick = Below(half << 16, total);
    int chosen = 0;
    while (pick >= weight[chosen]) pick -= weight[chosen++];
    return chosen;
  }
};

// The prior: truth mixed with noise by the agent's quality, less what the difficulty of a value
// puts the agent off. Truth is the marginal effect of the value, noise uniform over +-3 doublings
// of speed.
HEARSAY_HD inline void FormPrior(const World& world, Dsl dsl, const AgentProfile& agent,
                                 Chance quality, const Draws& draws, Beliefs* beliefs) {
  for (int b = 0; b < 4; ++b) {
    const RandomWords words = draws.Block(kDrawPrior + b);
    for (int i = 0; i < 16; ++i) {
      const int knob = b * 2 + i / 8;
      const int value = i % 8;
      const int noise = static_cast<int8_t>(words.word[i / 4] >> (i % 4 * 8)) * 12;
      const int effect =
          Clamp(world.best_with_lg[knob][value] - world.best_without_lg[knob][value], -3072, 3072);
      const int mixed =
          (OddsOfLg(effect) * (quality >> 4) + noise * ((kCertain - quality) >> 4)) >> 12;
      const int put_off = agent.caution * world.difficulty[knob][value] >> 4;
      beliefs->odds[value][knob] = static_cast<int16_t>(mixed - put_off);
    }
  }
  for (int knob = 0; knob < kMaxKnobs; ++knob) {
    for (int value = world.value_count[knob]; value < kMaxValues; ++value) {
      beliefs->odds[value][knob] = kBlocked;
    }
  }
}

}  // namespace hearsay

#endif  // HEARSAY_EXECUTOR_BELIEFS_H_
