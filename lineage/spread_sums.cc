#include "lineage/spread_sums.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "lineage/persistence.h"
#include "tasks/words.h"

namespace hearsay {
namespace {

// First generation of each bin of Reproduction; the last is open.
constexpr int kGenerations[] = {0, 1, 2, 3, 6, 11, 21, 51, 101};
constexpr int kGenerationBins = std::size(kGenerations);

// Rounds at which burdens are told by agent, and the last.
constexpr int kBurdenRounds[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};

const char* const kTruthNames[kTruthGroups] = {"any", "true", "false"};

SumStatistic LateLessEarly(int numerator, int denominator) {
  return PointsBetween(kBurdenFields + numerator, kBurdenFields + denominator, numerator,
                       denominator);
}

BurdenRound Summarise(int round, const std::string& agent, const ClusterSums& sums,
                      const BootstrapOptions& options) {
  const std::vector<Estimate> estimates = sums.Estimates(
      {RatioOf(kNotesUnder, kNotes), RatioOf(kNotesHardened, kNotes), RatioOf(kNotesAny, kNotes),
       RatioOf(kDecisionsUnder, kAttempts), RatioOf(kTruncated, kAttempts)},
      options);
  return {round,
          agent,
          static_cast<int64_t>(sums.Total(kNotes)),
          static_cast<int64_t>(sums.Total(kAttempts)),
          estimates[0],
          estimates[1],
          estimates[2],
          estimates[3],
          estimates[4]};
}

Trend TrendOf(const std::string& run, const std::string& agent, const ClusterSums& windows,
              const BootstrapOptions& options) {
  const std::vector<Estimate> points = windows.Estimates(
      {LateLessEarly(kNotesUnder, kNotes), LateLessEarly(kNotesHardened, kNotes),
       LateLessEarly(kNotesAny, kNotes), LateLessEarly(kDecisionsUnder, kAttempts)},
      options);
  return {run, agent, points[0], points[1], points[2], points[3]};
}

}  // namespace

void Carried::Add(const Carried& other) {
  carried += other.carried;
  wrong += other.wrong;
  hedged += other.hedged;
  without_evidence += other.without_evidence;
  turned_fact += other.turned_fact;
  confidence_sum += other.confidence_sum;
  log2_paths_sum += other.log2_paths_sum;
  most_paths = std::max(most_paths, other.most_paths);
}

void ReproductionSums::Add(int cluster, uint32_t children) {
  if (offspring_.size() <= children) offspring_.resize(children + 1, 0);
  ++offspring_[children];
  sums_.Add(cluster, kChildren, children);
  sums_.Add(cluster, kCarriers, 1);
}

Reproduction ReproductionSums::Finish(const std::string& truth, const std::string& agent, int from,
                                      int to, const BootstrapOptions& options) const {
  return {truth,
          agent,
          from,
          to,
          offspring_,
          FitNegativeBinomial(offspring_),
          sums_.Estimates({RatioOf(kChildren, kCarriers)}, options)[0]};
}

Fixation FixationSums::Finish(const std::string& truth) const {
  Fixation fixation = counts;
  fixation.truth = truth;
  if (fixation.lines > 0) {
    fixation.start_share = start_share_sum / static_cast<double>(fixation.lines);
    fixation.peak_share = peak_share_sum / static_cast<double>(fixation.lines);
  }
  fixation.fixed_interval = ClusteredInterval(clusters);
  if (!rounds.empty()) {
    std::vector<double> sorted = rounds;
    std::sort(sorted.begin(), sorted.end());
    const size_t middle = sorted.size() / 2;
    fixation.median_rounds =
        sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
  return fixation;
}

SpreadSums::SpreadSums(const RunSet& of, const BootstrapOptions& with)
    : runs(of), options(with), fixation(kTruthGroups) {
  const int clusters = runs.cluster_count();
  by_truth.assign(kTruthGroups, ReproductionSums(clusters));
  by_generation.assign(kGenerationBins, ReproductionSums(clusters));
  by_agent.assign(runs.agent_count(), ReproductionSums(clusters));
  for (FixationSums& sums : fixation) sums.clusters.resize(clusters);
  windows.assign(runs.agent_count() + 1, ClusterSums(clusters, 2 * kBurdenFields));
  run_windows.assign(runs.size(), ClusterSums(clusters, 2 * kBurdenFields));
}

int SpreadSums::GenerationBin(int generation) {
  return static_cast<int>(
      std::upper_bound(std::begin(kGenerations), std::end(kGenerations), generation) -
      std::begin(kGenerations) - 1);
}

int SpreadSums::AgeBin(int age) {
  // Ages 0 and 1 share the first.
  int bin = 0;
  while (bin + 2 < static_cast<int>(std::size(kAgeEdges)) && age > kAgeEdges[bin + 1]) ++bin;
  return bin;
}

bool SpreadSums::Told(int round) const {
  return round == round_count - 1 || std::find(std::begin(kBurdenRounds), std::end(kBurdenRounds),
                                               round) != std::end(kBurdenRounds);
}

SpreadStudy SpreadSums::Finish() const {
  SpreadStudy study(runs);
  study.window_rounds = window();
  for (int t = 0; t < kTruthGroups; ++t) {
    study.reproduction.push_back(by_truth[t].Finish(kTruthNames[t], "", -1, -1, options));
    study.fixation.push_back(fixation[t].Finish(kTruthNames[t]));
  }
  for (int bin = 0; bin < kGenerationBins; ++bin) {
    if (by_generation[bin].empty()) continue;
    const bool open = bin + 1 == kGenerationBins;
    study.reproduction.push_back(
        by_generation[bin].Finish("false", "", kGenerations[bin],
                                  open ? round_count - 1 : kGenerations[bin + 1] - 1, options));
  }
  for (size_t agent = 0; agent < by_agent.size(); ++agent) {
    study.reproduction.push_back(
        by_agent[agent].Finish("false", runs.AgentName(static_cast<int>(agent)), -1, -1, options));
  }
  for (int round = 0; round < round_count; ++round) {
    for (size_t group = 0; group < burden[round].size(); ++group) {
      study.rounds.push_back(
          Summarise(round, group == 0 ? "" : runs.AgentName(static_cast<int>(group) - 1),
                    burden[round][group], options));
    }
  }
  // With fewer than three rounds the first and the last tenth are the same.
  if (round_count >= 3) {
    study.trends.push_back(TrendOf("", "", windows[0], options));
    for (int place = 0; place < runs.size() && runs.size() > 1; ++place) {
      study.trends.push_back(TrendOf(runs.RunName(place), "", run_windows[place], options));
    }
    for (int agent = 0; agent < runs.agent_count(); ++agent) {
      study.trends.push_back(TrendOf("", runs.AgentName(agent), windows[agent + 1], options));
    }
  }
  study.carried = carried;
  for (auto [bin, survived] : survivors) {
    survived.round = round_count - 1;
    survived.age_from = bin == 0 ? 0 : kAgeEdges[bin] + 1;
    const bool open = bin + 2 == static_cast<int>(std::size(kAgeEdges));
    survived.age_to = open ? std::max(kAgeEdges[bin + 1], round_count - 1) : kAgeEdges[bin + 1];
    study.survivors.push_back(survived);
  }
  return study;
}

}  // namespace hearsay
