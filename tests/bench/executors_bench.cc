// Attempts per second of the CPU executor with all cores and of the CUDA executor, without
// recording, over all 74 problems, and how they grow with what a run is made of. Where there is no
// GPU the second half is left out and the benchmark says so.
//
//   build/tests/executors_bench --benchmark_counters_tabular=true
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "executor/device.h"
#include "executor/executor.h"
#include "rounds/plan.h"
#include "rounds/setup.h"

namespace hearsay {
namespace {

// What a run is made of; 0 leaves a thing as it is in the default plan.
struct Size {
  int lanes = 4096;
  int first_round = 2;  // rounds before it are run but not measured
  int claims = 0;       // capacity of every agent's note
  int knobs = 0;        // of every problem at most: the others stay at their first value
};

std::unique_ptr<RunSetup> Prepare(const Size& size) {
  Plan plan;
  plan.set_lanes(size.lanes);
  plan.set_rounds(1000000);
  if (!CompletePlan(&plan).ok()) std::abort();
  auto setup = PrepareRun(plan, static_cast<int>(std::thread::hardware_concurrency()));
  if (!setup.ok()) std::abort();
  for (AgentProfile& agent : (*setup)->agents) {
    if (size.claims != 0) agent.note_capacity = size.claims;
  }
  for (size_t i = 0; i < (*setup)->worlds.size(); ++i) {
    World& world = (*setup)->worlds[i];
    if (size.knobs == 0 || size.knobs >= world.knob_count) continue;
    // Points are numbered from the first knob on, so those of fewer knobs come first.
    world.point_count = world.stride[size.knobs];
    world.knob_count = size.knobs;
    for (int k = size.knobs; k < kMaxKnobs; ++k) world.value_count[k] = 1;
    (*setup)->priors[i] = MakePriorTable(world);
  }
  return *std::move(setup);
}

int Threads() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

// A run that stands before its first measured round.
class Bench {
 public:
  Bench(ExecutorKind kind, const Size& size) : setup_(Prepare(size)), round_(0) {
    auto executor = NewExecutor(kind, setup_->tables, Threads());
    if (!executor.ok()) std::abort();
    executor_ = *std::move(executor);
    if (!executor_->RunBaselines(&setup_->baselines).ok()) std::abort();
    setup_->tables.baselines = setup_->baselines.data();
    while (round_ < size.first_round) Round();
  }

  void Round() {
    if (!executor_->RunRound(round_++, nullptr, &digests_).ok()) std::abort();
  }
  int64_t attempts_a_round() const {
    return static_cast<int64_t>(setup_->tables.problem_count) * setup_->tables.lanes;
  }

 private:
  std::unique_ptr<RunSetup> setup_;
  std::unique_ptr<Executor> executor_;
  std::vector<uint64_t> digests_;
  int round_;
};

void Measure(benchmark::State& state, ExecutorKind kind, Size size) {
  Bench bench(kind, size);
  for (auto _ : state) bench.Round();
  state.counters["attempts/s"] =
      benchmark::Counter(static_cast<double>(state.iterations() * bench.attempts_a_round()),
                         benchmark::Counter::kIsRate);
}

double SecondsOf(Bench* bench, int rounds) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < rounds; ++i) bench->Round();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Both executors by turns on one plan; the ratio is that of their median speeds.
void MeasureRatio(benchmark::State& state) {
  Size size;
  size.lanes = 16384;
  Bench cpu(ExecutorKind::kCpu, size);
  Bench cuda(ExecutorKind::kCuda, size);
  std::vector<double> cpu_seconds;
  std::vector<double> cuda_seconds;
  for (auto _ : state) {
    cpu_seconds.push_back(SecondsOf(&cpu, 1));
    cuda_seconds.push_back(SecondsOf(&cuda, 20) / 20);
  }
  const auto median = [](std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
  };
  const auto attempts = static_cast<double>(cpu.attempts_a_round());
  state.counters["cpu attempts/s"] = attempts / median(cpu_seconds);
  state.counters["cuda attempts/s"] = attempts / median(cuda_seconds);
  state.counters["ratio"] = median(cpu_seconds) / median(cuda_seconds);
}

void Add(ExecutorKind kind, const std::string& what, const Size& size) {
  const char* const name = kind == ExecutorKind::kCpu ? "cpu/" : "cuda/";
  benchmark::RegisterBenchmark(
      absl::StrCat(name, what).c_str(),
      [kind, size](benchmark::State& state) { Measure(state, kind, size); })
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

void AddAll(ExecutorKind kind) {
  for (int lanes : {250, 500, 1000, 2000, 4000, 8000, 16000, 32000}) {
    Size size;
    size.lanes = lanes;
    Add(kind, absl::StrCat("lanes:", lanes), size);
  }
  for (int round : {8, 16, 32, 64}) {
    Size size;
    size.first_round = round;
    Add(kind, absl::StrCat("first_round:", round), size);
  }
  for (int claims : {3, 6, 12, 24}) {
    Size size;
    size.claims = claims;
    Add(kind, absl::StrCat("claims:", claims), size);
  }
  for (int knobs : {2, 4, 8}) {
    Size size;
    size.knobs = knobs;
    Add(kind, absl::StrCat("knobs:", knobs), size);
  }
}

}  // namespace
}  // namespace hearsay

int main(int argc, char** argv) {
  using hearsay::ExecutorKind;
  benchmark::Initialize(&argc, argv);
  hearsay::AddAll(ExecutorKind::kCpu);
  const auto devices = hearsay::CudaDevices();
  if (devices.ok()) {
    hearsay::AddAll(ExecutorKind::kCuda);
    benchmark::RegisterBenchmark("ratio", hearsay::MeasureRatio)
        ->Iterations(7)
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  } else {
    fprintf(stderr, "CUDA is NOT measured: %s\n", std::string(devices.status().message()).c_str());
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
