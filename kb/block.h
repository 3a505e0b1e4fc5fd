// A block: the attempts of one problem in one round, for a range of lanes, in memory. It is what
// the engine hands to the store and what readers get back; kb/codec.h turns it into bytes.
//
// Plain data, no locks. Ragged columns have one offset more than there are attempts.
#ifndef HEARSAY_KB_BLOCK_H_
#define HEARSAY_KB_BLOCK_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "kb/ids.h"
#include "tasks/claim.h"
#include "tasks/outcome.h"

namespace hearsay {

// Lanes a block holds at most; block b of a problem starts at lane b * kBlockLanes.
inline constexpr int kBlockLanes = 1024;

// The first attempt of the block that holds `attempt`.
inline constexpr AttemptId FirstOfBlock(AttemptId attempt) {
  return AttemptId::Of(attempt.run(), attempt.round(), attempt.problem(),
                       attempt.lane() / kBlockLanes * kBlockLanes);
}

// A claim that an attempt was the first to write.
struct NewClaim {
  Claim claim;
  Change change = Change::kBorn;  // never kCopied
  ClaimId parents[2];             // the second only when merged; none() where there is none
};

// One claim an attempt read, in the order of the bits of Outcome::adopted, confirmed and refuted:
// the claim parents[0] itself or, where parents[1] is not none(), what was merged from the two.
struct IntakeEntry {
  ClaimId parents[2];
};

// Intake entries of one attempt at most: the bits of the masks in Outcome.
inline constexpr int kMaxIntake = 32;

struct AttemptBlock {
  AttemptId first;  // attempt of the first lane
  std::vector<Outcome> outcomes;
  std::vector<uint32_t> source_begin{0};
  std::vector<uint32_t> sources;  // lanes of the round before (the same problem)
  // Without claims (record mode "summary") the four columns below stay empty but for their zero
  // offset.
  std::vector<uint32_t> note_begin{0};
  std::vector<ClaimId> notes;  // the note: claims in order, new ones among them
  std::vector<uint32_t> new_begin{0};
  std::vector<NewClaim> new_claims;  // in order of place
  std::vector<uint32_t> intake_begin{0};
  std::vector<IntakeEntry> intake;

  // Leaves no attempt, but keeps the memory.
  void Clear() {
    outcomes.clear();
    for (auto* begin : {&source_begin, &note_begin, &new_begin, &intake_begin}) begin->assign(1, 0);
    sources.clear();
    notes.clear();
    new_claims.clear();
    intake.clear();
  }
  int size() const { return static_cast<int>(outcomes.size()); }
  AttemptId id(int i) const { return {first.value + static_cast<uint64_t>(i)}; }
  bool has_claims() const { return note_begin.size() > 1; }
  absl::Span<const uint32_t> sources_of(int i) const {
    return absl::MakeSpan(sources).subspan(source_begin[i], source_begin[i + 1] - source_begin[i]);
  }
  absl::Span<const ClaimId> note_of(int i) const {
    return absl::MakeSpan(notes).subspan(note_begin[i], note_begin[i + 1] - note_begin[i]);
  }
  absl::Span<const NewClaim> new_claims_of(int i) const {
    return absl::MakeSpan(new_claims).subspan(new_begin[i], new_begin[i + 1] - new_begin[i]);
  }
  absl::Span<const IntakeEntry> intake_of(int i) const {
    return absl::MakeSpan(intake).subspan(intake_begin[i], intake_begin[i + 1] - intake_begin[i]);
  }
};

// The solo baselines of one problem: outcome of (lane, agent slot, DSL), lane-major, DSL fastest.
// A lane has one agent slot if its agent never changes, else one for each agent of the run.
struct BaselineBlock {
  int agent_slots = 1;
  std::vector<Outcome> outcomes;  // [lanes][agent_slots][kDslCount]
};

}  // namespace hearsay

#endif  // HEARSAY_KB_BLOCK_H_
