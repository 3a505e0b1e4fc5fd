// What recording costs, as ratios within one measurement: against files of the same attempts
// written as they stand in memory, and against a run that records no claims. Topology 0 is relay, 1
// pool.
//
//   build/tests/recording_bench

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "executor/executor.h"
#include "kb/codec.h"
#include "kb/store.h"
#include "rocksdb/options.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/table.h"
#include "rounds/engine.h"
#include "rounds/plan.h"
#include "rounds/recorder.h"
#include "rounds/setup.h"
#include "tasks/thread_pool.h"

namespace hearsay {
namespace {

constexpr int kThreads = 2;

double Seconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
}

Plan BenchPlan(int topology, int lanes, int rounds) {
  Plan plan;
  plan.set_lanes(lanes);
  plan.set_rounds(rounds);
  plan.set_topology(topology == 0 ? "relay" : "pool:4,best");
  if (!CompletePlan(&plan).ok()) std::abort();
  return plan;
}

std::string Place(const char* name) {
  const std::string path = (std::filesystem::temp_directory_path() / name).string();
  std::filesystem::remove_all(path);
  return path;
}

// What a chunk's lanes did, kept.
struct KeptChunk {
  int slot, first_lane;
  std::vector<Outcome> outcomes;
  std::vector<WrittenNote> notes;
  std::vector<LaneTrace> traces;

