// Study "persistence": how long unsupported closures live when notes are handed on.
//
// The unit is a closure line (lines.h) whose first version is an unsupported closure: that claim
// with all descendants of the same subject that still are closures. It is born in its first
// author's round and dies in the round after the last in which any note carries any version; one
// carried in the last committed round is censored there. Time is counted in rounds since birth:
// S(1) is the share that is still carried one round later. Limits and tests take clusters as in
// run_set.h.
#ifndef HEARSAY_LINEAGE_PERSISTENCE_H_
#define HEARSAY_LINEAGE_PERSISTENCE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lineage/claim_table.h"
#include "lineage/lines.h"
#include "lineage/run_set.h"
#include "lineage/survival.h"
#include "lineage/table.h"

namespace hearsay {

// The lines of one group.
struct PersistenceGroup {
  // "all", "run" (of several), "agent" (who wrote the first version), "family" (of the problem) or
  // "period" (half of the run: lines carried when the second half begins enter it late, at the age
  // they have by then, and are censored at the end of the first half).
  std::string kind;
  std::string name;   // of run, agent or family, "rounds 10-19"; "all" for all
  std::string truth;  // "any", "true" or "false": of the first version, in the DSL it was made in
  SurvivalCurve curve;
  std::array<int64_t, kLineEndCount> ends{};  // by LineEnd
  std::vector<HazardBin> hazards;             // by age, at kAgeEdges
  // The chance to have ended so by an age; LineEnd::kAlive is censored and has none.
  std::vector<IncidenceStep> incidence;  // empty for periods
};

// Ages in rounds at which hazards and incidences are told.
inline constexpr int kAgeEdges[] = {0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};

// A log-rank test of several groups.
struct GroupTest {
  std::string what;  // "true against false", "agents, false lines" ...
  std::optional<LogRank> test;
};

// What the notes of one round carry.
struct PersistenceRound {
  int round = 0;
  RoundCounts counts;
  // Over notes and their claims on a line: a note that carries two counts twice.
  int64_t carried = 0;
  int64_t lost_hedge = 0;  // of those, no longer hedged although an earlier version was
  int64_t age_sum = 0;     // of those, rounds since the line was born
};

struct PersistenceStudy {
  explicit PersistenceStudy(RunSet of) : runs(std::move(of)) {}

  RunSet runs;
  // All, then runs, then agents, then families, then periods; each any, true, false.
  std::vector<PersistenceGroup> groups;
  std::vector<GroupTest> tests;
  std::vector<PersistenceRound> rounds;
};

// Adds up runs, one table after the other, and keeps of each line no more than its lifetime.
// Not thread safe.
class PersistenceCount {
 public:
  // `runs` must outlive it.
  explicit PersistenceCount(const RunSet& runs) : runs_(runs) {}
  // REQUIRES: `table` holds a run of the set; runs are added in its order.
  void Add(const ClaimTable& table);
  // Runs without lines give groups without subjects.
  PersistenceStudy Finish() const;

  // A line.
  struct Subject {
    Lifetime lifetime;
    int32_t born;
    int16_t agent;  // in the set
    int16_t problem;
    int16_t place;
    LineEnd end;
    Truth truth;
  };

 private:
  const RunSet& runs_;
  std::vector<Subject> subjects_;
  std::vector<PersistenceRound> rounds_;
};

// The same of one run.
PersistenceStudy StudyPersistence(const ClaimTable& table);

// For the command: survival by group, how lines end, what notes carry by round, hazard by age, and
// the chance to have been corrected by an age.
std::vector<Table> PersistenceTables(const PersistenceStudy& study);

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_PERSISTENCE_H_
