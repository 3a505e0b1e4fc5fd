// The second part of an attempt: submissions, until ten are made or the time is up.
#ifndef HEARSAY_EXECUTOR_SEARCH_H_
#define HEARSAY_EXECUTOR_SEARCH_H_

#include <cstdint>

#include "executor/agent.h"
#include "executor/beliefs.h"
#include "executor/bytes.h"
#include "executor/note.h"
#include "executor/philox.h"
#include "executor/reading.h"
#include "executor/streams.h"
#include "tasks/outcome.h"
#include "tasks/world.h"

namespace hearsay {

inline constexpr int kMaxSubmissions = 10;
inline constexpr int kBudgetSeconds = 2400;
// Extra odds of working on a knob that is believed to be the bottleneck.
inline constexpr int kFocus = 512;

// A design: the value of each knob, a byte a knob in one word, with what follows from it, so that
// all of it stays in registers.
struct Design {
  uint64_t values = 0;
  uint64_t difficulties = 0;  // World::difficulty of each value
  int32_t point = 0;

  HEARSAY_HD int value(int knob) const { return static_cast<int>(values >> (8 * knob) & 0xff); }
  HEARSAY_HD bool leaves_eager() const { return (values & 0xff) != 0; }
  HEARSAY_HD int difficulty() const { return SumOfBytes(difficulties); }
  // Adds the value of a knob to a design that has none for it yet.
  HEARSAY_HD void Put(const World& world, int knob, int value) {
    values |= static_cast<uint64_t>(value) << (8 * knob);
    difficulties |= static_cast<uint64_t>(world.difficulty[knob][value]) << (8 * knob);
    point += value * world.stride[knob];
  }
  // `a` where the condition holds, else `b`; without a branch, as Select.
  HEARSAY_HD static Design Either(bool condition, const Design& a, const Design& b) {
    const uint64_t mask = -static_cast<uint64_t>(condition);
    Design design;
    design.values = (a.values & mask) | (b.values & ~mask);
    design.difficulties = (a.difficulties & mask) | (b.difficulties & ~mask);
    design.point = Select(condition, a.point, b.point);
    return design;
  }
  // Bit knob * 8 + value for the value of each knob.
  HEARSAY_HD uint64_t marks() const { return PowersOfBytes(values); }
  HEARSAY_HD void Set(const World& world, int knob, int value) {
    point += (value - this->value(knob)) * world.stride[knob];
    const uint64_t others = ~(uint64_t{0xff} << (8 * knob));
    values = (values & others) | static_cast<uint64_t>(value) << (8 * knob);
    difficulties = (difficulties & others) | static_cast<uint64_t>(world.difficulty[knob][value])
                                                 << (8 * knob);
  }
};

// Counts of up to 15 for each value of each knob, a nibble a value.
struct ValueCounts {
  uint32_t nibbles[kMaxKnobs];

  HEARSAY_HD int of(int knob, int value) const {
    return static_cast<int>(nibbles[knob] >> (4 * value) & 15);
  }
  // Adds 1 to the count of the value of each knob.
  HEARSAY_HD void Add(const Design& design) {
    HEARSAY_UNROLL
    for (int k = 0; k < kMaxKnobs; ++k) nibbles[k] += 1u << (4 * design.value(k));
  }
};

// Up to ten values of knobs, in six bits each of one word.
class ValueList {
 public:
  HEARSAY_HD void Add(int knob, int value) {
    places_ = places_ << 6 | static_cast<uint64_t>(knob * kMaxValues + value);
    used_ = used_ << 6 | 1;
  }
  // How often the value is in the list.
  HEARSAY_HD int Count(int knob, int value) const {
    constexpr uint64_t kEach = 0x0041041041041041u;
    const uint64_t other = places_ ^ static_cast<uint64_t>(knob * kMaxValues + value) * kEach;
    // The top bit of a six-bit part becomes 1 where the part is not 0.
    const uint64_t tops = ((other & kEach * 31) + kEach * 31) | other;
    return static_cast<int>((~(tops >> 5) & used_) * kEach >> 54 & 63);
  }

