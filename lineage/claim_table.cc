#include "lineage/claim_table.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace hearsay {

// Builds a table block by block. Blocks come in key order, and so do the claims they are the first
// to write: rows are appended and never sorted.
class ClaimTableLoader {
 public:
  ClaimTableLoader(ClaimTable& table, int lanes) : table_(table), lanes_(lanes) {}

  // Takes the claims that outlive their attempts, before any block.
  absl::Status TakeKept(const Store& store);
  absl::Status Add(const AttemptBlock& block);
  // REQUIRES: every block has been added.
  void Finish();

 private:
  // Appends those of `kept_` that stand before the attempt.
  void AppendKept(AttemptId before);
  uint64_t OrdinalOf(AttemptId attempt) const;
  absl::Status Start(const AttemptBlock& block);
  absl::Status AppendRows(const AttemptBlock& block, int i);
  absl::Status CountNote(const AttemptBlock& block, int i);
  absl::Status CountIntake(const AttemptBlock& block, int i);
  absl::StatusOr<RowIndex> Resolve(AttemptId reader, ClaimId id) const;
  void Record(AttemptId attempt, const RowIndex parents[2], Deed deed, int16_t cost_lg);
  void Count(const RowIndex parents[2], int32_t ClaimRow::*counter);
  void LinkChildren();

  ClaimTable& table_;
  const int lanes_;
  std::vector<KeptClaim> kept_;  // ascending
  size_t next_kept_ = 0;
};

absl::Status ClaimTableLoader::TakeKept(const Store& store) {
  for (const int problem : table_.run_.problems()) {
    if (table_.problem_slot_[problem] < 0) continue;
    const absl::StatusOr<std::vector<KeptClaim>> kept =
        store.KeptClaims(table_.run_.run(), problem);
    if (!kept.ok()) return kept.status();
    kept_.insert(kept_.end(), kept->begin(), kept->end());
  }
  std::sort(kept_.begin(), kept_.end(),
            [](const KeptClaim& a, const KeptClaim& b) { return a.id < b.id; });
  const bool fits = std::all_of(kept_.begin(), kept_.end(), [this](const KeptClaim& claim) {
    return claim.id.attempt().lane() < lanes_;
  });
  if (fits) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("kept claims of R", table_.run_.run(), " are outside the lanes of the run"));
}

uint64_t ClaimTableLoader::OrdinalOf(AttemptId attempt) const {
  const uint64_t problems = table_.attempts_per_round_ / std::max(lanes_, 1);
  return (attempt.round() * problems + table_.problem_slot_[attempt.problem()]) * lanes_ +
         attempt.lane();
}

void ClaimTableLoader::AppendKept(AttemptId before) {
  for (; next_kept_ < kept_.size() && kept_[next_kept_].id.attempt() < before; ++next_kept_) {
    const KeptClaim& kept = kept_[next_kept_];
    if (table_.Find(kept.id) != kNoRow) continue;  // its round is whole
    const uint64_t ordinal = OrdinalOf(kept.id.attempt());
    if (ordinal + 1 > table_.new_begin_.size()) {
      table_.new_begin_.resize(ordinal + 1, static_cast<uint32_t>(table_.rows_.size()));
    }
    ClaimRow row;
    row.id = kept.id;
    row.claim = kept.made.claim;
    row.change = kept.made.change;
    row.agent = kept.agent;
    row.first_round = row.last_round = kept.id.attempt().round();
    const auto at = static_cast<RowIndex>(table_.rows_.size());
    for (int p = 0; p < 2; ++p) {
      const ClaimId parent = kept.made.parents[p];
      if (parent.none()) continue;
      row.parents[p] = table_.Find(parent);
      if (row.parents[p] == kNoRow) table_.dropped_parents_.emplace_back(at, parent);
    }
    table_.rows_.push_back(row);
  }
}

