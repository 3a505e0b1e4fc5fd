#include "executor/ranking.h"

#include <algorithm>
#include <numeric>

#include "executor/lane.h"

namespace hearsay {

void Ranker::Rank(const RunTables& run, const std::vector<Outcome>& outcomes,
                  const std::vector<Retractions>& retractions) {
  ranking_.retractions = retractions.data();
  if (run.topology.kind != TopologyKind::kPool || run.topology.selection == Selection::kUniform) {
    return;
  }
  order_.resize(outcomes.size());
  tier_ends_.assign(run.problem_count * 2, 0);
  for (int slot = 0; slot < run.problem_count; ++slot) {
    const Outcome* const lanes = outcomes.data() + static_cast<int64_t>(slot) * run.lanes;
    uint32_t* const order = order_.data() + static_cast<int64_t>(slot) * run.lanes;
    std::iota(order, order + run.lanes, 0);
    for (int lane = 0; lane < run.lanes; ++lane) {
      const int tier = TierOf(lanes[lane]);
      tier_ends_[slot * 2] += tier == 2;
      tier_ends_[slot * 2 + 1] += tier >= 1;
    }
    // A failed attempt ranks below any that passed; of equals the lower lane comes first.
    const bool by_result = run.topology.selection == Selection::kBest;
    const auto rank = [&](uint32_t lane) {
      const Outcome& outcome = lanes[lane];
      return by_result ? (outcome.passed ? outcome.speed_lg : -32768) : TierOf(outcome);
    };
    std::stable_sort(order, order + run.lanes,
                     [&](uint32_t a, uint32_t b) { return rank(a) > rank(b); });
  }
  ranking_.order = order_.data();
  ranking_.tier_ends = tier_ends_.data();
}

}  // namespace hearsay
