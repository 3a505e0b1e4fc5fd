#include "lineage/export_source.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "kb/skill.h"
#include "lineage/claim_table.h"
#include "lineage/run_set.h"
#include "tasks/lg.h"
#include "tasks/outcome_words.h"
#include "tasks/scoring.h"
#include "tasks/truth.h"
#include "tasks/words.h"

namespace hearsay {
namespace {

// Places in NodeFields().
enum NodeField {
  kKind,
  kRound,
  kProblem,
  kLane,
  kAgent,
  kDsl,
  // of attempts
  kReception,
  kFollowing,
  kPassed,
  kSpeedup,
  kSeconds,
  kSubmissions,
  kFailures,
  kBugs,
  kEvents,
  kClaimsRead,
  kClaimsWritten,
  // of claims
  kChange,
  kLabel,
  kStance,
  kKnob,
  kValue,
  kGeneral,
  kHedged,
  kConfidence,
  kEffect,
  kSupport,
  kAgainst,
  kStampRound,
  kTruth,
  kTruthInOther,
  kCost,
  kWords,
  kNodeFieldCount,
};

constexpr ExportField kNodeFields[] = {
    {"kind", FieldType::kText},
    {"round", FieldType::kInteger},
    {"problem", FieldType::kText},
    {"lane", FieldType::kInteger},
    {"agent", FieldType::kText},
    {"dsl", FieldType::kText},
    {"reception", FieldType::kText},
    {"following", FieldType::kText},
    {"passed", FieldType::kBoolean},
    {"speedup", FieldType::kReal},
    {"seconds", FieldType::kInteger},
    {"submissions", FieldType::kInteger},
    {"failures", FieldType::kInteger},
    {"bugs", FieldType::kInteger},
    {"events", FieldType::kText},
    {"claims_read", FieldType::kInteger},
    {"claims_written", FieldType::kInteger},
    {"change", FieldType::kText},
    {"label", FieldType::kText},
    {"stance", FieldType::kText},
    {"knob", FieldType::kInteger},
    {"knob_value", FieldType::kInteger},
    {"general", FieldType::kBoolean},
    {"hedged", FieldType::kBoolean},
    {"confidence", FieldType::kInteger},
    {"effect_doublings", FieldType::kReal},
    {"support", FieldType::kInteger},
    {"against", FieldType::kInteger},
    {"stamp_round", FieldType::kInteger},
    {"truth", FieldType::kText},
    {"truth_in_other_dsl", FieldType::kText},
    {"cost_doublings", FieldType::kReal},
    {"words", FieldType::kText},
};
static_assert(std::size(kNodeFields) == kNodeFieldCount);

constexpr ExportField kLinkFields[] = {
    {"kind", FieldType::kText},
    {"round", FieldType::kInteger},
    {"cost_doublings", FieldType::kReal},
};

Cell Word(absl::string_view word) { return Text(std::string(word)); }

// Missing for kNoSubject.
Cell Subject(int index) { return index == kNoSubject ? Missing() : Integer(index); }

double Doublings(int lg) { return static_cast<double>(lg) / kLgPerDoubling; }

}  // namespace

absl::Span<const ExportField> NodeFields() { return kNodeFields; }
absl::Span<const ExportField> LinkFields() { return kLinkFields; }

std::string ExportLink::From() const {
  if (kind == LinkKind::kSource) return Format(source);
  return kind == LinkKind::kWrote ? Format(by) : Format(claim);
}

std::string ExportLink::To() const {
  if (kind == LinkKind::kWrote) return Format(claim);
  return kind == LinkKind::kChanged ? Format(made) : Format(by);
}

absl::string_view NameOf(const ExportLink& link) {
  switch (link.kind) {
    case LinkKind::kSource:
      return "source";
    case LinkKind::kWrote:
      return "wrote";
    case LinkKind::kCopied:
      return "copied";
    case LinkKind::kAdopted:
      return "adopted";
    case LinkKind::kConfirmed:
      return "confirmed";
    case LinkKind::kRefuted:
      return "refuted";
    case LinkKind::kChanged:
      break;
  }
  return Name(link.change);
}

absl::StatusOr<std::vector<RoundRecord>> ExportSource::Rounds() const {
  absl::StatusOr<std::vector<RoundRecord>> rounds = store_.Rounds(run_.run());
  if (!rounds.ok()) return rounds.status();
  const absl::Status whole =
      store_.RequireWhole(run_.run(), filter_.first_round, filter_.last_round);
  if (!whole.ok()) return whole;
  std::vector<RoundRecord> wanted;
  for (RoundRecord& round : *rounds) {
    if (round.round() >= filter_.first_round && round.round() <= filter_.last_round) {
      wanted.push_back(std::move(round));
    }
  }
  return wanted;
}

absl::Status ExportSource::VisitRound(int round, const Visit& visit) const {
  absl::Status status;
  const auto visit_block = [&](const AttemptBlock& block) {
    for (int i = 0; i < block.size() && status.ok(); ++i) status = visit(block, i);
    return status.ok();
  };
  std::vector<int> problems = filter_.problems;
  if (problems.empty()) problems.push_back(-1);
  for (int problem : problems) {
    const absl::Status scanned = store_.ScanRound(run_.run(), round, problem, visit_block);
    if (!scanned.ok()) return scanned;
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ExportSource::VisitAll(const Visit& visit) const {
  const absl::StatusOr<std::vector<RoundRecord>> rounds = Rounds();
  if (!rounds.ok()) return rounds.status();
  for (const RoundRecord& round : *rounds) {
    const absl::Status status = VisitRound(round.round(), visit);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

void ExportSource::AddLink(const ExportLink& link, int64_t& left_out) {
  const AttemptId far = link.kind == LinkKind::kSource  ? link.source
                        : link.kind == LinkKind::kWrote ? link.by
                                                        : link.claim.attempt();
  if (far.round() < filter_.first_round) {
    ++left_out;
  } else {
    links_.push_back(link);
  }
}

absl::StatusOr<absl::Span<const ExportLink>> ExportSource::LinksOf(const AttemptBlock& block, int i,
                                                                   int64_t& left_out) {
  const AttemptId by = block.id(i);
  const Outcome& outcome = block.outcomes[i];
  links_.clear();
  for (uint32_t lane : block.sources_of(i)) {
    const AttemptId source =
        AttemptId::Of(by.run(), by.round() - 1, by.problem(), static_cast<int>(lane));
    AddLink({.kind = LinkKind::kSource, .by = by, .source = source}, left_out);
  }
  if (!block.has_claims()) return absl::MakeConstSpan(links_);
  const absl::Span<const IntakeEntry> intake = block.intake_of(i);
  const uint32_t touched = outcome.adopted | outcome.confirmed | outcome.refuted;
  if (intake.size() < 32 && touched >> intake.size() != 0) {
    return absl::DataLossError(
        absl::StrCat(Format(by), ": acted on claims past the ", intake.size(), " that it read"));
  }
  for (size_t slot = 0; slot < intake.size(); ++slot) {
    const uint32_t bit = uint32_t{1} << slot;
    if ((touched & bit) == 0) continue;
    const ClaimId* parents = intake[slot].parents;
    for (int p = 0; p < 2; ++p) {
      // One claim merged with itself is one claim.
      if (parents[p].none() || (p == 1 && parents[1] == parents[0])) continue;
      const int16_t cost_lg = outcome.costly_slot == slot ? outcome.closure_cost_lg : int16_t{0};
      ExportLink link{.kind = LinkKind::kAdopted, .by = by, .claim = parents[p]};
      link.cost_lg = cost_lg;
      if ((outcome.adopted & bit) != 0) AddLink(link, left_out);
      link.cost_lg = 0;
      link.kind = LinkKind::kConfirmed;
      if ((outcome.confirmed & bit) != 0) AddLink(link, left_out);
      link.kind = LinkKind::kRefuted;
      if ((outcome.refuted & bit) != 0) AddLink(link, left_out);
    }
  }
  int place = 0;
  for (const NewClaim& made : block.new_claims_of(i)) {
    const ClaimId id = ClaimId::Of(by, place++);
    AddLink({.kind = LinkKind::kWrote, .by = by, .claim = id, .change = made.change}, left_out);
    for (int p = 0; p < 2; ++p) {
      if (made.parents[p].none() || (p == 1 && made.parents[1] == made.parents[0])) continue;
      AddLink({.kind = LinkKind::kChanged,
               .by = by,
               .claim = made.parents[p],
               .made = id,
               .change = made.change},
              left_out);
    }
  }
  for (ClaimId id : block.note_of(i)) {
    if (id.attempt() == by) continue;
    AddLink({.kind = LinkKind::kCopied, .by = by, .claim = id}, left_out);
  }
  return absl::MakeConstSpan(links_);
}

void ExportSource::StartRow(AttemptId attempt, const Outcome& outcome, const char* kind) {
  row_.assign(kNodeFieldCount, Missing());
  row_[kKind] = Text(kind);
  row_[kRound] = Integer(attempt.round());
  row_[kProblem] = Text(FormatProblem(attempt.problem()));
  row_[kLane] = Integer(attempt.lane());
  row_[kAgent] = Text(AgentName(run_, outcome.agent));
}

const ExportRow& ExportSource::AttemptRow(const AttemptBlock& block, int i) {
  const Outcome& outcome = block.outcomes[i];
  StartRow(block.id(i), outcome, "attempt");
  row_[kDsl] = Word(Name(outcome.dsl));
  row_[kReception] = Word(Name(outcome.reception));
  row_[kFollowing] = Word(Name(outcome.following));
  row_[kPassed] = Integer(outcome.passed);
  if (outcome.passed != 0) row_[kSpeedup] = Real(SpeedupOf(outcome.speed_lg));
  row_[kSeconds] = Integer(outcome.seconds);
  row_[kSubmissions] = Integer(outcome.submissions);
  row_[kFailures] = Integer(outcome.failures);
  row_[kBugs] = Integer(outcome.bugs);
  row_[kEvents] = Text(EventWords(outcome.events));
  row_[kClaimsRead] = Integer(outcome.intake_size);
  row_[kClaimsWritten] = Integer(outcome.note_size);
  return row_;
}

const ExportRow& ExportSource::ClaimRow(const AttemptBlock& block, int i, int place) {
  const AttemptId attempt = block.id(i);
  const NewClaim& made = block.new_claims_of(i)[place];
  const Claim claim = made.claim;
  const Dsl dsl = claim.dsl();
  const auto other = static_cast<Dsl>(1 - static_cast<int>(dsl));
  const World& world = atlas_.Get(attempt.problem(), dsl).world();
  StartRow(attempt, block.outcomes[i], "claim");
  row_[kDsl] = Word(Name(dsl));
  row_[kChange] = Word(Name(made.change));
  row_[kLabel] = Word(Name(claim.label()));
  row_[kStance] = Word(Name(claim.stance()));
  row_[kKnob] = Subject(claim.knob());
  row_[kValue] = Subject(claim.value());
  row_[kGeneral] = Integer(claim.general() ? 1 : 0);
  row_[kHedged] = Integer(claim.hedged() ? 1 : 0);
  row_[kConfidence] = Integer(claim.confidence());
  row_[kEffect] = Real(claim.effect_eighths() / 8.0);
  row_[kSupport] = Integer(claim.support());
  row_[kAgainst] = Integer(claim.against());
  row_[kStampRound] = Integer(claim.stamp_round());
  row_[kTruth] = Word(Name(TruthOf(world, claim)));
  row_[kTruthInOther] = Word(Name(TruthOf(atlas_.Get(attempt.problem(), other).world(), claim)));
  if (claim.is_closure()) row_[kCost] = Real(Doublings(CostLg(world, claim)));
  row_[kWords] = Text(ClaimInWords(attempt.problem(), claim));
  return row_;
}

const ExportRow& ExportSource::LinkRow(const ExportLink& link) {
  row_.assign(std::size(kLinkFields), Missing());
  row_[0] = Word(NameOf(link));
  row_[1] = Integer(link.by.round());
  if (link.cost_lg > 0) row_[2] = Real(Doublings(link.cost_lg));
  return row_;
}

}  // namespace hearsay
