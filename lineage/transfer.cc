#include "lineage/transfer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "absl/status/status.h"
#include "lineage/comparisons.h"

namespace hearsay {
namespace {

constexpr int kAny = -1;

// Of a group: place of the run, agent, source DSL, DSL and round, each kAny where the group does
// not ask.
struct GroupKey {
  int part;  // order of the parts of a study
  int place = kAny;
  int agent = kAny;
  int from = kAny;
  int to = kAny;
  int round = kAny;
  friend bool operator<(const GroupKey& a, const GroupKey& b) {
    return std::tie(a.part, a.place, a.agent, a.from, a.to, a.round) <
           std::tie(b.part, b.place, b.agent, b.from, b.to, b.round);
  }
};
constexpr const char* kPartNames[] = {"all",  "run", "agent", "direction", "agent+direction",
                                      "round"};

TransferSums SumsOf(const Comparison& comparison) {
  const Outcome& solo = *comparison.solo;
  const Outcome& conditioned = *comparison.conditioned;
  TransferSums sums;
  sums.comparisons = 1;
  sums.skipped = comparison.recorded->reception == Reception::kSkipped;
  sums.gated = comparison.recorded->reception == Reception::kGated;
  sums.both_failed = solo.passed == 0 && conditioned.passed == 0;
  sums.only_solo_failed = solo.passed == 0 && conditioned.passed != 0;
  sums.only_conditioned_failed = solo.passed != 0 && conditioned.passed == 0;
  sums.helped = comparison.effect == Effect::kHelped;
  sums.harmed = comparison.effect == Effect::kHarmed;
  sums.log_ratio_sum = std::log(comparison.ratio);
  for (int t = 0; t < kPassThresholdCount; ++t) {
    sums.conditioned_reaching[t] = PassRateAt({&conditioned, 1}, kPassThresholds[t]) > 0;
    sums.solo_reaching[t] = PassRateAt({&solo, 1}, kPassThresholds[t]) > 0;
  }
  sums.conditioned_score_sum = Score({&conditioned, 1});
  sums.solo_score_sum = Score({&solo, 1});
  return sums;
}

std::optional<double> ShareOf(int64_t count, int64_t of) {
  if (of == 0) return std::nullopt;
  return static_cast<double>(count) / static_cast<double>(of);
}

// By group, the sums of each cluster.
using Groups = std::map<GroupKey, std::vector<TransferSums>>;

void Count(const Comparison& comparison, const RunSet& runs, Groups* groups) {
  const TransferSums sums = SumsOf(comparison);
  const int agent = comparison.agent;
  const int from = comparison.from;
  const int to = comparison.to();
  for (const GroupKey& key :
       {GroupKey{.part = 0}, GroupKey{.part = 1, .place = comparison.place},
        GroupKey{.part = 2, .agent = agent}, GroupKey{.part = 3, .from = from, .to = to},
        GroupKey{.part = 4, .agent = agent, .from = from, .to = to},
        GroupKey{.part = 5, .round = comparison.attempt.round()}}) {
    if (key.place != kAny && runs.size() == 1) continue;
    std::vector<TransferSums>& by_cluster = (*groups)[key];
    if (by_cluster.empty()) by_cluster.resize(runs.cluster_count());
    by_cluster[comparison.cluster].Add(sums);
  }
}

TransferGroup Summarise(const GroupKey& key, const std::vector<TransferSums>& by_cluster,
                        const RunSet& runs, const BootstrapOptions& options) {
  TransferGroup group;
  group.by = kPartNames[key.part];
  if (key.place != kAny) group.run = runs.RunName(key.place);
  if (key.agent != kAny) group.agent = runs.AgentName(key.agent);
  if (key.to != kAny) group.direction = DirectionName(key.from, key.to);
  group.round = key.round;
  std::vector<TransferSums> clusters;
  for (const TransferSums& sums : by_cluster) {
    if (sums.comparisons == 0) continue;
    clusters.push_back(sums);
    group.sums.Add(sums);
  }
  const int count = static_cast<int>(clusters.size());
  group.problems = runs.by_lane() ? std::min(count, 1) : count;
  const std::vector<std::optional<Interval>> intervals = BootstrapIntervals(
      count, 3,
      [&](absl::Span<const int> times) {
        TransferSums resample;
        for (size_t i = 0; i < clusters.size(); ++i) {
          if (times[i] > 0) resample.Add(clusters[i], times[i]);
        }
        return std::vector<std::optional<double>>{resample.HelpedShare(), resample.HarmedShare(),
                                                  resample.Lift()};
      },
      options);
  group.helped = intervals[0];
  group.harmed = intervals[1];
  group.lift = intervals[2];
  return group;
}

}  // namespace

void TransferSums::Add(const TransferSums& other, int times) {
  comparisons += times * other.comparisons;
  skipped += times * other.skipped;
  gated += times * other.gated;
  both_failed += times * other.both_failed;
  only_solo_failed += times * other.only_solo_failed;
  only_conditioned_failed += times * other.only_conditioned_failed;
  helped += times * other.helped;
  harmed += times * other.harmed;
  log_ratio_sum += times * other.log_ratio_sum;
  for (int t = 0; t < kPassThresholdCount; ++t) {
    conditioned_reaching[t] += times * other.conditioned_reaching[t];
    solo_reaching[t] += times * other.solo_reaching[t];
  }
  conditioned_score_sum += times * other.conditioned_score_sum;
  solo_score_sum += times * other.solo_score_sum;
}

std::optional<double> TransferSums::HelpedShare() const { return ShareOf(helped, comparisons); }
std::optional<double> TransferSums::HarmedShare() const { return ShareOf(harmed, comparisons); }

std::optional<double> TransferSums::Lift() const {
  if (comparisons == 0) return std::nullopt;
  // The lift of many ratios is that of their geometric mean.
  const double mean_ratio = std::exp(log_ratio_sum / static_cast<double>(comparisons));
  return PairedLift({&mean_ratio, 1});
}

absl::StatusOr<TransferStudy> StudyTransfer(const Store& store, const RunSet& runs,
                                            const TransferOptions& options) {
  Groups groups;
  const absl::Status status =
      VisitComparisons(store, runs, options.scoring, [&](const Comparison& comparison) {
        Count(comparison, runs, &groups);
        return absl::OkStatus();
      });
  if (!status.ok()) return status;

  TransferStudy study = {runs, options, {}};
  for (const auto& [key, by_cluster] : groups) {
    study.groups.push_back(Summarise(key, by_cluster, runs, options.bootstrap));
  }
  if (study.groups.empty()) study.groups.push_back(Summarise({.part = 0}, {}, runs, {}));
  return study;
}

}  // namespace hearsay
