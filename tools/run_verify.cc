#include "tools/run_verify.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tasks/outcome_words.h"

namespace hearsay {
namespace {

constexpr int kSampleLanes = 240;
constexpr int kSampleRounds = 20;

std::string NoteDifference(const WrittenNote& a, const WrittenNote& b) {
  if (a.size != b.size) {
    return absl::StrCat("note has ", static_cast<int>(a.size), " claims, not ",
                        static_cast<int>(b.size));
  }
  for (int i = 0; i < a.size; ++i) {
    const std::string claim = absl::StrCat("claim ", i + 1, " of the note ");
    if (!(a.claims[i] == b.claims[i])) {
      return absl::StrCat(claim, "is ", absl::Hex(a.claims[i].bits, absl::kZeroPad16), ", not ",
                          absl::Hex(b.claims[i].bits, absl::kZeroPad16));
    }
    if (a.change[i] != b.change[i] || a.parent[i] != b.parent[i]) {
      return absl::StrCat(claim, "came about in another way");
    }
  }
  return "";
}

// Sets lane and what of a difference in one problem of one round.
void FindLane(const RunTables& tables, int slot, const RoundState& a, const RoundState& b,
              RunDifference* difference) {
  for (int lane = 0; lane < tables.lanes; ++lane) {
    const int64_t i = static_cast<int64_t>(slot) * tables.lanes + lane;
    difference->what = FirstDifference(a.outcomes[i], b.outcomes[i]);
    if (difference->what.empty()) difference->what = NoteDifference(a.notes[i], b.notes[i]);
    if (difference->what.empty()) continue;
    difference->lane = lane;
    return;
  }
  difference->what = "the digests differ, outcomes and notes do not: the sources must";
}

// nullopt where they are equal.
std::optional<RunDifference> CompareBaselines(const RunSetup& setup,
                                              const std::vector<Outcome>& others) {
  const auto first = std::mismatch(setup.baselines.begin(), setup.baselines.end(), others.begin());
  if (first.first == setup.baselines.end()) return std::nullopt;
  const int64_t index = first.first - setup.baselines.begin();
  const int64_t lane = index / (setup.tables.agent_slots() * kDslCount);
  RunDifference difference;
  difference.problem = setup.problems[lane / setup.tables.lanes];
  difference.lane = static_cast<int>(lane % setup.tables.lanes);
  difference.what =
      absl::StrCat("of its solo baselines, ", FirstDifference(*first.first, *first.second));
  return difference;
}

}  // namespace

Plan SampleOf(const Plan& plan) {
  Plan sample = plan;
  sample.set_lanes(std::min<int64_t>(plan.lanes(), kSampleLanes));
  sample.set_rounds(std::min<int64_t>(plan.rounds(), kSampleRounds));
  return sample;
}

absl::StatusOr<std::optional<RunDifference>> CompareExecutors(RunSetup* setup, int rounds,
                                                              Executor* a, Executor* b) {
  std::vector<Outcome> others;
  absl::Status status = a->RunBaselines(&setup->baselines);
  if (status.ok()) status = b->RunBaselines(&others);
  if (!status.ok()) return status;
  if (auto difference = CompareBaselines(*setup, others)) return difference;
  setup->tables.baselines = setup->baselines.data();
  for (int round = 0; round < rounds; ++round) {
    std::vector<uint64_t> digests_a;
    std::vector<uint64_t> digests_b;
    status = a->RunRound(round, nullptr, &digests_a);
    if (status.ok()) status = b->RunRound(round, nullptr, &digests_b);
    if (!status.ok()) return status;
    const auto first = std::mismatch(digests_a.begin(), digests_a.end(), digests_b.begin());
    if (first.first == digests_a.end()) continue;
    const auto state_a = a->State();
    if (!state_a.ok()) return state_a.status();
    const auto state_b = b->State();
    if (!state_b.ok()) return state_b.status();
    const int slot = static_cast<int>(first.first - digests_a.begin());
    RunDifference difference;
    difference.round = round;
    difference.problem = setup->problems[slot];
    FindLane(setup->tables, slot, *state_a, *state_b, &difference);
    return difference;
  }
  return std::nullopt;
}

}  // namespace hearsay
