// Where a claim came from and what became of it: its versions back to birth, and forward.
//
// Pure functions of a table; for any thread.
#ifndef HEARSAY_LINEAGE_ANCESTRY_H_
#define HEARSAY_LINEAGE_ANCESTRY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lineage/claim_table.h"
#include "lineage/table.h"

namespace hearsay {

// One version of a claim with the facts that people ask for.
struct ClaimVersion {
  ClaimId id;
  Claim claim;
  Change change = Change::kBorn;
  std::vector<ClaimId> parents;  // none if it was born, two if it was merged; also dropped ones
  std::string agent;             // of who first wrote it; round and lane are those of the id
  std::string words;             // ClaimInWords
  Truth truth = Truth::kOpen;    // in the DSL it was made in
  Truth truth_in[kDslCount];     // in each
  double cost_doublings = 0;     // what a closure costs its believers, in the DSL it was made in
  int distance = 0;              // generations from the claim that was asked about
  int first_round = 0;
  int last_round = 0;  // the last in which a note carries it
  int carriers = 0;    // notes that carry it
  int adopted = 0;     // attempts that believed it
  int confirmed = 0;
  int refuted = 0;
  bool alive = false;  // carried in the last committed round
};

// An attempt whose own submissions bore a version out or refuted it.
struct ClaimTest {
  AttemptId attempt;
  ClaimId version;
  bool confirmed = false;  // else refuted
};

// The most that any attempt lost to a closure: log2(best / best without the closed value).
struct WorstCost {
  AttemptId attempt;
  ClaimId version;
  double doublings = 0;
};

// Versions with what was done to any of them.
struct Pedigree {
  ClaimId claim;
  std::vector<ClaimVersion> versions;  // ascending by id, so parents before children
  int64_t version_count = 0;           // all there are; more than versions.size() if limited
  // The rest is about all versions, listed or not.
  std::vector<ClaimId> births;  // versions without a parent
  // Versions made of a parent that the run did not keep: what lies behind is not known.
  std::vector<ClaimId> cut;
  std::vector<ClaimId> hedges_lost;  // versions at which "may" became "does" by being retold
  // Versions that say without a hedge what a parent said with one, by evidence or by retelling.
  std::vector<ClaimId> hedges_dropped;
  ClaimId first_unsupported;           // the oldest that is an unsupported closure, or none
  int64_t confirmed = 0, refuted = 0;  // attempts that bore a version out or refuted it
  std::vector<ClaimTest> tests;        // these, in the order of attempts, as far as they were kept
  int64_t carriers = 0;                // notes; one that carries two versions counts twice
  // Of kept attempts, the next two.
  int64_t adopting_attempts = 0;   // that believed some version, each once
  std::optional<WorstCost> worst;  // nullopt if no attempt lost anything by a version
};

// `claim` and all it was made from. Errors: kNotFound.
absl::StatusOr<Pedigree> Ancestry(const ClaimTable& table, ClaimId claim);

// `claim` and all that was made from it; at most `limit` versions are listed, the nearest first
// (those of one distance by carriers), and version_count says how many there are. Errors:
// kNotFound; kInvalidArgument if limit is less than 1.
absl::StatusOr<Pedigree> Descendants(const ClaimTable& table, ClaimId claim, int limit);

// The facts of row i; distance 0.
ClaimVersion DescribeVersion(const ClaimTable& table, RowIndex i);

// For the command: a summary, the versions, and who tested them.
std::vector<Table> PedigreeTables(const ClaimTable& table, const Pedigree& pedigree,
                                  const std::string& title);

// --- closures that outlive others ---

struct LongLived {
  ClaimId claim;   // the first version
  int rounds = 0;  // in which it or a continuation is carried, the first included
  int last_round = 0;
  int64_t carriers = 0;  // notes, over all versions of one stance
  int versions = 0;
  double cost_doublings = 0;
  std::string ended;  // "alive", "corrected", "refuted", "replaced", "not_copied"
};

// Which closures are ranked.
enum class ClosureKind { kAny, kUnsupported };  // the latter by the label of the first version

// The k closures, false in the DSL they were born in, that were carried for the most rounds by
// themselves or by descendants of the same subject and stance; ties by id. A version that continues
// another is part of that one's line and not listed for itself.
std::vector<LongLived> LongestLivedFalseClosures(const ClaimTable& table, int k,
                                                 ClosureKind kind = ClosureKind::kAny);
// The longest-lived false closure of a run, problem by problem, or of one problem of it where
// `problem` is not negative; nullopt where there is none. Errors: those of ClaimTable::Load.
absl::StatusOr<std::optional<LongLived>> LongestLivedOfRun(const Store& store, int run,
                                                           Atlas& atlas, int problem);
Table LongestLivedTable(const ClaimTable& table, int k, ClosureKind kind = ClosureKind::kAny);
// Those of several runs as one table, the longest-lived `k` rows of them. REQUIRES: at least one.
Table MergeLongestLived(std::vector<Table> tables, const std::string& runs, int k);

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_ANCESTRY_H_
