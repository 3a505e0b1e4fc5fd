// The part of the integrity check that looks at attempts. Private to kb/.
#ifndef HEARSAY_KB_ROUND_CHECK_H_
#define HEARSAY_KB_ROUND_CHECK_H_

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "kb/block.h"
#include "kb/check.h"
#include "kb/store.h"
#include "tasks/thread_pool.h"

namespace hearsay {

// Collects findings into a report, the first ones in full and all of them in number.
class Findings {
 public:
  Findings(int max, CheckReport& report) : max_(max), report_(report) {}
  void Add(int requirement, absl::string_view where, absl::string_view problem);
  // All that another collected, after what is there.
  void Add(const CheckReport& more);
  int max() const { return max_; }

 private:
  const int max_;
  CheckReport& report_;
};

// The blocks of one problem in one round, in key order.
using ProblemBlocks = std::vector<AttemptBlock>;

// Whether a record says what a run can be, numbered `least` or above; findings otherwise.
bool CheckRunRecord(const RunRecord& run, int least, Findings* findings);
// The baselines of one problem.
void CheckBaselines(const BaselineBlock& baselines, const RunRecord& run, int problem,
                    Findings* findings);
// What is wrong with the fields of an outcome alone, or "".
std::string OutcomeFault(const Outcome& outcome, int agents);
// What is wrong with the fields of a claim written in `round`, or "".
std::string ClaimFault(Claim claim, int round);

// Checks one problem of a run, each round with the round before. Not thread safe; problems are
// independent of each other.
class ProblemCheck {
 public:
  // What a round's record counts, of this problem. Where not `whole`, only attempts and passed are
  // known.
  struct Totals {
    int64_t attempts = 0, passed = 0, claims_born = 0, notes_with_closure = 0;
    uint64_t digest = 0;
    bool whole = true;
  };

  // All must outlive the check.
  ProblemCheck(const Store& store, const RunRecord& run, int problem)
      : store_(store), run_(run), problem_(problem) {}

  // Checks `blocks`, of the round after those of the last call, and keeps them. REQUIRES: called
  // for rounds 0, 1, 2 ..., or PassOver() instead, and then CheckKept() before.
  Totals Check(int round, ProblemBlocks blocks, Findings* findings);
  // Passes over a round whose attempts were dropped.
  void PassOver();
  // Takes in the claims that outlive their attempts, and checks them; `records` are those of all
  // rounds. Where `closed`, all parents are kept.
  void CheckKept(absl::Span<const RoundRecord> records, bool closed, Findings* findings);
  const std::vector<KeptClaim>& kept() const { return kept_; }
  // Those of the last round checked.
  const ProblemBlocks& blocks() const { return blocks_; }

 private:
  // A claim with what it says.
  struct Read {
    ClaimId id;
    Claim text;
  };

  void CheckCoverage(int round);
  void CheckAttempt(size_t b, int i);
  void CheckSources(const AttemptBlock& block, int i);
  void CollectRead(const AttemptBlock& block, int i);
  void CheckClaims(size_t b, int i);
  void CheckParents(AttemptId attempt, int place, const NewClaim& claim);
  bool WasDropped(ClaimId id) const;
  void AddTotals(size_t b, int i, Totals* totals) const;
  // What a claim says that the attempt in hand can have read. After a round that was dropped any
  // that is there can have been.
  std::optional<Claim> FindRead(ClaimId id) const;

  const Store& store_;
  const RunRecord& run_;
  const int problem_;
  Findings* findings_ = nullptr;
  ProblemBlocks before_, blocks_;
  // What the claims in notes say, as AttemptBlock::notes; Claim{} where there is no such claim.
  std::vector<std::vector<Claim>> texts_before_, texts_;
  std::vector<Read> read_;  // what the attempt in hand can have read: the notes of its sources
  bool passed_over_ = false, after_dropped_ = false;
  std::vector<KeptClaim> kept_;
  std::vector<bool> dropped_;  // [round]
};

// Checks a run round by round, its problems on all threads of a pool.
class RunCheck {
 public:
  RunCheck(const Store& store, const RunRecord& run, ThreadPool* pool);

  // Checks what the run keeps of rounds whose attempts were dropped, before any round.
  void CheckKept(absl::Span<const RoundRecord> records, Findings* findings);
  // Reads and checks the next round; `report` counts what was looked at.
  void Check(const RoundRecord& record, Findings* findings, CheckReport* report);
  // Checks that nothing follows the last of `rounds` rounds checked.
  void CheckEnd(int rounds, Findings* findings);
  // The claims that outlive their attempts, by index in the run's problems.
  const std::vector<KeptClaim>& kept(size_t slot) const { return problems_[slot].kept(); }
  // The blocks of the last round checked, by index in the run's problems.
  const ProblemBlocks& blocks(size_t slot) const { return problems_[slot].blocks(); }

 private:
  // The blocks of a round by index in the run's problems, findings for those that cannot be read.
  std::vector<ProblemBlocks> ReadRound(int round, Findings* findings) const;
  void CheckDigests(const RoundRecord& record, Findings* findings) const;
  void CheckTotals(const RoundRecord& record, absl::Span<const ProblemCheck::Totals> totals,
                   Findings* findings) const;
  // Calls body(slot, findings) for every problem, in parallel, and joins their findings in order.
  void ForEachProblem(Findings* findings,
                      const std::function<void(size_t slot, Findings* findings)>& body) const;

  const Store& store_;
  const RunRecord& run_;
  ThreadPool& pool_;
  std::vector<ProblemCheck> problems_;
};

}  // namespace hearsay

#endif  // HEARSAY_KB_ROUND_CHECK_H_
