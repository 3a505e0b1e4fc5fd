// The third part of an attempt: its note. Claims from what was seen, inherited claims confirmed,
// corrected or retold, and claims that nothing was seen for.
#ifndef HEARSAY_EXECUTOR_WRITING_H_
#define HEARSAY_EXECUTOR_WRITING_H_

#include <cstdint>

#include "executor/agent.h"
#include "executor/beliefs.h"
#include "executor/bytes.h"
#include "executor/note.h"
#include "executor/philox.h"
#include "executor/policy.h"
#include "executor/reading.h"
#include "executor/search.h"
#include "executor/streams.h"
#include "tasks/outcome.h"
#include "tasks/world.h"

namespace hearsay {

// Failures with one suspect that suffice to call it infeasible, and tries that suffice to call it
// not worth it. Below that a closure is unsupported.
inline constexpr int kFailuresThatSuffice = 2;
// Difficulty from which an option that was never tried tempts an agent to close it.
inline constexpr int kDauntingDifficulty = 8;

class Writer {
 public:
  HEARSAY_HD Writer(const World& world, Dsl dsl, const AgentProfile& agent,
                    const Policies& policies, int round, const Intake& intake,
                    const Reading& reading, const Findings& findings, const Draws& draws,
                    Outcome* outcome, WrittenNote* note)
      : world_(world),
        dsl_(dsl),
        agent_(agent),
        policies_(policies),
        round_(round),
        intake_(intake),
        reading_(reading),
        findings_(findings),
        draws_(draws),
        outcome_(*outcome),
        note_(*note) {}

  // Evidence comes first; what no evidence speaks for takes what room is left.
  HEARSAY_HD void Write() {
    WriteTested();
    // Not a member: an array that is indexed by a variable would keep all members out of registers.
    RandomWords words[kMaxKnobs / 2];
    DrawSequence<kMaxKnobs / 2> writing(draws_, kDrawWriting);
    for (RandomWords& of_two_knobs : words) of_two_knobs = writing.Next();
    words_ = words;
    const uint64_t blamed = NonzeroBytes(findings_.blamed);
    const uint32_t compared = Compared();
    uint32_t measuring = 0;
    uint32_t speculating = 0;
    for (int k = 0; k < kMaxKnobs; ++k) {
      const uint32_t half = Half(k, 2);
      const bool speculates = Chances(Half(k, 1), agent_.closing_untried) |
                              Chances(half, agent_.asserting) |
                              Chances(kCertain - 1 - half, agent_.asking);
      measuring |= static_cast<uint32_t>(Chances(Half(k, 3), agent_.measuring)) << k;
      speculating |= static_cast<uint32_t>(speculates) << k;
    }
    const uint32_t seen = (compared | BitsOfBytes(blamed)) & measuring;
    const uint32_t unseen = (BitsOfBytes(blamed) | speculating) & ((1u << world_.knob_count) - 1);
    for (uint32_t left = seen; left != 0; left &= left - 1) WriteSeen(LowestBit(left));
    WriteFacts(compared);
    Retell();
    for (uint32_t left = unseen; left != 0; left &= left - 1) WriteUnseen(LowestBit(left));
    note_.size = static_cast<uint8_t>(size_);
    outcome_.note_size = note_.size;
  }

 private:
  HEARSAY_HD static bool Chances(uint32_t half, Chance chance) {
    return static_cast<Chance>(half) < chance;
  }
  // One of the four 16-bit numbers of knob k.
  HEARSAY_HD uint32_t Half(int k, int i) const { return words_[k / 2].half((k & 1) * 4 + i); }

  HEARSAY_HD void Add(Claim claim, Change change, int parent) {
    if (size_ >= agent_.note_capacity) return;
    note_.claims[size_] = claim;
    note_.change[size_] = change;
    note_.parent[size_] = static_cast<uint8_t>(parent);
    ++size_;
  }
  HEARSAY_HD void AddNew(Claim claim) { Add(claim, Change::kBorn, kNoOrigin); }

  HEARSAY_HD Claim About(int knob, int value, Label label, Stance stance, int confidence) const {
    return Claim()
        .WithKnob(knob)
        .WithValue(value)
        .WithLabel(label)
        .WithStance(stance)
        .WithDsl(dsl_)
        .WithConfidence(confidence)
        .WithStampRound(round_);
  }

  HEARSAY_HD Label GainLabel(int knob, int value) const {
    const KnobKind kind = world_.kind[knob];
    if (kind == KnobKind::kRewrite && value != 0) return Label::kVerifiedReformulation;
    if (kind == KnobKind::kInstruction || kind == KnobKind::kVector) return Label::kDslIdiom;
    return Label::kMeasuredGain;
  }

