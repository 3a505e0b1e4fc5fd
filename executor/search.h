// The second part of an attempt: submissions, until ten are made or the time is up.
#ifndef HEARSAY_EXECUTOR_SEARCH_H_
#define HEARSAY_EXECUTOR_SEARCH_H_

#include <cstdint>

#include "executor/agent.h"
#include "executor/beliefs.h"
#include "executor/note.h"
#include "executor/philox.h"
#include "executor/reading.h"
#include "executor/streams.h"
#include "tasks/outcome.h"
#include "tasks/world.h"

namespace hearsay {

inline constexpr int kMaxSubmissions = 10;
inline constexpr int kBudgetSeconds = 2400;

// Value of each knob.
struct Design {
  uint8_t value[kMaxKnobs] = {};

  HEARSAY_HD int Point(const World& world) const {
    int point = 0;
    for (int k = 0; k < kMaxKnobs; ++k) point += value[k] * world.stride[k];
    return point;
  }
};

// Counts of up to 15 for each value of a knob, a nibble a value.
struct ValueCounts {
  uint32_t nibbles = 0;

  HEARSAY_HD int of(int value) const { return static_cast<int>(nibbles >> (4 * value) & 15); }
  HEARSAY_HD void Increment(int value) { nibbles += 1u << (4 * value); }
};

// What the submissions showed.
struct Findings {
  Design best;  // meaningful iff passed
  int16_t best_lg = 0;
  bool passed = false;
  ValueCounts passes[kMaxKnobs];           // submissions with the value that passed
  ValueCounts blames[kMaxKnobs];           // that failed with the value as the suspect
  int16_t seen_lg[kMaxKnobs][kMaxValues];  // best speed measured with the value; kNoSpeed if none

  // Best speed measured without the value; kNoSpeed if no other was measured.
  HEARSAY_HD int SeenWithoutLg(int knob, int value) const {
    int best = kNoSpeed;
    for (int v = 0; v < kMaxValues; ++v) {
      if (v != value && seen_lg[knob][v] > best) best = seen_lg[knob][v];
    }
    return best;
  }
};

// The chance that a try at difficulty `x` above the agent's skill (sixteenths of a step) has a bug:
// 1/2 + x|x| / (2 (x^2 + 16^2)), a sigmoid without exponentials that is 1/2 at 0 and 0.9 at 32.
HEARSAY_HD inline Chance BugChance(int x) {
  const int64_t square = static_cast<int64_t>(x) * x;
  const int32_t half = static_cast<int32_t>(32768 * square / (square + 256));
  return x < 0 ? 32768 - half : 32768 + half;
}

// Sees every submission; the executors use this one, which looks away.
struct NoObserver {
  HEARSAY_HD void OnSubmission(const Design&, Status, bool /*bug*/, int /*measured_lg*/,
                               int /*seconds*/) {}
};

template <typename Observer>
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
        observer_(*observer) {}

  HEARSAY_HD void Run(Findings* findings) {
    for (int k = 0; k < kMaxKnobs; ++k) {
      for (int v = 0; v < kMaxValues; ++v) findings->seen_lg[k][v] = kNoSpeed;
    }
    Start();
    int seconds = 0;
    int s = 0;
    for (; s < kMaxSubmissions; ++s) {
      const RandomWords words = draws_.Block(kDrawSubmission + s);
      const Design next = s == 0 ? anchor_ : Next(*findings, s, seconds, words);
      const int effort = Effort(*findings, next);
      const int cost = agent_.pace_seconds * (64 + effort) / 64 *
                       static_cast<int>(48 + (words.half(4) >> 11)) / 64;
      if (seconds + cost > kBudgetSeconds) {
        outcome_.events |= kEventOutOfTime;
        break;
      }
      seconds += cost;
      Submit(next, effort, words, cost, findings);
    }
    outcome_.submissions = static_cast<uint8_t>(s);
    outcome_.seconds = static_cast<uint16_t>(seconds);
    Finish(*findings);
  }

 private:
  HEARSAY_HD static bool Chances(uint32_t half, Chance chance) {
    return static_cast<Chance>(half) < chance;
  }

  // A design drawn afresh by beliefs.
  HEARSAY_HD Design Draw(uint32_t draw) const {
    const RandomWords words = draws_.Block(draw);
    Design design;
    for (int k = 0; k < world_.knob_count; ++k) {
      design.value[k] = static_cast<uint8_t>(beliefs_.Choose(world_, k, -1, words.half(k)));
    }
    return design;
  }

