// Notes on their way through a round, as plain values of fixed size.
#ifndef HEARSAY_EXECUTOR_NOTE_H_
#define HEARSAY_EXECUTOR_NOTE_H_

#include <cstdint>

#include "tasks/claim.h"
#include "tasks/host_device.h"

namespace hearsay {

// "From nowhere", in Intake::origin and WrittenNote::parent.
inline constexpr uint8_t kNoOrigin = 0xff;

// What an attempt reads: the claims of its sources, merged. No two have one subject. Claims
// are read four at a time: Pad() fills up the last four with claims of no subject.
struct Intake {
  Claim claims[kMaxNoteClaims];
  // Where claim i stood: index of the source (3 bits) << 5 | slot in its note. The second is
  // kNoOrigin unless the claim was merged from two.
  uint8_t origin[kMaxNoteClaims][2];
  uint8_t size = 0;
  uint32_t merged = 0;  // bit i: claim i was merged from two

  // Bit i for claim i.
  HEARSAY_HD uint32_t slots() const { return (1u << size) - 1; }
  HEARSAY_HD void Pad() {
    for (int i = size; (i & 3) != 0; ++i) {
      claims[i] = Claim().WithKnob(kNoSubject).WithValue(kNoSubject);
    }
  }
};
static_assert(kMaxNoteClaims % 4 == 0 && kMaxNoteClaims < 32);

// What an attempt writes, each claim with what was done to its parent in the intake.
struct WrittenNote {
  Claim claims[kMaxNoteClaims];
  Change change[kMaxNoteClaims];
  uint8_t parent[kMaxNoteClaims];  // slot of the intake; kNoOrigin where there is none
  uint8_t size = 0;
};

}  // namespace hearsay

#endif  // HEARSAY_EXECUTOR_NOTE_H_
