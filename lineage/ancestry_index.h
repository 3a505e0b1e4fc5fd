// Who was made of whom, for whole kbs: flat arrays of 32-bit numbers that a walk reads a few bytes
// a step from, where the store would have to decode a block.
//
// The index lives in memory, is built from the store in one scan and thrown away: it is never the
// only copy of anything. Claims of two problems, or of two runs, are never related, so it consists
// of one section for each problem of each run, whose rows are that problem's claims in the order of
// their ids, as in a ClaimTable of that problem.
//
// Of a run that dropped attempts (kb/retention.h) it has the claims that are left. What one was
// made of and was not kept is no row: ClaimTable::DroppedParents tells.
//
// Bytes a claim: 4 for its parent, 8 more if it has two, 1 for what it is, and 4 for each child it
// is, plus 3 bits to find the children.
#ifndef HEARSAY_LINEAGE_ANCESTRY_INDEX_H_
#define HEARSAY_LINEAGE_ANCESTRY_INDEX_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "kb/store.h"
#include "lineage/claim_table.h"

namespace hearsay {

// Where each of many short lists begins, in little more than a bit for each list and for each of
// its items: a zero for each item and a one at the end of each list.
class ListOffsets {
 public:
  ListOffsets() = default;
  explicit ListOffsets(absl::Span<const uint32_t> lengths);
  // Begin and end of list i among the items of all lists. REQUIRES: i is one of the lists.
  std::pair<uint32_t, uint32_t> operator[](size_t i) const;
  size_t size_bytes() const { return bits_.size() * 8 + starts_.size() * 4; }

 private:
  static constexpr size_t kStride = 32;  // lists a start is kept for
  std::vector<uint64_t> bits_;
  std::vector<uint32_t> starts_;  // first bit of lists 0, kStride, ...
};

// The claims of one problem of one run. Immutable once linked; then for any thread.
class AncestrySection {
 public:
  AncestrySection(int run, int problem, int lanes) : run_(run), problem_(problem), lanes_(lanes) {}

  // --- building ---
  // Adds the claims of the next block of this problem, in key order; `rounds` is how many the run
  // has now, for how much memory to take. Lanes and rounds that are passed over wrote nothing.
  // Errors: kDataLoss naming the attempt whose claims do not fit. After one the section is of no
  // use.
  absl::Status Add(const AttemptBlock& block, int rounds);
  // Finds children. `rounds` are all there are. REQUIRES: nothing is read before.
  void Link(int rounds);

  // --- reading ---
  int run() const { return run_; }
  int problem() const { return problem_; }
  int round_count() const { return rounds_; }
  int size() const { return static_cast<int>(parents_.size()); }

  // kNoRow if there is no such claim.
  RowIndex Find(ClaimId id) const;
  // Errors: kNotFound naming the claim.
  absl::StatusOr<RowIndex> FindOrError(ClaimId id) const;
  ClaimId IdOf(RowIndex i) const;

  // None if it was born, else one or two, each less than i.
  absl::Span<const RowIndex> parents(RowIndex i) const {
    const RowIndex& parent = parents_[i];
    if (parent >= 0) return {&parent, 1};
    return parent == kNoRow ? absl::Span<const RowIndex>() : pairs_[PairOf(parent)];
  }
  // Each greater than i, ascending.
  absl::Span<const RowIndex> children(RowIndex i) const {
    const auto [begin, end] = child_begin_[i];
    return absl::MakeSpan(children_).subspan(begin, end - begin);
  }
  Label label(RowIndex i) const { return static_cast<Label>(marks_[i] & 15); }
  Change change(RowIndex i) const { return static_cast<Change>(marks_[i] >> 4 & 7); }
  bool hedged(RowIndex i) const { return marks_[i] >> 7 != 0; }

  size_t size_bytes() const;

 private:
  // A claim of two parents has in parents_ the number of its pair, from -2 downward.
  static size_t PairOf(RowIndex parent) { return static_cast<size_t>(-2 - int64_t{parent}); }
  absl::StatusOr<RowIndex> Resolve(AttemptId reader, ClaimId parent) const;

  const int run_, problem_, lanes_;
  int rounds_ = 0;
  std::vector<uint32_t> new_begin_{0};  // by round * lanes + lane
  std::vector<RowIndex> parents_;
  std::vector<std::array<RowIndex, 2>> pairs_;
  std::vector<uint8_t> marks_;  // label, change, hedged
  ListOffsets child_begin_;
  std::vector<RowIndex> children_;
};

// The sections of a kb, or of a part of it. Extend() is for one thread; reading for any.
class AncestryIndex {
 public:
  // What to index: all runs and problems, where these are not named.
  struct Scope {
    int run = 0;
    int problem = -1;
  };
  AncestryIndex() : AncestryIndex(Scope{}) {}
  explicit AncestryIndex(const Scope& scope) : scope_(scope) {}

  // Takes in all that the store holds and the index does not: everything at first, later the rounds
  // that were added since. A run that is not what it was (a shorter one, another digest, rounds
  // dropped) is built anew. Runs that were recorded without claims are left out.
  // Errors: those of the store; kDataLoss naming the attempt whose claims do not fit together.
  // After one the run at fault is not in the index.
  absl::Status Extend(const Store& store, int threads);

  // nullptr where there is none.
  const AncestrySection* Section(int run, int problem) const;
  int64_t claim_count() const;
  size_t size_bytes() const;

 private:
  struct IndexedRun {
    std::map<int, AncestrySection> sections;  // by problem
    int rounds = 0;
    int dropped = 0;      // of these
    uint64_t digest = 0;  // of the last round that is in
  };
  // What a run has now.
  struct Extension {
    RunRecord record;
    std::vector<RoundRecord> rounds;
    std::map<int, std::vector<KeptClaim>> kept;  // by problem; empty where nothing was dropped
  };
  absl::Status ExtendRun(const Store& store, const RunRecord& record, int threads);
  // The rounds from run->rounds on: of all problems in one scan, or of few by themselves.
  static absl::Status AddRounds(const Store& store, const Extension& more, int threads,
                                IndexedRun* run);
  static absl::Status AddOneProblem(const Store& store, const Extension& more, IndexedRun* run);
  // What is left of a round whose attempts were dropped.
  static absl::Status AddKept(const Extension& more, int round, AncestrySection* section);

  const Scope scope_;
  std::map<int, IndexedRun> runs_;
};

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_ANCESTRY_INDEX_H_
