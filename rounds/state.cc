#include "rounds/state.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "rounds/plan.h"

namespace hearsay {
namespace {

// Adds the subjects that the attempts of a block refuted. An intake claim merged from two has the
// subject and stance of the first, so that one tells them.
absl::Status AddRefuted(const Store& store, const AttemptBlock& block, Retractions* retractions) {
  for (int i = 0; i < block.size(); ++i) {
    const auto intake = block.intake_of(i);
    for (size_t slot = 0; slot < intake.size(); ++slot) {
      if ((block.outcomes[i].refuted >> slot & 1) == 0) continue;
      const auto claim = store.FindClaim(intake[slot].parents[0]);
      if (!claim.ok()) return claim.status();
      retractions->Add(claim->claim);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<StoredState> LoadState(const Store& store, int run, int round,
                                      const std::vector<int32_t>& problems, int lanes) {
  StoredState state;
  const size_t total = problems.size() * static_cast<size_t>(lanes);
  state.outcomes.resize(total);
  state.notes.resize(total);
  state.ids.resize(total * kMaxNoteClaims);
  state.retractions.resize(problems.size());
  for (size_t slot = 0; slot < problems.size(); ++slot) {
    const size_t base = slot * static_cast<size_t>(lanes);
    int seen = 0;
    absl::Status inner;
    absl::Status status =
        store.ScanRound(run, round, problems[slot], [&](const AttemptBlock& block) {
          for (int i = 0; i < block.size(); ++i) {
            const int lane = block.id(i).lane();
            if (lane >= lanes) continue;
            state.outcomes[base + lane] = block.outcomes[i];
            ++seen;
          }
          inner = AddRefuted(store, block, &state.retractions[slot]);
          return inner.ok();
        });
    if (!status.ok()) return status;
    if (!inner.ok()) return inner;
    if (seen != lanes) {
      return absl::DataLossError(absl::StrCat("round ", round, " of run ", run, " has ", seen,
                                              " attempts of problem ", problems[slot] + 1, ", not ",
                                              lanes));
    }
    const auto notes = store.NotesOfRound(run, round, problems[slot]);
    if (!notes.ok()) return notes.status();
    for (int lane = 0; lane < lanes; ++lane) {
      const std::vector<NotedClaim>& from = (*notes)[lane];
      WrittenNote& note = state.notes[base + lane];
      note.size = static_cast<uint8_t>(from.size());
      for (size_t i = 0; i < from.size(); ++i) {
        note.claims[i] = from[i].claim;
        state.ids[(base + lane) * kMaxNoteClaims + i] = from[i].id;
      }
    }
  }
  return state;
}

absl::StatusOr<std::unique_ptr<RunSetup>> PrepareRecorded(const Store& store,
                                                          const RunRecord& record, int problem,
                                                          int threads) {
  const auto plan = ParsePlan(record.plan_text(), absl::StrCat("plan of run ", record.run()));
  if (!plan.ok()) return plan.status();
  auto setup = PrepareRun(*plan, {problem}, threads);
  if (!setup.ok()) return setup.status();
  auto baselines = store.Baselines(record.run(), problem);
  if (!baselines.ok()) return baselines.status();
  (*setup)->baselines = std::move(baselines->outcomes);
  (*setup)->tables.baselines = (*setup)->baselines.data();
  return setup;
}

}  // namespace hearsay
