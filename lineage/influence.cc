// Standing, adoption, content and propagation; attribution.cc has the causes of harm.
#include "lineage/influence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "tasks/words.h"

namespace hearsay {
namespace {

// --- outcome by category ---

enum { kCount, kHelpedCount, kHarmedCount, kLogSum, kEffectFields };

std::array<double, kEffectFields> EffectAmounts(const Comparison& comparison) {
  return {1, static_cast<double>(comparison.effect == Effect::kHelped),
          static_cast<double>(comparison.effect == Effect::kHarmed), std::log(comparison.ratio)};
}

std::vector<Measure> EffectMeasures() {
  return {{"T", RatioOf(kHelpedCount, kCount)},
          {"H", RatioOf(kHarmedCount, kCount)},
          {"dGM", LiftOf(kLogSum, kCount)}};
}

constexpr char kEffectNote[] =
    "T: share helped; H: share harmed; dGM: exp(mean log rho) - 1, as in study transfer; attempts "
    "that read no note are left out";

// --- coupling ---

enum { kPairs, kX, kY, kXX, kYY, kXY, kBothGain, kBothLose, kPart, kCouplingFields };

// Pearson's, of the pairs summed up.
std::optional<double> Correlation(absl::Span<const double> sums) {
  const double n = sums[kPairs];
  if (n < 3) return std::nullopt;
  const double xx = sums[kXX] - sums[kX] * sums[kX] / n;
  const double yy = sums[kYY] - sums[kY] * sums[kY] / n;
  const double xy = sums[kXY] - sums[kX] * sums[kY] / n;
  if (xx <= 0 || yy <= 0) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

// Mean log ratio by direction, of every agent and problem.
class Coupling {
 public:
  explicit Coupling(const RunRecord& run) : run_(run), sums_(256 * size_t(run.problems_size())) {}

  void Add(const Comparison& comparison) {
    if (comparison.from >= kDslCount || comparison.from == comparison.to()) return;
    Directions& sums = sums_[comparison.slot * size_t{256} + comparison.agent()];
    sums.count[comparison.to()] += 1;
    sums.log_sum[comparison.to()] += std::log(comparison.ratio);
  }

  GroupStudy Study(const ScoringParams& scoring, const BootstrapOptions& options) const {
    GroupedSums pairs(run_, {""}, kCouplingFields);
    for (size_t at = 0; at < sums_.size(); ++at) {
      const Directions& sums = sums_[at];
      if (sums.count[0] == 0 || sums.count[1] == 0) continue;
      const double x = sums.log_sum[0] / sums.count[0];
      const double y = sums.log_sum[1] / sums.count[1];
      const Effect to_cute = EffectOf(std::exp(x), scoring);
      const Effect to_tirx = EffectOf(std::exp(y), scoring);
      const bool gains = to_cute == Effect::kHelped && to_tirx == Effect::kHelped;
      const bool loses = to_cute == Effect::kHarmed && to_tirx == Effect::kHarmed;
      const bool parts = (to_cute == Effect::kHelped && to_tirx == Effect::kHarmed) ||
                         (to_cute == Effect::kHarmed && to_tirx == Effect::kHelped);
      Outcome agent;
      agent.agent = static_cast<uint8_t>(at % 256);
      Comparison pair;
      pair.slot = static_cast<int>(at / 256);
      pair.recorded = &agent;
      pair.from = kMixedSources;
      pairs.Add(pair, 0,
                {1, x, y, x * x, y * y, x * y, double(gains), double(loses), double(parts)});
    }
    GroupStudy study = pairs.Study("Coupling of the two directions of one problem", "", "pairs",
                                   {{"correlation", Correlation},
                                    {"gain_in_both", RatioOf(kBothGain, kPairs)},
                                    {"lose_in_both", RatioOf(kBothLose, kPairs)},
                                    {"part", RatioOf(kPart, kPairs)}},
                                   options);
    // A pair has both directions.
    study.rows.erase(std::remove_if(study.rows.begin(), study.rows.end(),
                                    [](const GroupRow& row) { return row.by == "direction"; }),
                     study.rows.end());
    study.notes.insert(
        study.notes.begin(),
        "a pair: the mean log rho of one agent on one problem into CuTe DSL and into "
        "TIRx; Pearson's correlation; gain, lose: helped or harmed by that mean");
    return study;
  }

 private:
  struct Directions {
    double count[kDslCount] = {};
    double log_sum[kDslCount] = {};
  };
  const RunRecord& run_;
  std::vector<Directions> sums_;  // [problem slot][agent]
};

// --- claims read ---

// The claim of the intake whose label the reader saw: where two were merged, the first won.
absl::StatusOr<RowIndex> FirstParent(const ClaimTable& table, const IntakeEntry& entry) {
  return table.FindOrError(entry.parents[0]);
}

bool IsUnverified(Claim claim) {
  return claim.label() == Label::kUnverifiedAssertion ||
         claim.label() == Label::kUnsupportedClosure;
}

// Whether the new note holds `claim`, or one made of it, still unverified.
bool WrittenOn(const Comparison& comparison, const ClaimTable& table, ClaimId claim) {
  const AttemptBlock& block = *comparison.block;
  for (ClaimId id : block.note_of(comparison.index)) {
    if (id == claim) return true;
  }
  for (const NewClaim& made : block.new_claims_of(comparison.index)) {
    if ((made.parents[0] == claim || made.parents[1] == claim) && IsUnverified(made.claim)) {
      return true;
    }
  }
  return false;
}

}  // namespace

GroupStudies StudyStanding(const Store& store, const RunRecord& run,
                           const InfluenceOptions& options) {
  GroupedSums sums(run, {"below", "equal", "above"}, kEffectFields);
  Coupling coupling(run);
  const absl::Status status =
      VisitComparisons(store, run, options.scoring, [&](const Comparison& comparison) {
        if (!comparison.read_a_note() || comparison.sources.empty()) return absl::OkStatus();
        Standing best = Standing::kBelow;
        for (const Outcome& source : comparison.sources) {
          best = std::max(best, StandingOf(source, *comparison.solo, options.scoring));
        }
        sums.Add(comparison, static_cast<int>(best), EffectAmounts(comparison));
        coupling.Add(comparison);
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  GroupStudy study = sums.Study("Outcome by the standing of the source", "standing", "comparisons",
                                EffectMeasures(), options.bootstrap);
  study.notes.insert(study.notes.begin(),
                     {"standing: tier of the source (failed; passed; passed at 2x or more) against "
                      "that of the receiver's own solo; of several sources the best",
                      kEffectNote});
  return std::vector<GroupStudy>{std::move(study),
                                 coupling.Study(options.scoring, options.bootstrap)};
}

GroupStudies StudyAdoption(const Store& store, const RunRecord& run,
                           const InfluenceOptions& options) {
  GroupedSums sums(run, {"none", "partial", "full"}, kEffectFields);
  const absl::Status status =
      VisitComparisons(store, run, options.scoring, [&](const Comparison& comparison) {
        if (comparison.read_a_note()) {
          sums.Add(comparison, static_cast<int>(comparison.recorded->following),
                   EffectAmounts(comparison));
        }
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  GroupStudy study = sums.Study("Outcome by adoption of the note's plan", "adoption", "comparisons",
                                EffectMeasures(), options.bootstrap);
  study.notes.insert(study.notes.begin(),
                     {"adoption: how much of what believed claims recommend the first design took "
                      "up; none as well where they recommend nothing",
                      kEffectNote});
  return std::vector<GroupStudy>{std::move(study)};
}

GroupStudies StudyContent(const Store& store, const ClaimTable& table,
                          const InfluenceOptions& options) {
  std::vector<std::string> labels;
  for (int label = 0; label < kLabelCount; ++label) {
    labels.emplace_back(Name(static_cast<Label>(label)));
  }
  enum { kNotes, kHarmful, kHarmfulWith, kHelpful, kHelpfulWith, kWith, kFields };
  GroupedSums sums(table.run(), labels, kFields);
  const auto count = [&](const Comparison& comparison) -> absl::Status {
    if (!comparison.read_a_note()) return absl::OkStatus();
    bool has[kLabelCount] = {};
    for (const IntakeEntry& entry : comparison.block->intake_of(comparison.index)) {
      const absl::StatusOr<RowIndex> row = FirstParent(table, entry);
      if (!row.ok()) return row.status();
      has[static_cast<int>(table.row(*row).claim.label())] = true;
    }
    const bool harmful = comparison.effect == Effect::kHarmed;
    const bool helpful = comparison.effect == Effect::kHelped;
    for (int label = 0; label < kLabelCount; ++label) {
      sums.Add(comparison, label,
               {1, double(harmful), double(harmful && has[label]), double(helpful),
                double(helpful && has[label]), double(has[label])});
    }
    return absl::OkStatus();
  };
  const absl::Status status = VisitComparisons(store, table.run(), options.scoring, count);
  if (!status.ok()) return status;
  GroupStudy study =
      sums.Study("Content of harmful and helpful notes", "label", "notes",
                 {{"all", RatioOf(kWith, kNotes)},
                  {"harmful", RatioOf(kHarmfulWith, kHarmful)},
                  {"helpful", RatioOf(kHelpfulWith, kHelpful)},
                  {"points", PointsBetween(kHarmfulWith, kHarmful, kHelpfulWith, kHelpful)}},
                 options.bootstrap);
  study.notes.insert(
      study.notes.begin(),
      "share of notes, as read after merging, that hold a claim of the label; harmful, "
      "helpful: by what came of the reader; points: harmful less helpful, in points");
  return std::vector<GroupStudy>{std::move(study)};
}

GroupStudies StudyPropagation(const Store& store, const ClaimTable& table,
                              const InfluenceOptions& options) {
  // Five fields for each effect, that of `e` at e * kPerEffect.
  enum { kAll, kReceiving, kWriting, kReceived, kWritten, kPerEffect };
  GroupedSums sums(table.run(), {""}, 3 * kPerEffect);
  const auto count = [&](const Comparison& comparison) -> absl::Status {
    if (!comparison.read_a_note()) return absl::OkStatus();
    double received = 0;
    double written = 0;
    for (const IntakeEntry& entry : comparison.block->intake_of(comparison.index)) {
      const absl::StatusOr<RowIndex> row = FirstParent(table, entry);
      if (!row.ok()) return row.status();
      if (!IsUnverified(table.row(*row).claim)) continue;
      ++received;
      written += WrittenOn(comparison, table, entry.parents[0]);
    }
    double amounts[3 * kPerEffect] = {};
    double* const of_effect = amounts + static_cast<int>(comparison.effect) * kPerEffect;
    of_effect[kAll] = 1;
    of_effect[kReceiving] = received > 0;
    of_effect[kWriting] = written > 0;
    of_effect[kReceived] = received;
    of_effect[kWritten] = written;
    sums.Add(comparison, 0, amounts);
    return absl::OkStatus();
  };
  const absl::Status status = VisitComparisons(store, table.run(), options.scoring, count);
  if (!status.ok()) return status;
  // Field 0 counts the harmed.
  static_assert(static_cast<int>(Effect::kHarmed) == 0);
  const int harmed = 0;
  const int helped = static_cast<int>(Effect::kHelped) * kPerEffect;
  GroupStudy study =
      sums.Study("Unverified claims received and written on", "", "harmed",
                 {{"harmed_received", RatioOf(harmed + kReceiving, harmed + kAll)},
                  {"helped_received", RatioOf(helped + kReceiving, helped + kAll)},
                  {"harmed_written", RatioOf(harmed + kWriting, harmed + kReceiving)},
                  {"helped_written", RatioOf(helped + kWriting, helped + kReceiving)},
                  {"written_points", PointsBetween(harmed + kWriting, harmed + kReceiving,
                                                   helped + kWriting, helped + kReceiving)},
                  {"harmed_claims", RatioOf(harmed + kWritten, harmed + kReceived)},
                  {"helped_claims", RatioOf(helped + kWritten, helped + kReceived)}},
                 options.bootstrap);
  study.notes.insert(
      study.notes.begin(),
      {"unverified: unverified assertions and unsupported closures. received: share of attempts "
       "whose note had one; written: share of those that wrote one on as such, and points harmed "
       "less helped; claims: share of such claims that were written on",
       "harmed: how many comparisons were harmed"});
  return std::vector<GroupStudy>{std::move(study)};
}

}  // namespace hearsay
