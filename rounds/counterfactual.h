// What a run would have come to without one claim: the rounds after the claim's birth, run again
// with the claim struck from the note it was first written in, all random numbers equal.
#ifndef HEARSAY_ROUNDS_COUNTERFACTUAL_H_
#define HEARSAY_ROUNDS_COUNTERFACTUAL_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "kb/ids.h"
#include "kb/store.h"
#include "tasks/claim.h"
#include "tasks/outcome.h"

namespace hearsay {

// What becomes of the place of the struck claim in the note.
enum class StruckPlace : uint8_t {
  // It stays, and is handed on, as a line that says nothing: the claims behind it keep their places
  // and with them their random numbers, so that what differs is what the claim said.
  kBlank = 0,
  // The claims behind it move up: they meet other random numbers, and one more may find room.
  kClosed = 1,
};

// The line that says nothing: nobody can act on it, test it or merge it with a claim, and nothing
// can happen to it but being copied.
inline constexpr Claim kBlankClaim = Claim()
                                         .WithKnob(kNoSubject)
                                         .WithValue(kNoSubject - 1)
                                         .WithLabel(Label::kOpenQuestion)
                                         .WithStance(Stance::kFact)
                                         .WithGeneral(true);

// One problem in one round, over all its lanes.
struct CounterfactualMeasures {
  int64_t passed = 0;
  int64_t submissions = 0;
  int64_t notes_with_closure = 0;  // that carry an unsupported closure
  int64_t notes_saying_it = 0;     // that have a claim of its subject and stance, whoever's
  double lift_doublings = 0;       // mean log2 rho against the solo baselines; 0 in round 0
};

// How an attempt differs from the recorded one, the first that holds.
enum class AttemptChange : uint8_t {
  kResult = 0,  // it passes and the other does not, or its speed is another
  kCourse = 1,  // the same result, reached otherwise
  kNote = 2,    // nothing but its note, in more than the claim and what was made of it
};
inline constexpr int kAttemptChangeCount = 3;

struct ChangedAttempt {
  AttemptId id;
  AttemptChange change = AttemptChange::kResult;
  // Without what speaks of places in the intake and of the sizes of notes, which the struck claim
  // alone changes: those fields are zero.
  Outcome recorded, without;
};

struct CounterfactualRound {
  int round = 0;
  CounterfactualMeasures recorded, without;
  int64_t carriers = 0;  // recorded notes that hold the claim or what was made of it
  int64_t changed[kAttemptChangeCount] = {};
};

struct Counterfactual {
  RunRecord run;
  std::vector<CounterfactualRound> rounds;  // from the claim's birth to the last committed round
  std::vector<ChangedAttempt> changed;      // the first `most_changed`, by round and lane
  int64_t attempts = 0;                     // that were run again

  int64_t changed_count() const;
};

struct CounterfactualOptions {
  StruckPlace place = StruckPlace::kBlank;
  int most_changed = 20;
  int threads = 1;
};

// Runs the problem of `claim` again, with and without it, from the state of the round of its birth;
// lanes read the same problem of the round before and nothing else, so no other can change.
// Errors: kNotFound (no such claim), kFailedPrecondition (recorded without claims, a plan of
// other landscapes), kDataLoss (run again with the claim, a round has another digest than its
// record).
absl::StatusOr<Counterfactual> RunWithout(const Store& store, ClaimId claim,
                                          const CounterfactualOptions& options);

}  // namespace hearsay

#endif  // HEARSAY_ROUNDS_COUNTERFACTUAL_H_
