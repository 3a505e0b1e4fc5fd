// A claim: one structured statement about the design knobs of a problem, as it stands in a note.
//
// A claim is a value of 64 bits; two claims with equal bits say the same thing. Who said it, and
// from what it was made, is provenance and lives in kb/. The enumerations are stored: append only.
#ifndef HEARSAY_TASKS_CLAIM_H_
#define HEARSAY_TASKS_CLAIM_H_

#include <cstdint>

#include "tasks/host_device.h"

namespace hearsay {

// The two kernel languages a problem is posed in.
enum class Dsl : uint8_t { kCute = 0, kTirx = 1 };
inline constexpr int kDslCount = 2;

// What kind of statement a claim is. The first, second and last two are the benchmark's labels
// (arXiv 2610.05014); the others are ours. docs/data-model.md says when an attempt writes which.
enum class Label : uint8_t {
  kWorkloadCensus = 0,
  kVerifiedReformulation = 1,
  kMeasuredGain = 2,
  kMeasuredLoss = 3,
  kBottleneckDiagnosis = 4,
  kFailureDiagnosis = 5,
  kValidityCondition = 6,
  kDslIdiom = 7,
  kOpenQuestion = 8,
  kUnverifiedAssertion = 9,
  kUnsupportedClosure = 10,
};
inline constexpr int kLabelCount = 11;

// What a claim tells its reader to do about its subject.
enum class Stance : uint8_t {
  kFact = 0,        // something about the workload; nothing to do
  kUse = 1,         // use this value
  kInfeasible = 2,  // do not use this value: it cannot work
  kNotWorthIt = 3,  // do not use this value: it works but does not pay
  kOpen = 4,        // unsettled; worth a try
};
inline constexpr int kStanceCount = 5;

// What became of a claim between the note it was read in and the note it was written to. kCopied
// leaves every bit as it was, so that the copy is the same claim; all others make a new claim.
enum class Change : uint8_t {
  kBorn = 0,          // no parent: written from the attempt's own submissions, or from none
  kCopied = 1,        // unchanged; never stored as a claim of its own
  kHedgeLost = 2,     // "may" became "does"
  kStrengthened = 3,  // own submissions bore it out
  kCorrected = 4,     // own submissions refuted the parent; this says what was seen instead
  kMerged = 5,        // made from two parents on one subject
  kGeneralised = 6,   // said of one DSL, now said of both
};
inline constexpr int kChangeCount = 7;

// In Claim::knob and Claim::value: the claim speaks of no single one.
inline constexpr int kNoSubject = 15;

struct Claim {
  uint64_t bits = 0;

  // Which design knob (index in the problem's design space), or kNoSubject.
  HEARSAY_HD constexpr int knob() const { return Get(0, 4); }
  // Which value of the knob (index), or kNoSubject.
  HEARSAY_HD constexpr int value() const { return Get(4, 4); }
  HEARSAY_HD constexpr Label label() const { return static_cast<Label>(Get(8, 4)); }
  HEARSAY_HD constexpr Stance stance() const { return static_cast<Stance>(Get(12, 3)); }
  // The DSL in which the claim was made.
  HEARSAY_HD constexpr Dsl dsl() const { return static_cast<Dsl>(Get(15, 1)); }
  // Said to hold in both DSLs, not only in dsl().
  HEARSAY_HD constexpr bool general() const { return Get(16, 1) != 0; }
  HEARSAY_HD constexpr bool hedged() const { return Get(17, 1) != 0; }
  // 0 (none) to 15 (certain): how sure the note sounds, whatever the evidence.
  HEARSAY_HD constexpr int confidence() const { return Get(18, 4); }
  // Claimed effect of using the value, in eighths of a doubling of speed, -128 to 127.
  HEARSAY_HD constexpr int effect_eighths() const { return static_cast<int8_t>(Get(22, 8)); }
  // Submissions that bore the claim out and that spoke against it, each counted up to 15. Only an
  // attempt's own submissions count; a retelling is a mention, not evidence.
  HEARSAY_HD constexpr int support() const { return Get(30, 4); }
  HEARSAY_HD constexpr int against() const { return Get(34, 4); }
  // The round in which the claim was last tested by submissions, or its first author's round if it
  // never was.
  HEARSAY_HD constexpr int stamp_round() const { return Get(38, 20); }

  // The same claim with one field replaced.
  HEARSAY_HD constexpr Claim WithKnob(int v) const { return With(0, 4, v); }
  HEARSAY_HD constexpr Claim WithValue(int v) const { return With(4, 4, v); }
  HEARSAY_HD constexpr Claim WithLabel(Label v) const { return With(8, 4, static_cast<int>(v)); }
  HEARSAY_HD constexpr Claim WithStance(Stance v) const { return With(12, 3, static_cast<int>(v)); }
  HEARSAY_HD constexpr Claim WithDsl(Dsl v) const { return With(15, 1, static_cast<int>(v)); }
  HEARSAY_HD constexpr Claim WithGeneral(bool v) const { return With(16, 1, v); }
  HEARSAY_HD constexpr Claim WithHedged(bool v) const { return With(17, 1, v); }
  HEARSAY_HD constexpr Claim WithConfidence(int v) const { return With(18, 4, v); }
  HEARSAY_HD constexpr Claim WithEffectEighths(int v) const { return With(22, 8, v & 0xff); }
  HEARSAY_HD constexpr Claim WithSupport(int v) const { return With(30, 4, v); }
  HEARSAY_HD constexpr Claim WithAgainst(int v) const { return With(34, 4, v); }
  HEARSAY_HD constexpr Claim WithStampRound(int v) const { return With(38, 20, v); }

  HEARSAY_HD constexpr bool is_closure() const {
    static_assert(static_cast<int>(Stance::kInfeasible) / 2 == 1 &&
                  static_cast<int>(Stance::kNotWorthIt) / 2 == 1 && kStanceCount == 5);
    return Get(13, 2) == 1;
  }
  // Says that something is so: neither a fact of the workload nor an open question.
  HEARSAY_HD constexpr bool asserts() const {
    static_assert(static_cast<int>(Stance::kFact) == 0 && static_cast<int>(Stance::kOpen) == 4);
    return Get(12, 2) != 0;
  }
  // The bit that stands for the subject in sets of them, knob * 8 + value; 0 where the claim speaks
  // of no single value.
  HEARSAY_HD constexpr uint64_t mark() const {
    const bool single = (bits & 0x88) == 0;
    return static_cast<uint64_t>(single) << ((knob() & 7) * 8 + (value() & 7));
  }
  // Two claims of one subject speak of the same value of the same knob.
  HEARSAY_HD constexpr int subject() const { return Get(0, 8); }

  friend HEARSAY_HD constexpr bool operator==(Claim a, Claim b) { return a.bits == b.bits; }

 private:
  HEARSAY_HD constexpr int Get(int shift, int width) const {
    return static_cast<int>((bits >> shift) & ((uint64_t{1} << width) - 1));
  }
  HEARSAY_HD constexpr Claim With(int shift, int width, int v) const {
    const uint64_t mask = ((uint64_t{1} << width) - 1) << shift;
    return Claim{(bits & ~mask) | ((static_cast<uint64_t>(v) << shift) & mask)};
  }
};

// The limits that ids, notes and stamps rest on (docs/data-model.md).
inline constexpr int kMaxNoteClaims = 24;
inline constexpr int kMaxSources = 8;
inline constexpr int kMaxRounds = 1 << 20;
inline constexpr int kMaxLanes = 1 << 20;

}  // namespace hearsay

#endif  // HEARSAY_TASKS_CLAIM_H_