 private:
  uint64_t places_ = 0;
  uint64_t used_ = 0;  // the lowest bit of each part that is used
};

// What the submissions showed of each value.
struct ValueFindings {
  ValueCounts passes;                      // submissions with the value that passed
  int16_t seen_lg[kMaxKnobs][kMaxValues];  // best speed measured with the value; kNoSpeed if none
};

// What the submissions showed.
struct Findings {
  // Nothing yet.
  HEARSAY_HD explicit Findings(ValueFindings* memory)
      : passes(memory->passes), seen_lg(memory->seen_lg) {
    for (int k = 0; k < kMaxKnobs; ++k) {
      passes.nibbles[k] = 0;
      Row::All(kNoSpeed).Store(seen_lg[k]);
    }
  }

  Design best;  // meaningful iff passed
  int16_t best_lg = 0;
  bool passed = false;
  uint64_t worked = 0;  // bit knob * 8 + value: some submission with it passed
  uint64_t blamed = 0;  // likewise: some that failed had it as the suspect
  ValueCounts& passes;
  ValueList blames;  // what was the suspect, failure by failure
  int16_t (&seen_lg)[kMaxKnobs][kMaxValues];

  // Best speed measured without the value; kNoSpeed if no other was measured.
  // REQUIRES: passed.
  HEARSAY_HD int SeenWithoutLg(int knob, int value) const {
    return Row::LoadBut(seen_lg[knob], value, kNoSpeed).Most();
  }
};

// The chance that a try at difficulty `x` above the agent's skill (sixteenths of a step) has a bug:
// 1/2 + x|x| / (2 (x^2 + 16^2)), a sigmoid without exponentials that is 1/2 at 0 and 0.9 at 32; 16
// steps of skill to either side it is certain.
HEARSAY_HD inline Chance BugChance(int x) {
  const int bounded = Clamp(x, -255, 255);
  const uint32_t square = static_cast<uint32_t>(bounded * bounded);
  const Chance half =
      x == bounded ? static_cast<Chance>(32768 * square / (square + 256)) : kCertain / 2;
  return x < 0 ? 32768 - half : 32768 + half;
}

// Sees every submission; the executors use this one, which looks away.
struct NoObserver {
  HEARSAY_HD void OnSubmission(const Design&, Status, bool /*bug*/, int /*measured_lg*/,
                               int /*seconds*/) {}
};

// A design drawn afresh by beliefs.
HEARSAY_HD inline Design DrawDesign(const World& world, const Beliefs& beliefs,
                                    const RandomWords& words) {
  uint64_t halves = words.word[0] | uint64_t{words.word[1]} << 32;
  Design design;
  HEARSAY_ROLLED
  for (int k = 0; k < kMaxKnobs; ++k) {
    if (k == kMaxKnobs / 2) halves = words.word[2] | uint64_t{words.word[3]} << 32;
    design.Put(world, k, beliefs.Choose(k, halves & 0xffff));
    halves >>= 16;
  }
  return design;
}

// How attempts that are computed at once keep in step. This one is for an attempt that waits for
// nobody. A GPU's threads wait for each other (cuda_device.cu), for code that all of them run at
// once must be fetched only once, and do together what few of them need.
struct NoPace {
  static constexpr bool kTogether = false;  // whether Draw is for several at once
  // Whether another submission is to be made by any of those in step; `works` is whether by this.
  HEARSAY_HD static bool Works(bool works) { return works; }
};

template <typename Pace, typename Observer>
class Search {
 public:
  HEARSAY_HD Search(const World& world, Dsl dsl, const AgentProfile& agent, const Intake& intake,
                    const Draws& draws, Reading* reading, Outcome* outcome, Observer* observer)
      : world_(world),
        dsl_(dsl),
        agent_(agent),
        intake_(intake),
        draws_(draws),
        reading_(*reading),
        beliefs_(reading->beliefs),
        outcome_(*outcome),
        observer_(*observer),
        choices_(BitsOfBytes(NonzeroBytes(WordOfBytes(world.value_count) - kEachByte))) {}

