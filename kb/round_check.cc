#include "kb/round_check.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "kb/ids.h"
#include "tasks/digest.h"
#include "tasks/world.h"

namespace hearsay {
namespace {

// The index of the block that holds `attempt`, or that of none: blocks.size().
size_t BlockAt(const ProblemBlocks& blocks, AttemptId attempt) {
  const auto holds = [&](const AttemptBlock& block) {
    return attempt.value - block.first.value < static_cast<uint64_t>(block.size());
  };
  // Where no block is missing.
  const size_t expected = static_cast<size_t>(attempt.lane() / kBlockLanes);
  if (expected < blocks.size() && holds(blocks[expected])) return expected;
  return static_cast<size_t>(std::find_if(blocks.begin(), blocks.end(), holds) - blocks.begin());
}

bool Contains(absl::Span<const ClaimId> ids, ClaimId id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

}  // namespace

std::string OutcomeFault(const Outcome& o, int agents) {
  if (o.agent >= agents) return absl::StrCat("agent ", o.agent, " is none of the run's ", agents);
  if (static_cast<int>(o.dsl) >= kDslCount) return "the DSL is unknown";
  if (o.reception > Reception::kGated) return "the reception is unknown";
  if (o.following > Following::kFully) return "how far the note was followed is unknown";
  if (o.passed > 1) return "passed is neither 0 nor 1";
  if (o.submissions > 10) return absl::StrCat(o.submissions, " submissions are more than 10");
  if (o.failures > o.submissions) {
    return absl::StrCat(o.failures, " of ", o.submissions, " submissions failed");
  }
  if (o.bugs > o.failures) return absl::StrCat(o.bugs, " bugs in ", o.failures, " failures");
  if ((o.passed == 1) != (o.submissions > o.failures)) {
    return absl::StrCat("passed is ", o.passed, ", yet ", o.submissions - o.failures,
                        " submissions passed");
  }
  if (o.passed == 0 && (o.speed_lg != 0 || o.point != 0)) return "a failure has a speed or a point";
  if (o.events >> 6 != 0) return "an event is unknown";
  const uint32_t slots = o.intake_size >= 32 ? ~0u : (1u << o.intake_size) - 1;
  if (((o.adopted | o.confirmed | o.refuted) & ~slots) != 0) {
    return absl::StrCat("a mask names claims beyond the ", o.intake_size, " taken in");
  }
  if (o.costly_slot != kNoSlot && o.costly_slot >= o.intake_size) {
    return absl::StrCat("the costliest closure is slot ", o.costly_slot, " of ", o.intake_size);
  }
  if (o.intake_size > kMaxNoteClaims || o.note_size > kMaxNoteClaims) {
    return absl::StrCat("it reads ", o.intake_size, " claims and writes ", o.note_size,
                        ", at most ", kMaxNoteClaims, " each");
  }
  return "";
}

std::string ClaimFault(Claim claim, int round) {
  if (static_cast<int>(claim.label()) >= kLabelCount) return "its label is unknown";
  if (static_cast<int>(claim.stance()) >= kStanceCount) return "its stance is unknown";
  if (claim.knob() != kNoSubject && claim.knob() >= kMaxKnobs) {
    return absl::StrCat("its knob ", claim.knob(), " is none");
  }
  if (claim.value() != kNoSubject && claim.value() >= kMaxValues) {
    return absl::StrCat("its value ", claim.value(), " is none");
  }
  if (claim.knob() == kNoSubject && claim.value() != kNoSubject)
    return "it has a value, but no knob";
  if (claim.value() == kNoSubject && claim.stance() != Stance::kFact) {
    return "it advises on no value";
  }
  if (claim.stamp_round() > round) return "it was tested in a later round than it was written";
  if (claim.bits >> 58 != 0) return "bits without a meaning are set";
  return "";
}

ProblemCheck::Totals ProblemCheck::Check(int round, ProblemBlocks blocks, Findings* findings) {
  findings_ = findings;
  after_dropped_ = passed_over_;
  passed_over_ = false;
  before_ = std::move(blocks_);
  blocks_ = std::move(blocks);
  texts_before_ = std::move(texts_);
  texts_.assign(blocks_.size(), {});
  CheckCoverage(round);
  Totals totals;
  for (size_t b = 0; b < blocks_.size(); ++b) {
    const AttemptBlock& block = blocks_[b];
    if (block.has_claims() != run_.claims_recorded()) {
      findings_->Add(5, Format(block.first),
                     block.has_claims() ? "it has claims, its run records none"
                                        : "it has no claims, its run records them");
    }
    totals.whole = totals.whole && block.has_claims();
    texts_[b].resize(block.notes.size());
    for (int i = 0; i < block.size(); ++i) {
      CheckAttempt(b, i);
      AddTotals(b, i, &totals);
    }
  }
  return totals;
}

void ProblemCheck::PassOver() {
  passed_over_ = true;
  blocks_.clear();
  texts_.clear();
}

void ProblemCheck::CheckCoverage(int round) {
  size_t at = 0;
  for (int lane = 0; lane < run_.lanes(); lane += kBlockLanes) {
    const AttemptId first = AttemptId::Of(run_.run(), round, problem_, lane);
    for (; at < blocks_.size() && blocks_[at].first < first; ++at) {
      findings_->Add(4, Format(blocks_[at].first), "no block of its run starts there");
    }
    if (at == blocks_.size() || blocks_[at].first != first) {
      findings_->Add(4, Format(first), "its block is missing");
      continue;
    }
    const int size = std::min(kBlockLanes, run_.lanes() - lane);
    if (blocks_[at].size() != size) {
      findings_->Add(4, Format(first),
                     absl::StrCat("its block holds ", blocks_[at].size(), " lanes, not ", size));
    }
    ++at;
  }
  for (; at < blocks_.size(); ++at) {
    findings_->Add(4, Format(blocks_[at].first), "no block of its run starts there");
  }
}

void ProblemCheck::CheckAttempt(size_t b, int i) {
  const AttemptBlock& block = blocks_[b];
  const AttemptId attempt = block.id(i);
  const Outcome& outcome = block.outcomes[i];
  const std::string fault = OutcomeFault(outcome, run_.agents_size());
  if (!fault.empty()) findings_->Add(5, Format(attempt), fault);
  CheckSources(block, i);
  if (!block.has_claims()) return;
  const size_t note = block.note_of(i).size(), intake = block.intake_of(i).size();
  if (outcome.note_size != note || outcome.intake_size != intake) {
    findings_->Add(5, Format(attempt),
                   absl::StrCat("the outcome counts ", outcome.intake_size, " claims read and ",
                                outcome.note_size, " written; there are ", intake, " and ", note));
  }
  if (block.new_claims_of(i).size() > note) {
    findings_->Add(
        5, Format(attempt),
        absl::StrCat(block.new_claims_of(i).size(), " new claims do not fit a note of ", note));
  }
  CollectRead(block, i);
  CheckClaims(b, i);
}

void ProblemCheck::CheckSources(const AttemptBlock& block, int i) {
  const AttemptId attempt = block.id(i);
  const absl::Span<const uint32_t> sources = block.sources_of(i);
  const bool solo = attempt.round() == 0;
  if (solo != (block.outcomes[i].reception == Reception::kSolo)) {
    findings_->Add(6, Format(attempt), solo ? "it is in round 0 and not solo" : "it is solo");
  }
  if (solo) {
    if (!sources.empty()) findings_->Add(6, Format(attempt), "it is in round 0 and has a source");
    return;
  }
  if (sources.empty() || sources.size() > kMaxSources) {
    findings_->Add(6, Format(attempt),
                   absl::StrCat(sources.size(), " sources are not 1 to ", kMaxSources));
  }
  for (size_t s = 0; s < sources.size(); ++s) {
    if (static_cast<int>(sources[s]) >= run_.lanes()) {
      findings_->Add(6, Format(attempt),
                     absl::StrCat("its source, lane ", sources[s], ", is none"));
    }
    if (std::find(sources.begin(), sources.begin() + s, sources[s]) != sources.begin() + s) {
      findings_->Add(6, Format(attempt), absl::StrCat("lane ", sources[s], " is its source twice"));
    }
  }
}

// Wherever the run has been damaged, as much as is there.
void ProblemCheck::CollectRead(const AttemptBlock& block, int i) {
  read_.clear();
  const AttemptId attempt = block.id(i);
  if (attempt.round() == 0) return;
  for (const uint32_t lane : block.sources_of(i)) {
    if (static_cast<int>(lane) >= run_.lanes()) continue;
    const AttemptId source = AttemptId::Of(attempt.run(), attempt.round() - 1, attempt.problem(),
                                           static_cast<int>(lane));
    const size_t b = BlockAt(before_, source);
    if (b == before_.size() || !before_[b].has_claims()) continue;
    const AttemptBlock& held = before_[b];
    const int at = source.lane() - held.first.lane();
    for (size_t k = held.note_begin[at]; k < held.note_begin[at + 1]; ++k) {
      read_.push_back({held.notes[k], texts_before_[b][k]});
    }
  }
}

std::optional<Claim> ProblemCheck::FindRead(ClaimId id) const {
  if (after_dropped_) {
    if (WasDropped(id)) {
      const KeptClaim* const kept = FindKept(kept_, id);
      return kept == nullptr ? std::nullopt : std::optional<Claim>(kept->made.claim);
    }
    const absl::StatusOr<NewClaim> found = store_.FindClaim(id);
    return found.ok() ? std::optional<Claim>(found->claim) : std::nullopt;
  }
  for (const Read& read : read_) {
    if (read.id == id) return read.text;
  }
  return std::nullopt;
}

void ProblemCheck::CheckClaims(size_t b, int i) {
  const AttemptBlock& block = blocks_[b];
  const AttemptId attempt = block.id(i);
  const absl::Span<const NewClaim> fresh = block.new_claims_of(i);
  const bool alone = block.outcomes[i].reception != Reception::kConditioned;
  const absl::Span<const ClaimId> note = block.note_of(i);
  for (size_t k = 0; k < note.size(); ++k) {
    const ClaimId id = note[k];
    Claim& text = texts_[b][block.note_begin[i] + k];
    if (Contains(note.subspan(0, k), id)) {
      findings_->Add(7, Format(attempt), absl::StrCat(Format(id), " stands in its note twice"));
    }
    if (id.attempt() == attempt) {
      if (id.place() >= static_cast<int>(fresh.size())) {
        findings_->Add(7, Format(attempt),
                       absl::StrCat("its note holds ", Format(id), ", which it did not write"));
      } else {
        text = fresh[id.place()].claim;
      }
      continue;
    }
    const std::optional<Claim> read = FindRead(id);
    if (read.has_value()) text = *read;
    if (alone) {
      findings_->Add(7, Format(attempt), absl::StrCat("it read no note, yet holds ", Format(id)));
    } else if (!read.has_value()) {
      findings_->Add(7, Format(attempt),
                     absl::StrCat("it holds ", Format(id), ", which no source of it held"));
    }
  }
  for (size_t place = 0; place < fresh.size(); ++place) {
    const ClaimId id = ClaimId::Of(attempt, static_cast<int>(place));
    const std::string fault = ClaimFault(fresh[place].claim, attempt.round());
    if (!fault.empty()) findings_->Add(8, Format(id), fault);
    if (!Contains(note, id))
      findings_->Add(8, Format(id), "no note holds it, not even its author's");
    CheckParents(attempt, static_cast<int>(place), fresh[place]);
  }
  for (const IntakeEntry& entry : block.intake_of(i)) {
    for (const ClaimId id : entry.parents) {
      if (id.none() || FindRead(id).has_value()) continue;
      findings_->Add(10, Format(attempt),
                     absl::StrCat("it took in ", Format(id), ", which no source of it held"));
    }
  }
}

void ProblemCheck::CheckParents(AttemptId attempt, int place, const NewClaim& claim) {
  const std::string where = Format(ClaimId::Of(attempt, place));
  const int parents = (claim.parents[0].none() ? 0 : 1) + (claim.parents[1].none() ? 0 : 1);
  if (static_cast<int>(claim.change) >= kChangeCount || claim.change == Change::kCopied) {
    findings_->Add(9, where, "its change is unknown, or that of a copy");
  } else if (claim.change == Change::kBorn && parents != 0) {
    findings_->Add(9, where, "it was born, yet has a parent");
  } else if (claim.change == Change::kMerged && parents != 2) {
    findings_->Add(9, where, absl::StrCat("it was merged from ", parents, " parents, not 2"));
  } else if (claim.change != Change::kBorn && claim.parents[0].none()) {
    findings_->Add(9, where, "it was changed, yet has no parent");
  }
  for (const ClaimId parent : claim.parents) {
    if (parent.none()) continue;
    if (parent.attempt().round() >= attempt.round()) {
      findings_->Add(9, where, absl::StrCat("its parent ", Format(parent), " is no older"));
    } else if (!FindRead(parent).has_value()) {
      findings_->Add(9, where,
                     absl::StrCat("its parent ", Format(parent), " stood in no note it read"));
    }
  }
}

// Digests need every word of a note, so without claims only what does not rest on notes is counted.
void ProblemCheck::AddTotals(size_t b, int i, Totals* totals) const {
  const AttemptBlock& block = blocks_[b];
  ++totals->attempts;
  totals->passed += block.outcomes[i].passed;
  if (!totals->whole) return;
  const AttemptId id = block.id(i);
  const absl::Span<const NewClaim> fresh = block.new_claims_of(i);
  const absl::Span<const ClaimId> note = block.note_of(i);
  const Claim* const texts = texts_[b].data() + block.note_begin[i];
  AttemptDigest digest(static_cast<uint32_t>(id.round()), static_cast<uint32_t>(id.problem()),
                       static_cast<uint32_t>(id.lane()));
  digest.Add(block.outcomes[i]);
  digest.Add(block.sources_of(i).size());
  for (const uint32_t source : block.sources_of(i)) digest.Add(uint64_t{source});
  bool closure = false;
  for (size_t k = 0; k < note.size(); ++k) {
    const bool is_new = note[k].attempt() == id && note[k].place() < static_cast<int>(fresh.size());
    digest.Add(texts[k], is_new ? fresh[note[k].place()].change : Change::kCopied);
    closure |= texts[k].label() == Label::kUnsupportedClosure;
  }
  totals->claims_born += static_cast<int64_t>(fresh.size());
  totals->notes_with_closure += closure;
  totals->digest += digest.Finish();
}

}  // namespace hearsay
