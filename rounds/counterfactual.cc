#include "rounds/counterfactual.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "executor/executor.h"
#include "rounds/state.h"
#include "tasks/scoring.h"

namespace hearsay {
namespace {

// The problem's lanes, round by round, with the claims among their notes that come from the struck
// one: bit i of marks()[lane] for claim i of the lane's note.
class Arm {
 public:
  Arm(const RunTables& tables, int threads)
      : tables_(tables),
        executor_(NewCpuExecutor(tables, threads)),
        marks_(tables.lanes),
        next_marks_(tables.lanes) {}

  absl::Status Restore(const StoredState& state, std::vector<uint32_t> marks) {
    marks_ = std::move(marks);
    return executor_->Restore(state.outcomes, state.notes, state.retractions);
  }

  // The digest of the problem in this round.
  absl::StatusOr<uint64_t> Step(int round) {
    std::vector<uint64_t> digests;
    absl::Status status = executor_->RunRound(
        round,
        [&](int, const LaneChunk& chunk) {
          for (int i = 0; i < chunk.count; ++i) {
            next_marks_[chunk.first_lane + i] = MarksOf(chunk.traces[i], chunk.notes[i]);
          }
        },
        &digests);
    if (!status.ok()) return status;
    marks_.swap(next_marks_);
    return digests[0];
  }

  absl::StatusOr<RoundState> State() { return executor_->State(); }
  const std::vector<uint32_t>& marks() const { return marks_; }

 private:
  uint32_t MarksOf(const LaneTrace& trace, const WrittenNote& note) const {
    const auto marked = [&](uint8_t origin) -> uint32_t {
      if (origin == kNoOrigin) return 0;
      const uint32_t source = trace.sources[trace.passed_on[origin >> 5]];
      return marks_[source] >> (origin & 31) & 1;
    };
    uint32_t marks = 0;
    for (int c = 0; c < note.size; ++c) {
      if (note.parent[c] == kNoOrigin) continue;
      const uint8_t* const origin = trace.intake.origin[note.parent[c]];
      marks |= (marked(origin[0]) | marked(origin[1])) << c;
    }
    return marks;
  }

  const RunTables& tables_;
  std::unique_ptr<Executor> executor_;
  std::vector<uint32_t> marks_;
  std::vector<uint32_t> next_marks_;
};

CounterfactualMeasures Measure(const RunTables& tables, int round, const RoundState& state,
                               Claim claim) {
  CounterfactualMeasures measures;
  for (int lane = 0; lane < tables.lanes; ++lane) {
    const Outcome& outcome = state.outcomes[lane];
    const WrittenNote& note = state.notes[lane];
    measures.passed += outcome.passed;
    measures.submissions += outcome.submissions;
    bool closure = false;
    bool says_it = false;
    for (int c = 0; c < note.size; ++c) {
      closure |= note.claims[c].label() == Label::kUnsupportedClosure;
      says_it |=
          note.claims[c].subject() == claim.subject() && note.claims[c].stance() == claim.stance();
    }
    measures.notes_with_closure += closure;
    measures.notes_saying_it += says_it;
    if (round == 0) continue;
    const Outcome& solo = tables.BaselineOf(0, lane, outcome.agent, outcome.dsl);
    measures.lift_doublings += std::log2(ComparisonRatio(solo, outcome)) / tables.lanes;
  }
  return measures;
}

// What the attempt did, whatever places the claims had that it read and wrote.
Outcome Deeds(Outcome outcome) {
  outcome.adopted = outcome.confirmed = outcome.refuted = 0;
  outcome.intake_size = outcome.note_size = outcome.costly_slot = 0;
  return outcome;
}

// Whether two notes say the same, apart from their marked claims.
bool SameBut(const WrittenNote& a, uint32_t marks_a, const WrittenNote& b, uint32_t marks_b) {
  int j = 0;
  const auto skip = [](const WrittenNote& note, uint32_t marks, int at) {
    while (at < note.size && (marks >> at & 1) != 0) ++at;
    return at;
  };
  for (int i = skip(a, marks_a, 0); i < a.size; i = skip(a, marks_a, i + 1)) {
    j = skip(b, marks_b, j);
    if (j == b.size || !(a.claims[i] == b.claims[j])) return false;
    ++j;
  }
  return skip(b, marks_b, j) == b.size;
}

class Comparison {
 public:
  Comparison(const RunTables& tables, ClaimId claim, Claim says,
             const CounterfactualOptions& options, Counterfactual* result)
      : tables_(tables), claim_(claim), says_(says), options_(options), result_(*result) {}

