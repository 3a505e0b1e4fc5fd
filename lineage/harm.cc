#include "lineage/harm.h"

#include <algorithm>
#include <unordered_map>

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

// Adds the first versions of the lines that row i is on.
void AddRoots(const ClaimTable& table, RowIndex i, std::vector<RowIndex>& roots) {
  std::vector<RowIndex> at = {i};
  std::vector<RowIndex> seen = {i};
  while (!at.empty()) {
    const RowIndex row = at.back();
    at.pop_back();
    bool continues = false;
    for (RowIndex parent : table.row(row).parents) {
      if (parent == kNoRow || !Continues(table.row(parent), table.row(row), Kinship::kAnyClosure)) {
        continue;
      }
      continues = true;
      if (std::find(seen.begin(), seen.end(), parent) != seen.end()) continue;
      seen.push_back(parent);
      at.push_back(parent);
    }
    if (!continues) roots.push_back(row);
  }
}

}  // namespace

std::vector<HarmfulLine> MostHarmfulLines(const ClaimTable& table, int k) {
  struct Sum {
    int64_t lg = 0;
    int64_t attempts = 0;
  };
  std::unordered_map<RowIndex, Sum> sums;
  std::vector<RowIndex> roots;  // of one attempt
  const absl::Span<const ClaimEvent> events = table.events();
  for (size_t e = 0; e < events.size(); ++e) {
    if (events[e].deed != Deed::kPaidMost) continue;
    AddRoots(table, events[e].row, roots);
    // The second of two versions that were read as one follows at once.
    const bool more = e + 1 < events.size() && events[e + 1].deed == Deed::kPaidMost &&
                      events[e + 1].attempt == events[e].attempt;
    if (more) continue;
    std::sort(roots.begin(), roots.end());
    roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
    if (events[e].cost_lg > 0) {
      for (RowIndex root : roots) {
        sums[root].lg += events[e].cost_lg;
        ++sums[root].attempts;
      }
    }
    roots.clear();
  }
  std::vector<HarmfulLine> lines;
  for (const auto& [root, sum] : sums) {
    lines.push_back(
        {table.row(root).id, static_cast<double>(sum.lg) / kLgPerDoubling, sum.attempts});
  }
  KeepWorst(k, lines);
  return lines;
}

absl::StatusOr<std::vector<HarmfulLine>> MostHarmfulLinesOfRun(const Store& store, int run,
                                                               Atlas& atlas, int problem, int k) {
  const absl::StatusOr<RunRecord> record = store.Run(run);
  if (!record.ok()) return record.status();
  std::vector<HarmfulLine> worst;
  for (int index : record->problems()) {
    if (problem >= 0 && index != problem) continue;
    const auto table = ClaimTable::Load(store, run, atlas, index);
    if (!table.ok()) return table.status();
    const std::vector<HarmfulLine> lines = MostHarmfulLines(**table, k);
    worst.insert(worst.end(), lines.begin(), lines.end());
    KeepWorst(k, worst);
  }
  return worst;
}

}  // namespace hearsay