  HEARSAY_HD static int Eighths(int lg) { return Clamp(lg / 128, -128, 127); }

  // What the submissions say of a value, as a claim; false where they say nothing that counts.
  HEARSAY_HD bool Evidence(int k, int v, Claim* claim) const {
    const int passes = findings_.passes.of(k, v);
    const int blames = findings_.blames.Count(k, v);
    if (passes == 0) {
      if (blames < kFailuresThatSuffice) return false;
      *claim = About(k, v, Label::kValidityCondition, Stance::kInfeasible,
                     10 + (blames > 4 ? 4 : blames))
                   .WithSupport(blames);
      return true;
    }
    const int without = findings_.SeenWithoutLg(k, v);
    const int gain = without == kNoSpeed ? 0 : findings_.seen_lg[k][v] - without;
    const int confidence = 9 + (passes > 5 ? 5 : passes);
    if (gain > kWorthLg) {
      *claim = About(k, v, GainLabel(k, v), Stance::kUse, confidence);
    } else if (gain < -kWorthLg) {
      *claim = About(k, v, Label::kMeasuredLoss, Stance::kNotWorthIt, confidence);
    } else {
      // It works, and that is all that can be said.
      *claim = About(k, v, Label::kFailureDiagnosis, Stance::kOpen, confidence);
    }
    *claim = claim->WithSupport(passes).WithAgainst(blames).WithEffectEighths(Eighths(gain));
    return true;
  }

  enum class Verdict : uint8_t { kNone, kConfirmed, kRefuted, kAnswered };

  // REQUIRES: the claim speaks of a single value.
  HEARSAY_HD Verdict Judge(Claim claim) const {
    const int k = claim.knob();
    const int v = claim.value();
    const bool works = findings_.worked >> (8 * k + v) & 1;
    const bool fails = !works && findings_.blames.Count(k, v) >= kFailuresThatSuffice;
    if (claim.stance() == Stance::kOpen) {
      return works || fails ? Verdict::kAnswered : Verdict::kNone;
    }
    if (claim.stance() == Stance::kInfeasible) {
      if (works) return Verdict::kRefuted;
      return findings_.blamed >> (8 * k + v) & 1 ? Verdict::kConfirmed : Verdict::kNone;
    }
    if (claim.stance() == Stance::kUse && fails) return Verdict::kRefuted;
    const int without = findings_.SeenWithoutLg(k, v);
    if (!works || without == kNoSpeed) return Verdict::kNone;
    const int gain = findings_.seen_lg[k][v] - without;
    if (claim.stance() == Stance::kNotWorthIt) {
      return gain > kWorthLg ? Verdict::kRefuted : Verdict::kConfirmed;
    }
    return gain < -kWorthLg ? Verdict::kRefuted : Verdict::kConfirmed;
  }

  // The claim with the evidence of this attempt added.
  HEARSAY_HD Claim Strengthen(Claim claim) const {
    const int k = claim.knob();
    const int v = claim.value();
    const int passes = findings_.passes.of(k, v);
    const int more = claim.stance() == Stance::kInfeasible ? findings_.blames.Count(k, v) : passes;
    const int support = Clamp(claim.support() + more, 0, 15);
    Label label = claim.label();
    if (claim.stance() == Stance::kInfeasible) {
      if (support >= kFailuresThatSuffice) label = Label::kValidityCondition;
    } else if (claim.stance() == Stance::kNotWorthIt) {
      label = Label::kMeasuredLoss;
    } else if (label == Label::kUnverifiedAssertion) {
      label = GainLabel(k, v);
    }
    return claim.WithLabel(label).WithSupport(support).WithStampRound(round_).WithConfidence(
        Clamp(claim.confidence() + 2, 0, 15));
  }

  HEARSAY_HD void WriteTested() {
    // Most claims speak of what this attempt never touched.
    const uint64_t touched = findings_.worked | findings_.blamed;
    uint32_t within = 0;
    for (int i = 0; i < intake_.size; ++i) {
      within |= static_cast<uint32_t>((intake_.claims[i].mark() & touched) != 0) << i;
    }
    for (; within != 0; within &= within - 1) {
      const int i = LowestBit(within);
      const Claim claim = intake_.claims[i];
      const Verdict verdict = Judge(claim);
      if (verdict == Verdict::kNone) continue;
      settled_ |= 1u << i;
      if (verdict == Verdict::kConfirmed) {
        outcome_.confirmed |= 1u << i;
        Add(Strengthen(claim), Change::kStrengthened, i);
        continue;
      }
      if (verdict == Verdict::kRefuted) outcome_.refuted |= 1u << i;
      Claim seen;
      if (Evidence(claim.knob(), claim.value(), &seen)) {
        Add(seen, Change::kCorrected, i);
      }
    }
  }

