#include "rounds/replay.h"

#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "executor/lane.h"
#include "executor/ranking.h"
#include "rounds/state.h"

namespace hearsay {
namespace {

class SubmissionLog {
 public:
  explicit SubmissionLog(std::vector<Submission>* log) : log_(*log) {}

  void OnSubmission(const Design& design, Status status, bool bug, int measured_lg, int seconds) {
    log_.push_back({design.point, status, bug, measured_lg, seconds});
  }

 private:
  std::vector<Submission>& log_;
};

bool SameNote(const WrittenNote& note, const std::vector<NotedClaim>& stored) {
  if (note.size != stored.size()) return false;
  for (size_t i = 0; i < stored.size(); ++i) {
    if (!(note.claims[i] == stored[i].claim)) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<ReplayedAttempt> ReplayAttempt(const Store& store, AttemptId attempt) {
  const auto record = store.Run(attempt.run());
  if (!record.ok()) return record.status();
  if (!record->claims_recorded()) {
    return absl::FailedPreconditionError(absl::StrCat("run ", attempt.run(),
                                                      " was recorded without claims, so ",
                                                      Format(attempt), " cannot be replayed"));
  }
  const auto block = store.BlockOf(attempt);
  if (!block.ok()) return block.status();
  const auto stored_note = store.Note(attempt);
  if (!stored_note.ok()) return stored_note.status();
  // A run of the attempt's problem alone, brought to the round before.
  const auto setup = PrepareRecorded(store, *record, attempt.problem(), 1);
  if (!setup.ok()) return setup.status();
  const RunTables& tables = (*setup)->tables;
  StoredState state;
  Ranker ranker;
  if (attempt.round() > 0) {
    auto loaded =
        LoadState(store, attempt.run(), attempt.round() - 1, (*setup)->problems, tables.lanes);
    if (!loaded.ok()) return loaded.status();
    state = *std::move(loaded);
    ranker.Rank(tables, state.outcomes, state.retractions);
  }

  const int index = attempt.lane() - block->first.lane();
  ReplayedAttempt replayed;
  SubmissionLog log(&replayed.submissions);
  const RoundState before{state.outcomes.data(), state.notes.data()};
  WrittenNote note;
  LaneTrace trace;
  AttemptMemory memory;
  RunLane<NoPace>(tables, ranker.ranking(), before, attempt.round(), 0, attempt.lane(),
                  &replayed.outcome, &note, &trace, &log, &memory);
  replayed.matches = replayed.outcome == block->outcomes[index] && SameNote(note, *stored_note);
  return replayed;
}

}  // namespace hearsay
