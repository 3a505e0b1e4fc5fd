#include "kb/check.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "kb/round_check.h"

namespace hearsay {
namespace {

// Numbers in Findings::Add are those of the requirements in docs/data-model.md.

// Whether a record says what a run can be; findings otherwise.
bool CheckRunRecord(const RunRecord& run, int expected, Findings* findings) {
  const std::string where = absl::StrCat("R", run.run());
  bool usable = true;
  const auto require = [&](bool holds, absl::string_view what) {
    if (holds) return;
    usable = false;
    findings->Add(2, where, what);
  };
  require(run.run() >= expected && run.run() < kMaxRuns, "its number is out of range or order");
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
  return usable;
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

void CheckBaselines(const Store& store, const RunRecord& run, Findings* findings) {
  const int slots = run.agents_rotate() ? run.agents_size() : 1;
  for (const int problem : run.problems()) {
    const std::string where = absl::StrCat("R", run.run(), ":", FormatProblem(problem));
    const absl::StatusOr<BaselineBlock> baselines = store.Baselines(run.run(), problem);
    if (!baselines.ok()) {
      findings->Add(13, where, baselines.status().message());
      continue;
    }
    const size_t expected = static_cast<size_t>(run.lanes()) * slots * kDslCount;
    if (baselines->agent_slots != slots || baselines->outcomes.size() != expected) {
      findings->Add(
          13, where,
          absl::StrCat(baselines->outcomes.size(), " baselines of ", baselines->agent_slots,
                       " agents a lane, not ", expected, " of ", slots));
      continue;
    }
    for (const Outcome& outcome : baselines->outcomes) {
      const std::string fault = OutcomeFault(outcome, run.agents_size());
      const bool solo = outcome.reception == Reception::kSolo && outcome.intake_size == 0;
      if (fault.empty() && solo) continue;
      findings->Add(13, where, fault.empty() ? "a baseline is not solo" : fault);
      break;  // one a problem: they are all alike
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

// The blocks of a round, as far as they can be read; findings for those that cannot.
RoundBlocks ReadRound(const Store& store, const RunRecord& run, int round, Findings* findings) {
  RoundBlocks blocks;
  const absl::Status scanned =
      store.ScanRound(run.run(), round, -1, [&](const AttemptBlock& block) {
        blocks.push_back(block);
        return true;
      });
  if (scanned.ok()) return blocks;
  // A scan ends at the first damage. One by one, the blocks behind it can still be looked at.
  blocks.clear();
  for (const int problem : run.problems()) {
    for (int lane = 0; lane < run.lanes(); lane += kBlockLanes) {
      const AttemptId first = AttemptId::Of(run.run(), round, problem, lane);
      absl::StatusOr<AttemptBlock> block = store.BlockOf(first);
      if (block.ok()) {
        blocks.push_back(*std::move(block));
      } else if (!absl::IsNotFound(block.status())) {
        findings->Add(5, Format(first), block.status().message());
      }
    }
  }
  return blocks;
}

void CheckRun(const Store& store, const RunRecord& run, Findings* findings, CheckReport* report) {
  const absl::StatusOr<std::vector<RoundRecord>> rounds = store.Rounds(run.run());
  if (!rounds.ok()) {
    findings->Add(3, absl::StrCat("R", run.run()), rounds.status().message());
    return;
  }
  CheckRounds(run, *rounds, findings);
  CheckBaselines(store, run, findings);
  RoundCheck check(store, run, findings);
  // Blocks past the last record would belong to a round that was not committed whole.
  const int committed = static_cast<int>(rounds->size());
  RoundBlocks before;
  for (int round = 0; round < committed; ++round) {
    RoundBlocks blocks = ReadRound(store, run, round, findings);
    check.Check((*rounds)[round], before, blocks);
    for (const AttemptBlock& block : blocks) {
      report->attempts += block.size();
      report->claims += static_cast<int64_t>(block.new_claims.size());
    }
    ++report->rounds;
    before = std::move(blocks);
  }
  if (committed > 0) check.CheckLast(committed - 1, before);
  if (committed == kMaxRounds) return;
  for (const AttemptBlock& block : ReadRound(store, run, committed, findings)) {
    findings->Add(4, Format(block.first), "it belongs to a round that has no record");
    break;
  }
}

}  // namespace

void Findings::Add(int requirement, absl::string_view where, absl::string_view problem) {
  ++report_.finding_count;
  if (static_cast<int>(report_.findings.size()) >= max_) return;
  report_.findings.push_back({requirement, std::string(where), std::string(problem)});
}

absl::StatusOr<CheckReport> CheckStore(const Store& store, int max_findings) {
  // Requirement 1, the schema version, is checked by whoever opened the store.
  CheckReport report;
  Findings findings(max_findings, report);
  const absl::StatusOr<std::vector<RunRecord>> runs = store.Runs();
  if (!runs.ok()) return runs.status();
  int expected = 1;
  for (const RunRecord& run : *runs) {
    ++report.runs;
    if (!CheckRunRecord(run, expected, &findings)) continue;
    expected = run.run() + 1;
    CheckRun(store, run, &findings, &report);
  }
  CheckTexts(store, &findings);
  return report;
}

}  // namespace hearsay
