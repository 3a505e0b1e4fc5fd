// Study "persistence": how long unsupported closures live when notes are handed on.
//
// The unit is a closure line (lines.h) whose first version is an unsupported closure: that claim
// with all descendants of the same subject that still are closures. It is born in its first
// author's round and dies in the round after the last in which any note carries any version; one
// carried in the last committed round is censored there. Time is counted in rounds since birth:
// S(1) is the share that is still carried one round later.
#ifndef HEARSAY_LINEAGE_PERSISTENCE_H_
#define HEARSAY_LINEAGE_PERSISTENCE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lineage/claim_table.h"
#include "lineage/lines.h"
#include "lineage/stats.h"
#include "lineage/table.h"

namespace hearsay {

// The lines of one group.
struct PersistenceGroup {
  std::string kind;   // "all", "agent" (who wrote the first version) or "family" (of the problem)
  std::string name;   // of the agent or family; "all" for all
  std::string truth;  // "any", "true" or "false": of the first version, in the DSL it was made in
  SurvivalCurve curve;
  std::array<int64_t, kLineEndCount> ends{};  // by LineEnd
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
  std::vector<PersistenceGroup> groups;  // all, then agents, then families; each any, true, false
  std::optional<LogRank> true_against_false;
  std::vector<PersistenceRound> rounds;
};

// Pure function of the table; for any thread. A run without lines gives groups without subjects.
PersistenceStudy StudyPersistence(const ClaimTable& table);

// For the command: survival by group, how lines end, and what notes carry by round.
std::vector<Table> PersistenceTables(const ClaimTable& table, const PersistenceStudy& study);

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_PERSISTENCE_H_