absl::Status ClaimTableLoader::Start(const AttemptBlock& block) {
  const AttemptId first = block.first;
  const int slot = table_.problem_slot_[first.problem()];
  if (slot < 0 || first.lane() + block.size() > lanes_) {
    return absl::DataLossError(
        absl::StrCat("attempts from ", Format(first), " on, ", block.size(),
                     " of them, are outside the problems and lanes of the run"));
  }
  if (!block.has_claims() && block.size() > 0) {
    return absl::DataLossError(
        absl::StrCat(Format(first), ": recorded without claims in a run that has them"));
  }
  AppendKept(first);
  const uint64_t ordinal = OrdinalOf(first);
  if (ordinal + 1 < table_.new_begin_.size()) {
    return absl::DataLossError(absl::StrCat(Format(first), ": attempts are not in key order"));
  }
  // Lanes that are not in the store have written nothing.
  table_.new_begin_.resize(ordinal + 1, static_cast<uint32_t>(table_.rows_.size()));
  table_.closure_begin_.resize(ordinal + 1, static_cast<uint32_t>(table_.closures_.size()));
  table_.wrote_.resize(ordinal, 0);
  table_.round_count_ = first.round() + 1;
  return absl::OkStatus();
}

absl::Status ClaimTableLoader::Add(const AttemptBlock& block) {
  if (absl::Status status = Start(block); !status.ok()) return status;
  for (int i = 0; i < block.size(); ++i) {
    if (absl::Status status = AppendRows(block, i); !status.ok()) return status;
    if (absl::Status status = CountNote(block, i); !status.ok()) return status;
    if (absl::Status status = CountIntake(block, i); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<RowIndex> ClaimTableLoader::Resolve(AttemptId reader, ClaimId id) const {
  const RowIndex row = table_.Find(id);
  if (row != kNoRow) return row;
  return absl::DataLossError(
      absl::StrCat(Format(reader), ": refers to ", Format(id), ", which nobody has written"));
}

absl::Status ClaimTableLoader::AppendRows(const AttemptBlock& block, int i) {
  const AttemptId attempt = block.id(i);
  int place = 0;
  for (const NewClaim& made : block.new_claims_of(i)) {
    ClaimRow row;
    row.id = ClaimId::Of(attempt, place++);
    row.claim = made.claim;
    row.change = made.change;
    row.agent = block.outcomes[i].agent;
    row.first_round = row.last_round = attempt.round();
    for (int p = 0; p < 2; ++p) {
      if (made.parents[p].none()) continue;
      // Only attempts before this one are known yet: a claim cannot descend from its own siblings.
      absl::StatusOr<RowIndex> parent = Resolve(attempt, made.parents[p]);
      if (!parent.ok()) return parent.status();
      row.parents[p] = *parent;
    }
    table_.rows_.push_back(row);
  }
  table_.new_begin_.push_back(static_cast<uint32_t>(table_.rows_.size()));
  return absl::OkStatus();
}

absl::Status ClaimTableLoader::CountNote(const AttemptBlock& block, int i) {
  const AttemptId attempt = block.id(i);
  for (ClaimId id : block.note_of(i)) {
    absl::StatusOr<RowIndex> found = Resolve(attempt, id);
    if (!found.ok()) return found.status();
    ClaimRow& row = table_.rows_[*found];
    ++row.carriers;
    // While a round is being read its carriers are counted here; a later round starts afresh.
    row.carriers_at_end = row.last_round == attempt.round() ? row.carriers_at_end + 1 : 1;
    row.last_round = attempt.round();
    if (row.claim.is_closure()) table_.closures_.push_back(*found);
  }
  table_.closure_begin_.push_back(static_cast<uint32_t>(table_.closures_.size()));
  table_.wrote_.push_back(block.note_of(i).empty() ? 0 : 1);
  return absl::OkStatus();
}

void ClaimTableLoader::Count(const RowIndex parents[2], int32_t ClaimRow::*counter) {
  for (int p = 0; p < 2; ++p) {
    if (parents[p] != kNoRow) ++(table_.rows_[parents[p]].*counter);
  }
}

void ClaimTableLoader::Record(AttemptId attempt, const RowIndex parents[2], Deed deed,
                              int16_t cost_lg) {
  for (int p = 0; p < 2; ++p) {
    if (parents[p] != kNoRow) table_.events_.push_back({attempt, parents[p], deed, cost_lg});
  }
}

absl::Status ClaimTableLoader::CountIntake(const AttemptBlock& block, int i) {
  const Outcome& outcome = block.outcomes[i];
  const AttemptId attempt = block.id(i);
  const absl::Span<const IntakeEntry> intake = block.intake_of(i);
  const uint32_t touched = outcome.adopted | outcome.confirmed | outcome.refuted;
  if (intake.size() < 32 && touched >> intake.size() != 0) {
    return absl::DataLossError(absl::StrCat(Format(attempt), ": acted on claims past the ",
                                            intake.size(), " that it read"));
  }
  for (size_t slot = 0; slot < intake.size(); ++slot) {
    const uint32_t bit = uint32_t{1} << slot;
    const bool costliest = outcome.costly_slot != kNoSlot && outcome.costly_slot == slot;
    if ((touched & bit) == 0 && !costliest) continue;
    RowIndex parents[2] = {kNoRow, kNoRow};
    for (int p = 0; p < 2; ++p) {
      if (intake[slot].parents[p].none()) continue;
      absl::StatusOr<RowIndex> parent = Resolve(attempt, intake[slot].parents[p]);
      if (!parent.ok()) return parent.status();
      parents[p] = *parent;
    }
    // One claim merged with itself is one claim.
    if (parents[1] == parents[0]) parents[1] = kNoRow;
    if (((outcome.confirmed | outcome.refuted) & bit) != 0) Count(parents, &ClaimRow::tested);
    if ((outcome.confirmed & bit) != 0) {
      Count(parents, &ClaimRow::confirmed);
      Record(attempt, parents, Deed::kConfirmed, 0);
    }
    if ((outcome.refuted & bit) != 0) {
      Count(parents, &ClaimRow::refuted);
      Record(attempt, parents, Deed::kRefuted, 0);
    }
    if ((outcome.adopted & bit) != 0) {
      Count(parents, &ClaimRow::adopted);
      Record(attempt, parents, Deed::kAdopted, 0);
    }
    if (costliest) Record(attempt, parents, Deed::kPaidMost, outcome.closure_cost_lg);
  }
  return absl::OkStatus();
}

void ClaimTableLoader::LinkChildren() {
  const size_t count = table_.rows_.size();
  std::vector<uint32_t>& begin = table_.child_begin_;
  begin.assign(count + 1, 0);
  for (const ClaimRow& row : table_.rows_) {
    if (row.parents[0] != kNoRow) ++begin[row.parents[0] + 1];
    if (row.parents[1] != kNoRow && row.parents[1] != row.parents[0]) ++begin[row.parents[1] + 1];
  }
  for (size_t i = 0; i < count; ++i) begin[i + 1] += begin[i];
  table_.children_.resize(begin[count]);
  std::vector<uint32_t> next(begin.begin(), begin.end() - 1);
  for (size_t i = 0; i < count; ++i) {
    const ClaimRow& row = table_.rows_[i];
    const auto child = static_cast<RowIndex>(i);
    if (row.parents[0] != kNoRow) table_.children_[next[row.parents[0]]++] = child;
    if (row.parents[1] != kNoRow && row.parents[1] != row.parents[0]) {
      table_.children_[next[row.parents[1]]++] = child;
    }
  }
}

void ClaimTableLoader::Finish() {
  const size_t attempts = static_cast<size_t>(table_.round_count_) * table_.attempts_per_round_;
  table_.new_begin_.resize(attempts + 1, static_cast<uint32_t>(table_.rows_.size()));
  table_.closure_begin_.resize(attempts + 1, static_cast<uint32_t>(table_.closures_.size()));
  table_.wrote_.resize(attempts, 0);
  for (const KeptClaim& kept : kept_) {
    const RowIndex i = table_.Find(kept.id);
    if (i == kNoRow) continue;
    ClaimRow& row = table_.rows_[i];
    row.last_round = std::max(row.last_round, kept.last_round);
    row.carriers += kept.carriers;
    row.adopted += kept.adopted;
    row.confirmed += kept.confirmed;
    row.refuted += kept.refuted;
    row.tested += kept.confirmed + kept.refuted;
  }
  for (ClaimRow& row : table_.rows_) {
    if (row.last_round != table_.round_count_ - 1) row.carriers_at_end = 0;
  }
  LinkChildren();
}

namespace {

// A hint, so that the largest array is allocated once. The rounds' own counts are not believed past
// what their attempts could have written.
size_t ExpectedRows(const std::vector<RoundRecord>& rounds, int64_t attempts_per_round) {
  const int64_t most = attempts_per_round * kMaxNoteClaims;
  int64_t rows = 0;
  for (const RoundRecord& round : rounds) {
    rows +=
        std::clamp<int64_t>(round.dropped() ? round.kept_claims() : round.claims_born(), 0, most);
  }
  return static_cast<size_t>(rows);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ClaimTable>> ClaimTable::Load(const Store& store, int run,
                                                             Atlas& atlas, int problem) {
  absl::StatusOr<RunRecord> record = store.Run(run);
  if (!record.ok()) return record.status();
  if (!record->claims_recorded()) {
    return absl::FailedPreconditionError(
        absl::StrCat("run R", run, " was recorded as a summary, without claims"));
  }
  std::unique_ptr<ClaimTable> table(new ClaimTable(atlas));
  table->run_ = *std::move(record);
  table->problem_ = problem < 0 ? -1 : problem;
  table->problem_slot_.assign(kMaxProblems, -1);
  int slots = 0;
  for (int index : table->run_.problems()) {
    if (index < 0 || index >= kMaxProblems) {
      return absl::DataLossError(absl::StrCat("run R", run, ": no problem has index ", index));
    }
    if (problem < 0 || index == problem) table->problem_slot_[index] = slots++;
  }
  const int lanes = table->run_.lanes();
  const int all_problems = table->run_.problems_size();
  table->attempts_per_round_ = static_cast<int64_t>(slots) * lanes;

  ClaimTableLoader loader(*table, lanes);
  absl::Status status;
  const auto add = [&](const AttemptBlock& block) {
    status = loader.Add(block);
    return status.ok();
  };
  absl::StatusOr<std::vector<RoundRecord>> rounds = store.Rounds(run);
  if (!rounds.ok()) return rounds.status();
  for (const RoundRecord& round : *rounds) table->dropped_rounds_ += round.dropped();
  if (table->dropped_rounds_ > 0) {
    if (absl::Status kept = loader.TakeKept(store); !kept.ok()) return kept;
  }
  // Problems differ in how many claims they give rise to, but not by much.
  const size_t expected = ExpectedRows(*rounds, static_cast<int64_t>(lanes) * all_problems);
  table->rows_.reserve(expected * static_cast<size_t>(slots) / std::max(all_problems, 1));
  if (problem < 0) {
    absl::Status scan = store.ScanRun(run, add);
    if (!scan.ok()) return scan;
  } else if (slots > 0) {
    for (const RoundRecord& round : *rounds) {
      absl::Status scan = store.ScanRound(run, round.round(), problem, add);
      if (!scan.ok()) return scan;
      if (!status.ok()) break;
    }
  }
  if (!status.ok()) return status;
  loader.Finish();
  return table;
}

RowIndex ClaimTable::Find(ClaimId id) const {
  const AttemptId attempt = id.attempt();
  const int slot = problem_slot_[attempt.problem()];
  if (id.none() || attempt.run() != run_.run() || slot < 0 || attempt.lane() >= run_.lanes()) {
    return kNoRow;
  }
  const uint64_t ordinal = static_cast<uint64_t>(attempt.round()) * attempts_per_round_ +
                           static_cast<uint64_t>(slot) * run_.lanes() + attempt.lane();
  if (ordinal + 1 >= new_begin_.size()) return kNoRow;
  const uint32_t begin = new_begin_[ordinal], end = new_begin_[ordinal + 1];
  if (dropped_rounds_ == 0) {  // without a look at the row, which is seldom in a cache
    return begin + id.place() < end ? static_cast<RowIndex>(begin + id.place()) : kNoRow;
  }
  // Of an attempt that was dropped some claims may be missing, and the others stand further on.
  for (uint32_t row = std::min(begin + id.place(), end - 1); begin < end; --row) {
    if (rows_[row].id == id) return static_cast<RowIndex>(row);
    if (row == begin || rows_[row].id < id) break;
  }
  return kNoRow;
}

std::vector<ClaimId> ClaimTable::DroppedParents(RowIndex i) const {
  std::vector<ClaimId> parents;
  for (auto at = std::lower_bound(dropped_parents_.begin(), dropped_parents_.end(),
                                  std::make_pair(i, ClaimId()));
       at != dropped_parents_.end() && at->first == i; ++at) {
    parents.push_back(at->second);
  }
  return parents;
}

absl::StatusOr<RowIndex> ClaimTable::FindOrError(ClaimId id) const {
  const RowIndex row = Find(id);
  if (row != kNoRow) return row;
  if (dropped_rounds_ > 0 && id.attempt().round() < round_count_) {
    return absl::NotFoundError(
        absl::StrCat("claim ", Format(id), " was not kept, if it was written: ", KeptWords()));
  }
  return absl::NotFoundError(absl::StrCat("no claim ", Format(id), ": run R", run_.run(), " has ",
                                          size(), " claims in ", round_count_, " rounds",
                                          problem_ < 0 ? "" : " of this problem"));
}

std::string ClaimTable::KeptWords() const {
  return absl::StrCat("R", run_.run(), " was made with --retain ", run_.retain(),
                      ", which dropped the attempts of ", dropped_rounds_, " of ", round_count_,
                      " rounds");
}

std::string ClaimTable::AgentName(int agent) const {
  if (agent >= 0 && agent < run_.agents_size()) return run_.agents(agent);
  return absl::StrCat("agent ", agent);
}

const World& ClaimTable::WorldOf(int problem, Dsl dsl) const {
  std::atomic<const World*>& cached = worlds_[problem * kDslCount + static_cast<int>(dsl)];
  const World* world = cached.load(std::memory_order_acquire);
  if (world == nullptr) {
    // Two threads may both ask; the atlas gives both the same landscape.
    world = &atlas_.Get(problem, dsl).world();
    cached.store(world, std::memory_order_release);
  }
  return *world;
}

Truth ClaimTable::TruthIn(RowIndex i, Dsl dsl) const {
  const Claim claim = rows_[i].claim;
  return TruthOf(WorldOf(rows_[i].id.attempt().problem(), dsl), claim);
}

int CostLg(const World& world, Claim claim) {
  if (!claim.is_closure() || claim.knob() >= world.knob_count ||
      claim.value() >= world.value_count[claim.knob()]) {
    return 0;
  }
  return ClosureCostLg(world, claim);
}

int ClaimTable::CostLgIn(RowIndex i, Dsl dsl) const {
  // No landscape is modelled for what cannot cost anything.
  if (!rows_[i].claim.is_closure()) return 0;
  return CostLg(WorldOf(rows_[i].id.attempt().problem(), dsl), rows_[i].claim);
}

RoundCounts ClaimTable::CountRound(int round) const {
  RoundCounts counts;
  VisitNotes(round, [&](bool wrote, absl::Span<const RowIndex> closures) {
    ++counts.attempts;
    if (wrote) ++counts.notes;
    bool unsupported = false;
    bool wrong = false;
    bool both = false;
    for (RowIndex i : closures) {
      const bool i_unsupported = rows_[i].claim.label() == Label::kUnsupportedClosure;
      const bool i_wrong = TruthOfRow(i) == Truth::kFalse;
      unsupported = unsupported || i_unsupported;
      wrong = wrong || i_wrong;
      both = both || (i_unsupported && i_wrong);
    }
    if (unsupported) ++counts.notes_with_unsupported_closure;
    if (wrong) ++counts.notes_with_false_closure;
    if (both) ++counts.notes_with_false_unsupported_closure;
  });
  return counts;
}

}  // namespace hearsay
