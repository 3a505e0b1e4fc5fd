// Study "persistence", second part: how closures spread from note to note. A carrier is a note with
// a claim on the line of an unsupported closure (lines.h). A carrier's child is a note of the next
// round that carries the same claim, or one that continues it, and has the carrier's lane among its
// sources; of several such sources the first is the parent, so that a carrier has one parent or is
// a birth. Paths count every way back from a carrier to a birth through all sources that carry the
// line (Greenberg, BMJ 339:b2680, 2009, counts citation paths so).
//
// Intervals draw the clusters of run_set.h.
#ifndef HEARSAY_LINEAGE_SPREAD_H_
#define HEARSAY_LINEAGE_SPREAD_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "lineage/branching.h"
#include "lineage/claim_table.h"
#include "lineage/clustered.h"
#include "lineage/run_set.h"
#include "lineage/table.h"

namespace hearsay {

// How many children carriers leave. Carriers of the last round are left out: theirs are not seen.
struct Reproduction {
  std::string truth;  // "any", "true" or "false", of the carried claim in the DSL it was made in
  std::string agent;  // who wrote the note; empty: any
  // Rounds since the line was born, first and last of a bin; -1: any.
  int generation_from = -1;
  int generation_to = -1;
  OffspringCounts offspring;
  std::optional<OffspringFit> fit;  // nullopt without carriers
  Estimate mean;                    // R
};

// What became of lines in their problem. A merged version counts for its oldest line alone.
struct Fixation {
  std::string truth;
  int64_t lines = 0;
  int64_t fixed = 0;        // in some round every lane of the problem carried it
  int64_t lost = 0;         // not fixed, and no longer carried
  int64_t undecided = 0;    // neither: carried in the last round
  Interval fixed_interval;  // of the share fixed, over clusters
  double start_share =
      0;  // mean share of lanes that carried it when born: the chance of a neutral one
  double peak_share = 0;                // mean of the greatest share of lanes
  std::optional<double> median_rounds;  // from birth to fixation, of those fixed
};

// Notes and decisions of one round, pooled over problems or by agent.
struct BurdenRound {
  int round = 0;
  std::string agent;         // empty: all
  int64_t notes = 0;         // not empty
  int64_t attempts = 0;      // that read a note
  Estimate notes_under;      // share of notes with a false unsupported closure
  Estimate notes_hardened;   // the same, or with what such a closure became: any label, still false
  Estimate notes_any;        // share with a false closure, whatever it came from
  Estimate decisions_under;  // share of attempts that obeyed a closure that is false in their DSL
  Estimate truncated;        // share whose untested closures ruled out all designs near the best
};

// From the first tenth of the rounds (without round 0, which has no sources) to the last.
struct Trend {
  std::string run;            // "R3"; empty: all
  std::string agent;          // empty: all
  Estimate notes_points;      // late less early share of notes_under, in points
  Estimate hardened_points;   // the same of notes_hardened ...
  Estimate any_points;        // ... of notes_any ...
  Estimate decisions_points;  // ... and of decisions
};

// What notes of one round carry on lines, by round or, in the last round, by age.
struct Carried {
  int round = -1;
  int age_from = -1, age_to = -1;  // -1: any
  int64_t carried = 0;
  int64_t wrong = 0;  // false in the DSL it was made in
  int64_t hedged = 0;
  int64_t without_evidence = 0;  // no submission of anyone ever spoke for it
  int64_t turned_fact = 0;       // hedged once, now bare, and no more evidence than at birth
  double confidence_sum = 0;     // 0 to 15 each
  double log2_paths_sum = 0;
  double most_paths = 0;

  void Add(const Carried& other);
};

struct SpreadStudy {
  explicit SpreadStudy(RunSet of) : runs(std::move(of)) {}

  RunSet runs;
  int window_rounds = 0;                   // of Trend
  std::vector<Reproduction> reproduction;  // by truth; by generation, false; by agent, false
  std::vector<Fixation> fixation;          // any, true, false
  std::vector<BurdenRound> rounds;         // all rounds of all; then by agent, at kBurdenRounds
  std::vector<Trend> trends;               // all, then runs of several, then agents
  std::vector<Carried> carried;            // by round
  std::vector<Carried> survivors;          // by age, in the last round
};

struct SpreadSums;

// Adds up runs, one table after the other. Not thread safe.
class SpreadCount {
 public:
  // `runs` must outlive it.
  explicit SpreadCount(const RunSet& runs, const BootstrapOptions& options = {});
  ~SpreadCount();
  // One scan of the store. Errors: those of the store; kDataLoss naming an attempt whose sources do
  // not exist. REQUIRES: `table` holds all problems of a run of the set; runs are added in its
  // order.
  absl::Status Add(const Store& store, const ClaimTable& table);
  SpreadStudy Finish() const;

 private:
  std::unique_ptr<SpreadSums> sums_;
};

// The same of one run.
absl::StatusOr<SpreadStudy> StudySpread(const Store& store, const ClaimTable& table,
                                        const BootstrapOptions& options = {});

// For the command: burden by round, trend, reproduction, fixation, citations, survivors.
std::vector<Table> SpreadTables(const SpreadStudy& study);

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_SPREAD_H_
