#include "lineage/harm.h"

#include <algorithm>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "lineage/lines.h"
#include "tasks/world.h"

namespace hearsay {
namespace {

// Each holds the claims of one problem.
constexpr size_t kMostThreads = 4;

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
  std::vector<int> problems;
  for (int index : record->problems()) {
    if (problem < 0 || index == problem) problems.push_back(index);
  }
  std::mutex mutex;  // of all below
  size_t next = 0;
  absl::Status failed;
  std::vector<HarmfulLine> worst;
  const auto work = [&] {
    for (;;) {
      int index;
      {
        const std::lock_guard<std::mutex> lock(mutex);
        if (next == problems.size() || !failed.ok()) return;
        index = problems[next++];
      }
      const auto table = ClaimTable::Load(store, run, atlas, index);
      const std::vector<HarmfulLine> lines =
          table.ok() ? MostHarmfulLines(**table, k) : std::vector<HarmfulLine>();
      const std::lock_guard<std::mutex> lock(mutex);
      failed.Update(table.status());
      worst.insert(worst.end(), lines.begin(), lines.end());
      KeepWorst(k, worst);
    }
  };
  std::vector<std::thread> threads;
  const size_t wanted = std::min<size_t>(problems.size(), kMostThreads);
  for (size_t t = 1; t < std::min<size_t>(wanted, std::thread::hardware_concurrency()); ++t) {
    threads.emplace_back(work);
  }
  work();
  for (std::thread& thread : threads) thread.join();
  if (!failed.ok()) return failed;
  return worst;
}

}  // namespace hearsay