  HEARSAY_HD void Run(Findings* findings) {
    int seconds = 0;
    int s = 0;
    bool works = true;
    DrawSequence<kMaxSubmissions> submissions(draws_, kDrawSubmission);
    while (Pace::Works(works)) {
      RandomWords words{};
      Step step;
      if (works) {
        words = submissions.Next();
        step = s == 0 ? First() : Next(*findings, s, seconds, words);
      }
      if constexpr (Pace::kTogether) {
        const bool wanted = step.draw != kNoDraw;
        const RandomWords drawing = wanted ? draws_.Block(step.draw) : RandomWords{};
        const Design drawn = Pace::Draw(wanted, world_, beliefs_, drawing);
        if (wanted) step.base = drawn;
      }
      if (!works) continue;
      const Design next = Make(step);
      if (s == 0) anchor_ = next;
      HEARSAY_PREFETCH(&world_.entries[next.point]);
      const int effort = Effort(*findings, next);
      const uint32_t slowed = static_cast<uint32_t>(agent_.pace_seconds * (64 + effort)) / 64;
      const int cost = static_cast<int>(slowed * (48 + (words.half(4) >> 11)) / 64);
      if (seconds + cost > kBudgetSeconds) {
        outcome_.events |= kEventOutOfTime;
        works = false;
        continue;
      }
      seconds += cost;
      Submit(next, effort, words, cost, findings);
      works = ++s < kMaxSubmissions;
    }
    outcome_.submissions = static_cast<uint8_t>(s);
    outcome_.seconds = static_cast<uint16_t>(seconds);
    Finish(*findings);
  }

 private:
  HEARSAY_HD static bool Chances(uint32_t half, Chance chance) {
    return static_cast<Chance>(half) < chance;
  }

  // How a design is made. One after the other, so that each is done in one place: threads that run
  // in step then do it together, whatever each does it for.
  struct Step {
    Design base;
    uint32_t draw = kNoDraw;  // of a design drawn afresh instead
    uint32_t plan = 0;        // knobs that then take the value the note recommends
    bool leaves = false;      // eager, if it still stands there: chooses a value of knob 0
    int knob = -1;            // to choose another value of; -1: none
    uint32_t half = 0;        // random number of that choice
  };
  static constexpr uint32_t kNoDraw = 0;

  HEARSAY_HD Design Make(Step step) {
    Design design = step.base;
    for (uint32_t left = step.plan; left != 0; left &= left - 1) {
      const int k = LowestBit(left);
      design.Set(world_, k, static_cast<int>(reading_.plan >> (8 * k) & 0xff));
    }
    step.knob = Select(step.leaves & !design.leaves_eager(), 0, step.knob);
    if (step.knob >= 0) {
      const int old = design.value(step.knob);
      design.Set(world_, step.knob, beliefs_.ChooseOther(step.knob, old, step.half));
    }
    return design;
  }

  // Sees to it that the base is drawn afresh: at once, or later together with others.
  HEARSAY_HD void Draw(uint32_t draw, Step* step) const {
    if constexpr (Pace::kTogether) {
      step->draw = draw;
    } else {
      step->base = DrawDesign(world_, beliefs_, draws_.Block(draw));
    }
  }

  // The first design: eager or drawn by beliefs, then overridden by the plan as far as it is
  // followed; where it is, the design leaves eager, as it must before its other knobs matter.
  HEARSAY_HD Step First() {
    const RandomWords words = draws_.Block(kDrawPlan);
    final_half_ = words.half(7);
    Step step;
    if (Chances(words.half(0), agent_.boldness)) Draw(kDrawStart, &step);
    const bool fully = Chances(words.half(1), agent_.following_fully);
    const bool partly = Chances(words.half(2), agent_.following_partly);
    if (!fully & !partly) return step;
    step.plan = reading_.planned();
    if (!fully) step.plan &= words.half(3);
    if (step.plan == 0) return step;
    outcome_.following = fully ? Following::kFully : Following::kPartly;
    step.leaves = true;
    step.half = words.half(4);
    return step;
  }