  // Leaves eager, as a design must before its other knobs matter.
  HEARSAY_HD void LeaveEager(Design* design, uint32_t half) const {
    if (design->value[0] == 0) {
      design->value[0] = static_cast<uint8_t>(beliefs_.Choose(world_, 0, 0, half));
    }
  }

  // The first design: eager or drawn by beliefs, then overridden by the plan as far as it is
  // followed.
  HEARSAY_HD void Start() {
    const RandomWords words = draws_.Block(kDrawPlan);
    if (Chances(words.half(0), agent_.boldness)) anchor_ = Draw(kDrawStart);
    const bool fully = Chances(words.half(1), agent_.following_fully);
    const bool partly = Chances(words.half(2), agent_.following_partly);
    if (!fully && !partly) return;
    bool any = false;
    for (int k = 0; k < world_.knob_count; ++k) {
      if (reading_.plan[k] < 0) continue;
      if (!fully && (words.half(3) >> k & 1) == 0) continue;
      anchor_.value[k] = static_cast<uint8_t>(reading_.plan[k]);
      any = true;
    }
    if (!any) return;
    outcome_.following = fully ? Following::kFully : Following::kPartly;
    LeaveEager(&anchor_, words.half(4));
  }

  HEARSAY_HD Design Next(const Findings& findings, int s, int seconds, const RandomWords& words) {
    if (mending_) return last_;
    const Design base = findings.passed ? findings.best : anchor_;
    if (reading_.to_test != 0) return TestOf(base, words);
    // Something that passes is worth more than a last try at something that may not.
    const bool late = s >= 7 || seconds > kBudgetSeconds * 2 / 3;
    if (!findings.passed && late && Chances(words.half(0), kCertain / 4 * 3)) return Design();
    if (base.value[0] == 0) {
      if (!Chances(words.half(6), agent_.boldness)) return Tweak(base, words);
      Design design = Draw(kDrawJump + s);
      LeaveEager(&design, words.half(7));
      return design;
    }
    if (Chances(words.half(0), agent_.jump)) return Draw(kDrawJump + s);
    return Tweak(base, words);
  }

  // The base with the value of the first closure that is yet to be tested.
  HEARSAY_HD Design TestOf(Design base, const RandomWords& words) {
    int slot = 0;
    while ((reading_.to_test >> slot & 1) == 0) ++slot;
    reading_.to_test &= ~(1u << slot);
    testing_ = slot;
    const Claim claim = intake_.claims[slot];
    if (claim.knob() != 0) LeaveEager(&base, words.half(7));
    base.value[claim.knob()] = static_cast<uint8_t>(claim.value());
    return base;
  }

  // The base with one knob changed: the knob by how much its best value promises, the value by
  // odds.
  HEARSAY_HD Design Tweak(Design base, const RandomWords& words) {
    int promise[kMaxKnobs];
    int most = kBlocked;
    for (int k = 0; k < world_.knob_count; ++k) {
      int best = kBlocked;
      for (int v = 0; v < kMaxValues; ++v) {
        if (v != base.value[k] && beliefs_.odds[v][k] > best) best = beliefs_.odds[v][k];
      }
      const int here = beliefs_.odds[base.value[k]][k];
      promise[k] = best == kBlocked
                       ? kBlocked
                       : Clamp(best - here, -kBeliefLimit, kBeliefLimit) + reading_.focus[k];
      if (promise[k] > most) most = promise[k];
    }
    if (most == kBlocked) return base;
    uint32_t weight[kMaxKnobs];
    uint32_t total = 0;
    for (int k = 0; k < world_.knob_count; ++k) {
      weight[k] = ChoiceWeight(promise[k] - most);
      total += weight[k];
    }
    uint32_t pick = Below(words.half(1) << 16, total);
    int knob = 0;
    while (pick >= weight[knob]) pick -= weight[knob++];
    base.value[knob] =
        static_cast<uint8_t>(beliefs_.Choose(world_, knob, base.value[knob], words.half(2)));
    return base;
  }

