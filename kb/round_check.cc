#include "kb/round_check.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "kb/ids.h"
#include "tasks/digest.h"
#include "tasks/world.h"

namespace hearsay {
namespace {

const AttemptBlock* BlockAt(const RoundBlocks& blocks, AttemptId attempt) {
  const auto after =
      std::upper_bound(blocks.begin(), blocks.end(), attempt,
                       [](AttemptId id, const AttemptBlock& block) { return id < block.first; });
  if (after == blocks.begin()) return nullptr;
  const AttemptBlock& block = *std::prev(after);
  const uint64_t at = attempt.value - block.first.value;
  return at < static_cast<uint64_t>(block.size()) ? &block : nullptr;
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

void RoundCheck::Check(const RoundRecord& record, const RoundBlocks& before,
                       const RoundBlocks& blocks) {
  CheckCoverage(record.round(), blocks);
  for (const AttemptBlock& block : blocks) {
    if (block.has_claims() != run_.claims_recorded()) {
      findings_.Add(5, Format(block.first),
                    block.has_claims() ? "it has claims, its run records none"
                                       : "it has no claims, its run records them");
    }
    for (int i = 0; i < block.size(); ++i) CheckAttempt(block, i, before);
  }
  CheckTotals(record, blocks);
  if (record.round() > 0) CheckReceivers(record.round(), before, blocks);
  KeepTexts(blocks);
}

void RoundCheck::CheckCoverage(int round, const RoundBlocks& blocks) {
  size_t at = 0;
  for (const int problem : run_.problems()) {
    for (int lane = 0; lane < run_.lanes(); lane += kBlockLanes) {
      const AttemptId first = AttemptId::Of(run_.run(), round, problem, lane);
      for (; at < blocks.size() && blocks[at].first < first; ++at) {
        findings_.Add(4, Format(blocks[at].first), "no block of its run starts there");
      }
      if (at == blocks.size() || blocks[at].first != first) {
        findings_.Add(4, Format(first), "its block is missing");
        continue;
      }
      const int size = std::min(kBlockLanes, run_.lanes() - lane);
      if (blocks[at].size() != size) {
        findings_.Add(4, Format(first),
                      absl::StrCat("its block holds ", blocks[at].size(), " lanes, not ", size));
      }
      ++at;
    }
  }
  for (; at < blocks.size(); ++at) {
    findings_.Add(4, Format(blocks[at].first), "no block of its run starts there");
  }
}

void RoundCheck::CheckAttempt(const AttemptBlock& block, int i, const RoundBlocks& before) {
  const AttemptId attempt = block.id(i);
  const Outcome& outcome = block.outcomes[i];
  const std::string fault = OutcomeFault(outcome, run_.agents_size());
  if (!fault.empty()) findings_.Add(5, Format(attempt), fault);
  CheckSources(block, i);
  if (!block.has_claims()) return;
  const size_t note = block.note_of(i).size(), intake = block.intake_of(i).size();
  if (outcome.note_size != note || outcome.intake_size != intake) {
    findings_.Add(5, Format(attempt),
                  absl::StrCat("the outcome counts ", outcome.intake_size, " claims read and ",
                               outcome.note_size, " written; there are ", intake, " and ", note));
  }
  if (block.new_claims_of(i).size() > note) {
    findings_.Add(
        5, Format(attempt),
        absl::StrCat(block.new_claims_of(i).size(), " new claims do not fit a note of ", note));
  }
  CheckClaims(block, i, before);
}

void RoundCheck::CheckSources(const AttemptBlock& block, int i) {
  const AttemptId attempt = block.id(i);
  const absl::Span<const uint32_t> sources = block.sources_of(i);
  const bool solo = attempt.round() == 0;
  if (solo != (block.outcomes[i].reception == Reception::kSolo)) {
    findings_.Add(6, Format(attempt), solo ? "it is in round 0 and not solo" : "it is solo");
  }
  if (solo) {
    if (!sources.empty()) findings_.Add(6, Format(attempt), "it is in round 0 and has a source");
    return;
  }
  if (sources.empty() || sources.size() > kMaxSources) {
    findings_.Add(6, Format(attempt),
                  absl::StrCat(sources.size(), " sources are not 1 to ", kMaxSources));
  }
  for (size_t s = 0; s < sources.size(); ++s) {
    if (static_cast<int>(sources[s]) >= run_.lanes()) {
      findings_.Add(6, Format(attempt), absl::StrCat("its source, lane ", sources[s], ", is none"));
    }
    if (std::find(sources.begin(), sources.begin() + s, sources[s]) != sources.begin() + s) {
      findings_.Add(6, Format(attempt), absl::StrCat("lane ", sources[s], " is its source twice"));
    }
  }
}

void RoundCheck::CheckClaims(const AttemptBlock& block, int i, const RoundBlocks& before) {
  const AttemptId attempt = block.id(i);
  // What it can have read: the notes of its sources.
  std::vector<ClaimId> read;
  for (const uint32_t lane : block.sources_of(i)) {
    if (attempt.round() == 0 || static_cast<int>(lane) >= run_.lanes()) continue;
    const AttemptId source = AttemptId::Of(attempt.run(), attempt.round() - 1, attempt.problem(),
                                           static_cast<int>(lane));
    const AttemptBlock* held = BlockAt(before, source);
    if (held == nullptr || !held->has_claims()) continue;
    const absl::Span<const ClaimId> note = held->note_of(source.lane() - held->first.lane());
    read.insert(read.end(), note.begin(), note.end());
  }
  const absl::Span<const NewClaim> fresh = block.new_claims_of(i);
  const bool alone = block.outcomes[i].reception != Reception::kConditioned;
  const absl::Span<const ClaimId> note = block.note_of(i);
  for (size_t k = 0; k < note.size(); ++k) {
    const ClaimId id = note[k];
    if (Contains(note.subspan(0, k), id)) {
      findings_.Add(7, Format(attempt), absl::StrCat(Format(id), " stands in its note twice"));
    }
    if (id.attempt() == attempt) {
      if (id.place() >= static_cast<int>(fresh.size())) {
        findings_.Add(7, Format(attempt),
                      absl::StrCat("its note holds ", Format(id), ", which it did not write"));
      }
    } else if (alone) {
      findings_.Add(7, Format(attempt), absl::StrCat("it read no note, yet holds ", Format(id)));
    } else if (!Contains(read, id)) {
      findings_.Add(7, Format(attempt),
                    absl::StrCat("it holds ", Format(id), ", which no source of it held"));
    }
  }
  for (size_t place = 0; place < fresh.size(); ++place) {
    const ClaimId id = ClaimId::Of(attempt, static_cast<int>(place));
    const std::string fault = ClaimFault(fresh[place].claim, attempt.round());
    if (!fault.empty()) findings_.Add(8, Format(id), fault);
    if (!Contains(note, id))
      findings_.Add(8, Format(id), "no note holds it, not even its author's");
    CheckParents(attempt, static_cast<int>(place), fresh[place], read);
  }
  for (const IntakeEntry& entry : block.intake_of(i)) {
    for (const ClaimId id : entry.parents) {
      if (id.none() || Contains(read, id)) continue;
      findings_.Add(10, Format(attempt),
                    absl::StrCat("it took in ", Format(id), ", which no source of it held"));
    }
  }
}

void RoundCheck::CheckParents(AttemptId attempt, int place, const NewClaim& claim,
                              const std::vector<ClaimId>& read) {
  const std::string where = Format(ClaimId::Of(attempt, place));
  const int parents = (claim.parents[0].none() ? 0 : 1) + (claim.parents[1].none() ? 0 : 1);
  if (static_cast<int>(claim.change) >= kChangeCount || claim.change == Change::kCopied) {
    findings_.Add(9, where, "its change is unknown, or that of a copy");
  } else if (claim.change == Change::kBorn && parents != 0) {
    findings_.Add(9, where, "it was born, yet has a parent");
  } else if (claim.change == Change::kMerged && parents != 2) {
    findings_.Add(9, where, absl::StrCat("it was merged from ", parents, " parents, not 2"));
  } else if (claim.change != Change::kBorn && claim.parents[0].none()) {
    findings_.Add(9, where, "it was changed, yet has no parent");
  }
  for (const ClaimId parent : claim.parents) {
    if (parent.none()) continue;
    if (parent.attempt().round() >= attempt.round()) {
      findings_.Add(9, where, absl::StrCat("its parent ", Format(parent), " is no older"));
    } else if (!Contains(read, parent)) {
      findings_.Add(9, where,
                    absl::StrCat("its parent ", Format(parent), " stood in no note it read"));
    }
  }
}

Claim RoundCheck::TextOf(const AttemptBlock& block, int i, ClaimId id) const {
  if (id.attempt() == block.id(i)) {
    const absl::Span<const NewClaim> fresh = block.new_claims_of(i);
    return id.place() < static_cast<int>(fresh.size()) ? fresh[id.place()].claim : Claim{};
  }
  const auto text = texts_.find(id.value);
  return text == texts_.end() ? Claim{} : text->second;
}

void RoundCheck::KeepTexts(const RoundBlocks& blocks) {
  absl::flat_hash_map<uint64_t, Claim> kept;
  for (const AttemptBlock& block : blocks) {
    if (!block.has_claims()) continue;
    for (int i = 0; i < block.size(); ++i) {
      for (const ClaimId id : block.note_of(i)) kept[id.value] = TextOf(block, i, id);
    }
  }
  texts_ = std::move(kept);
}

// Digests need every word of a note, so without claims only what does not rest on notes is checked.
void RoundCheck::CheckTotals(const RoundRecord& record, const RoundBlocks& blocks) {
  const std::string where = absl::StrCat("R", record.run(), ":r", record.round());
  std::vector<uint64_t> digests(run_.problems_size());
  int64_t attempts = 0, passed = 0, born = 0, with_closure = 0;
  bool whole = true;
  for (const AttemptBlock& block : blocks) {
    const auto slot =
        std::find(run_.problems().begin(), run_.problems().end(), block.first.problem());
    whole = whole && block.has_claims() && slot != run_.problems().end();
    attempts += block.size();
    for (int i = 0; i < block.size(); ++i) passed += block.outcomes[i].passed;
    if (!whole) continue;
    born += static_cast<int64_t>(block.new_claims.size());
    for (int i = 0; i < block.size(); ++i) {
      const AttemptId id = block.id(i);
      AttemptDigest digest(static_cast<uint32_t>(id.round()), static_cast<uint32_t>(id.problem()),
                           static_cast<uint32_t>(id.lane()));
      digest.Add(block.outcomes[i]);
      digest.Add(block.sources_of(i).size());
      for (const uint32_t source : block.sources_of(i)) digest.Add(uint64_t{source});
      bool closure = false;
      for (const ClaimId claim : block.note_of(i)) {
        const Claim text = TextOf(block, i, claim);
        const absl::Span<const NewClaim> fresh = block.new_claims_of(i);
        const bool is_new = claim.attempt() == id && claim.place() < static_cast<int>(fresh.size());
        digest.Add(text, is_new ? fresh[claim.place()].change : Change::kCopied);
        closure |= text.label() == Label::kUnsupportedClosure;
      }
      with_closure += closure;
      digests[slot - run_.problems().begin()] += digest.Finish();
    }
  }
  uint64_t sum = 0;
  for (const uint64_t digest : record.problem_digests()) sum += digest;
  if (record.problem_digests_size() != run_.problems_size()) {
    findings_.Add(11, where,
                  absl::StrCat(record.problem_digests_size(), " digests for ", run_.problems_size(),
                               " problems"));
  } else if (whole && run_.claims_recorded()) {
    for (int p = 0; p < run_.problems_size(); ++p) {
      if (digests[p] == record.problem_digests(p)) continue;
      findings_.Add(11, absl::StrCat(where, ".", FormatProblem(run_.problems(p))),
                    "its attempts have another digest than its record says");
    }
  }
  if (sum != record.digest()) {
    findings_.Add(11, where, "its digest is not the sum of its problems' digests");
  }
  const auto count = [&](absl::string_view what, int64_t stored, int64_t found) {
    if (stored == found) return;
    findings_.Add(15, where,
                  absl::StrCat("its record counts ", stored, " ", what, ", there are ", found));
  };
  count("attempts", record.attempts(), attempts);
  count("passed", record.passed(), passed);
  if (!whole || !run_.claims_recorded()) return;
  count("claims born", record.claims_born(), born);
  count("notes with an unsupported closure", record.notes_with_closure(), with_closure);
}

void RoundCheck::CheckReceivers(int round, const RoundBlocks& before, const RoundBlocks& blocks) {
  for (const int problem : run_.problems()) {
    std::vector<std::vector<uint32_t>> expected(run_.lanes());
    for (const AttemptBlock& block : blocks) {
      if (block.first.problem() != problem) continue;
      for (int i = 0; i < block.size(); ++i) {
        for (const uint32_t source : block.sources_of(i)) {
          if (static_cast<int>(source) >= run_.lanes()) continue;
          expected[source].push_back(static_cast<uint32_t>(block.id(i).lane()));
        }
      }
    }
    for (const AttemptBlock& block : before) {
      if (block.first.problem() != problem) continue;
      const absl::StatusOr<std::vector<std::vector<uint32_t>>> stored =
          store_.ReceiversOfBlock(block.first);
      if (!stored.ok()) {
        findings_.Add(12, Format(block.first), stored.status().message());
        continue;
      }
      for (int i = 0; i < block.size(); ++i) {
        const int lane = block.id(i).lane();
        const bool there = i < static_cast<int>(stored->size());
        if (there && lane < run_.lanes() && (*stored)[i] == expected[lane]) continue;
        findings_.Add(12, Format(block.id(i)),
                      absl::StrCat("its receivers are not the lanes of round ", round,
                                   " that name it as their source"));
      }
    }
  }
}

}  // namespace hearsay
