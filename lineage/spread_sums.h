// What the study of spread adds up over runs, before anything is estimated: internal to it.
#ifndef HEARSAY_LINEAGE_SPREAD_SUMS_H_
#define HEARSAY_LINEAGE_SPREAD_SUMS_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lineage/run_set.h"
#include "lineage/spread.h"

namespace hearsay {

// Any, true and false, in the order of the tables.
enum { kAnyTruth, kTrueOnly, kFalseOnly, kTruthGroups };

// Fields of burdens.
enum {
  kNotes,
  kNotesUnder,
  kNotesHardened,
  kNotesAny,
  kAttempts,
  kDecisionsUnder,
  kTruncated,
  kBurdenFields
};

// Children of carriers.
class ReproductionSums {
 public:
  explicit ReproductionSums(int clusters) : sums_(clusters, kFields) {}
  void Add(int cluster, uint32_t children);
  bool empty() const { return offspring_.empty(); }
  Reproduction Finish(const std::string& truth, const std::string& agent, int from, int to,
                      const BootstrapOptions& options) const;

 private:
  enum { kChildren, kCarriers, kFields };
  OffspringCounts offspring_;
  ClusterSums sums_;
};

struct FixationSums {
  Fixation counts;
  double start_share_sum = 0;  // over lines
  double peak_share_sum = 0;
  std::vector<double> rounds;  // from birth to fixation
  std::vector<ClusterShare> clusters;

  Fixation Finish(const std::string& truth) const;
};

struct SpreadSums {
  SpreadSums(const RunSet& runs, const BootstrapOptions& options);
  // The bin of Reproduction that a generation falls in.
  static int GenerationBin(int generation);
  // The bin of survivors that an age falls in.
  static int AgeBin(int age);
  SpreadStudy Finish() const;

  const RunSet& runs;
  const BootstrapOptions options;
  int round_count = 0;
  std::vector<ReproductionSums> by_truth, by_generation, by_agent;
  std::vector<FixationSums> fixation;  // any, true, false
  // Of each round: all, then agents.
  std::vector<std::vector<ClusterSums>> burden;
  // Fields of the first tenth of the rounds, then those of the last: all, then agents; and by run.
  std::vector<ClusterSums> windows, run_windows;
  std::vector<Carried> carried;      // by round
  std::map<int, Carried> survivors;  // by AgeBin

  // Rounds in each of the windows.
  int window() const { return std::max(1, (round_count - 1) / 10); }
  // Whether burdens of the round are told by agent.
  bool Told(int round) const;
};

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_SPREAD_SUMS_H_
