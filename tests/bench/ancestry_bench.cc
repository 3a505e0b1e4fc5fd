// Ancestors and descendants of claims from the index, against SQLite's recursive query over the
// same edges, indexed both ways and in memory; and the building of the index.
//
//   HEARSAY_BENCH_KB=my.kb build/tests/ancestry_bench
//
// Without a kb one is made: relay and pool, 12 lanes and 100 rounds of all problems. Of each run
// the problem with the most claims is asked about: up from the claims of its last round that are
// most generations deep, down from their oldest ancestors. Both sides answer the same questions in
// turn, and their answers are compared. Times are medians over questions.

#include <benchmark/benchmark.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "kb/store.h"
#include "lineage/ancestry_index.h"
#include "lineage/walk.h"
#include "rounds/engine.h"
#include "rounds/plan.h"

namespace hearsay {
namespace {

using Clock = std::chrono::steady_clock;

void Require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "ancestry_bench: %s\n", what);
  std::abort();
}

void MakeKb(const std::string& path) {
  std::filesystem::remove_all(path);
  auto store = Store::Open(path, Store::Mode::kWrite);
  Require(store.ok(), "no kb can be made");
  for (const char* topology : {"relay", "pool:3,uniform"}) {
    Plan plan;
    plan.set_lanes(12);
    plan.set_rounds(100);
    plan.set_topology(topology);
    Require(CompletePlan(&plan).ok() && ExecutePlan(plan, RunOptions(), store->get()).ok(),
            "the run failed");
  }
}

std::string KbPath() {
  static const std::string path = [] {
    if (const char* named = std::getenv("HEARSAY_BENCH_KB")) return std::string(named);
    const auto made = std::filesystem::temp_directory_path() / "hearsay_ancestry_bench.kb";
    MakeKb(made.string());
    return made.string();
  }();
  return path;
}

const AncestryIndex& Index() {
  static const std::unique_ptr<AncestryIndex> index = [] {
    auto made = std::make_unique<AncestryIndex>();
    const auto store = Store::Open(KbPath(), Store::Mode::kRead);
    Require(store.ok() && made->Extend(**store, 2).ok(), "the kb cannot be read");
    return made;
  }();
  return *index;
}

// Opens the kb and indexes all of it.
void BM_OpenAndBuild(benchmark::State& state) {
  const std::string path = KbPath();
  for (auto _ : state) {
    AncestryIndex index;
    const auto store = Store::Open(path, Store::Mode::kRead);
    const bool built = store.ok() && index.Extend(**store, static_cast<int>(state.range(0))).ok();
    Require(built, "the kb cannot be read");
    const auto claims = static_cast<double>(index.claim_count());
    state.counters["claims"] = claims;
    state.counters["bytes_per_claim"] = static_cast<double>(index.size_bytes()) / claims;
  }
}
BENCHMARK(BM_OpenAndBuild)->Arg(2)->Iterations(1)->UseRealTime()->Unit(benchmark::kSecond);

// --- what is asked ---

struct Questions {
  const AncestrySection* section = nullptr;
  std::vector<RowIndex> deep;  // of the last round
  std::vector<RowIndex> old;   // their oldest ancestors
  int generations = 0;         // of the least deep of them
};

Questions Ask(int run) {
  Questions asked;
  for (int problem = 0; problem < kMaxProblems; ++problem) {
    const AncestrySection* section = Index().Section(run, problem);
    if (section == nullptr) continue;
    if (asked.section == nullptr || section->size() > asked.section->size()) {
      asked.section = section;
    }
  }
  Require(asked.section != nullptr, "the kb has no such run");
  const AncestrySection& section = *asked.section;
  std::vector<int> depth(section.size(), 1);  // the longest way up
  for (RowIndex i = 0; i < section.size(); ++i) {
    for (const RowIndex parent : section.parents(i)) {
      depth[i] = std::max(depth[i], depth[parent] + 1);
    }
  }
  std::vector<RowIndex> last;
  for (RowIndex i = section.size() - 1; i >= 0; --i) {
    if (section.IdOf(i).attempt().round() + 1 < section.round_count()) break;
    last.push_back(i);
  }
  constexpr size_t kQuestions = 200;
  std::stable_sort(last.begin(), last.end(),
                   [&](RowIndex a, RowIndex b) { return depth[a] > depth[b]; });
  last.resize(std::min(last.size(), kQuestions));
  Require(!last.empty(), "no claim was written in the last round");
  asked.generations = depth[last.back()];
  asked.deep = last;
  Walker walker(section);
  for (const RowIndex row : last) {
    RowIndex oldest = row;
    for (const Reached& r : walker.Ancestors(row)) oldest = std::min(oldest, r.row);
    asked.old.push_back(oldest);
  }
  return asked;
}