  // What is difficult in a try, in sixteenths of a step: all of it for a first design; next to one
  // that works what is new, and a quarter of the rest.
  HEARSAY_HD int Effort(const Findings& findings, const Design& design) const {
    int all = 0;
    int fresh = 0;
    for (int k = 0; k < world_.knob_count; ++k) {
      const int difficulty = world_.difficulty[k][design.value[k]];
      all += difficulty;
      if (design.value[k] != findings.best.value[k]) fresh += difficulty;
    }
    return findings.passed ? fresh + (all - fresh) / 4 : all;
  }

  HEARSAY_HD void Submit(const Design& design, int effort, const RandomWords& words, int cost,
                         Findings* findings) {
    const int point = design.Point(world_);
    const Entry entry = world_.entries[point];
    const bool bug =
        design.value[0] != 0 &&
        Chances(words.half(3),
                BugChance(effort - agent_.skill[static_cast<int>(dsl_)] - 16 * mendings_));
    const int measured = entry.speed_lg() + static_cast<int>(words.half(4) & 63) - 32;
    last_ = design;
    if (entry.ok() && !bug) {
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
    int changed = 0;
    for (int k = 0; k < world_.knob_count; ++k) {
      const int v = design.value[k];
      changed += findings->passed && v != findings->best.value[k];
      findings->passes[k].Increment(v);
      if (measured > findings->seen_lg[k][v]) {
        findings->seen_lg[k][v] = static_cast<int16_t>(measured);
      }
    }
    if (changed > 0) {
      const int shift = Clamp(OddsOfLg(measured - findings->best_lg) / changed, -1024, 1024);
      for (int k = 0; k < world_.knob_count; ++k) {
        if (design.value[k] != findings->best.value[k]) beliefs_.Shift(k, design.value[k], shift);
      }
    }
    if (!findings->passed || measured > findings->best_lg) {
      findings->best = design;
      findings->best_lg = static_cast<int16_t>(measured);
      findings->passed = true;
    }
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
    int suspect = -1;
    int most = -1;
    for (int k = 0; k < world_.knob_count; ++k) {
      const int v = design.value[k];
      const int difficulty = world_.difficulty[k][v];
      if (v != 0 && findings->passes[k].of(v) == 0 && difficulty > most) {
        most = difficulty;
        suspect = k;
      }
    }
    if (suspect >= 0) {
      findings->blames[suspect].Increment(design.value[suspect]);
      beliefs_.Shift(suspect, design.value[suspect], -512);
    }
    mending_ = mendings_ < 2 && Chances(words.half(5), agent_.repairing);
    if (mending_) {
      ++mendings_;
      return;
    }
    if (mendings_ > 0) outcome_.events |= kEventFellBack;
    if (suspect >= 0) {
      if (findings->blames[suspect].of(design.value[suspect]) >= 2) {
        beliefs_.Block(world_, suspect, design.value[suspect]);
      }
      // Until something works, go on from a simpler design.
      if (!findings->passed) {
        anchor_ = design;
        anchor_.value[suspect] = 0;
      }
    }
  }

  // A closure that its test did not refute is obeyed from now on.
  HEARSAY_HD void EndTest(const Findings& findings) {
    const Claim claim = intake_.claims[testing_];
    const int k = claim.knob();
    const int v = claim.value();
    const bool works = findings.passes[k].of(v) > 0;
    const bool refuted =
        works && (claim.stance() == Stance::kInfeasible ||
                  findings.seen_lg[k][v] - findings.SeenWithoutLg(k, v) > kWorthLg);
    if (!refuted) {
      reading_.adopted |= 1u << testing_;
      beliefs_.Block(world_, k, v);
    }
    testing_ = -1;
  }

  HEARSAY_HD void Finish(const Findings& findings) {
    if (!findings.passed) return;
    const int point = findings.best.Point(world_);
    const int noise = static_cast<int>(draws_.Block(kDrawPlan).half(7) & 63) - 32;
    outcome_.passed = 1;
    outcome_.point = static_cast<uint16_t>(point);
    outcome_.speed_lg = static_cast<int16_t>(world_.entries[point].speed_lg() + noise);
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
  Design anchor_;  // where search goes on from until something works
  Design last_;
  int mendings_ = 0;  // tries at mending the last design
  bool mending_ = false;
  int testing_ = -1;  // slot of the closure that the next result tests
};

}  // namespace hearsay

#endif  // HEARSAY_EXECUTOR_SEARCH_H_
