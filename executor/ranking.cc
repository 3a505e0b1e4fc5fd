#include "executor/ranking.h"

#include <algorithm>
#include <numeric>

namespace hearsay {

void RankLanes(const Topology& topology, const Outcome* outcomes, int lanes, uint32_t* order,
               uint32_t* tier_ends) {
  std::iota(order, order + lanes, 0);
  tier_ends[0] = tier_ends[1] = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    const int tier = StandingOf(outcomes[lane]);
    tier_ends[0] += tier == 2;
    tier_ends[1] += tier >= 1;
  }
  std::stable_sort(order, order + lanes, [&](uint32_t a, uint32_t b) {
    return RankOf(topology, outcomes[a]) > RankOf(topology, outcomes[b]);
  });
}

void Ranker::Rank(const RunTables& run, const std::vector<Outcome>& outcomes,
                  const std::vector<Retractions>& retractions) {
  ranking_.retractions = retractions.data();
  if (!NeedsRanking(run.topology)) return;
  order_.resize(outcomes.size());
  tier_ends_.resize(run.problem_count * 2);
  for (int slot = 0; slot < run.problem_count; ++slot) {
    const int64_t first = static_cast<int64_t>(slot) * run.lanes;
    RankLanes(run.topology, outcomes.data() + first, run.lanes, order_.data() + first,
              &tier_ends_[slot * 2]);
  }
  ranking_.order = order_.data();
  ranking_.tier_ends = tier_ends_.data();
}

}  // namespace hearsay