class Sqlite {
 public:
  explicit Sqlite(const AncestrySection& section) {
    Require(sqlite3_open(":memory:", &db_) == SQLITE_OK, "SQLite does not open");
    Run("CREATE TABLE edge(child INTEGER, parent INTEGER, PRIMARY KEY(child, parent)) "
        "WITHOUT ROWID");
    Run("BEGIN");
    sqlite3_stmt* insert = Prepare("INSERT INTO edge VALUES(?1, ?2)");
    for (RowIndex i = 0; i < section.size(); ++i) {
      for (const RowIndex parent : section.parents(i)) {
        sqlite3_bind_int(insert, 1, i);
        sqlite3_bind_int(insert, 2, parent);
        Require(sqlite3_step(insert) == SQLITE_DONE, "an edge is refused");
        sqlite3_reset(insert);
      }
    }
    sqlite3_finalize(insert);
    Run("COMMIT");
    Run("CREATE INDEX down ON edge(parent, child)");
    Run("ANALYZE");
    up_ = Prepare(
        "WITH RECURSIVE r(x) AS (VALUES(?1) UNION SELECT parent FROM r JOIN edge ON child = x) "
        "SELECT x FROM r");
    down_ = Prepare(
        "WITH RECURSIVE r(x) AS (VALUES(?1) UNION SELECT child FROM r JOIN edge ON parent = x) "
        "SELECT x FROM r");
  }
  ~Sqlite() {
    sqlite3_finalize(up_);
    sqlite3_finalize(down_);
    sqlite3_close(db_);
  }
  Sqlite(const Sqlite&) = delete;
  Sqlite& operator=(const Sqlite&) = delete;

  std::vector<RowIndex> Walk(RowIndex start, bool up) {
    sqlite3_stmt* query = up ? up_ : down_;
    std::vector<RowIndex> rows;
    sqlite3_bind_int(query, 1, start);
    while (sqlite3_step(query) == SQLITE_ROW) rows.push_back(sqlite3_column_int(query, 0));
    sqlite3_reset(query);
    return rows;
  }

 private:
  void Run(const char* sql) {
    Require(sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) == SQLITE_OK, sql);
  }
  sqlite3_stmt* Prepare(const char* sql) {
    sqlite3_stmt* statement = nullptr;
    Require(sqlite3_prepare_v2(db_, sql, -1, &statement, nullptr) == SQLITE_OK, sql);
    return statement;
  }

  sqlite3* db_ = nullptr;
  sqlite3_stmt* up_ = nullptr;
  sqlite3_stmt* down_ = nullptr;
};

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

double MicrosecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// Run state.range(0); up where state.range(1) is 1. Where state.range(2) is 1, the second of two
// askings in a row is timed, so that all it touches is in the cache; else what all other questions
// have touched since has been there too.
void BM_Walk(benchmark::State& state) {
  const Questions asked = Ask(static_cast<int>(state.range(0)));
  const bool up = state.range(1) == 1, again = state.range(2) == 1;
  Sqlite sqlite(*asked.section);
  Walker walker(*asked.section);
  const std::vector<RowIndex>& starts = up ? asked.deep : asked.old;
  std::vector<double> index_us, sqlite_us, reached;
  // Both are warm: each has answered all questions, which are compared, before it is timed.
  for (const RowIndex start : starts) {
    std::vector<RowIndex> ours, theirs = sqlite.Walk(start, up);
    for (const Reached& r : up ? walker.Ancestors(start) : walker.Descendants(start)) {
      ours.push_back(r.row);
    }
    std::sort(ours.begin(), ours.end());
    std::sort(theirs.begin(), theirs.end());
    Require(ours == theirs, "SQLite and the index do not agree");
    reached.push_back(static_cast<double>(ours.size()));
  }
  for (auto _ : state) {
    for (const RowIndex start : starts) {
      if (again) benchmark::DoNotOptimize(sqlite.Walk(start, up));
      const Clock::time_point from = Clock::now();
      benchmark::DoNotOptimize(sqlite.Walk(start, up));
      sqlite_us.push_back(MicrosecondsSince(from));
    }
    for (const RowIndex start : starts) {
      if (again) {
        benchmark::DoNotOptimize(up ? walker.Ancestors(start) : walker.Descendants(start));
      }
      const Clock::time_point from = Clock::now();
      benchmark::DoNotOptimize(up ? walker.Ancestors(start) : walker.Descendants(start));
      index_us.push_back(MicrosecondsSince(from));
    }
  }
  state.counters["generations"] = asked.generations;
  state.counters["claims_reached"] = Median(reached);
  state.counters["index_us"] = Median(index_us);
  state.counters["sqlite_us"] = Median(sqlite_us);
  state.counters["ratio"] = Median(sqlite_us) / Median(index_us);
}
BENCHMARK(BM_Walk)
    ->ArgNames({"run", "up", "again"})
    ->ArgsProduct({{1, 2}, {1, 0}, {0, 1}})
    ->Iterations(2)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hearsay

BENCHMARK_MAIN();
