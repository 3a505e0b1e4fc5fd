// The claims of one run in memory: what every question about lineage walks over.
//
// A row is one version of a claim; rows are sorted by ClaimId, so a parent always stands before its
// children and one pass in either direction settles most questions. Nothing here is kept on disk:
// the table is built by one scan of the store and thrown away.
//
// Of a run that dropped attempts (kb/retention.h) the table has the claims that are left, with
// their counts over all rounds; what single attempts did, events and notes, it has of whole rounds
// only.
//
// A table is immutable and may be read from any thread. It borrows its atlas, which must outlive
// it; landscapes are modelled only when the truth of a claim is asked for.
#ifndef HEARSAY_LINEAGE_CLAIM_TABLE_H_
#define HEARSAY_LINEAGE_CLAIM_TABLE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "kb/store.h"
#include "tasks/claim.h"
#include "tasks/landscape.h"
#include "tasks/truth.h"

namespace hearsay {

// Index of a row; kNoRow where there is none.
using RowIndex = int32_t;
inline constexpr RowIndex kNoRow = -1;

struct ClaimRow {
  ClaimId id;
  Claim claim;
  RowIndex parents[2] = {kNoRow, kNoRow};  // smaller than the row's own index
  int32_t first_round = 0;                 // the round it was born in
  int32_t last_round = 0;                  // the last round in which a note carries it
  int32_t carriers = 0;                    // notes that carry it, in all rounds
  int32_t carriers_at_end = 0;             // of those, in the last committed round
  // Attempts that read it and bore it out, refuted it or believed it. Tested: either of the first
  // two.
  int32_t tested = 0;
  int32_t confirmed = 0;
  int32_t refuted = 0;
  int32_t adopted = 0;
  Change change = Change::kBorn;
  uint8_t agent = 0;  // index in the run's agents of who wrote it first
};

// What one attempt did to one claim it had read.
enum class Deed : uint8_t { kConfirmed = 0, kRefuted = 1, kAdopted = 2, kPaidMost = 3 };
struct ClaimEvent {
  AttemptId attempt;
  RowIndex row;
  Deed deed;
  int16_t cost_lg;  // kPaidMost: the attempt's closure_cost_lg; else 0
};

// What the notes of one round carry. An attempt whose note is empty has written none.
struct RoundCounts {
  int64_t attempts = 0;
  int64_t notes = 0;
  int64_t notes_with_unsupported_closure = 0;
  int64_t notes_with_false_unsupported_closure = 0;  // false in its birth DSL
  int64_t notes_with_false_closure = 0;              // the same, whatever its label

  void Add(const RoundCounts& other) {
    attempts += other.attempts;
    notes += other.notes;
    notes_with_unsupported_closure += other.notes_with_unsupported_closure;
    notes_with_false_unsupported_closure += other.notes_with_false_unsupported_closure;
    notes_with_false_closure += other.notes_with_false_closure;
  }
};

// What a closure costs its believers in a world, in lg units; 0 for a claim that is no closure.
int CostLg(const World& world, Claim claim);

class ClaimTable {
 public:
  // Loads run `run`; only the problem with index `problem` where that is not negative.
  // Errors: those of the store (kNotFound: no such run); kFailedPrecondition if the run was
  // recorded without claims; kDataLoss naming the attempt whose claims do not fit together.
  // REQUIRES: `atlas` is of the run's hardware.
  static absl::StatusOr<std::unique_ptr<ClaimTable>> Load(const Store& store, int run, Atlas& atlas,
                                                          int problem = -1);
  ClaimTable(const ClaimTable&) = delete;
  ClaimTable& operator=(const ClaimTable&) = delete;

  const RunRecord& run() const { return run_; }
  // Committed rounds; 0 in a run that has none. The last committed round is one less.
  int round_count() const { return round_count_; }
  int problem() const { return problem_; }  // -1: all of the run
  // Rounds whose attempts were dropped.
  int dropped_rounds() const { return dropped_rounds_; }
  // "R1 was made with --retain last:5, which dropped the attempts of 15 of 20 rounds".
  std::string KeptWords() const;
  // Parents of row i that were dropped and so are no rows.
  std::vector<ClaimId> DroppedParents(RowIndex i) const;

