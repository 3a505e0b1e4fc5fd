#include "lineage/transfer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tasks/words.h"

namespace hearsay {
namespace {

// Where notes came from: a DSL, or one of these.
constexpr int kMixedSources = kDslCount;  // sources wrote in different DSLs
constexpr int kNoSources = kDslCount + 1;

constexpr int kAny = -1;

// Of a group: agent, source DSL, DSL and round, each kAny where the group does not ask.
struct GroupKey {
  int part;  // order of the parts of a study
  int agent = kAny;
  int from = kAny;
  int to = kAny;
  int round = kAny;
  friend bool operator<(const GroupKey& a, const GroupKey& b) {
    return std::tie(a.part, a.agent, a.from, a.to, a.round) <
           std::tie(b.part, b.agent, b.from, b.to, b.round);
  }
};
constexpr const char* kPartNames[] = {"all", "agent", "direction", "agent+direction", "round"};

TransferSums Compare(const Outcome& solo, const Outcome& recorded, const ScoringParams& params) {
  TransferSums sums;
  sums.comparisons = 1;
  sums.skipped = recorded.reception == Reception::kSkipped;
  sums.gated = recorded.reception == Reception::kGated;
  const Outcome& conditioned = sums.skipped + sums.gated > 0 ? solo : recorded;
  sums.both_failed = solo.passed == 0 && conditioned.passed == 0;
  sums.only_solo_failed = solo.passed == 0 && conditioned.passed != 0;
  sums.only_conditioned_failed = solo.passed != 0 && conditioned.passed == 0;
  const double ratio = &conditioned == &solo ? 1 : ComparisonRatio(solo, conditioned, params);
  const Effect effect = EffectOf(ratio, params);
  sums.helped = effect == Effect::kHelped;
  sums.harmed = effect == Effect::kHarmed;
  sums.log_ratio_sum = std::log(ratio);
  for (int t = 0; t < kPassThresholdCount; ++t) {
    sums.conditioned_reaching[t] = PassRateAt({&conditioned, 1}, kPassThresholds[t]) > 0;
    sums.solo_reaching[t] = PassRateAt({&solo, 1}, kPassThresholds[t]) > 0;
  }
  sums.conditioned_score_sum = Score({&conditioned, 1});
  sums.solo_score_sum = Score({&solo, 1});
  return sums;
}

std::optional<double> ShareOf(int64_t count, int64_t of) {
  if (of == 0) return std::nullopt;
  return static_cast<double>(count) / static_cast<double>(of);
}

// Collects comparisons block by block.
class Collector {
 public:
  Collector(const Store& store, RunRecord run, const ScoringParams& params)
      : store_(store), run_(std::move(run)), params_(params) {
    slot_.assign(kMaxProblems, -1);
    for (int i = 0; i < run_.problems_size(); ++i) {
      if (run_.problems(i) >= 0 && run_.problems(i) < kMaxProblems) slot_[run_.problems(i)] = i;
    }
    const size_t attempts = static_cast<size_t>(run_.problems_size()) * run_.lanes();
    dsl_before_.assign(attempts, kUnknownDsl);
    dsl_now_.assign(attempts, kUnknownDsl);
    baselines_.resize(run_.problems_size());
    loaded_.assign(run_.problems_size(), false);
  }

  absl::Status Add(const AttemptBlock& block);
  // By group, the sums of each problem (by slot).
  const std::map<GroupKey, std::vector<TransferSums>>& groups() const { return groups_; }

 private:
  static constexpr uint8_t kUnknownDsl = 255;

  absl::StatusOr<Outcome> SoloOf(AttemptId attempt, const Outcome& outcome);
  absl::StatusOr<int> SourceDsl(const AttemptBlock& block, int i, int slot) const;
  void Count(const GroupKey& key, int slot, const TransferSums& sums);

