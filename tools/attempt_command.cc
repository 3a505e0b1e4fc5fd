// hearsay attempt: one attempt as stored, and its submissions as replayed.
#include "absl/strings/str_cat.h"
#include "kb/skill.h"
#include "rounds/replay.h"
#include "tasks/design_space.h"
#include "tasks/outcome_words.h"
#include "tasks/scoring.h"
#include "tasks/words.h"
#include "tools/command.h"
#include "tools/kb_access.h"
#include "tools/output.h"

namespace hearsay {
namespace {

class AttemptCommand : public Command {
 public:
  void Declare(ArgParser& args) override {
    args.AddWord("ID", "Attempt such as R1:r3.p71.l0", &id_);
    kb_.Declare(args);
    output_.Declare(args);
  }
  absl::StatusOr<ExitCode> Run(Console& console) override;

 private:
  std::string id_;
  KbFlag kb_;
  OutputFlags output_;
};

// An attempt with what the store knows about it.
struct StoredAttempt {
  AttemptId id;
  RunRecord run;
  AttemptBlock block;
  Outcome solo;  // of the same lane, agent and DSL
  std::vector<uint32_t> receivers;
  bool receivers_known = true;
  std::vector<NotedClaim> note;  // empty where claims were not recorded

  int index() const { return id.lane() - block.first.lane(); }
  const Outcome& outcome() const { return block.outcomes[static_cast<size_t>(index())]; }
};

absl::StatusOr<Outcome> SoloOf(const Store& store, const RunRecord& run, AttemptId id,
                               const Outcome& outcome) {
  const absl::StatusOr<BaselineBlock> baselines = store.Baselines(run.run(), id.problem());
  if (!baselines.ok()) return baselines.status();
  const int slot = run.agents_rotate() ? outcome.agent : 0;
  const auto place = static_cast<size_t>((id.lane() * baselines->agent_slots + slot) * kDslCount +
                                         static_cast<int>(outcome.dsl));
  if (place >= baselines->outcomes.size()) {
    return absl::DataLossError(absl::StrCat(Format(id), " has no solo baseline"));
  }
  return baselines->outcomes[place];
}

absl::StatusOr<StoredAttempt> Load(const Store& store, AttemptId id) {
  StoredAttempt attempt;
  attempt.id = id;
  auto run = store.Run(id.run());
  if (!run.ok()) return run.status();
  attempt.run = *std::move(run);
  auto block = store.BlockOf(id);
  if (!block.ok()) return block.status();
  attempt.block = *std::move(block);
  auto solo = SoloOf(store, attempt.run, id, attempt.outcome());
  if (!solo.ok()) return solo.status();
  attempt.solo = *solo;
  auto receivers = store.Receivers(id);
  // Dropped with the round after, as its attempts were.
  attempt.receivers_known = !absl::IsNotFound(receivers.status());
  if (attempt.receivers_known) {
    if (!receivers.ok()) return receivers.status();
    attempt.receivers = *std::move(receivers);
  }
  if (!attempt.block.has_claims()) return attempt;
  auto note = store.Note(id);
  if (!note.ok()) return note.status();
  attempt.note = *std::move(note);
  return attempt;
}

Cell TextOrMissing(const std::string& text) { return text.empty() ? Missing() : Text(text); }

std::string JoinLanes(const StoredAttempt& attempt, int round, absl::Span<const uint32_t> lanes) {
  std::string text;
  for (const uint32_t lane : lanes) {
    absl::StrAppend(&text, text.empty() ? "" : " ",
                    Format(AttemptId::Of(attempt.id.run(), round, attempt.id.problem(),
                                         static_cast<int>(lane))));
  }
  return text;
}

Table OutcomeTable(const StoredAttempt& attempt, const char* replay) {
  const Outcome& o = attempt.outcome();
  const bool has_design = o.passed != 0;
  FactTable facts(absl::StrCat("Attempt ", Format(attempt.id)));
  facts.Add("agent",
            o.agent < attempt.run.agents_size() ? Text(attempt.run.agents(o.agent)) : Missing());
  facts.Add("dsl", Word(Name(o.dsl)));
  facts.Add("reception", Text(Name(o.reception)));
  facts.Add("passed", Text(o.passed != 0 ? "yes" : "no"));
  facts.Add("speedup", has_design ? Real(SpeedupOf(o.speed_lg)) : Missing());
  facts.Add("design",
            has_design ? Text(DesignSpaceOf(attempt.id.problem()).Describe(o.point)) : Missing());
  facts.Add("solo_speedup",
            attempt.solo.passed != 0 ? Real(SpeedupOf(attempt.solo.speed_lg)) : Missing());
  if (o.reception != Reception::kSolo) {
    const double ratio = ComparisonRatio(attempt.solo, o);
    const Effect effect = EffectOf(ratio);
    facts.Add("ratio_to_solo", Real(ratio));
    facts.Add("effect", Text(effect == Effect::kHelped   ? "helped"
                             : effect == Effect::kHarmed ? "harmed"
                                                         : "neutral"));
    facts.Add("following", Text(Name(o.following)));
  }
  facts.Add("seconds", Integer(o.seconds));
  facts.Add("submissions", Integer(o.submissions));
  facts.Add("failures", Integer(o.failures));
  facts.Add("bugs", Integer(o.bugs));
  facts.Add("events", TextOrMissing(EventWords(o.events)));
  facts.Add("closure_cost_doublings", Real(o.closure_cost_lg / double{kLgPerDoubling}));
  facts.Add("sources", TextOrMissing(JoinLanes(attempt, attempt.id.round() - 1,
                                               attempt.block.sources_of(attempt.index()))));
  facts.Add("receivers",
            attempt.receivers_known
                ? TextOrMissing(JoinLanes(attempt, attempt.id.round() + 1, attempt.receivers))
                : Text("not kept: the next round was dropped"));
  facts.Add("replay", Text(replay));
  return facts.Take();
}

// What was read, claim by claim, and what came of it.
absl::StatusOr<Table> IntakeTable(const Store& store, const StoredAttempt& attempt) {
  const Outcome& o = attempt.outcome();
  Table table;
  table.title = "Read";
  table.columns = {"claim", "merged_with", "adopted", "tested", "words"};
  uint32_t bit = 1;
  for (const IntakeEntry& entry : attempt.block.intake_of(attempt.index())) {
    const absl::StatusOr<NewClaim> claim = store.FindClaim(entry.parents[0]);
    if (!claim.ok()) return claim.status();
    const bool confirmed = (o.confirmed & bit) != 0;
    const bool refuted = (o.refuted & bit) != 0;
    table.rows.push_back(
        {Text(Format(entry.parents[0])),
         entry.parents[1].none() ? Missing() : Text(Format(entry.parents[1])),
         Text((o.adopted & bit) != 0 ? "yes" : "no"),
         confirmed || refuted ? Text(confirmed ? "confirmed" : "refuted") : Missing(),
         Text(ClaimInWords(attempt.id.problem(), claim->claim))});
    bit <<= 1;
  }
  return table;
}

Table NoteTable(const StoredAttempt& attempt) {
  const auto added = attempt.block.new_claims_of(attempt.index());
  Table table;
  table.title = "Wrote";
  table.columns = {"claim", "change", "label", "words"};
  for (const NotedClaim& noted : attempt.note) {
    const bool own = noted.id.attempt() == attempt.id;
    const Change change =
        own ? added[static_cast<size_t>(noted.id.place())].change : Change::kCopied;
    table.rows.push_back({Text(Format(noted.id)), Word(Name(change)),
                          Word(Name(noted.claim.label())),
                          Text(ClaimInWords(attempt.id.problem(), noted.claim))});
  }
  return table;
}

Table SubmissionTable(const StoredAttempt& attempt, const ReplayedAttempt& replayed) {
  const DesignSpace& space = DesignSpaceOf(attempt.id.problem());
  Table table;
  table.title = "Submissions, replayed";
  table.columns = {"submission", "status", "own_bug", "speedup", "seconds", "design"};
  int number = 0;
  for (const Submission& submission : replayed.submissions) {
    table.rows.push_back(
        {Integer(++number), Word(Name(submission.status)), Text(submission.bug ? "yes" : "no"),
         submission.status == Status::kOk ? Real(SpeedupOf(submission.measured_lg)) : Missing(),
         Integer(submission.seconds), Text(space.Describe(submission.point))});
  }
  return table;
}

absl::StatusOr<ExitCode> AttemptCommand::Run(Console& console) {
  const absl::StatusOr<AttemptId> id = ParseAttemptId(id_);
  if (!id.ok()) return id.status();
  const auto store = kb_.Open(Store::Mode::kRead);
  if (!store.ok()) return store.status();
  const absl::StatusOr<StoredAttempt> attempt = Load(**store, *id);
  if (!attempt.ok()) return attempt.status();
  if (!attempt->block.has_claims()) {
    // Without claims there is nothing to replay from.
    const absl::Status printed =
        output_.Print({OutcomeTable(*attempt, "not possible: recorded without claims")}, console);
    if (!printed.ok()) return printed;
    return ExitCode::kOk;
  }
  const absl::StatusOr<Table> intake = IntakeTable(**store, *attempt);
  if (!intake.ok()) return intake.status();
  // An attempt is replayed from the notes of the round before.
  if (id->round() > 0) {
    const absl::Status whole = (*store)->RequireWhole(id->run(), id->round() - 1, id->round() - 1);
    if (!whole.ok()) {
      const absl::Status printed =
          output_.Print({OutcomeTable(*attempt, "not possible: the round before was dropped"),
                         *intake, NoteTable(*attempt)},
                        console);
      if (!printed.ok()) return printed;
      return ExitCode::kOk;
    }
  }
  const absl::StatusOr<ReplayedAttempt> replayed = ReplayAttempt(**store, *id);
  if (!replayed.ok()) return replayed.status();
  const absl::Status printed =
      output_.Print({OutcomeTable(*attempt, replayed->matches ? "matches" : "differs"), *intake,
                     NoteTable(*attempt), SubmissionTable(*attempt, *replayed)},
                    console);
  if (!printed.ok()) return printed;
  if (replayed->matches) return ExitCode::kOk;
  const std::string field = FirstDifference(replayed->outcome, attempt->outcome());
  console.Say(absl::StrCat("the replay of ", Format(*id),
                           " differs from what is stored: ", field.empty() ? "its note" : field));
  return ExitCode::kMismatch;
}

}  // namespace

std::unique_ptr<Command> NewAttemptCommand() { return std::make_unique<AttemptCommand>(); }

}  // namespace hearsay
