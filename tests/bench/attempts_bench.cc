// Attempts per second on one core, with and without recording, over all 74 problems.
//
//   build/tests/attempts_bench --benchmark_min_time=2

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <vector>

#include "executor/executor.h"
#include "kb/store.h"
#include "rounds/engine.h"
#include "rounds/plan.h"
#include "rounds/setup.h"

namespace hearsay {
namespace {

Plan BenchPlan(int lanes, int rounds) {
  Plan plan;
  plan.set_lanes(lanes);
  plan.set_rounds(rounds);
  if (!CompletePlan(&plan).ok()) std::abort();
  return plan;
}

// The executor alone: relay, notes on, nothing recorded.
void BM_Attempts(benchmark::State& state) {
  const int lanes = static_cast<int>(state.range(0));
  auto setup = PrepareRun(BenchPlan(lanes, 1000000), 1);
  if (!setup.ok()) std::abort();
  const auto executor = NewCpuExecutor((*setup)->tables, 1);
  if (!executor->RunBaselines(&(*setup)->baselines).ok()) std::abort();
  (*setup)->tables.baselines = (*setup)->baselines.data();
  std::vector<uint64_t> digests;
  int round = 0;
  for (auto _ : state) {
    if (!executor->RunRound(round++, nullptr, &digests).ok()) std::abort();
  }
  state.SetItemsProcessed(state.iterations() * lanes * 74);
}
BENCHMARK(BM_Attempts)->Arg(12)->Arg(240)->Unit(benchmark::kMillisecond);

// Whole runs into a kb, claims recorded, on `threads` threads.
void BM_RecordedRun(benchmark::State& state) {
  const int lanes = static_cast<int>(state.range(0));
  const int threads = static_cast<int>(state.range(1));
  constexpr int kRounds = 20;
  const std::string path =
      (std::filesystem::temp_directory_path() / "hearsay_attempts_bench.kb").string();
  const Plan plan = BenchPlan(lanes, kRounds);
  RunOptions options;
  options.threads = threads;
  for (auto _ : state) {
    std::filesystem::remove_all(path);
    auto store = Store::Open(path, Store::Mode::kWrite);
    if (!store.ok() || !ExecutePlan(plan, options, store->get()).ok()) std::abort();
  }
  std::filesystem::remove_all(path);
  state.SetItemsProcessed(state.iterations() * lanes * kRounds * 74);
}
BENCHMARK(BM_RecordedRun)
    ->Args({12, 1})
    ->Args({240, 1})
    ->Args({240, 2})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hearsay

BENCHMARK_MAIN();
