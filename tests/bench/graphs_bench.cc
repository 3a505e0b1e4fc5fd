// Graphs and exports of one problem as it is in a run of 20 million attempts over 74 problems:
// 1,352 lanes, 100 rounds, twice (relay and pool). Whatever else such a run holds is not read.
//
//   build/tests/graphs_bench

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "kb/store.h"
#include "lineage/export.h"
#include "lineage/graph.h"
#include "lineage/harm.h"
#include "rounds/engine.h"
#include "rounds/plan.h"

namespace hearsay {
namespace {

constexpr int kProblem = 26;
constexpr char kTopologies[][20] = {"relay", "pool:3,uniform"};

// A kb with both runs, made once and removed at the end.
class Kb {
 public:
  Kb() {
    std::filesystem::remove_all(path_);
    for (const char* topology : kTopologies) {
      Plan plan;
      plan.set_problems("p27");
      plan.set_topology(topology);
      plan.set_lanes(1352);
      plan.set_rounds(100);
      auto store = Store::Open(path_, Store::Mode::kWrite);
      if (!CompletePlan(&plan).ok() || !store.ok() ||
          !ExecutePlan(plan, RunOptions(), store->get()).ok()) {
        std::abort();
      }
    }
    auto store = Store::Open(path_, Store::Mode::kRead);
    auto atlas = Atlas::Create("h200");
    if (!store.ok() || !atlas.ok()) std::abort();
    store_ = *std::move(store);
    atlas_ = *std::move(atlas);
  }
  ~Kb() {
    store_.reset();
    std::filesystem::remove_all(path_);
  }
  const Store& store() const { return *store_; }
  Atlas& atlas() const { return *atlas_; }
  std::unique_ptr<ClaimTable> Table(int run) const {
    auto table = ClaimTable::Load(*store_, run, *atlas_, kProblem);
    if (!table.ok()) std::abort();
    return *std::move(table);
  }

 private:
  const std::string path_ =
      (std::filesystem::temp_directory_path() / "hearsay_graphs_bench.kb").string();
  std::unique_ptr<Store> store_;
  std::unique_ptr<Atlas> atlas_;
};

const Kb& TheKb() {
  static const Kb kb;
  return kb;
}

void Draw(const absl::StatusOr<GraphModel>& model, GraphFormat format, benchmark::State& state) {
  if (!model.ok()) std::abort();
  const absl::StatusOr<std::string> drawn = RenderGraph(*model, format);
  if (!drawn.ok()) std::abort();
  state.SetLabel(model->CutWords());
}

// What a graph rests on; the others contain it.
void BM_LoadProblem(benchmark::State& state) {
  TheKb();  // made before the clock runs
  for (auto _ : state) benchmark::DoNotOptimize(TheKb().Table(static_cast<int>(state.range(0))));
}
BENCHMARK(BM_LoadProblem)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);

// Around the claim that most notes carry.
void BM_GraphOfClaim(benchmark::State& state) {
  for (auto _ : state) {
    const auto table = TheKb().Table(static_cast<int>(state.range(0)));
    const auto most = std::max_element(
        table->rows().begin(), table->rows().end(),
        [](const ClaimRow& a, const ClaimRow& b) { return a.carriers < b.carriers; });
    Draw(PropagationGraph(*table, most->id, {}), GraphFormat::kSvg, state);
  }
}
BENCHMARK(BM_GraphOfClaim)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);

void BM_GraphOfProblem(benchmark::State& state) {
  for (auto _ : state) {
    const auto table = TheKb().Table(static_cast<int>(state.range(0)));
    Draw(ProblemGraph(*table, {}), GraphFormat::kSvg, state);
  }
}
BENCHMARK(BM_GraphOfProblem)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);

void BM_MostHarmful(benchmark::State& state) {
  const auto table = TheKb().Table(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(MostHarmfulLines(*table, 5));
}
BENCHMARK(BM_MostHarmful)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);

// Ten rounds; items are nodes and links.
void BM_Export(benchmark::State& state) {
  ExportFilter filter;
  filter.last_round = 9;
  int64_t bytes = 0;
  int64_t items = 0;
  const ExportSink sink = [&](absl::string_view piece) {
    bytes += static_cast<int64_t>(piece.size());
    return absl::OkStatus();
  };
  for (auto _ : state) {
    const auto counts = ExportRun(TheKb().store(), 1, TheKb().atlas(),
                                  static_cast<ExportFormat>(state.range(0)), filter, sink, sink);
    if (!counts.ok()) std::abort();
    items += counts->attempts + counts->claims + counts->total_links();
  }
  state.SetBytesProcessed(bytes);
  state.SetItemsProcessed(items);
}
BENCHMARK(BM_Export)
    ->ArgName("format")
    ->Arg(static_cast<int>(ExportFormat::kGraphMl))
    ->Arg(static_cast<int>(ExportFormat::kCytoscape))
    ->Arg(static_cast<int>(ExportFormat::kProvJson))
    ->Arg(static_cast<int>(ExportFormat::kCsv))
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hearsay

BENCHMARK_MAIN();
