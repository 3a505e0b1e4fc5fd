#include "lineage/comparisons.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tasks/words.h"

namespace hearsay {
namespace {

class Visitor {
 public:
  Visitor(const Store& store, const RunSet& runs, int place, const ScoringParams& params,
          const std::function<absl::Status(const Comparison&)>& visit)
      : store_(store),
        runs_(runs),
        place_(place),
        run_(runs.run(place)),
        params_(params),
        visit_(visit),
        lanes_(static_cast<size_t>(run_.lanes())) {
    slot_.assign(kMaxProblems, -1);
    for (int i = 0; i < run_.problems_size(); ++i) {
      if (run_.problems(i) >= 0 && run_.problems(i) < kMaxProblems) slot_[run_.problems(i)] = i;
    }
    const size_t attempts = static_cast<size_t>(run_.problems_size()) * lanes_;
    before_.resize(attempts);
    now_.resize(attempts);
    known_before_.assign(attempts, 0);
    known_now_.assign(attempts, 0);
    baselines_.resize(run_.problems_size());
    loaded_.assign(run_.problems_size(), false);
  }

  absl::Status Add(const AttemptBlock& block);

 private:
  absl::Status Compare(const AttemptBlock& block, int i, int slot);
  absl::Status FindSolo(int slot, Comparison* comparison);
  absl::Status FindSources(const AttemptBlock& block, int i, int slot, Comparison* comparison);

  const Store& store_;
  const RunSet& runs_;
  const int place_;
  const RunRecord& run_;
  const ScoringParams params_;
  const std::function<absl::Status(const Comparison&)>& visit_;
  const size_t lanes_;
  std::vector<int> slot_;  // by problem index: its place among the run's
  // By problem slot and lane: the outcomes of the last round and of this one, and which are there.
  std::vector<Outcome> before_, now_;
  std::vector<uint8_t> known_before_, known_now_;
  std::vector<Outcome> sources_;
  int round_ = -1;
  std::vector<BaselineBlock> baselines_;  // by problem slot; read when first needed
  std::vector<bool> loaded_;
};

absl::Status Visitor::FindSolo(int slot, Comparison* comparison) {
  const AttemptId attempt = comparison->attempt;
  if (!loaded_[slot]) {
    absl::StatusOr<BaselineBlock> block = store_.Baselines(run_.run(), attempt.problem());
    if (!block.ok()) return block.status();
    baselines_[slot] = *std::move(block);
    loaded_[slot] = true;
  }
  const BaselineBlock& block = baselines_[slot];
  const Outcome& outcome = *comparison->recorded;
  const int agent_slot = block.agent_slots == 1 ? 0 : outcome.agent;
  const size_t at =
      (static_cast<size_t>(attempt.lane()) * block.agent_slots + agent_slot) * kDslCount +
      static_cast<size_t>(outcome.dsl);
  if (agent_slot >= block.agent_slots || at >= block.outcomes.size()) {
    return absl::DataLossError(absl::StrCat(Format(attempt), ": has no solo baseline"));
  }
  comparison->baselines = &block;
  comparison->solo = &block.outcomes[at];
  return absl::OkStatus();
}

absl::Status Visitor::FindSources(const AttemptBlock& block, int i, int slot,
                                  Comparison* comparison) {
  sources_.clear();
  const size_t first_of_slot = static_cast<size_t>(slot) * lanes_;
  for (uint32_t lane : block.sources_of(i)) {
    if (lane >= lanes_ || known_before_[first_of_slot + lane] == 0) {
      return absl::DataLossError(absl::StrCat(Format(block.id(i)), ": its source, lane ", lane,
                                              " of the round before, does not exist"));
    }
    const Outcome& source = before_[first_of_slot + lane];
    const int dsl = static_cast<int>(source.dsl);
    if (comparison->from == kNoSources) comparison->from = dsl;
    if (comparison->from != dsl) comparison->from = kMixedSources;
    sources_.push_back(source);
  }
  comparison->sources = sources_;
  return absl::OkStatus();
}

absl::Status Visitor::Compare(const AttemptBlock& block, int i, int slot) {
  Comparison comparison;
  comparison.attempt = block.id(i);
  comparison.place = place_;
  comparison.slot = runs_.SlotOf(comparison.attempt.problem());
  comparison.cluster = runs_.ClusterOf(comparison.attempt);
  comparison.agent = runs_.AgentOf(place_, block.outcomes[i].agent);
  comparison.block = &block;
  comparison.index = i;
  comparison.recorded = &block.outcomes[i];
  absl::Status status = FindSolo(slot, &comparison);
  if (status.ok()) status = FindSources(block, i, slot, &comparison);
  if (!status.ok()) return status;
  const Reception reception = comparison.recorded->reception;
  if (reception == Reception::kSkipped || reception == Reception::kGated) {
    comparison.conditioned = comparison.solo;
  } else {
    comparison.conditioned = comparison.recorded;
    comparison.ratio = ComparisonRatio(*comparison.solo, *comparison.conditioned, params_);
  }
  comparison.effect = EffectOf(comparison.ratio, params_);
  return visit_(comparison);
}

absl::Status Visitor::Add(const AttemptBlock& block) {
  const int slot = slot_[block.first.problem()];
  if (slot < 0 || static_cast<size_t>(block.first.lane() + block.size()) > lanes_) {
    return absl::DataLossError(
        absl::StrCat(Format(block.first), ": outside the problems and lanes of the run"));
  }
  if (block.first.round() != round_) {
    before_.swap(now_);
    known_before_.swap(known_now_);
    std::fill(known_now_.begin(), known_now_.end(), 0);
    round_ = block.first.round();
  }
  for (int i = 0; i < block.size(); ++i) {
    const size_t at = static_cast<size_t>(slot) * lanes_ + block.id(i).lane();
    now_[at] = block.outcomes[i];
    known_now_[at] = 1;
    if (round_ == 0 || block.outcomes[i].reception == Reception::kSolo) continue;
    absl::Status status = Compare(block, i, slot);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status VisitComparisonsOfRun(const Store& store, const RunSet& runs, int place,
                                   const ScoringParams& params,
                                   const std::function<absl::Status(const Comparison&)>& visit) {
  Visitor visitor(store, runs, place, params, visit);
  absl::Status status;
  const int run = runs.run(place).run();
  if (absl::Status whole = store.RequireWhole(run); !whole.ok()) return whole;
  absl::Status scan = store.ScanRun(run, [&](const AttemptBlock& block) {
    status = visitor.Add(block);
    return status.ok();
  });
  return scan.ok() ? status : scan;
}

absl::Status VisitComparisons(const Store& store, const RunSet& runs, const ScoringParams& params,
                              const std::function<absl::Status(const Comparison&)>& visit) {
  for (int place = 0; place < runs.size(); ++place) {
    const absl::Status status = VisitComparisonsOfRun(store, runs, place, params, visit);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

std::string DirectionName(int from, int to) {
  const std::string source = from == kMixedSources ? "mixed"
                             : from == kNoSources  ? "none"
                                                   : std::string(Name(static_cast<Dsl>(from)));
  return absl::StrCat(source, "->", Name(static_cast<Dsl>(to)));
}

}  // namespace hearsay
