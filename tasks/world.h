// What an attempt can ask of the world: the landscape of one (problem, DSL, hardware) with what is
// derived from it, as plain values without pointers into the heap of its own.
//
// All speeds are in lg units: 1024 x log2(speedup over eager), so 0 is eager and 1024 is twice as
// fast.
#ifndef HEARSAY_TASKS_WORLD_H_
#define HEARSAY_TASKS_WORLD_H_

#include <cstdint>

#include "tasks/host_device.h"

namespace hearsay {

inline constexpr int kMaxKnobs = 8;
inline constexpr int kMaxValues = 8;  // values of one knob
inline constexpr int kMaxPoints = 16384;
inline constexpr int kLgPerDoubling = 1024;

// How a submission of a design point ends if its author makes no mistake.
enum class Status : uint8_t {
  kOk = 0,
  kCompileError = 1,
  kRuntimeError = 2,
  kIncorrect = 3,
  kTimeout = 4,
};
inline constexpr int kStatusCount = 5;

// What a knob decides. Value 0 of every knob is the trivial one; kMove 0 leaves everything in
// eager.
enum class KnobKind : uint8_t {
  kMove = 0,         // which stages leave eager PyTorch; always knob 0
  kFuse = 1,         // which of the moved stages share a kernel
  kRewrite = 2,      // an algorithmic rewrite of some stages
  kTile = 3,         // rows or columns a block works on
  kVector = 4,       // elements a thread loads at once
  kPipeline = 5,     // copies in flight
  kInstruction = 6,  // matrix instruction
  kPrecision = 7,    // of products and accumulators
  kSplit = 8,        // blocks that share one reduction
};
inline constexpr int kKnobKindCount = 9;

// Entry of a landscape: a speed in lg units, or a status other than kOk.
struct Entry {
  int16_t code = 0;

  static constexpr int kStatusBase = 32000;
  HEARSAY_HD static constexpr Entry Speed(int lg) { return {static_cast<int16_t>(lg)}; }
  HEARSAY_HD static constexpr Entry Failure(Status status) {
    return {static_cast<int16_t>(kStatusBase + static_cast<int>(status))};
  }
  HEARSAY_HD constexpr bool ok() const { return code < kStatusBase; }
  HEARSAY_HD constexpr Status status() const {
    return ok() ? Status::kOk : static_cast<Status>(code - kStatusBase);
  }
  // REQUIRES: ok().
  HEARSAY_HD constexpr int speed_lg() const { return code; }
};

// A speed no point reaches: stands for "no passing point" in the tables below.
inline constexpr int16_t kNoSpeed = -32000;

// The world of one (problem, DSL, hardware). Points are numbered in mixed radix:
// point = sum over knobs of value[k] * stride[k]; point 0 is all-eager and runs at speed 0.
struct World {
  int32_t knob_count;
  int32_t point_count;
  uint8_t value_count[kMaxKnobs];  // 1 for knobs past knob_count
  KnobKind kind[kMaxKnobs];
  uint16_t stride[kMaxKnobs];
  // The best speed of any passing point with, and of any without, this value of this knob; kNoSpeed
  // where there is none. A point that moves nothing (value 0 of knob 0) has no kernel and counts as
  // having value 0 of every knob, whatever its number says: else every value would "pass" at speed
  // 0, and that a value cannot work could never be true.
  int16_t best_with_lg[kMaxKnobs][kMaxValues];
  int16_t best_without_lg[kMaxKnobs][kMaxValues];
  // What it takes to write this value in this DSL, in sixteenths of a step of skill; the difficulty
  // of a point is the sum over its knobs, 0 for point 0.
  uint8_t difficulty[kMaxKnobs][kMaxValues];
  int16_t best_lg;       // best speed of any passing point
  const Entry* entries;  // [point_count], owned by the landscape
};

}  // namespace hearsay

#endif  // HEARSAY_TASKS_WORLD_H_