  HEARSAY_HD Step Next(const Findings& findings, int s, int seconds, const RandomWords& words) {
    Step step;
    step.base =
        Design::Either(mending_, last_, Design::Either(findings.passed, findings.best, anchor_));
    if (mending_) return step;
    if (reading_.to_test != 0) return TestOf(step, words);
    // Something that passes is worth more than a last try at something that may not.
    const bool late = (s >= 7) | (seconds > kBudgetSeconds * 2 / 3);
    if (!findings.passed & late & Chances(words.half(0), kCertain / 4 * 3)) {
      step.base = Design();
      return step;
    }
    const bool eager = !step.base.leaves_eager();
    if (eager ? Chances(words.half(6), agent_.boldness) : Chances(words.half(0), agent_.jump)) {
      Draw(kDrawJump + s, &step);
      step.leaves = eager;
      step.half = words.half(7);
      return step;
    }
    return Tweak(step, words);
  }

  // The base with the value of the first closure that is yet to be tested.
  HEARSAY_HD Step TestOf(Step step, const RandomWords& words) {
    const int slot = LowestBit(reading_.to_test);
    reading_.to_test &= reading_.to_test - 1;
    testing_ = slot;
    const Claim claim = intake_.claims[slot];
    step.base.Set(world_, claim.knob(), claim.value());
    step.leaves = claim.knob() != 0;
    step.half = words.half(7);
    return step;
  }

  // The base with one knob changed: the knob by how much its best value promises, the value by
  // odds.
  HEARSAY_HD Step Tweak(Step step, const RandomWords& words) const {
    const Row held = Row::Gather(beliefs_.odds, step.base.values);
    const Row none = Row::All(0);
    const Row gain = BoundedDifference(Row::Load(beliefs_.best), held);
    const Row focus = Where(Row::OfBits(reading_.focus), Row::All(kFocus), none);
    const Row wanted = Min(Max(gain, none), Row::All(kBeliefLimit)) + focus;
    const Row promise = Where(Row::OfBits(choices_), wanted, Row::All(kBlocked));
    step.knob = promise.Pick(promise.Most(), words.half(1) << 16);
    step.half = words.half(2);
    return step;
  }

  // What is difficult in a try, in sixteenths of a step: all of it for a first design; next to one
  // that works what is new, and a quarter of the rest.
  HEARSAY_HD int Effort(const Findings& findings, const Design& design) const {
    const uint64_t changed = NonzeroBytes(design.values ^ findings.best.values);
    const int fresh = SumOfBytes(design.difficulties & changed);
    const int all = design.difficulty();
    return Select(findings.passed, fresh + static_cast<int>(static_cast<uint32_t>(all - fresh) / 4),
                  all);
  }

  HEARSAY_HD void Submit(const Design& design, int effort, const RandomWords& words, int cost,
                         Findings* findings) {
    const Entry entry = world_.entries[design.point];
    const bool bug =
        design.leaves_eager() &
        Chances(words.half(3),
                BugChance(effort - agent_.skill[static_cast<int>(dsl_)] - 16 * mendings_));
    const int measured = entry.speed_lg() + static_cast<int>(words.half(4) & 63) - 32;
    last_ = design;
    if (entry.ok() & !bug) {
      observer_.OnSubmission(design, Status::kOk, false, measured, cost);
      Pass(design, measured, findings);
      mending_ = false;
    } else {
      // What a bug looks like from outside is as good as arbitrary.
      const Status shown = bug ? static_cast<Status>(1 + words.half(4) % 3) : entry.status();
      observer_.OnSubmission(design, shown, bug, 0, cost);
      Fail(design, bug && entry.ok(), words, findings);
    }
    if (testing_ >= 0 && !mending_) EndTest(*findings);
    if (!mending_) mendings_ = 0;
  }