  HEARSAY_HD bool Inherited(int k, int v) const { return reading_.subjects >> (8 * k + v) & 1; }

  // Knobs of which at least two values were measured: bit k.
  HEARSAY_HD uint32_t Compared() const {
    // A design that passes has a value for each knob: once one did, no byte is 0.
    const uint64_t worked = findings_.worked;
    return findings_.passed ? BitsOfBytes(NonzeroBytes(worked & (worked - kEachByte))) : 0;
  }

  struct Extremes {
    int best, best_lg, worst, worst_lg;
  };
  // The fastest and the slowest measured value of a knob, the first of equals.
  // REQUIRES: one was measured.
  HEARSAY_HD Extremes ExtremesOf(int k) const {
    const Row seen = Row::Load(findings_.seen_lg[k]);
    const Row none = Row::All(kNoSpeed);
    const Row slowness = Where(Equal(seen, none), none, Row::All(0) - seen);
    const Largest best = seen.FirstLargest();
    const Largest slowest = slowness.FirstLargest();
    return {best.index, best.value, slowest.index, -slowest.value};
  }

  // Gains, losses and failures of one knob that the intake has no claim on.
  HEARSAY_HD void WriteSeen(int k) {
    Claim claim;
    const uint32_t worked = findings_.worked >> (8 * k) & 0xff;
    if ((worked & (worked - 1)) != 0) {
      const Extremes seen = ExtremesOf(k);
      if (!Inherited(k, seen.best) && Evidence(k, seen.best, &claim) &&
          claim.stance() == Stance::kUse) {
        AddNew(claim);
      }
      if (!Inherited(k, seen.worst) && Evidence(k, seen.worst, &claim) && claim.is_closure()) {
        AddNew(claim);
      }
    }
    int failed = -1;
    int most = kFailuresThatSuffice - 1;
    for (uint32_t left = (findings_.blamed >> (8 * k) & 0xff) & ~worked; left != 0;
         left &= left - 1) {
      const int v = LowestBit(left);
      if (findings_.blames.Count(k, v) > most) {
        most = findings_.blames.Count(k, v);
        failed = v;
      }
    }
    if (failed >= 0 && !Inherited(k, failed) && Evidence(k, failed, &claim)) AddNew(claim);
  }

  // `compared` as Compared() gives it.
  HEARSAY_HD void WriteFacts(uint32_t compared) {
    if (reading_.has_census && reading_.has_bottleneck) return;
    const RandomWords words = draws_.Block(kDrawFacts);
    if (!reading_.has_census && Chances(words.half(0), agent_.describing)) {
      AddNew(About(kNoSubject, kNoSubject, Label::kWorkloadCensus, Stance::kFact, 14));
    }
    if (reading_.has_bottleneck || !Chances(words.half(1), agent_.describing)) return;
    int knob = -1;
    int most = kWorthLg;
    for (uint32_t left = compared; left != 0; left &= left - 1) {
      const int k = LowestBit(left);
      const Extremes seen = ExtremesOf(k);
      const int spread = seen.best_lg - seen.worst_lg;
      knob = Select(spread > most, k, knob);
      most = spread > most ? spread : most;
    }
    if (knob < 0) return;
    AddNew(About(knob, kNoSubject, Label::kBottleneckDiagnosis, Stance::kFact, 10)
               .WithSupport(1)
               .WithEffectEighths(Eighths(most)));
  }

  // A retelling is a mention, not evidence: it may change how a claim sounds, never its counts.
  HEARSAY_HD void Retell() {
    const Chance hedge_loss = Both(agent_.hedge_loss, kCertain - policies_.keep_hedges);
    const Chance with_evidence = Both(agent_.fidelity, kCertain - policies_.evidence_only);
    uint32_t told = 0;
    uint16_t changing[kMaxNoteClaims];
    DrawSequence<kMaxNoteClaims / 4> retelling(draws_, kDrawRetelling, (intake_.size + 3) / 4);
    for (int first = 0; first < intake_.size; first += 4) {
      const RandomWords words = retelling.Next();
      for (int j = 0; j < 4; ++j) {
        const Claim claim = intake_.claims[first + j];
        const bool asserts = claim.asserts();
        const bool expired = asserts & (policies_.ttl_rounds > 0) &
                             (round_ - claim.stamp_round() >= policies_.ttl_rounds);
        const Chance copying =
            Select(asserts & (claim.support() == 0), with_evidence, agent_.fidelity);
        told |= static_cast<uint32_t>(Chances(words.half(2 * j), copying) & !expired)
                << (first + j);
        changing[first + j] = static_cast<uint16_t>(words.half(2 * j + 1));
      }
    }
    told &= intake_.slots();
    for (told &= ~settled_; told != 0; told &= told - 1) {
      const int i = LowestBit(told);
      const Claim claim = intake_.claims[i];
      // The two changes take opposite ends of one random number: no claim suffers both at once.
      if (claim.hedged() && Chances(changing[i], hedge_loss)) {
        Add(claim.WithHedged(false).WithConfidence(Clamp(claim.confidence() + 2, 0, 15)),
            Change::kHedgeLost, i);
      } else if (!claim.general() & (claim.dsl() != dsl_) &
                 Chances(kCertain - 1 - changing[i], agent_.generalising)) {
        Add(claim.WithGeneral(true), Change::kGeneralised, i);
      } else {
        const bool merged = intake_.merged >> i & 1;
        Add(claim, merged ? Change::kMerged : Change::kCopied, i);
      }
    }
  }

