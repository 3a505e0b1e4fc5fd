// Ids of attempts and claims: coordinates packed into 64 bits, ordered as the store orders its
// keys.
//
// Written "R3:r17.p71.l42" (run 3, round 17, problem p71, lane 42) and, for the fifth claim that
// this attempt was the first to write, "R3:r17.p71.l42#5". Lanes and rounds count from 0; problems
// have the numbers of their names; claims count from 1.
#ifndef HEARSAY_KB_IDS_H_
#define HEARSAY_KB_IDS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hearsay {

inline constexpr int kMaxRuns = 1 << 12;
inline constexpr int kMaxProblems = 1 << 7;
// New claims an attempt can have: what the 5 bits of a place tell apart. A note keeps to
// kMaxNoteClaims.
inline constexpr int kMaxNewClaims = 32;

// REQUIRES: 1 <= run < kMaxRuns, 0 <= round < kMaxRounds, 0 <= problem index < kMaxProblems,
// 0 <= lane < kMaxLanes.
struct AttemptId {
  uint64_t value = 0;  // run 12 bits, round 20, problem index 7, lane 20; 0 is no attempt

  static constexpr AttemptId Of(int run, int round, int problem, int lane) {
    return {static_cast<uint64_t>(run) << 47 | static_cast<uint64_t>(round) << 27 |
            static_cast<uint64_t>(problem) << 20 | static_cast<uint64_t>(lane)};
  }
  constexpr int run() const { return static_cast<int>(value >> 47); }
  constexpr int round() const { return static_cast<int>(value >> 27 & 0xfffff); }
  constexpr int problem() const { return static_cast<int>(value >> 20 & 0x7f); }
  constexpr int lane() const { return static_cast<int>(value & 0xfffff); }
  friend constexpr auto operator<=>(AttemptId, AttemptId) = default;
};

struct ClaimId {
  uint64_t value = 0;  // the attempt that first wrote it, then 5 bits of its place among that
                       // attempt's new claims, from 0; value 0 is no claim

  static constexpr ClaimId Of(AttemptId attempt, int place) {
    return {attempt.value << 5 | static_cast<uint64_t>(place)};
  }
  constexpr AttemptId attempt() const { return {value >> 5}; }
  constexpr int place() const { return static_cast<int>(value & 31); }
  constexpr bool none() const { return value == 0; }
  friend constexpr auto operator<=>(ClaimId, ClaimId) = default;
};

std::string Format(AttemptId id);
// "p71" for index 70. REQUIRES: 0 <= problem < kMaxProblems.
std::string FormatProblem(int problem);
std::string Format(ClaimId id);

// Errors: kInvalidArgument with the offending text and the expected form.
absl::StatusOr<AttemptId> ParseAttemptId(absl::string_view text);
absl::StatusOr<ClaimId> ParseClaimId(absl::string_view text);

}  // namespace hearsay

#endif  // HEARSAY_KB_IDS_H_
