#include "lineage/run_measures.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lineage/comparisons.h"
#include "tasks/truth.h"

namespace hearsay {
namespace {

// Follows what notes say from round to round. Whatever a note holds was written by its author or
// stood in the note of a source, so one round of notes is all that has to be remembered.
class NoteReader {
 public:
  NoteReader(const RunSet& runs, const RunRecord& run, Atlas& atlas, int first_late_round,
             ClusterSums* sums)
      : lanes_(static_cast<size_t>(run.lanes())),
        runs_(runs),
        atlas_(atlas),
        first_late_round_(first_late_round),
        sums_(*sums) {
    slot_.assign(kMaxProblems, -1);
    for (int i = 0; i < run.problems_size(); ++i) slot_[run.problems(i)] = i;
    before_.resize(lanes_ * run.problems_size());
    now_.resize(before_.size());
  }

  absl::Status Add(const AttemptBlock& block) {
    if (block.first.round() != round_) {
      before_.swap(now_);
      for (std::vector<NotedClaim>& note : now_) note.clear();
      round_ = block.first.round();
    }
    const size_t first_of_slot = slot_[block.first.problem()] * lanes_;
    for (int i = 0; i < block.size(); ++i) {
      std::vector<NotedClaim>& note = now_[first_of_slot + block.id(i).lane()];
      for (ClaimId id : block.note_of(i)) {
        const absl::StatusOr<Claim> claim = Resolve(block, i, id, first_of_slot);
        if (!claim.ok()) return claim.status();
        note.push_back({id, *claim});
      }
      if (round_ < first_late_round_) continue;
      CountNote(block.id(i), note);
      const absl::Status status = CountDecision(block, i, first_of_slot);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<Claim> Resolve(const AttemptBlock& block, int i, ClaimId id,
                                size_t first_of_slot) const {
    const absl::Span<const NewClaim> made = block.new_claims_of(i);
    if (id.attempt() == block.id(i) && static_cast<size_t>(id.place()) < made.size()) {
      return made[id.place()].claim;
    }
    for (uint32_t lane : block.sources_of(i)) {
      if (lane >= lanes_) continue;
      for (const NotedClaim& offered : before_[first_of_slot + lane]) {
        if (offered.id == id) return offered.claim;
      }
    }
    return absl::DataLossError(absl::StrCat(Format(block.id(i)), ": refers to ", Format(id),
                                            ", which no source of it has"));
  }

  absl::Status CountDecision(const AttemptBlock& block, int i, size_t first_of_slot) {
    const Outcome& outcome = block.outcomes[i];
    if (outcome.reception == Reception::kSolo) return absl::OkStatus();
    const AttemptId attempt = block.id(i);
    const World& world = atlas_.Get(attempt.problem(), outcome.dsl).world();
    const absl::Span<const IntakeEntry> intake = block.intake_of(i);
    bool under = false;
    for (size_t slot = 0; slot < intake.size() && !under; ++slot) {
      if ((outcome.adopted >> slot & 1) == 0) continue;
      // What two claims were merged into closes the same as the first.
      const absl::StatusOr<Claim> claim = Resolve(block, i, intake[slot].parents[0], first_of_slot);
      if (!claim.ok()) return claim.status();
      under = claim->is_closure() && TruthOf(world, *claim) == Truth::kFalse;
    }
    const int cluster = runs_.ClusterOf(attempt);
    sums_.Add(cluster, kRunLateAttempts, 1);
    sums_.Add(cluster, kRunLateDecisions, under);
    return absl::OkStatus();
  }

  void CountNote(AttemptId attempt, const std::vector<NotedClaim>& note) {
    if (note.empty()) return;
    const int cluster = runs_.ClusterOf(attempt);
    bool under = false;
    for (const NotedClaim& noted : note) {
      const Claim claim = noted.claim;
      if (!claim.is_closure() && claim.stance() != Stance::kUse) continue;
      const Truth truth = TruthOf(atlas_.Get(attempt.problem(), claim.dsl()).world(), claim);
      if (truth == Truth::kTrue) sums_.Add(cluster, kRunLateTrueClaims, 1);
      if (truth != Truth::kFalse) continue;
      sums_.Add(cluster, kRunLateFalseClaims, 1);
      under = under || (claim.is_closure() && claim.label() == Label::kUnsupportedClosure);
    }
    sums_.Add(cluster, kRunLateNotes, 1);
    sums_.Add(cluster, kRunLateNotesUnder, under);
  }

  const size_t lanes_;
  const RunSet& runs_;
  Atlas& atlas_;
  const int first_late_round_;
  ClusterSums& sums_;
  std::vector<int> slot_;
  int round_ = -1;
  std::vector<std::vector<NotedClaim>> before_, now_;  // by problem slot and lane
};

constexpr struct {
  const char* name;
  int numerator, denominator;
} kRatios[] = {{"T", kRunHelped, kRunComparisons},
               {"H", kRunHarmed, kRunComparisons},
               {"notes_under", kRunLateNotesUnder, kRunLateNotes},
               {"decisions_under", kRunLateDecisions, kRunLateAttempts},
               {"true_claims", kRunLateTrueClaims, kRunLateNotes},
               {"false_claims", kRunLateFalseClaims, kRunLateNotes},
               {"submissions", kRunSubmissions, kRunComparisons}};

}  // namespace

absl::StatusOr<ClusterSums> MeasureRun(const Store& store, const RunSet& runs, int place,
                                       Atlas& atlas, const ScoringParams& scoring) {
  const RunRecord& run = runs.run(place);
  if (absl::Status whole = store.RequireWhole(run.run()); !whole.ok()) return whole;
  const auto rounds = store.Rounds(run.run());
  if (!rounds.ok()) return rounds.status();
  const int round_count = static_cast<int>(rounds->size());
  const int first_late_round = round_count - std::max(1, (round_count - 1) / 10);
  ClusterSums sums(runs.cluster_count(), kRunFieldCount);
  absl::Status status =
      VisitComparisonsOfRun(store, runs, place, scoring, [&](const Comparison& comparison) {
        const int cluster = comparison.cluster;
        sums.Add(cluster, kRunComparisons, 1);
        sums.Add(cluster, kRunHelped, comparison.effect == Effect::kHelped);
        sums.Add(cluster, kRunHarmed, comparison.effect == Effect::kHarmed);
        sums.Add(cluster, kRunLogRatio, std::log(comparison.ratio));
        sums.Add(cluster, kRunSubmissions, comparison.recorded->submissions);
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  if (!run.claims_recorded()) return sums;
  NoteReader reader(runs, run, atlas, first_late_round, &sums);
  const absl::Status scan = store.ScanRun(run.run(), [&](const AttemptBlock& block) {
    status = reader.Add(block);
    return status.ok();
  });
  if (!scan.ok()) return scan;
  if (!status.ok()) return status;
  return sums;
}

std::vector<std::string> RunMeasureNames() {
  std::vector<std::string> names = {"dGM"};
  for (const auto& ratio : kRatios) names.emplace_back(ratio.name);
  return names;
}

std::vector<Estimate> RunEstimates(const ClusterSums& sums, const BootstrapOptions& options) {
  std::vector<SumStatistic> statistics = {LiftOf(kRunLogRatio, kRunComparisons)};
  for (const auto& ratio : kRatios) {
    statistics.push_back(RatioOf(ratio.numerator, ratio.denominator));
  }
  return sums.Estimates(statistics, options);
}

}  // namespace hearsay