  const Store& store_;
  const RunRecord run_;
  const ScoringParams params_;
  std::vector<int> slot_;  // by problem index
  // By problem slot and lane: in what the attempts of the last round and of this one wrote.
  std::vector<uint8_t> dsl_before_, dsl_now_;
  int round_ = -1;
  std::vector<BaselineBlock> baselines_;  // by problem slot; read when first needed
  std::vector<bool> loaded_;
  std::map<GroupKey, std::vector<TransferSums>> groups_;
};

absl::StatusOr<Outcome> Collector::SoloOf(AttemptId attempt, const Outcome& outcome) {
  const int slot = slot_[attempt.problem()];
  if (!loaded_[slot]) {
    absl::StatusOr<BaselineBlock> block = store_.Baselines(run_.run(), attempt.problem());
    if (!block.ok()) return block.status();
    baselines_[slot] = *std::move(block);
    loaded_[slot] = true;
  }
  const BaselineBlock& block = baselines_[slot];
  const int agent_slot = block.agent_slots == 1 ? 0 : outcome.agent;
  const size_t at =
      (static_cast<size_t>(attempt.lane()) * block.agent_slots + agent_slot) * kDslCount +
      static_cast<size_t>(outcome.dsl);
  if (agent_slot >= block.agent_slots || at >= block.outcomes.size()) {
    return absl::DataLossError(absl::StrCat(Format(attempt), ": has no solo baseline"));
  }
  return block.outcomes[at];
}

absl::StatusOr<int> Collector::SourceDsl(const AttemptBlock& block, int i, int slot) const {
  int dsl = kNoSources;
  for (uint32_t lane : block.sources_of(i)) {
    const uint8_t of_source = lane < static_cast<uint32_t>(run_.lanes())
                                  ? dsl_before_[static_cast<size_t>(slot) * run_.lanes() + lane]
                                  : kUnknownDsl;
    if (of_source == kUnknownDsl) {
      return absl::DataLossError(absl::StrCat(Format(block.id(i)), ": its source, lane ", lane,
                                              " of the round before, does not exist"));
    }
    if (dsl == kNoSources) dsl = of_source;
    if (dsl != of_source) dsl = kMixedSources;
  }
  return dsl;
}

void Collector::Count(const GroupKey& key, int slot, const TransferSums& sums) {
  std::vector<TransferSums>& by_problem = groups_[key];
  if (by_problem.empty()) by_problem.resize(run_.problems_size());
  by_problem[slot].Add(sums);
}

absl::Status Collector::Add(const AttemptBlock& block) {
  const int slot = slot_[block.first.problem()];
  if (slot < 0 || block.first.lane() + block.size() > run_.lanes()) {
    return absl::DataLossError(
        absl::StrCat(Format(block.first), ": outside the problems and lanes of the run"));
  }
  const int round = block.first.round();
  if (round != round_) {
    dsl_before_.swap(dsl_now_);
    std::fill(dsl_now_.begin(), dsl_now_.end(), kUnknownDsl);
    round_ = round;
  }
  for (int i = 0; i < block.size(); ++i) {
    const Outcome& outcome = block.outcomes[i];
    const AttemptId attempt = block.id(i);
    dsl_now_[static_cast<size_t>(slot) * run_.lanes() + attempt.lane()] =
        static_cast<uint8_t>(outcome.dsl);
    if (round == 0 || outcome.reception == Reception::kSolo) continue;
    absl::StatusOr<Outcome> solo = SoloOf(attempt, outcome);
    if (!solo.ok()) return solo.status();
    absl::StatusOr<int> from = SourceDsl(block, i, slot);
    if (!from.ok()) return from.status();
    const TransferSums sums = Compare(*solo, outcome, params_);
    const int agent = outcome.agent;
    const int to = static_cast<int>(outcome.dsl);
    Count({.part = 0}, slot, sums);
    Count({.part = 1, .agent = agent}, slot, sums);
    Count({.part = 2, .from = *from, .to = to}, slot, sums);
    Count({.part = 3, .agent = agent, .from = *from, .to = to}, slot, sums);
    Count({.part = 4, .round = round}, slot, sums);
  }
  return absl::OkStatus();
}

std::string DirectionName(int from, int to) {
  if (to == kAny) return "";
  std::string source = from == kMixedSources ? "mixed"
                       : from == kNoSources  ? "none"
                                             : std::string(Name(static_cast<Dsl>(from)));
  return absl::StrCat(source, "->", Name(static_cast<Dsl>(to)));
}

TransferGroup Summarise(const GroupKey& key, const std::vector<TransferSums>& by_problem,
                        const RunRecord& run, const BootstrapOptions& options) {
  TransferGroup group;
  group.by = kPartNames[key.part];
  if (key.agent != kAny) {
    group.agent =
        key.agent < run.agents_size() ? run.agents(key.agent) : absl::StrCat("agent ", key.agent);
  }
  group.direction = DirectionName(key.from, key.to);
  group.round = key.round;
  std::vector<TransferSums> clusters;
  for (const TransferSums& sums : by_problem) {
    if (sums.comparisons == 0) continue;
    clusters.push_back(sums);
    group.sums.Add(sums);
  }
  group.problems = static_cast<int>(clusters.size());
  const std::vector<std::optional<Interval>> intervals = BootstrapIntervals(
      group.problems, 3,
      [&](absl::Span<const int> times) {
        TransferSums resample;
        for (size_t i = 0; i < clusters.size(); ++i) {
          if (times[i] > 0) resample.Add(clusters[i], times[i]);
        }
        return std::vector<std::optional<double>>{resample.HelpedShare(), resample.HarmedShare(),
                                                  resample.Lift()};
      },
      options);
  group.helped = intervals[0];
  group.harmed = intervals[1];
  group.lift = intervals[2];
  return group;
}

}  // namespace

void TransferSums::Add(const TransferSums& other, int times) {
  comparisons += times * other.comparisons;
  skipped += times * other.skipped;
  gated += times * other.gated;
  both_failed += times * other.both_failed;
  only_solo_failed += times * other.only_solo_failed;
  only_conditioned_failed += times * other.only_conditioned_failed;
  helped += times * other.helped;
  harmed += times * other.harmed;
  log_ratio_sum += times * other.log_ratio_sum;
  for (int t = 0; t < kPassThresholdCount; ++t) {
    conditioned_reaching[t] += times * other.conditioned_reaching[t];
    solo_reaching[t] += times * other.solo_reaching[t];
  }
  conditioned_score_sum += times * other.conditioned_score_sum;
  solo_score_sum += times * other.solo_score_sum;
}

std::optional<double> TransferSums::HelpedShare() const { return ShareOf(helped, comparisons); }
std::optional<double> TransferSums::HarmedShare() const { return ShareOf(harmed, comparisons); }

std::optional<double> TransferSums::Lift() const {
  if (comparisons == 0) return std::nullopt;
  // The lift of many ratios is that of their geometric mean.
  const double mean_ratio = std::exp(log_ratio_sum / static_cast<double>(comparisons));
  return PairedLift({&mean_ratio, 1});
}

absl::StatusOr<TransferStudy> StudyTransfer(const Store& store, int run,
                                            const TransferOptions& options) {
  absl::StatusOr<RunRecord> record = store.Run(run);
  if (!record.ok()) return record.status();
  Collector collector(store, *record, options.scoring);
  absl::Status status;
  absl::Status scan = store.ScanRun(run, [&](const AttemptBlock& block) {
    status = collector.Add(block);
    return status.ok();
  });
  if (!scan.ok()) return scan;
  if (!status.ok()) return status;

  TransferStudy study;
  study.run = run;
  study.options = options;
  for (const auto& [key, by_problem] : collector.groups()) {
    study.groups.push_back(Summarise(key, by_problem, *record, options.bootstrap));
  }
  if (study.groups.empty()) study.groups.push_back(Summarise({.part = 0}, {}, *record, {}));
  return study;
}

}  // namespace hearsay
