// One lane in one round: who reads whom, with which agent, in which DSL, and the attempt itself.
#ifndef HEARSAY_EXECUTOR_LANE_H_
#define HEARSAY_EXECUTOR_LANE_H_

#include <cstdint>

#include "executor/attempt.h"
#include "executor/intake.h"
#include "executor/philox.h"
#include "executor/tables.h"
#include "tasks/digest.h"
#include "tasks/outcome.h"

namespace hearsay {

// What a lane leaves beside its outcome and note.
struct LaneTrace {
  Intake intake;
  uint32_t sources[kMaxSources];  // lanes of the round before whose notes were meant for this one
  uint8_t source_count = 0;
  // Index in `sources` of the i-th note that was let through: Intake::origin counts those.
  uint8_t passed_on[kMaxSources];
};

HEARSAY_HD inline Dsl DslOf(const RunTables& run, int round, int slot, int lane) {
  // The agents of a run go round the lanes; every second time round begins with the other DSL, so
  // that each agent is seen in both directions.
  const int begins = lane / run.agent_count & 1;
  switch (run.dsl_schedule) {
    case DslSchedule::kAlternate:
      return static_cast<Dsl>((begins + round) & 1);
    case DslSchedule::kFixed:
      return static_cast<Dsl>(begins);
    case DslSchedule::kRandom: {
      const Draws draws(run.seed, Stream::kSchedule, round, run.problem_index[slot], lane);
      return static_cast<Dsl>(draws.Block(0).word[0] >> 31);
    }
    case DslSchedule::kCuteOnly:
      return Dsl::kCute;
    case DslSchedule::kTirxOnly:
      return Dsl::kTirx;
  }
  return Dsl::kCute;
}

// 0 failed, 1 passed below 2x, 2 passed at 2x or more; scoring.h has the same in the study's words.
HEARSAY_HD inline int StandingOf(const Outcome& outcome) {
  return outcome.passed ? (outcome.speed_lg >= kLgPerDoubling ? 2 : 1) : 0;
}

// `count` distinct numbers in [first, first + size), each with equal chance (Floyd's sampling).
// REQUIRES: count <= size; one random word for each.
HEARSAY_HD inline void Distinct(const uint32_t* words, uint32_t first, uint32_t size, int count,
                                uint32_t* out) {
  for (int i = 0; i < count; ++i) {
    const uint32_t last = size - static_cast<uint32_t>(count - i);
    uint32_t pick = first + Below(words[i], last + 1);
    for (int j = 0; j < i; ++j) {
      if (out[j] == pick) {
        pick = first + last;
        break;
      }
    }
    out[i] = pick;
  }
}

// The lanes of the round before that lane `lane` of `slot` reads in `round`. Returns how many.
// REQUIRES: round >= 1; `solo` is the receiver's baseline.
HEARSAY_HD inline int SelectSources(const RunTables& run, const Ranking& ranking, int round,
                                    int slot, int lane, const Outcome& solo, uint32_t* sources) {
  const Topology& topology = run.topology;
  if (topology.kind != TopologyKind::kPool) {
    sources[0] =
        static_cast<uint32_t>(topology.kind == TopologyKind::kFanout ? lane / topology.fan : lane);
    return 1;
  }
  const int count = topology.sources < run.lanes ? topology.sources : run.lanes;
  const uint32_t* const order =
      ranking.order == nullptr ? nullptr : ranking.order + static_cast<int64_t>(slot) * run.lanes;
  if (topology.selection == Selection::kBest) {
    for (int i = 0; i < count; ++i) sources[i] = order[i];
    return count;
  }
  const Draws draws(run.seed, Stream::kSources, round, run.problem_index[slot], lane);
  uint32_t words[kMaxSources];
  for (int i = 0; i < count; i += 4) {
    const RandomWords four = draws.Block(i / 4);
    for (int j = 0; j < 4; ++j) words[i + j] = four.word[j];
  }
  if (topology.selection == Selection::kUniform) {
    Distinct(words, 0, run.lanes, count, sources);
    return count;
  }
  // By standing: lanes above the receiver's own solo tier first, then those at it, then those
  // below.
  const uint32_t* const tier_ends = ranking.tier_ends + slot * 2;
  const int tier = StandingOf(solo);
  const uint32_t all = run.lanes;
  const uint32_t ends[3] = {tier == 2 ? 0 : tier_ends[1 - tier],
                            tier == 0 ? all : tier_ends[2 - tier], all};
  uint32_t first = 0;
  int taken = 0;
  for (int group = 0; group < 3; ++group) {
    const uint32_t size = ends[group] - first;
    const int take =
        static_cast<uint32_t>(count - taken) < size ? count - taken : static_cast<int>(size);
    Distinct(words + taken, first, size, take, sources + taken);
    first = ends[group];
    taken += take;
  }
  for (int i = 0; i < count; ++i) sources[i] = order[sources[i]];
  return count;
}

// Whether a policy holds back the note of `source` from the receiver.
HEARSAY_HD inline bool HeldBack(const Policies& policies, const Outcome& source,
                                const Outcome& solo, const Draws& gate, int s) {
  if (policies.drop_failed_source == 0 && policies.standing_gate == 0) return false;
  const RandomWords words = gate.Block(kDrawGateSources + s / 4);
  const int half = s % 4 * 2;
  return (!source.passed && static_cast<Chance>(words.half(half)) < policies.drop_failed_source) ||
         (StandingOf(source) <= StandingOf(solo) &&
          static_cast<Chance>(words.half(half + 1)) < policies.standing_gate);
}

// The random numbers of the solo baseline of (slot, lane, agent, dsl).
HEARSAY_HD inline Draws BaselineDraws(const RunTables& run, int slot, int lane, int agent,
                                      Dsl dsl) {
  return Draws(run.seed, Stream::kBaseline,
               static_cast<uint32_t>(agent * kDslCount) + static_cast<uint32_t>(dsl),
               run.problem_index[slot], lane);
}

// The solo baseline of (slot, lane, agent, dsl): no note in, and its own note is passed to nobody.
HEARSAY_HD inline Outcome RunSolo(const RunTables& run, int slot, int lane, int agent, Dsl dsl) {
  const Intake nothing{};
  Outcome outcome;
  outcome.agent = static_cast<uint8_t>(agent);
  WrittenNote note;
  NoObserver observer;
  RunAttempt(run.WorldOf(slot, dsl), run.PriorsOf(slot, dsl), run.BiasOf(agent, slot), dsl,
             run.agents[agent], Policies(), 0, nothing, BaselineDraws(run, slot, lane, agent, dsl),
             &outcome, &note, &observer);
  return outcome;
}

// One lane in one round. Reads the state after the round before (ignored in round 0), writes this
// lane's outcome, note and trace, and returns the digest of the attempt.
template <typename Pace, typename Observer>
HEARSAY_HD inline uint64_t RunLane(const RunTables& run, const Ranking& ranking,
                                   const RoundState& before, int round, int slot, int lane,
                                   Outcome* outcome, WrittenNote* note, LaneTrace* trace,
                                   Observer* observer, AttemptMemory* memory) {
  const int agent = run.AgentOf(round, lane);
  const Dsl dsl = DslOf(run, round, slot, lane);
  const uint32_t problem = run.problem_index[slot];
  Reception reception = Reception::kSolo;
  trace->source_count = 0;
  trace->intake.size = 0;
  if (round > 0) {
    const Outcome& solo = run.BaselineOf(slot, lane, agent, dsl);
    const Draws gate(run.seed, Stream::kGate, round, problem, lane);
    const int count = SelectSources(run, ranking, round, slot, lane, solo, trace->sources);
    trace->source_count = static_cast<uint8_t>(count);
    const WrittenNote* notes[kMaxSources];
    int let_through = 0;
    for (int s = 0; s < count; ++s) {
      const int64_t source = static_cast<int64_t>(slot) * run.lanes + trace->sources[s];
      if (HeldBack(run.policies, before.outcomes[source], solo, gate, s)) continue;
      trace->passed_on[let_through] = static_cast<uint8_t>(s);
      notes[let_through++] = &before.notes[source];
    }
    const Retractions retracted =
        ranking.retractions == nullptr ? Retractions() : ranking.retractions[slot];
    MergeNotes(notes, let_through, run.agents[agent].note_capacity, run.policies, retracted, gate,
               &trace->intake);
    reception = trace->intake.size > 0 ? Reception::kConditioned
                : let_through == 0     ? Reception::kGated
                                       : Reception::kSkipped;
  }
  // A lane without a note is scored as its own solo and hands on its solo's note. Both kinds of
  // attempt go through one call, so that a kernel holds one copy of it.
  const bool as_solo = reception == Reception::kSkipped || reception == Reception::kGated;
  const Draws draws = as_solo ? BaselineDraws(run, slot, lane, agent, dsl)
                              : Draws(run.seed, Stream::kAttempt, round, problem, lane);
  *outcome = Outcome();
  outcome->agent = static_cast<uint8_t>(agent);
  RunAttempt<Pace>(run.WorldOf(slot, dsl), run.PriorsOf(slot, dsl), run.BiasOf(agent, slot), dsl,
                   run.agents[agent], as_solo ? Policies() : run.policies, round, trace->intake,
                   draws, outcome, note, observer, memory);
  outcome->reception = reception;

  AttemptDigest digest(round, problem, lane);
  digest.Add(*outcome);
  digest.Add(trace->source_count);
  for (int s = 0; s < trace->source_count; ++s) digest.Add(trace->sources[s]);
  HEARSAY_UNROLL_FOUR
  for (int i = 0; i < note->size; ++i) digest.Add(note->claims[i], note->change[i]);
  return digest.Finish();
}

}  // namespace hearsay

#endif  // HEARSAY_EXECUTOR_LANE_H_
