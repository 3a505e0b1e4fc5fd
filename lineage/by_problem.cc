#include "lineage/by_problem.h"

#include <algorithm>
#include <mutex>
#include <thread>
#include <vector>

namespace hearsay {

absl::Status VisitProblems(const Store& store, int run, Atlas& atlas, int problem,
                           const std::function<void(const ClaimTable&)>& visit) {
  const absl::StatusOr<RunRecord> record = store.Run(run);
  if (!record.ok()) return record.status();
  std::vector<int> problems;
  for (int index : record->problems()) {
    if (problem < 0 || index == problem) problems.push_back(index);
  }
  std::mutex mutex;  // of the two below
  size_t next = 0;
  absl::Status failed;
  const auto work = [&] {
    for (;;) {
      int index;
      {
        const std::lock_guard<std::mutex> lock(mutex);
        if (next == problems.size() || !failed.ok()) return;
        index = problems[next++];
      }
      const auto table = ClaimTable::Load(store, run, atlas, index);
      if (table.ok()) {
        visit(**table);
      } else {
        const std::lock_guard<std::mutex> lock(mutex);
        failed.Update(table.status());
      }
    }
  };
  const size_t wanted = std::min({problems.size(), static_cast<size_t>(kMostTables),
                                  static_cast<size_t>(std::thread::hardware_concurrency())});
  std::vector<std::thread> threads;
  for (size_t t = 1; t < wanted; ++t) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  return failed;
}

}  // namespace hearsay
