#include "tools/run_compare.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tasks/outcome_words.h"
#include "tools/run_words.h"

namespace hearsay {
namespace {

// One problem of one round: attempts lane by lane.
struct Lanes {
  std::vector<Outcome> outcomes;
  std::vector<std::vector<uint32_t>> sources;
  std::vector<std::vector<Change>> changes;    // of the new claims; empty without claims
  std::vector<std::vector<NotedClaim>> notes;  // empty without claims
};

absl::StatusOr<Lanes> LoadLanes(const Store& store, const RunRecord& run, int round, int problem) {
  Lanes lanes;
  const absl::Status scanned =
      store.ScanRound(run.run(), round, problem, [&](const AttemptBlock& block) {
        for (int i = 0; i < block.size(); ++i) {
          lanes.outcomes.push_back(block.outcomes[static_cast<size_t>(i)]);
          const auto sources = block.sources_of(i);
          lanes.sources.emplace_back(sources.begin(), sources.end());
          if (!block.has_claims()) continue;
          std::vector<Change>& changes = lanes.changes.emplace_back();
          for (const NewClaim& claim : block.new_claims_of(i)) changes.push_back(claim.change);
        }
        return true;
      });
  if (!scanned.ok()) return scanned;
  if (!run.claims_recorded()) return lanes;
  auto notes = store.NotesOfRound(run.run(), round, problem);
  if (!notes.ok()) return notes.status();
  lanes.notes = *std::move(notes);
  return lanes;
}

std::string NoteDifference(const std::vector<NotedClaim>& a, const std::vector<NotedClaim>& b) {
  if (a.size() != b.size()) return absl::StrCat("note has ", a.size(), " claims, not ", b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].claim == b[i].claim) continue;
    return absl::StrCat("claim ", i + 1, " of the note is ", Format(a[i].id), ", not ",
                        Format(b[i].id), " with other words");
  }
  return "";
}

// What differs between the two attempts of a lane, or "".
std::string LaneDifference(const Lanes& a, const Lanes& b, size_t lane) {
  std::string what = FirstDifference(a.outcomes[lane], b.outcomes[lane]);
  if (what.empty() && a.sources[lane] != b.sources[lane]) what = "sources are not the same lanes";
  if (!what.empty() || a.notes.empty() || b.notes.empty()) return what;
  what = NoteDifference(a.notes[lane], b.notes[lane]);
  if (what.empty() && a.changes[lane] != b.changes[lane]) {
    what = "new claims came about by other changes";
  }
  return what;
}

// The first problem whose digests differ.
RunDifference DifferingProblem(const RunRecord& run_a, const RoundRecord& a, const RunRecord& run_b,
                               const RoundRecord& b) {
  RunDifference difference;
  difference.round = a.round();
  const int count = std::min(a.problem_digests_size(), b.problem_digests_size());
  for (int slot = 0; slot < std::max(run_a.problems_size(), run_b.problems_size()); ++slot) {
    const int in_a = slot < run_a.problems_size() ? run_a.problems(slot) : kMaxProblems;
    const int in_b = slot < run_b.problems_size() ? run_b.problems(slot) : kMaxProblems;
    if (in_a != in_b) {
      difference.problem = std::min(in_a, in_b);
      difference.what = absl::StrCat("only ", FormatRun((in_a < in_b ? run_a : run_b).run()),
                                     " has this problem");
      return difference;
    }
    if (slot < count && a.problem_digests(slot) != b.problem_digests(slot)) {
      difference.problem = in_a;
      return difference;
    }
  }
  difference.what = "the digests differ, those of the problems do not";
  return difference;
}

}  // namespace

std::string WordsFor(const RunDifference& difference) {
  std::string text = absl::StrCat("round ", difference.round);
  if (difference.problem >= 0) absl::StrAppend(&text, ", ", FormatProblem(difference.problem));
  if (difference.lane >= 0) absl::StrAppend(&text, ", lane ", difference.lane);
  return absl::StrCat(text, ": ", difference.what);
}

absl::StatusOr<std::optional<RunDifference>> CompareRuns(const Store& store_a,
                                                         const RunRecord& run_a,
                                                         const Store& store_b,
                                                         const RunRecord& run_b) {
  const auto rounds_a = store_a.Rounds(run_a.run());
  if (!rounds_a.ok()) return rounds_a.status();
  const auto rounds_b = store_b.Rounds(run_b.run());
  if (!rounds_b.ok()) return rounds_b.status();
  const size_t shared = std::min(rounds_a->size(), rounds_b->size());
  for (size_t r = 0; r < shared; ++r) {
    const RoundRecord& a = (*rounds_a)[r];
    const RoundRecord& b = (*rounds_b)[r];
    if (a.digest() == b.digest()) continue;
    RunDifference difference = DifferingProblem(run_a, a, run_b, b);
    if (!difference.what.empty()) return difference;
    if (a.dropped() || b.dropped()) {
      difference.what =
          absl::StrCat("the digests differ; the lane is not known, since ",
                       FormatRun((a.dropped() ? run_a : run_b).run()), " did not keep this round");
      return difference;
    }
    const auto lanes_a = LoadLanes(store_a, run_a, a.round(), difference.problem);
    if (!lanes_a.ok()) return lanes_a.status();
    const auto lanes_b = LoadLanes(store_b, run_b, b.round(), difference.problem);
    if (!lanes_b.ok()) return lanes_b.status();
    const size_t count_a = lanes_a->outcomes.size();
    const size_t count_b = lanes_b->outcomes.size();
    for (size_t lane = 0; lane < std::min(count_a, count_b); ++lane) {
      difference.what = LaneDifference(*lanes_a, *lanes_b, lane);
      if (difference.what.empty()) continue;
      difference.lane = static_cast<int>(lane);
      return difference;
    }
    difference.what = "the digests differ, what is recorded of the attempts does not";
    if (count_a != count_b) {
      difference.lane = static_cast<int>(std::min(count_a, count_b));
      difference.what =
          absl::StrCat("only one of them has this lane: ", count_a, " lanes, not ", count_b);
    }
    return difference;
  }
  if (rounds_a->size() == rounds_b->size()) return std::nullopt;
  RunDifference difference;
  difference.round = static_cast<int>(shared);
  difference.what = absl::StrCat("only one of them has this round: ", rounds_a->size(),
                                 " rounds, not ", rounds_b->size());
  return difference;
}

}  // namespace hearsay