  int size() const { return static_cast<int>(rows_.size()); }
  const ClaimRow& row(RowIndex i) const { return rows_[i]; }
  absl::Span<const ClaimRow> rows() const { return rows_; }
  // Rows whose parent is row i, ascending.
  absl::Span<const RowIndex> children(RowIndex i) const {
    return absl::MakeSpan(children_).subspan(child_begin_[i],
                                             child_begin_[i + 1] - child_begin_[i]);
  }
  // As parents of the row, so with kNoRow for those that are not there.
  absl::Span<const RowIndex> parents(RowIndex i) const { return rows_[i].parents; }
  Label label(RowIndex i) const { return rows_[i].claim.label(); }
  Change change(RowIndex i) const { return rows_[i].change; }
  bool hedged(RowIndex i) const { return rows_[i].claim.hedged(); }
  // All events in the order of their attempts.
  absl::Span<const ClaimEvent> events() const { return events_; }

  // kNoRow if there is no such claim.
  RowIndex Find(ClaimId id) const;
  // Errors: kNotFound naming the claim and what the table holds, or what was dropped.
  absl::StatusOr<RowIndex> FindOrError(ClaimId id) const;

  bool alive_at_end(RowIndex i) const { return rows_[i].carriers_at_end > 0; }
  // "agent-name", or "agent 3" where the run's record does not name it.
  std::string AgentName(int agent) const;

  // Truth in the DSL the claim was born in, and in any.
  Truth TruthOfRow(RowIndex i) const { return TruthIn(i, rows_[i].claim.dsl()); }
  Truth TruthIn(RowIndex i, Dsl dsl) const;
  // Closure cost in lg units in that DSL; 0 for a claim that is no closure.
  int CostLgIn(RowIndex i, Dsl dsl) const;

  // The closures, as rows, that the notes of a round carry: `visit(closures)` once for each attempt
  // in key order, with an empty span where its note has none. `wrote` is false if the note is
  // empty.
  template <typename Visit>
  void VisitNotes(int round, Visit visit) const {
    const size_t stride = static_cast<size_t>(attempts_per_round_);
    for (size_t a = round * stride; a < (round + 1) * stride; ++a) {
      const uint32_t begin = closure_begin_[a];
      visit(wrote_[a] != 0,
            absl::MakeSpan(closures_).subspan(begin, closure_begin_[a + 1] - begin));
    }
  }
  // REQUIRES: 0 <= round < round_count().
  RoundCounts CountRound(int round) const;

 private:
  friend class ClaimTableLoader;
  explicit ClaimTable(Atlas& atlas) : atlas_(atlas) {}
  const World& WorldOf(int problem, Dsl dsl) const;

  Atlas& atlas_;
  RunRecord run_;
  int problem_ = -1;
  int round_count_ = 0;
  int dropped_rounds_ = 0;
  std::vector<std::pair<RowIndex, ClaimId>> dropped_parents_;  // ascending
  std::vector<int> problem_slot_;  // by problem index: its place among the table's problems, or -1
  int64_t attempts_per_round_ = 0;
  std::vector<ClaimRow> rows_;
  std::vector<uint32_t> child_begin_{0};
  std::vector<RowIndex> children_;
  std::vector<ClaimEvent> events_;
  // By ordinal of the attempt, (round * problems + problem slot) * lanes + lane; one more than
  // attempts.
  std::vector<uint32_t> new_begin_{0};
  std::vector<uint32_t> closure_begin_{0};
  std::vector<RowIndex> closures_;
  std::vector<uint8_t> wrote_;
  mutable std::array<std::atomic<const World*>, kMaxProblems * kDslCount> worlds_{};
};

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_CLAIM_TABLE_H_