  absl::Status Add(int round, Arm& recorded, Arm& without) {
    const auto a = recorded.State();
    if (!a.ok()) return a.status();
    const auto b = without.State();
    if (!b.ok()) return b.status();
    CounterfactualRound& row = result_.rounds.emplace_back();
    row.round = round;
    row.recorded = Measure(tables_, round, *a, says_);
    row.without = Measure(tables_, round, *b, says_);
    for (int lane = 0; lane < tables_.lanes; ++lane) {
      row.carriers += recorded.marks()[lane] != 0;
      ChangedAttempt attempt;
      attempt.id = AttemptId::Of(claim_.attempt().run(), round, claim_.attempt().problem(), lane);
      attempt.recorded = Deeds(a->outcomes[lane]);
      attempt.without = Deeds(b->outcomes[lane]);
      const bool same_notes =
          SameBut(a->notes[lane], recorded.marks()[lane], b->notes[lane], without.marks()[lane]);
      if (attempt.recorded == attempt.without && same_notes) continue;
      attempt.change = attempt.recorded.passed != attempt.without.passed ||
                               attempt.recorded.speed_lg != attempt.without.speed_lg
                           ? AttemptChange::kResult
                       : attempt.recorded == attempt.without ? AttemptChange::kNote
                                                             : AttemptChange::kCourse;
      ++row.changed[static_cast<int>(attempt.change)];
      if (static_cast<int>(result_.changed.size()) < options_.most_changed) {
        result_.changed.push_back(attempt);
      }
    }
    return absl::OkStatus();
  }

 private:
  const RunTables& tables_;
  const ClaimId claim_;
  const Claim says_;
  const CounterfactualOptions& options_;
  Counterfactual& result_;
};

// The claim's place in its author's note. Errors: kDataLoss.
absl::StatusOr<int> PlaceOf(ClaimId claim, const StoredState& state) {
  const int lane = claim.attempt().lane();
  const auto ids = state.ids.begin() + static_cast<int64_t>(lane) * kMaxNoteClaims;
  const auto end = ids + state.notes[lane].size;
  const auto at = std::find(ids, end, claim);
  if (at != end) return static_cast<int>(at - ids);
  return absl::DataLossError(absl::StrCat("the note of its author does not hold ", Format(claim)));
}

// REQUIRES: 0 <= place < note->size.
void Strike(int place, StruckPlace what, WrittenNote* note) {
  if (what == StruckPlace::kBlank) {
    note->claims[place] = kBlankClaim;
    return;
  }
  std::move(note->claims + place + 1, note->claims + note->size, note->claims + place);
  --note->size;
}

}  // namespace

int64_t Counterfactual::changed_count() const {
  int64_t count = 0;
  for (const CounterfactualRound& round : rounds) {
    for (const int64_t changed : round.changed) count += changed;
  }
  return count;
}

absl::StatusOr<Counterfactual> RunWithout(const Store& store, ClaimId claim,
                                          const CounterfactualOptions& options) {
  const AttemptId author = claim.attempt();
  auto record = store.Run(author.run());
  if (!record.ok()) return record.status();
  const auto found = store.FindClaim(claim);
  if (!found.ok()) return found.status();
  // The other rounds are run again, and compared by their digests.
  absl::Status whole = store.RequireWhole(author.run(), author.round(), author.round());
  if (!whole.ok()) return whole;
  const auto slot =
      std::find(record->problems().begin(), record->problems().end(), author.problem()) -
      record->problems().begin();
  const auto rounds = store.Rounds(author.run());
  if (!rounds.ok()) return rounds.status();
  const auto setup = PrepareRecorded(store, *record, author.problem(), options.threads);
  if (!setup.ok()) return setup.status();
  const RunTables& tables = (*setup)->tables;
  auto state = LoadState(store, author.run(), author.round(), (*setup)->problems, tables.lanes);
  if (!state.ok()) return state.status();
  const auto place = PlaceOf(claim, *state);
  if (!place.ok()) return place.status();

  Counterfactual result;
  result.run = *std::move(record);
  Arm recorded(tables, options.threads);
  Arm without(tables, options.threads);
  std::vector<uint32_t> marks(tables.lanes);
  marks[author.lane()] = 1u << *place;
  absl::Status status = recorded.Restore(*state, marks);
  if (!status.ok()) return status;
  Strike(*place, options.place, &state->notes[author.lane()]);
  if (options.place == StruckPlace::kClosed) marks[author.lane()] = 0;
  status = without.Restore(*state, marks);
  if (!status.ok()) return status;

  Comparison comparison(tables, claim, found->claim, options, &result);
  status = comparison.Add(author.round(), recorded, without);
  if (!status.ok()) return status;
  for (int round = author.round() + 1; round < static_cast<int>(rounds->size()); ++round) {
    const auto digest = recorded.Step(round);
    if (!digest.ok()) return digest.status();
    const RoundRecord& stored = (*rounds)[round];
    if (slot >= stored.problem_digests_size() || stored.problem_digests(slot) != *digest) {
      return absl::DataLossError(
          absl::StrCat("round ", round, " of R", author.run(), " has another digest on ",
                       FormatProblem(author.problem()), " when it is run again by hearsay ",
                       HEARSAY_VERSION, "; it was made by ", result.run.software()));
    }
    const auto other = without.Step(round);
    if (!other.ok()) return other.status();
    result.attempts += 2 * tables.lanes;
    status = comparison.Add(round, recorded, without);
    if (!status.ok()) return status;
  }
  return result;
}

}  // namespace hearsay
