#include "kb/check.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "kb/retention.h"
#include "kb/rocks.h"
#include "kb/round_check.h"
#include "kb/store_internal.h"

namespace hearsay {

// Numbers in Findings::Add are those of the requirements in docs/data-model.md.

bool CheckRunRecord(const RunRecord& run, int least, Findings* findings) {
  const std::string where = absl::StrCat("R", run.run());
  bool usable = true;
  const auto require = [&](bool holds, absl::string_view what) {
    if (holds) return;
    usable = false;
    findings->Add(2, where, what);
  };
  require(run.run() >= least && run.run() < kMaxRuns, "its number is out of range or order");
  require(run.lanes() >= 1 && run.lanes() <= kMaxLanes,
          absl::StrCat(run.lanes(), " lanes are not 1 to ", kMaxLanes));
  require(run.rounds() >= 1 && run.rounds() <= kMaxRounds,
          absl::StrCat(run.rounds(), " rounds are not 1 to ", kMaxRounds));
  require(run.agents_size() >= 1 && run.agents_size() <= 256,
          absl::StrCat(run.agents_size(), " agents are not 1 to 256"));
  require(run.problems_size() >= 1, "it has no problems");
  for (int p = 0; p < run.problems_size(); ++p) {
    require(run.problems(p) >= 0 && run.problems(p) < kMaxProblems,
            absl::StrCat("problem index ", run.problems(p), " is out of range"));
    require(p == 0 || run.problems(p - 1) < run.problems(p),
            absl::StrCat("problem index ", run.problems(p), " does not ascend"));
  }
  require(RunRecord::State_IsValid(run.state()), "its state is unknown");
  const absl::Status retention = ParseRetention(run.retain()).status();
  require(retention.ok(), retention.message());
  return usable;
}

void CheckBaselines(const BaselineBlock& baselines, const RunRecord& run, int problem,
                    Findings* findings) {
  const std::string where = absl::StrCat("R", run.run(), ":", FormatProblem(problem));
  const int slots = run.agents_rotate() ? run.agents_size() : 1;
  const size_t expected = static_cast<size_t>(run.lanes()) * slots * kDslCount;
  if (baselines.agent_slots != slots || baselines.outcomes.size() != expected) {
    findings->Add(13, where,
                  absl::StrCat(baselines.outcomes.size(), " baselines of ", baselines.agent_slots,
                               " agents a lane, not ", expected, " of ", slots));
    return;
  }
  for (const Outcome& outcome : baselines.outcomes) {
    const std::string fault = OutcomeFault(outcome, run.agents_size());
    const bool solo = outcome.reception == Reception::kSolo && outcome.intake_size == 0;
    if (fault.empty() && solo) continue;
    findings->Add(13, where, fault.empty() ? "a baseline is not solo" : fault);
    return;  // one a problem: they are all alike
  }
}

namespace {

void CheckAllBaselines(const Store& store, const RunRecord& run, Findings* findings) {
  for (const int problem : run.problems()) {
    const absl::StatusOr<BaselineBlock> baselines = store.Baselines(run.run(), problem);
    if (baselines.ok()) {
      CheckBaselines(*baselines, run, problem, findings);
    } else if (!absl::IsNotFound(baselines.status()) || run.state() != RunRecord::RUNNING) {
      // A run that was killed may lack them: resuming writes them anew.
      findings->Add(13, absl::StrCat("R", run.run(), ":", FormatProblem(problem)),
                    baselines.status().message());
    }
  }
}

void CheckRounds(const RunRecord& run, const std::vector<RoundRecord>& rounds, Findings* findings) {
  const std::string where = absl::StrCat("R", run.run());
  for (size_t r = 0; r < rounds.size(); ++r) {
    if (rounds[r].run() != run.run() || rounds[r].round() != static_cast<int>(r)) {
      findings->Add(3, where,
                    absl::StrCat("entry ", r, " of its rounds is round ", rounds[r].round(),
                                 " of R", rounds[r].run()));
    }
  }
  const int committed = static_cast<int>(rounds.size());
  if (committed > run.rounds()) {
    findings->Add(3, where,
                  absl::StrCat(committed, " rounds are committed, ", run.rounds(), " planned"));
  }
  if (run.state() == RunRecord::COMPLETE && committed < run.rounds()) {
    findings->Add(3, where,
                  absl::StrCat("it is complete with ", committed, " of ", run.rounds(), " rounds"));
  }
}

void CheckRetention(const RunRecord& run, const std::vector<RoundRecord>& rounds,
                    Findings* findings) {
  const absl::StatusOr<Retention> retention = ParseRetention(run.retain());
  if (!retention.ok()) return;  // found by CheckRunRecord
  const int last = static_cast<int>(rounds.size()) - 1;
  for (int r = 0; r <= last; ++r) {
    // A repaired run may have had more rounds when it was folded; it goes on from its last.
    const bool whole = retention->Whole(r, run.rounds() - 1) || r == last;
    const std::string where = absl::StrCat("R", run.run(), ":r", r);
    if (rounds[r].dropped() && whole) {
      findings->Add(17, where,
                    absl::StrCat("it was dropped, though the run retains ",
                                 run.retain().empty() ? "all" : run.retain()));
    } else if (!rounds[r].dropped() && !whole && run.state() == RunRecord::COMPLETE) {
      findings->Add(
          17, where,
          absl::StrCat("it is whole, though the run is complete and retains ", run.retain()));
    }
  }
}

void CheckTexts(const Store& store, Findings* findings) {
  const absl::StatusOr<std::vector<TextRecord>> texts = store.Texts();
  if (!texts.ok()) {
    findings->Add(14, "texts", texts.status().message());
    return;
  }
  for (size_t t = 0; t < texts->size(); ++t) {
    const int number = (*texts)[t].number();
    if (number == static_cast<int>(t) + 1) continue;
    findings->Add(14, absl::StrCat("text ", t + 1), absl::StrCat("its number says ", number));
  }
}

void CheckRun(const Store& store, const RunRecord& run, ThreadPool* pool, Findings* findings,
              CheckReport* report) {
  const absl::StatusOr<std::vector<RoundRecord>> rounds = store.Rounds(run.run());
  if (!rounds.ok()) {
    findings->Add(3, absl::StrCat("R", run.run()), rounds.status().message());
    return;
  }
  CheckRounds(run, *rounds, findings);
  CheckAllBaselines(store, run, findings);
  CheckRetention(run, *rounds, findings);
  RunCheck check(store, run, pool);
  check.CheckKept(*rounds, findings);
  const int committed = static_cast<int>(rounds->size());
  for (int round = 0; round < committed; ++round) {
    RoundRecord record = (*rounds)[round];
    record.set_round(round);  // what CheckRounds found to be wrong is not to be found again
    check.Check(record, findings, report);
  }
  check.CheckEnd(committed, findings);
}

}  // namespace

void Findings::Add(int requirement, absl::string_view where, absl::string_view problem) {
  ++report_.finding_count;
  if (static_cast<int>(report_.findings.size()) >= max_) return;
  report_.findings.push_back({requirement, std::string(where), std::string(problem)});
}

void Findings::Add(const CheckReport& more) {
  for (const Finding& finding : more.findings) {
    Add(finding.requirement, finding.where, finding.problem);
  }
  report_.finding_count += more.finding_count - static_cast<int64_t>(more.findings.size());
}

absl::Status CheckStore(const Store& store, int threads, Findings* findings, CheckReport* report) {
  ThreadPool pool(threads);
  const absl::StatusOr<std::vector<RunRecord>> runs = store.Runs();
  if (!runs.ok()) return runs.status();
  int expected = 1;
  for (const RunRecord& run : *runs) {
    ++report->runs;
    if (!CheckRunRecord(run, expected, findings)) continue;
    expected = run.run() + 1;
    CheckRun(store, run, &pool, findings, report);
  }
  CheckTexts(store, findings);
  return absl::OkStatus();
}

absl::StatusOr<CheckReport> CheckStore(const Store& store, int max_findings, int threads) {
  // Requirement 1, the schema version, is checked by whoever opened the store.
  CheckReport report;
  Findings findings(max_findings, report);
  const absl::Status status = CheckStore(store, threads, &findings, &report);
  if (!status.ok()) return status;
  return report;
}

absl::StatusOr<CheckReport> CheckKb(const std::string& path, int max_findings, int threads) {
  rocksdb::Env* const env = rocksdb::Env::Default();
  CheckReport report;
  Findings findings(max_findings, report);
  absl::StatusOr<std::unique_ptr<Rocks>> rocks = Rocks::Open(path, Store::Mode::kRead, env);
  if (absl::IsDataLoss(rocks.status())) {
    findings.Add(16, "files", rocks.status().message());
    rocks = Rocks::OpenDamaged(path, env);
    if (!rocks.ok()) return report;
  }
  if (!rocks.ok()) return rocks.status();
  for (const FileFault& fault : (*rocks)->FindFaults(threads)) {
    findings.Add(16, fault.file, fault.problem);
  }
  const std::unique_ptr<Store> store = NewStore(path, {}, *std::move(rocks));
  const absl::Status status = CheckStore(*store, threads, &findings, &report);
  if (!status.ok()) findings.Add(2, "runs", status.message());
  return report;
}

}  // namespace hearsay
