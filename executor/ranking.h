// Orders the lanes of each problem by their results, for the pools that select by them.
#ifndef HEARSAY_EXECUTOR_RANKING_H_
#define HEARSAY_EXECUTOR_RANKING_H_

#include <vector>

#include "executor/lane.h"
#include "executor/tables.h"

namespace hearsay {

// Adds the subjects of the claims that an attempt refuted.
HEARSAY_HD inline void AddRefuted(const Outcome& outcome, const Intake& intake,
                                  Retractions* refuted) {
  for (uint32_t left = outcome.refuted; left != 0; left &= left - 1) {
    refuted->Add(intake.claims[LowestBit(left)]);
  }
}

// What lanes are ranked by, the largest first; of equals the lower lane comes first. A failed
// attempt ranks below any that passed. From -32768 to 32767. REQUIRES: the topology needs a
// ranking.
HEARSAY_HD inline int RankOf(const Topology& topology, const Outcome& outcome) {
  if (topology.selection == Selection::kStanding) return StandingOf(outcome);
  return outcome.passed ? outcome.speed_lg : -32768;
}

inline bool NeedsRanking(const Topology& topology) {
  return topology.kind == TopologyKind::kPool && topology.selection != Selection::kUniform;
}

// Ranks `lanes` lanes of one problem: fills `order` [lanes] and `tier_ends` [2], as in Ranking.
void RankLanes(const Topology& topology, const Outcome* outcomes, int lanes, uint32_t* order,
               uint32_t* tier_ends);

class Ranker {
 public:
  // Ranks the lanes by `outcomes` [problem_count * lanes] if the topology needs it. `retractions`
  // [problem_count] is kept by reference.
  void Rank(const RunTables& run, const std::vector<Outcome>& outcomes,
            const std::vector<Retractions>& retractions);

  // Valid until the next Rank.
  const Ranking& ranking() const { return ranking_; }

 private:
  std::vector<uint32_t> order_;
  std::vector<uint32_t> tier_ends_;
  Ranking ranking_;
};

}  // namespace hearsay

#endif  // HEARSAY_EXECUTOR_RANKING_H_
