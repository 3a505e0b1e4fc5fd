// hearsay counterfactual: what a run would have come to without one claim.
#include <algorithm>
#include <thread>

#include "absl/strings/str_cat.h"
#include "lineage/ancestry.h"
#include "rounds/counterfactual.h"
#include "tasks/outcome_words.h"
#include "tasks/words.h"
#include "tools/claim_subject.h"
#include "tools/command.h"
#include "tools/kb_access.h"
#include "tools/output.h"

namespace hearsay {
namespace {

constexpr int64_t kMostAttempts = 1000000;
constexpr int64_t kMaxThreads = 256;

class CounterfactualCommand : public Command {
 public:
  void Declare(ArgParser& args) override {
    subject_.Declare(args);
    args.AddSwitch("--close-up", "Let the claims behind it move up, to other random numbers",
                   &close_up_);
    args.AddNumber("--limit", "Changed attempts to list (20)", 0, kMostAttempts, &limit_);
    args.AddNumber("--threads", "Of the CPU (all)", 1, kMaxThreads, &threads_);
    kb_.Declare(args);
    output_.Declare(args);
  }
  absl::StatusOr<ExitCode> Run(Console& console) override;

 private:
  ClaimSubject subject_{ClaimSubject::Version::kFirst};
  bool close_up_ = false;
  int64_t limit_ = 20;
  int64_t threads_ = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  KbFlag kb_;
  OutputFlags output_;
};

const char* Name(AttemptChange change) {
  switch (change) {
    case AttemptChange::kResult:
      return "result";
    case AttemptChange::kCourse:
      return "course";
    case AttemptChange::kNote:
      return "note";
  }
  return "invalid";
}

std::string AgentOf(const RunRecord& run, const ChangedAttempt& attempt) {
  const int agent = attempt.recorded.agent;
  return agent < run.agents_size() ? run.agents(agent) : absl::StrCat("agent ", agent);
}

// "speed_lg is 12, not 20", of which the second is what was recorded.
std::string What(const ChangedAttempt& attempt) {
  const std::string what = FirstDifference(attempt.without, attempt.recorded);
  return what.empty() ? "other claims in its note" : what;
}

Table SummaryTable(const ClaimVersion& claim, const Counterfactual& result, bool close_up) {
  int64_t changed[kAttemptChangeCount] = {};
  int64_t carriers = 0;
  for (const CounterfactualRound& round : result.rounds) {
    carriers += round.carriers;
    for (int c = 0; c < kAttemptChangeCount; ++c) changed[c] += round.changed[c];
  }
  const CounterfactualRound& last = result.rounds.back();
  FactTable facts(absl::StrCat("Without ", Format(claim.id)));
  facts.Add("claim", Text(claim.words));
  facts.Add("label", Word(Name(claim.claim.label())));
  facts.Add("truth", Word(Name(claim.truth)));
  facts.Add("change", Word(Name(claim.change)));
  facts.Add("agent", Text(claim.agent));
  facts.Add("its_place",
            Text(close_up ? "closed: the claims behind it move up" : "kept by an empty line"));
  facts.Add("rounds_run_again", Integer(static_cast<int64_t>(result.rounds.size()) - 1));
  facts.Add("attempts_run_again", Integer(result.attempts));
  facts.Add("notes_that_carried_it", Integer(carriers));
  facts.Add("attempts_changed", Integer(result.changed_count()));
  for (int c = 0; c < kAttemptChangeCount; ++c) {
    facts.Add(absl::StrCat("changed_", Name(static_cast<AttemptChange>(c))), Integer(changed[c]));
  }
  if (result.changed.empty()) {
    facts.Add("first_change", Missing());
  } else {
    const ChangedAttempt& first = result.changed.front();
    facts.Add("first_change",
              Text(absl::StrCat("round ", first.id.round(), ", lane ", first.id.lane(), ", ",
                                AgentOf(result.run, first), ": ", What(first))));
  }
  const double rounds = static_cast<double>(result.rounds.size()) - 1;
  const auto mean = [rounds](double sum) { return rounds > 0 ? Real(sum / rounds) : Missing(); };
  double solved = 0, lift = 0, closures = 0, submissions = 0;
  for (const CounterfactualRound& round : result.rounds) {
    if (&round == &result.rounds.front()) continue;  // of its birth, when nobody had read it
    const CounterfactualMeasures& a = round.recorded;
    const CounterfactualMeasures& b = round.without;
    solved += static_cast<double>(b.passed - a.passed) / result.run.lanes();
    lift += b.lift_doublings - a.lift_doublings;
    closures += static_cast<double>(b.notes_with_closure - a.notes_with_closure);
    submissions += static_cast<double>(b.submissions - a.submissions);
  }
  facts.Add("solved_change", mean(solved));
  facts.Add("lift_change", mean(lift));
  facts.Add("closures_change", mean(closures));
  facts.Add("submissions_change", mean(submissions));
  facts.Add("said_again_in_last_round", Integer(last.without.notes_saying_it));
  Table table = facts.Take();
  table.notes = {
      "the claim is struck from its author's note; all that was made of it is gone by itself",
      "..._change: without it less as recorded, mean of the rounds after its birth; units as below",
      "said_again: notes of the run without it that have a claim of its subject and stance all the "
      "same, found by somebody else; these are not struck"};
  return table;
}

Table RoundTable(const Counterfactual& result) {
  const int lanes = result.run.lanes();
  Table table;
  table.title = "Round by round";
  table.columns = {"round",
                   "solved",
                   "solved_without",
                   "lift",
                   "lift_without",
                   "closures",
                   "closures_without",
                   "submissions",
                   "submissions_without",
                   "carriers",
                   "saying_it",
                   "saying_it_without",
                   "results_changed",
                   "courses_changed",
                   "notes_changed"};
  for (const CounterfactualRound& round : result.rounds) {
    const CounterfactualMeasures& a = round.recorded;
    const CounterfactualMeasures& b = round.without;
    const bool solo = round.round == 0;
    std::vector<Cell> row = {Integer(round.round),
                             Real(static_cast<double>(a.passed) / lanes),
                             Real(static_cast<double>(b.passed) / lanes),
                             solo ? Missing() : Real(a.lift_doublings),
                             solo ? Missing() : Real(b.lift_doublings),
                             Integer(a.notes_with_closure),
                             Integer(b.notes_with_closure),
                             Integer(a.submissions),
                             Integer(b.submissions),
                             Integer(round.carriers),
                             Integer(a.notes_saying_it),
                             Integer(b.notes_saying_it)};
    for (const int64_t changed : round.changed) row.push_back(Integer(changed));
    table.rows.push_back(std::move(row));
  }
  table.notes = {
      absl::StrCat("of the ", lanes,
                   " lanes of the problem; solved: share that passed; lift: mean "
                   "doublings of speed over the lanes' solo baselines; closures: notes with an "
                   "unsupported closure"),
      "carriers: recorded notes with the claim or what was made of it; saying_it: notes with a "
      "claim of its subject and stance, whoever's",
      "changed: passes or speed; else the way there; else only other claims in the note"};
  return table;
}

Table ChangedTable(const Counterfactual& result) {
  Table table;
  table.title = "Attempts that change";
  table.columns = {"attempt", "agent", "dsl", "change", "speedup", "speedup_without", "what"};
  for (const ChangedAttempt& attempt : result.changed) {
    table.rows.push_back({Text(Format(attempt.id)), Text(AgentOf(result.run, attempt)),
                          Word(Name(attempt.recorded.dsl)), Text(Name(attempt.change)),
                          Text(SpeedWords(attempt.recorded)), Text(SpeedWords(attempt.without)),
                          Text(What(attempt))});
  }
  table.notes = {absl::StrCat(result.changed.size(), " of ", result.changed_count(),
                              " listed, by round and lane; what: the first field without it, not "
                              "as recorded")};
  return table;
}

absl::StatusOr<ExitCode> CounterfactualCommand::Run(Console& console) {
  const absl::Status sensible = subject_.Check();
  if (!sensible.ok()) return sensible;
  const auto store = kb_.Open(Store::Mode::kRead);
  if (!store.ok()) return store.status();
  const absl::StatusOr<ClaimSubject::Found> subject = subject_.Find(**store);
  if (!subject.ok()) return subject.status();
  const ClaimTable& table = *subject->claims.table;
  const absl::StatusOr<RowIndex> row = table.FindOrError(subject->claim);
  if (!row.ok()) return row.status();
  CounterfactualOptions options;
  options.place = close_up_ ? StruckPlace::kClosed : StruckPlace::kBlank;
  // The summary names the first.
  options.most_changed = std::max(1, static_cast<int>(limit_));
  options.threads = static_cast<int>(threads_);
  absl::StatusOr<Counterfactual> result = RunWithout(**store, subject->claim, options);
  if (!result.ok()) return result.status();
  const Table summary = SummaryTable(DescribeVersion(table, *row), *result, close_up_);
  if (limit_ == 0) result->changed.clear();
  const absl::Status printed =
      output_.Print({summary, RoundTable(*result), ChangedTable(*result)}, console);
  if (!printed.ok()) return printed;
  return ExitCode::kOk;
}

}  // namespace

std::unique_ptr<Command> NewCounterfactualCommand() {
  return std::make_unique<CounterfactualCommand>();
}

}  // namespace hearsay
