// What the tests of lineage/ are built from: a run in memory, claim by claim, and a tiny world
// whose truths can be told at sight.
#ifndef HEARSAY_TESTS_LINEAGE_LINEAGE_TESTING_H_
#define HEARSAY_TESTS_LINEAGE_LINEAGE_TESTING_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kb/store.h"
#include "lineage/claim_table.h"
#include "tasks/landscape.h"

namespace hearsay {

// All problems have one world of two knobs, "move" (none, all) and "tile" (four values). A point
// that moves nothing runs at eager speed; moved, it runs at
//   tile           0      1      2       3
//   CuTe DSL     2.0x   4.0x   never    8.0x
//   TIRx         2.0x   2.8x   5.7x    never
// where "never" fails whatever is moved. So "tile=2 is infeasible" is true in CuTe DSL, and false
// in TIRx at a cost of log2(5.7 / 2.8) = 1 doubling; "tile=3 is infeasible" is false in CuTe DSL at
// a cost of 1 doubling, and true in TIRx; of tile 1 it is false everywhere and costs nothing.
inline constexpr int kTileKnob = 1;

class TinyAtlas : public Atlas {
 public:
  TinyAtlas();
  const Landscape& Get(int problem_index, Dsl dsl) override;
  void Prepare(const std::vector<int>& problem_indexes, int threads) override {}
  uint64_t Digest(const std::vector<int>& problem_indexes) override { return 0; }
  int asked() const { return asked_; }

 private:
  DesignSpace space_;
  std::unique_ptr<Landscape> landscapes_[kDslCount];
  int asked_ = 0;
};

// "tile=<value> is infeasible (or not worth it)", an unsupported closure.
Claim Closure(int tile, Dsl dsl = Dsl::kCute, Stance stance = Stance::kInfeasible);
// "use tile=<value>", a measured gain.
Claim Advice(int tile, Dsl dsl = Dsl::kCute);

struct TestAttempt {
  Outcome outcome;
  std::vector<uint32_t> sources;
  std::vector<ClaimId> note;
  std::vector<NewClaim> made;
  std::vector<IntakeEntry> intake;
};

// Run 3 of a kb in memory. Attempts exist once they are touched; those of the same round that are
// not have written nothing.
class TestRun : public Store {
 public:
  TestRun(std::vector<int> problems, int lanes);

  RunRecord record;
  std::map<int, BaselineBlock> baselines;
  uint64_t round_digest = 0;  // of each round

  TestAttempt& At(int round, int problem, int lane);
  // The attempt writes a new claim into its note.
  ClaimId Make(int round, int problem, int lane, Claim claim, Change change = Change::kBorn,
               ClaimId parent = {}, ClaimId other = {});
  // The attempt copies a claim into its note.
  void Carry(int round, int problem, int lane, ClaimId claim);
  // The attempt reads a claim; returns its bit in the outcome's masks.
  uint32_t Read(int round, int problem, int lane, ClaimId claim, ClaimId other = {});
  // Adds rounds that nobody wrote in, so that `rounds` are committed.
  void CommitUpTo(int rounds);

  absl::StatusOr<std::vector<RunRecord>> Runs() const override;
  absl::StatusOr<RunRecord> Run(int run) const override;
  absl::StatusOr<int> NextRun() const override;
  absl::Status PutRun(const RunRecord& record) override;
  absl::Status CommitRound(const RoundRecord&, const std::vector<EncodedBlock>&) override;
  absl::Status CommitFold(int run, const Fold&) override;
  absl::Status Compact(int run) override;
  absl::StatusOr<std::vector<KeptClaim>> KeptClaims(int run, int problem) const override;
  absl::Status Sync() override;
  absl::Status Flush() override;
  absl::StatusOr<StoreSizes> Sizes() const override;
  absl::StatusOr<std::vector<RoundRecord>> Rounds(int run) const override;
  absl::Status PutBaselines(int run, int problem, const BaselineBlock& block) override;
  absl::StatusOr<BaselineBlock> Baselines(int run, int problem) const override;
  absl::StatusOr<AttemptBlock> BlockOf(AttemptId attempt) const override;
  absl::Status ScanRun(int run,
                       const std::function<bool(const AttemptBlock&)>& visit) const override;
  absl::Status ScanRound(int run, int round, int problem,
                         const std::function<bool(const AttemptBlock&)>& visit) const override;
  absl::Status ScanEncoded(
      int run, int round,
      const std::function<bool(AttemptId, absl::string_view)>& visit) const override;
  absl::StatusOr<NewClaim> FindClaim(ClaimId claim) const override;
  absl::StatusOr<std::vector<NotedClaim>> Note(AttemptId attempt) const override;
  absl::StatusOr<std::vector<uint32_t>> Receivers(AttemptId attempt) const override;
  absl::StatusOr<int> PutText(const TextRecord& text) override;
  absl::StatusOr<TextRecord> Text(int number) const override;
  absl::StatusOr<std::vector<TextRecord>> Texts() const override;

 private:
  AttemptBlock Block(int round, int problem, int first_lane) const;

  std::map<AttemptId, TestAttempt> attempts_;
  int rounds_ = 0;
};

inline constexpr int kTestRun = 3;

// A store of several runs, run i told by the TestRun at i.
class ManyRuns : public TestRun {
 public:
  explicit ManyRuns(std::vector<const TestRun*> runs) : TestRun({}, 0), runs_(std::move(runs)) {}
  absl::Status ScanRun(int run,
                       const std::function<bool(const AttemptBlock&)>& visit) const override {
    return runs_[run]->ScanRun(kTestRun, visit);
  }
  absl::StatusOr<std::vector<RoundRecord>> Rounds(int run) const override {
    return runs_[run]->Rounds(kTestRun);
  }
  absl::StatusOr<BaselineBlock> Baselines(int run, int problem) const override {
    return runs_[run]->Baselines(kTestRun, problem);
  }

 private:
  std::vector<const TestRun*> runs_;
};

// The outcome of an attempt that passed at this speed.
Outcome Passed(int speed_lg);

// The table of the run; fails the test where it does not load.
std::unique_ptr<ClaimTable> LoadTable(const TestRun& run, Atlas& atlas, int problem = -1);

// A run in which claims are born, copied, changed and merged at random. The seed says which.
std::unique_ptr<TestRun> RandomRun(uint64_t seed, int rounds, int lanes);

}  // namespace hearsay

#endif  // HEARSAY_TESTS_LINEAGE_LINEAGE_TESTING_H_
