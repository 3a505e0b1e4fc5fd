// What a device is told to run, and the body of one of its threads: plain code, so that the host
// can run it too (tests/executor/twin_device_testing.h).
//
// Slots of a launch are those of a batch of problems; all pointers lead into the device's memory.
#ifndef HEARSAY_EXECUTOR_LANE_LAUNCH_H_
#define HEARSAY_EXECUTOR_LANE_LAUNCH_H_

#include <cstdint>

#include "executor/lane.h"
#include "executor/ranking.h"
#include "executor/tables.h"

namespace hearsay {

// Lanes [first_lane, first_lane + lane_count) of slots [first_slot, first_slot + slot_count) in one
// round.
struct LaneLaunch {
  RunTables run;
  Ranking ranking;
  RoundState before;
  RoundState after;
  // [slot_count][lane_count]: of the lanes of this launch alone; null where nobody asks for them.
  LaneTrace* traces = nullptr;
  uint64_t* digests = nullptr;  // [slots of the batch]: digests are added to it
  Retractions* refuted =
      nullptr;  // [slots of the batch]: united with it; null where none is needed
  int32_t round = 0;
  int32_t first_slot = 0;
  int32_t slot_count = 0;
  int32_t first_lane = 0;
  int32_t lane_count = 0;
};

// The solo baselines of all lanes of `slot_count` slots.
struct BaselineLaunch {
  RunTables run;
  int32_t slot_count = 0;
  Outcome* baselines = nullptr;  // laid out as RunTables::baselines
};

// Ranks the lanes of each slot by their outcomes, as RankLanes does.
struct RankLaunch {
  Topology topology;
  int32_t slot_count = 0;
  int32_t lanes = 0;
  const Outcome* outcomes = nullptr;  // [slot_count][lanes]
  uint32_t* order = nullptr;          // [slot_count][lanes]
  uint32_t* tier_ends = nullptr;      // [slot_count][2]
  void* scratch = nullptr;            // Device::RankScratchBytes
};

// The lane that the thread at `position` of `count` works on, counted from the first. Lanes that
// are `period` apart have the same agent and, but for DslSchedule::kRandom, the same DSL; they
// stand next to each other, so that threads which run in step do alike. A permutation of [0,
// count).
HEARSAY_HD inline int LaneAtPosition(int position, int count, int period) {
  const int each = count / period;
  const int longer = count % period;  // so many classes have one lane more
  const int in_longer = longer * (each + 1);
  if (position < in_longer) return position % (each + 1) * period + position / (each + 1);
  const int rest = position - in_longer;
  return rest % each * period + longer + rest / each;
}

// Runs the lane at `position` of slot `slot`; returns its digest and adds what it refuted. With
// kTraced launch.traces is not null.
template <typename Pace, bool kTraced>
HEARSAY_HD inline uint64_t RunPosition(const LaneLaunch& launch, int slot, int position,
                                       AttemptMemory* memory, Retractions* refuted) {
  const RunTables& run = launch.run;
  const int offset = LaneAtPosition(position, launch.lane_count, run.agent_count * kDslCount);
  const int lane = launch.first_lane + offset;
  const int64_t index = static_cast<int64_t>(slot) * run.lanes + lane;
  NoObserver observer;
  Outcome outcome;
  LaneTrace trace;
  const uint64_t digest =
      RunLane<Pace>(run, launch.ranking, launch.before, launch.round, slot, lane, &outcome,
                    &launch.after.notes[index], &trace, &observer, memory);
  launch.after.outcomes[index] = outcome;
  if (launch.refuted != nullptr) AddRefuted(outcome, trace.intake, refuted);
  if (kTraced) {
    launch.traces[static_cast<int64_t>(slot - launch.first_slot) * launch.lane_count + offset] =
        trace;
  }
  return digest;
}

// Runs baseline `which` of run.agent_slots() * kDslCount of one lane.
HEARSAY_HD inline void RunBaseline(const BaselineLaunch& launch, int slot, int lane, int which) {
  const RunTables& run = launch.run;
  const int agent_slot = which / kDslCount;
  const int agent = run.agents_rotate ? agent_slot : run.AgentOf(0, lane);
  const int64_t index = static_cast<int64_t>(slot) * run.lanes + lane;
  launch.baselines[index * run.agent_slots() * kDslCount + which] =
      RunSolo(run, slot, lane, agent, static_cast<Dsl>(which % kDslCount));
}

}  // namespace hearsay

#endif  // HEARSAY_EXECUTOR_LANE_LAUNCH_H_