  HEARSAY_HD Claim WithoutEvidence(int k, int v, Label label, Stance stance, uint32_t half) const {
    return About(k, v, label, stance, 6 + static_cast<int>(half & 7))
        .WithHedged(Chances(half, agent_.hedging));
  }

  // Values of knob k that the intake says nothing of and that were not seen working: bit v.
  HEARSAY_HD uint32_t Unseen(int k) const {
    const uint32_t all = (1u << world_.value_count[k]) - 1;
    return all & ~static_cast<uint32_t>((reading_.subjects | findings_.worked) >> (8 * k) & 0xff);
  }

  // Options of one knob that were never seen working: closed, recommended or left open. This is
  // where unsupported closures come from.
  HEARSAY_HD void WriteUnseen(int k) {
    const uint32_t half = Half(k, 2);
    const bool closes = Chances(Half(k, 1), agent_.closing_untried);
    const bool asserts = Chances(half, agent_.asserting);
    const bool asks = Chances(kCertain - 1 - half, agent_.asking);
    const uint32_t unseen = Unseen(k);
    const uint32_t blamed = findings_.blamed >> (8 * k) & 0xff;
    int failed = -1;  // failed, but not often enough to count; the last
    for (uint32_t left = unseen & blamed; left != 0; left &= left - 1) {
      const int v = LowestBit(left);
      failed = Select(findings_.blames.Count(k, v) < kFailuresThatSuffice, v, failed);
    }
    // Of those never tried the hardest and the most promising, the first of equals.
    const Row untried = Row::OfBits(unseen & ~blamed);
    const Row difficulty =
        Where(untried, Row::OfBytes(WordOfBytes(world_.difficulty[k])), Row::All(-1));
    const Row odds = Where(untried, Row::Load(reading_.beliefs.odds[k]), Row::All(kBlocked));
    const Largest hardest = difficulty.FirstLargest();
    const Largest tempting = odds.FirstLargest();
    if (failed >= 0) CloseFailed(k, failed);
    if (closes && hardest.value >= kDauntingDifficulty) {
      AddNew(WithoutEvidence(k, hardest.index, Label::kUnsupportedClosure, Stance::kNotWorthIt,
                             Half(k, 2))
                 .WithEffectEighths(-4));
      if (hardest.index == tempting.index) return;
    }
    if (tempting.value == kBlocked) return;
    const bool promising = tempting.value > reading_.beliefs.odds[k][findings_.best.value(k)];
    if (promising && asserts) {
      AddNew(
          WithoutEvidence(k, tempting.index, Label::kUnverifiedAssertion, Stance::kUse, Half(k, 3))
              .WithEffectEighths(8));
    } else if (asks) {
      AddNew(About(k, tempting.index, Label::kOpenQuestion, Stance::kOpen, 4));
    }
  }

  HEARSAY_HD void CloseFailed(int k, int failed) {
    if (Chances(Half(k, 0), agent_.closing_failed)) {
      AddNew(WithoutEvidence(k, failed, Label::kUnsupportedClosure, Stance::kInfeasible, Half(k, 3))
                 .WithSupport(1));
    } else if (Chances(Half(k, 3), agent_.measuring)) {
      AddNew(About(k, failed, Label::kFailureDiagnosis, Stance::kOpen, 6).WithAgainst(1));
    }
  }

  const World& world_;
  const Dsl dsl_;
  const AgentProfile& agent_;
  const Policies& policies_;
  const int round_;
  const Intake& intake_;
  const Reading& reading_;
  const Findings& findings_;
  const Draws& draws_;
  Outcome& outcome_;
  WrittenNote& note_;
  int size_ = 0;                        // of the note
  const RandomWords* words_ = nullptr;  // four 16-bit numbers a knob; valid within Write
  uint32_t settled_ = 0;                // slots of the intake that own submissions decided
};

}  // namespace hearsay

#endif  // HEARSAY_EXECUTOR_WRITING_H_