  HEARSAY_HD void Pass(const Design& design, int measured, Findings* findings) {
    for (int k = 0; k < kMaxKnobs; ++k) {
      const int v = design.value(k);
      int16_t& seen = findings->seen_lg[k][v];
      seen = measured > seen ? static_cast<int16_t>(measured) : seen;
    }
    const uint64_t marks = design.marks();
    findings->passes.Add(design);
    findings->worked |= marks;
    uint64_t fresh = NonzeroBytes(design.values ^ findings->best.values);
    if (findings->passed && fresh != 0) {
      const int changed = SumOfBytes(fresh & kEachByte);
      const int shift = Clamp(OddsOfLg(measured - findings->best_lg) / changed, -1024, 1024);
      while (fresh != 0) {
        const int k = LowestBit(fresh) / 8;
        fresh &= ~(uint64_t{0xff} << (8 * k));
        beliefs_.Shift(k, design.value(k), shift);
      }
    }
    const bool better = !findings->passed | (measured > findings->best_lg);
    findings->best = Design::Either(better, design, findings->best);
    findings->best_lg = static_cast<int16_t>(Select(better, measured, findings->best_lg));
    findings->passed = true;
  }

  // The author cannot tell a bug of its own from an option that does not work: it suspects the most
  // difficult thing that it has not yet seen working.
  HEARSAY_HD void Fail(const Design& design, bool bug_alone, const RandomWords& words,
                       Findings* findings) {
    ++outcome_.failures;
    if (bug_alone) {
      ++outcome_.bugs;
      outcome_.events |= kEventOwnBug;
    }
    const uint64_t marks = design.marks();
    const uint64_t suspects = NonzeroBytes(design.values) & NonzeroBytes(marks & ~findings->worked);
    // The most difficult, of equals the first.
    const Row difficulty =
        Where(Row::OfBits(BitsOfBytes(suspects)), Row::OfBytes(design.difficulties), Row::All(-1));
    const int suspect = suspects == 0 ? -1 : difficulty.FirstLargest().index;
    if (suspect >= 0) {
      const uint64_t mark = marks & uint64_t{0xff} << (8 * suspect);
      findings->blames.Add(suspect, design.value(suspect));
      findings->blamed |= mark;
      beliefs_.Shift(suspect, design.value(suspect), -512);
    }
    mending_ = mendings_ < 2 && Chances(words.half(5), agent_.repairing);
    if (mending_) {
      ++mendings_;
      return;
    }
    if (mendings_ > 0) outcome_.events |= kEventFellBack;
    if (suspect >= 0) {
      if (findings->blames.Count(suspect, design.value(suspect)) >= 2) {
        beliefs_.Block(suspect, design.value(suspect));
      }
      // Until something works, go on from a simpler design.
      if (!findings->passed) {
        anchor_ = design;
        anchor_.Set(world_, suspect, 0);
      }
    }
  }

  // A closure that its test did not refute is obeyed from now on.
  HEARSAY_HD void EndTest(const Findings& findings) {
    const Claim claim = intake_.claims[testing_];
    const int k = claim.knob();
    const int v = claim.value();
    const bool works = (findings.worked >> (8 * k + v) & 1) != 0;
    const bool refuted =
        works && (claim.stance() == Stance::kInfeasible ||
                  findings.seen_lg[k][v] - findings.SeenWithoutLg(k, v) > kWorthLg);
    if (!refuted) {
      reading_.adopted |= 1u << testing_;
      beliefs_.Block(k, v);
    }
    testing_ = -1;
  }

  HEARSAY_HD void Finish(const Findings& findings) {
    if (!findings.passed) return;
    const int noise = static_cast<int>(final_half_ & 63) - 32;
    outcome_.passed = 1;
    outcome_.point = static_cast<uint16_t>(findings.best.point);
    outcome_.speed_lg =
        static_cast<int16_t>(world_.entries[findings.best.point].speed_lg() + noise);
  }

  const World& world_;
  const Dsl dsl_;
  const AgentProfile& agent_;
  const Intake& intake_;
  const Draws& draws_;
  Reading& reading_;
  Beliefs& beliefs_;
  Outcome& outcome_;
  Observer& observer_;
  const uint32_t choices_;  // bit k: knob k has more than one value
  Design anchor_;           // where search goes on from until something works
  Design last_;
  uint32_t final_half_ = 0;  // noise of the last measurement
  int mendings_ = 0;         // tries at mending the last design
  bool mending_ = false;
  int testing_ = -1;  // slot of the closure that the next result tests
};

}  // namespace hearsay

#endif  // HEARSAY_EXECUTOR_SEARCH_H_
