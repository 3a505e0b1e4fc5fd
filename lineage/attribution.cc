// Causes of harm.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "lineage/influence.h"

namespace hearsay {
namespace {

enum Cause {
  kBaselineLuck,
  kSearchTruncation,
  kDslMismatch,
  kUnverifiedAdoption,
  kExecutionError,
  kBudgetExhaustion,
  kNoneRecorded,
  kCauseCount
};
const std::vector<std::string> kCauseNames = {
    "baseline_luck",   "search_truncation", "dsl_mismatch", "unverified_adoption",
    "execution_error", "budget_exhaustion", "none_recorded"};

constexpr struct {
  const char* name;
  int bit;
} kEvents[] = {{"truncated", kEventTruncated},   {"false_adopted", kEventFalseAdopted},
               {"own_bug", kEventOwnBug},        {"foreign_idiom", kEventForeignIdiom},
               {"out_of_time", kEventOutOfTime}, {"fell_back", kEventFellBack}};

// The solos of one agent, problem and DSL in all lanes of a run, which differ in luck alone.
class Solos {
 public:
  explicit Solos(const ScoringParams& scoring) : scoring_(scoring) {}

  // Whether fewer than half of the solos of other lanes would have shown the comparison as harmed;
  // false where there is no other. REQUIRES: the comparison is harmed.
  bool LuckExplains(const Comparison& comparison) {
    const std::vector<Outcome>& sorted = Of(comparison);
    // The faster a solo, the more it shows harm.
    const auto harmed =
        std::partition_point(sorted.begin(), sorted.end(), [&](const Outcome& solo) {
          return EffectOf(ComparisonRatio(solo, *comparison.conditioned, scoring_), scoring_) ==
                 Effect::kHarmed;
        });
    // Its own solo is one of both counts.
    const auto showing = harmed - sorted.begin() - 1;
    const auto others = static_cast<int64_t>(sorted.size()) - 1;
    return others > 0 && 2 * showing < others;
  }

 private:
  const std::vector<Outcome>& Of(const Comparison& comparison) {
    const auto key =
        std::make_tuple(comparison.place, comparison.slot, comparison.agent, comparison.to());
    const auto [found, is_new] = solos_.try_emplace(key);
    std::vector<Outcome>& sorted = found->second;
    if (!is_new) return sorted;
    for (const Outcome& solo : comparison.baselines->outcomes) {
      if (solo.agent == comparison.recorded->agent &&
          static_cast<int>(solo.dsl) == comparison.to()) {
        sorted.push_back(solo);
      }
    }
    std::sort(sorted.begin(), sorted.end(), [](const Outcome& a, const Outcome& b) {
      return std::make_tuple(a.passed, a.speed_lg) > std::make_tuple(b.passed, b.speed_lg);
    });
    return sorted;
  }

  const ScoringParams scoring_;
  std::map<std::tuple<int, int, int, int>, std::vector<Outcome>> solos_;
};

Cause CauseOf(const Comparison& comparison, const World& world, Solos& solos) {
  const Outcome& outcome = *comparison.recorded;
  if (solos.LuckExplains(comparison)) return kBaselineLuck;
  const bool out_of_reach = world.best_lg - outcome.closure_cost_lg < comparison.solo->speed_lg;
  if ((outcome.events & kEventTruncated) != 0 && out_of_reach) return kSearchTruncation;
  if ((outcome.events & kEventForeignIdiom) != 0) return kDslMismatch;
  if ((outcome.events & kEventFalseAdopted) != 0) return kUnverifiedAdoption;
  if ((outcome.events & kEventOwnBug) != 0) return kExecutionError;
  if ((outcome.events & kEventOutOfTime) != 0) return kBudgetExhaustion;
  return kNoneRecorded;
}

std::vector<std::string> EventNames() {
  std::vector<std::string> names;
  for (const auto& event : kEvents) names.emplace_back(event.name);
  return names;
}

}  // namespace

GroupStudies StudyAttribution(const Store& store, const RunSet& runs, Atlas& atlas,
                              const InfluenceOptions& options) {
  enum { kHolds, kOf, kCauseFields };
  enum { kHarmed, kHarmedWith, kOther, kOtherWith, kEventFields };
  GroupedSums causes(runs, kCauseNames, kCauseFields);
  GroupedSums events(runs, EventNames(), kEventFields);
  Solos solos(options.scoring);
  const auto count = [&](const Comparison& comparison) {
    if (!comparison.read_a_note()) return absl::OkStatus();
    const bool harmed = comparison.effect == Effect::kHarmed;
    for (size_t e = 0; e < std::size(kEvents); ++e) {
      const bool happened = (comparison.recorded->events & kEvents[e].bit) != 0;
      events.Add(comparison, static_cast<int>(e),
                 {double(harmed), double(harmed && happened), double(!harmed),
                  double(!harmed && happened)});
    }
    if (!harmed) return absl::OkStatus();
    const World& world = atlas.Get(comparison.attempt.problem(), comparison.recorded->dsl).world();
    const Cause cause = CauseOf(comparison, world, solos);
    for (int c = 0; c < kCauseCount; ++c) causes.Add(comparison, c, {double(c == cause), 1});
    return absl::OkStatus();
  };
  const absl::Status status = VisitComparisons(store, runs, options.scoring, count);
  if (!status.ok()) return status;
  GroupStudy by_cause = causes.Study("Causes of harm", "cause", "harmed",
                                     {{"share", RatioOf(kHolds, kOf)}}, options.bootstrap);
  by_cause.notes.insert(
      by_cause.notes.begin(),
      {"the first that holds, in this order; baseline_luck: fewer than half of the solos of the "
       "same agent, problem and language in other lanes would have shown harm",
       "search_truncation: the best design that the costliest false closure believed left open was "
       "slower than the solo; the others as the attempt recorded them"});
  GroupStudy by_event =
      events.Study("What happened in harmed attempts, and in others", "event", "harmed",
                   {{"in_harmed", RatioOf(kHarmedWith, kHarmed)},
                    {"in_others", RatioOf(kOtherWith, kOther)},
                    {"points", PointsBetween(kHarmedWith, kHarmed, kOtherWith, kOther)}},
                   options.bootstrap);
  by_event.notes.insert(by_event.notes.begin(),
                        "several may hold; points: harmed less others. An event that is as common "
                        "in others explains nothing");
  return std::vector<GroupStudy>{std::move(by_cause), std::move(by_event)};
}

}  // namespace hearsay
