#include "lineage/harm.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "lineage/by_problem.h"
#include "lineage/lines.h"
#include "tasks/world.h"

namespace hearsay {
namespace {

bool Worse(const HarmfulLine& a, const HarmfulLine& b) {
  return a.doublings != b.doublings ? a.doublings > b.doublings : a.root < b.root;
}

// Keeps the k worst.
void KeepWorst(int k, std::vector<HarmfulLine>& lines) {
  const size_t kept = std::min(lines.size(), static_cast<size_t>(std::max(k, 0)));
  std::partial_sort(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(kept), lines.end(),
                    Worse);
  lines.resize(kept);
}

// By row, the first version of the oldest line that it is on; kNoRow for what is no closure.
std::vector<RowIndex> OldestRoots(const ClaimTable& table) {
  std::vector<RowIndex> roots(table.size(), kNoRow);
  for (RowIndex i = 0; i < table.size(); ++i) {
    const ClaimRow& row = table.row(i);
    if (!row.claim.is_closure()) continue;
    roots[i] = i;
    for (RowIndex parent : row.parents) {
      if (parent == kNoRow || !Continues(table.row(parent), row, Kinship::kAnyClosure)) continue;
      roots[i] = std::min(roots[i], roots[parent]);
    }
  }
  return roots;
}

}  // namespace

std::vector<HarmfulLine> MostHarmfulLines(const ClaimTable& table, int k) {
  struct Sum {
    int64_t lg = 0;
    int64_t attempts = 0;
  };
  std::unordered_map<RowIndex, Sum> sums;
  const std::vector<RowIndex> roots = OldestRoots(table);
  const absl::Span<const ClaimEvent> events = table.events();
  RowIndex root = kNoRow;  // of what the attempt paid for
  for (size_t e = 0; e < events.size(); ++e) {
    const ClaimEvent& event = events[e];
    if (event.deed != Deed::kPaidMost || event.cost_lg <= 0) continue;
    const RowIndex of_row = roots[event.row];
    if (of_row != kNoRow && (root == kNoRow || of_row < root)) root = of_row;
    // The second of two versions that were read as one follows at once.
    const bool more = e + 1 < events.size() && events[e + 1].deed == Deed::kPaidMost &&
                      events[e + 1].attempt == event.attempt;
    if (more || root == kNoRow) continue;
    sums[root].lg += event.cost_lg;
    ++sums[root].attempts;
    root = kNoRow;
  }
  std::vector<HarmfulLine> lines;
  for (const auto& [first, sum] : sums) {
    lines.push_back(
        {table.row(first).id, static_cast<double>(sum.lg) / kLgPerDoubling, sum.attempts});
  }
  KeepWorst(k, lines);
  return lines;
}

absl::StatusOr<std::vector<HarmfulLine>> MostHarmfulLinesOfRun(const Store& store, int run,
                                                               Atlas& atlas, int problem, int k) {
  std::mutex mutex;
  std::vector<HarmfulLine> worst;
  const absl::Status status =
      VisitProblems(store, run, atlas, problem, [&](const ClaimTable& table) {
        const std::vector<HarmfulLine> lines = MostHarmfulLines(table, k);
        const std::lock_guard<std::mutex> lock(mutex);
        worst.insert(worst.end(), lines.begin(), lines.end());
        KeepWorst(k, worst);
      });
  if (!status.ok()) return status;
  return worst;
}

}  // namespace hearsay
