// Study "transfer": does a note help the one who reads it? Every attempt of round 1 and later is
// compared with the solo baseline of the same lane, agent and DSL.
//
// Scoring is that of tasks/scoring.h. A skipped or gated attempt is its own solo: its ratio is 1
// and both sides of the comparison are the baseline. Intervals are 95% percentile intervals of a
// bootstrap over the clusters of run_set.h, since attempts on one problem are not independent.
#ifndef HEARSAY_LINEAGE_TRANSFER_H_
#define HEARSAY_LINEAGE_TRANSFER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "kb/store.h"
#include "lineage/run_set.h"
#include "lineage/stats.h"
#include "lineage/table.h"
#include "tasks/scoring.h"

namespace hearsay {

// The speedups t of R@t, as in tasks/scoring.h.
inline constexpr double kPassThresholds[] = {0, 0.5, 1, 2, 4};
inline constexpr int kPassThresholdCount = 5;

struct TransferOptions {
  ScoringParams scoring;
  BootstrapOptions bootstrap;
};

// Sums over comparisons; sums of several sets of comparisons add up.
struct TransferSums {
  int64_t comparisons = 0;  // conditioned, skipped and gated together
  int64_t skipped = 0;
  int64_t gated = 0;
  int64_t both_failed = 0;
  int64_t only_solo_failed = 0;
  int64_t only_conditioned_failed = 0;
  int64_t helped = 0;
  int64_t harmed = 0;
  double log_ratio_sum = 0;
  // One of each pair: the conditioned attempts, and their baselines.
  int64_t conditioned_reaching[kPassThresholdCount] = {};  // those that passed with that speedup
  int64_t solo_reaching[kPassThresholdCount] = {};
  double conditioned_score_sum = 0;
  double solo_score_sum = 0;

  // Adds `times` times what `other` holds.
  void Add(const TransferSums& other, int times = 1);
  // Each is nullopt without comparisons.
  std::optional<double> HelpedShare() const;  // T
  std::optional<double> HarmedShare() const;  // H
  std::optional<double> Lift() const;         // dGM
};

// The comparisons of one group.
struct TransferGroup {
  std::string by;         // "all", "run", "agent", "direction", "agent+direction" or "round"
  std::string run;        // "R3"; empty: any
  std::string agent;      // name; empty: any
  std::string direction;  // "cute->tirx": DSL of the note's author, DSL of its reader; empty: any
  int round = -1;         // -1: any
  int problems = 0;       // with a comparison in this group
  TransferSums sums;
  // nullopt with fewer than two clusters.
  std::optional<Interval> helped, harmed, lift;
};

struct TransferStudy {
  RunSet runs;
  TransferOptions options;
  // All; by run, of several; by agent; by direction; by both; by round: each part sorted by its
  // key. The first is always there.
  std::vector<TransferGroup> groups;
};

// Reads every attempt of the runs once; claims need not be recorded.
// Errors: those of the store; kDataLoss naming the attempt that has no baseline or unknown sources.
absl::StatusOr<TransferStudy> StudyTransfer(const Store& store, const RunSet& runs,
                                            const TransferOptions& options);

// For the command: helped, harmed and lift; pass rates and scores; how comparisons came about. The
// notes name the clip and the thresholds that were used.
std::vector<Table> TransferTables(const TransferStudy& study);

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_TRANSFER_H_