  LaneChunk View() const {
    return {slot,         first_lane,   static_cast<int>(outcomes.size()), outcomes.data(),
            notes.data(), traces.data()};
  }
};

struct KeptRound {
  std::vector<KeptChunk> chunks;
  std::vector<uint64_t> digests;
};

std::vector<KeptRound> Compute(RunSetup& setup, int rounds) {
  const auto executor = NewCpuExecutor(setup.tables, kThreads);
  if (!executor->RunBaselines(&setup.baselines).ok()) std::abort();
  setup.tables.baselines = setup.baselines.data();
  const int chunks_a_problem = (setup.tables.lanes + kChunkLanes - 1) / kChunkLanes;
  std::vector<KeptRound> kept(rounds);
  for (int r = 0; r < rounds; ++r) {
    kept[r].chunks.resize(setup.problems.size() * static_cast<size_t>(chunks_a_problem));
    const absl::Status status = executor->RunRound(
        r,
        [&](int index, const LaneChunk& chunk) {
          kept[r].chunks[index] = {chunk.slot,
                                   chunk.first_lane,
                                   {chunk.outcomes, chunk.outcomes + chunk.count},
                                   {chunk.notes, chunk.notes + chunk.count},
                                   {chunk.traces, chunk.traces + chunk.count}};
        },
        &kept[r].digests);
    if (!status.ok()) std::abort();
  }
  return kept;
}

RunRecord RecordOf(const RunSetup& setup) {
  RunRecord record;
  record.set_run(1);
  for (const int problem : setup.problems) record.add_problems(problem);
  for (const std::string& agent : setup.plan.agents()) record.add_agents(agent);
  record.set_lanes(setup.plan.lanes());
  record.set_rounds(setup.plan.rounds());
  record.set_claims_recorded(true);
  return record;
}

// As the engine does it: a round is committed while the next is encoded. Returns seconds.
double RecordAll(const RunSetup& setup, const std::vector<KeptRound>& rounds, ThreadPool* pool) {
  const auto store = Store::Open(Place("hearsay_recording_bench.kb"), Store::Mode::kWrite);
  if (!store.ok() || !(*store)->PutRun(RecordOf(setup)).ok()) std::abort();
  Recorder recorder(setup, 1, /*with_claims=*/true);
  const auto start = std::chrono::steady_clock::now();
  std::future<absl::Status> pending;
  for (size_t r = 0; r < rounds.size(); ++r) {
    recorder.Begin(static_cast<int>(r));
    pool->For(static_cast<int>(rounds[r].chunks.size()),
              [&](int c) { recorder.Chunk(c, rounds[r].chunks[c].View()); });
    RecordedRound round = recorder.End(rounds[r].digests);
    if (pending.valid() && !pending.get().ok()) std::abort();
    pending = std::async(std::launch::async, [&store, round = std::move(round)] {
      return (*store)->CommitRound(round.record, round.blocks);
    });
  }
  if (!pending.get().ok() || !(*store)->Flush().ok()) std::abort();
  return Seconds(start);
}

template <typename T>
void AppendBytes(const std::vector<T>& values, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

// The attempts of a block as they stand in memory.
std::string Raw(const AttemptBlock& block) {
  std::string bytes;
  AppendBytes(block.outcomes, &bytes);
  AppendBytes(block.source_begin, &bytes);
  AppendBytes(block.sources, &bytes);
  AppendBytes(block.note_begin, &bytes);
  AppendBytes(block.notes, &bytes);
  AppendBytes(block.new_begin, &bytes);
  AppendBytes(block.new_claims, &bytes);
  AppendBytes(block.intake_begin, &bytes);
  AppendBytes(block.intake, &bytes);
  return bytes;
}

struct RawRound {
  std::vector<std::pair<std::string, std::string>> pairs;
};

std::vector<RawRound> ReadRaw(int rounds, size_t* size_bytes) {
  const std::string path =
      (std::filesystem::temp_directory_path() / "hearsay_recording_bench.kb").string();
  const auto store = Store::Open(path, Store::Mode::kRead);
  if (!store.ok()) std::abort();
  std::vector<RawRound> raw(rounds);
  for (int r = 0; r < rounds; ++r) {
    const absl::Status status = (*store)->ScanRound(1, r, -1, [&](const AttemptBlock& block) {
      raw[r].pairs.emplace_back(BlockKey(block.first), Raw(block));
      *size_bytes += raw[r].pairs.back().second.size();
      return true;
    });
    if (!status.ok()) std::abort();
  }
  return raw;
}

// One file a round, as many at once as there are threads. Returns seconds.
double WriteRaw(const std::vector<RawRound>& rounds, ThreadPool* pool) {
  const std::string path = Place("hearsay_recording_bench.raw");
  std::filesystem::create_directory(path);
  rocksdb::Options options;
  options.compression = rocksdb::kNoCompression;
  rocksdb::BlockBasedTableOptions table;
  table.block_size = size_t{32} << 10;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  const auto start = std::chrono::steady_clock::now();
  pool->For(static_cast<int>(rounds.size()), [&](int r) {
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
    if (!writer.Open(path + "/" + std::to_string(r) + ".sst").ok()) std::abort();
    for (const auto& [key, value] : rounds[r].pairs) {
      if (!writer.Put(key, value).ok()) std::abort();
    }
    if (!writer.Finish().ok()) std::abort();
  });
  const double seconds = Seconds(start);
  std::filesystem::remove_all(path);
  return seconds;
}

// Recording rounds that are computed already, encoding included, against writing them raw.
void BM_RecordingAgainstRawFiles(benchmark::State& state) {
  constexpr int kLanes = 1024, kRounds = 4;
  auto setup = PrepareRun(BenchPlan(static_cast<int>(state.range(0)), kLanes, kRounds), kThreads);
  if (!setup.ok()) std::abort();
  const std::vector<KeptRound> rounds = Compute(**setup, kRounds);
  ThreadPool pool(kThreads);
  RecordAll(**setup, rounds, &pool);
  size_t raw_bytes = 0;
  const std::vector<RawRound> raw = ReadRaw(kRounds, &raw_bytes);
  double recording = 0, writing = 0;
  for (auto _ : state) {
    recording += RecordAll(**setup, rounds, &pool);
    writing += WriteRaw(raw, &pool);
  }
  const double attempts = 74.0 * kLanes * kRounds, times = static_cast<double>(state.iterations());
  state.counters["recorded_per_s"] = attempts * times / recording;
  state.counters["raw_per_s"] = attempts * times / writing;
  state.counters["raw_bytes"] = static_cast<double>(raw_bytes) / attempts;
  state.counters["ratio"] = writing / recording;
  std::filesystem::remove_all(Place("hearsay_recording_bench.kb"));
}
BENCHMARK(BM_RecordingAgainstRawFiles)
    ->Arg(0)
    ->Arg(1)
    ->Iterations(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// Whole runs with all claims against the same without.
void BM_FullAgainstSummary(benchmark::State& state) {
  constexpr int kLanes = 1024, kRounds = 10;
  Plan plan = BenchPlan(static_cast<int>(state.range(0)), kLanes, kRounds);
  RunOptions options;
  options.threads = kThreads;
  double seconds[2] = {0, 0};
  for (auto _ : state) {
    for (const bool full : {false, true}) {
      plan.set_record(full ? "full" : "summary");
      const auto store = Store::Open(Place("hearsay_recording_bench.kb"), Store::Mode::kWrite);
      const auto start = std::chrono::steady_clock::now();
      if (!store.ok() || !ExecutePlan(plan, options, store->get()).ok()) std::abort();
      seconds[full] += Seconds(start);
    }
  }
  const double attempts = 74.0 * kLanes * kRounds * static_cast<double>(state.iterations());
  state.counters["full_per_s"] = attempts / seconds[true];
  state.counters["summary_per_s"] = attempts / seconds[false];
  state.counters["slowed_by"] = seconds[true] / seconds[false] - 1;
  std::filesystem::remove_all(Place("hearsay_recording_bench.kb"));
}
BENCHMARK(BM_FullAgainstSummary)
    ->Arg(0)
    ->Arg(1)
    ->Iterations(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hearsay

BENCHMARK_MAIN();
