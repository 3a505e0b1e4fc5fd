#include "lineage/spread.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lineage/lines.h"
#include "lineage/spread_sums.h"
#include "tasks/words.h"

namespace hearsay {
namespace {

// What is asked of a row over and over.
struct RowFacts {
  explicit RowFacts(const ClaimTable& table)
      : lineage(TraceRows(table, Kinship::kAnyClosure)),
        wrong(table.size(), 0),
        founder(table.size(), kNoRow) {
    for (RowIndex i = 0; i < table.size(); ++i) {
      const ClaimRow& row = table.row(i);
      if (!row.claim.is_closure()) continue;
      wrong[i] = table.TruthOfRow(i) == Truth::kFalse;
      if (!lineage.unsupported[i]) continue;
      founder[i] = i;
      for (RowIndex parent : row.parents) {
        if (parent == kNoRow || founder[parent] == kNoRow) continue;
        if (!Continues(table.row(parent), row, Kinship::kAnyClosure)) continue;
        founder[i] = std::min(founder[i], founder[parent]);
      }
    }
  }

  RowLineage lineage;
  std::vector<uint8_t> wrong;
  // The oldest unsupported closure that the row continues, itself where there is none older; kNoRow
  // for rows that are on no line.
  std::vector<RowIndex> founder;
};

// The notes of one round.
struct Notes {
  std::vector<absl::Span<const RowIndex>>
      closures;  // by slot * lanes + lane, as are the next three
  std::vector<uint8_t> wrote;
  std::vector<uint8_t> agents;
  std::vector<uint32_t> first_carrier;  // one more at the end
  // By carrier: a closure on a line in a note.
  std::vector<RowIndex> rows;
  std::vector<double> paths;
  std::vector<uint32_t> children;
};

class Scan {
 public:
  Scan(const ClaimTable& table, SpreadSums* sums)
      : table_(table),
        sums_(*sums),
        place_(sums_.runs.PlaceOf(table.run().run())),
        facts_(table),
        lanes_(table.run().lanes()),
        problems_(table.run().problems_size()),
        start_count_(table.size(), 0),
        peak_count_(table.size(), 0),
        fixed_round_(table.size(), -1) {
    slot_.assign(kMaxProblems, -1);
    for (int i = 0; i < problems_; ++i) slot_[table.run().problems(i)] = i;
    const int clusters = sums_.runs.cluster_count();
    sums_.round_count = std::max(sums_.round_count, table.round_count());
    for (int r = static_cast<int>(sums_.carried.size()); r < table.round_count(); ++r) {
      sums_.carried.emplace_back().round = r;
      sums_.burden.emplace_back(sums_.Told(r) ? sums_.windows.size() : size_t{1},
                                ClusterSums(clusters, kBurdenFields));
    }
  }

  absl::Status Add(const AttemptBlock& block);
  void Finish();

 private:
  void StartRound(int round);
  void FinishRound();
  void AddCarriers(size_t attempt, absl::Span<const uint32_t> sources, size_t first_of_slot);
  void CountOffspring(const Notes& notes, int round);
  void CountFixation(int slot);
  void CountFixed();
  void CountCarried();
  void CountDecision(size_t attempt, const Outcome& outcome, absl::Span<const IntakeEntry> intake);
  void CountNote(size_t attempt);
  void AddBurden(size_t attempt, int field);
  int ClusterOf(size_t attempt) const {
    return sums_.runs.ClusterOf(AttemptId::Of(
        table_.run().run(), 0, table_.run().problems(static_cast<int>(attempt / lanes_)),
        static_cast<int>(attempt % lanes_)));
  }

  const ClaimTable& table_;
  SpreadSums& sums_;
  const int place_;
  const RowFacts facts_;
  const int lanes_;
  const int problems_;
  std::vector<int> slot_;
  int round_ = -1;
  Notes before_, now_;
  // By row, of founders: notes of the problem that carried its line at first and at most, and the
  // first round in which all lanes did.
  std::vector<int32_t> start_count_, peak_count_, fixed_round_;
};

void Scan::StartRound(int round) {
  if (round_ >= 0) FinishRound();
  round_ = round;
  std::swap(before_, now_);
  const size_t attempts = static_cast<size_t>(problems_) * lanes_;
  now_.closures.clear();
  now_.wrote.clear();
  table_.VisitNotes(round, [&](bool wrote, absl::Span<const RowIndex> closures) {
    now_.closures.push_back(closures);
    now_.wrote.push_back(wrote);
  });
  now_.agents.assign(attempts, 0);
  now_.first_carrier.assign(1, 0);
  now_.rows.clear();
  now_.paths.clear();
  now_.children.clear();
}

absl::Status Scan::Add(const AttemptBlock& block) {
  if (block.first.round() != round_) StartRound(block.first.round());
  const int slot = slot_[block.first.problem()];
  const size_t first_of_slot = static_cast<size_t>(slot) * lanes_;
  for (int i = 0; i < block.size(); ++i) {
    const size_t attempt = first_of_slot + block.id(i).lane();
    const Outcome& outcome = block.outcomes[i];
    now_.agents[attempt] = static_cast<uint8_t>(sums_.runs.AgentOf(place_, outcome.agent));
    for (uint32_t lane : block.sources_of(i)) {
      if (round_ > 0 && lane < static_cast<uint32_t>(lanes_)) continue;
      return absl::DataLossError(absl::StrCat(Format(block.id(i)), ": its source, lane ", lane,
                                              " of the round before, does not exist"));
    }
    // Lanes that are not in the store carry nothing.
    now_.first_carrier.resize(attempt + 1, static_cast<uint32_t>(now_.rows.size()));
    AddCarriers(attempt, block.sources_of(i), first_of_slot);
    CountNote(attempt);
    CountDecision(attempt, outcome, block.intake_of(i));
  }
  return absl::OkStatus();
}

void Scan::AddCarriers(size_t attempt, absl::Span<const uint32_t> sources, size_t first_of_slot) {
  for (RowIndex i : now_.closures[attempt]) {
    if (facts_.founder[i] == kNoRow) continue;
    const ClaimRow& row = table_.row(i);
    double paths = 0;
    bool has_parent = false;
    for (uint32_t lane : sources) {
      const size_t source = first_of_slot + lane;
      for (uint32_t c = before_.first_carrier[source]; c < before_.first_carrier[source + 1]; ++c) {
        const RowIndex j = before_.rows[c];
        const bool descends = j == i || ((row.parents[0] == j || row.parents[1] == j) &&
                                         Continues(table_.row(j), row, Kinship::kAnyClosure));
        if (!descends) continue;
        paths += before_.paths[c];
        if (!has_parent) ++before_.children[c];
        has_parent = true;
      }
    }
    now_.rows.push_back(i);
    now_.paths.push_back(has_parent ? paths : 1);
    now_.children.push_back(0);
  }
  now_.first_carrier.push_back(static_cast<uint32_t>(now_.rows.size()));
}

void Scan::AddBurden(size_t attempt, int field) {
  const int cluster = ClusterOf(attempt);
  const size_t agent = now_.agents[attempt] + size_t{1};
  const bool early = round_ >= 1 && round_ <= sums_.window();
  const bool late = round_ >= table_.round_count() - sums_.window();
  std::vector<ClusterSums>& burden = sums_.burden[round_];
  std::vector<ClusterSums>& windows = sums_.windows;
  for (size_t group : {size_t{0}, agent}) {
    if (group >= windows.size()) continue;
    if (group < burden.size()) burden[group].Add(cluster, field, 1);
    if (early) windows[group].Add(cluster, field, 1);
    if (late) windows[group].Add(cluster, kBurdenFields + field, 1);
  }
  if (early) sums_.run_windows[place_].Add(cluster, field, 1);
  if (late) sums_.run_windows[place_].Add(cluster, kBurdenFields + field, 1);
}

void Scan::CountNote(size_t attempt) {
  if (now_.wrote[attempt] == 0) return;
  AddBurden(attempt, kNotes);
  bool under = false;
  bool hardened = false;
  bool any = false;
  for (RowIndex i : now_.closures[attempt]) {
    if (facts_.wrong[i] == 0) continue;
    any = true;
    hardened |= facts_.founder[i] != kNoRow;
    under |= table_.row(i).claim.label() == Label::kUnsupportedClosure;
  }
  if (under) AddBurden(attempt, kNotesUnder);
  if (hardened) AddBurden(attempt, kNotesHardened);
  if (any) AddBurden(attempt, kNotesAny);
}

void Scan::CountDecision(size_t attempt, const Outcome& outcome,
                         absl::Span<const IntakeEntry> intake) {
  if (outcome.reception == Reception::kSolo) return;
  AddBurden(attempt, kAttempts);
  if ((outcome.events & kEventTruncated) != 0) AddBurden(attempt, kTruncated);
  for (size_t slot = 0; slot < intake.size(); ++slot) {
    if ((outcome.adopted >> slot & 1) == 0) continue;
    // What two claims were merged into closes the same as the first.
    const RowIndex row = table_.Find(intake[slot].parents[0]);
    if (row == kNoRow || !table_.row(row).claim.is_closure() ||
        table_.TruthIn(row, outcome.dsl) != Truth::kFalse) {
      continue;
    }
    AddBurden(attempt, kDecisionsUnder);
    return;
  }
}

void Scan::CountOffspring(const Notes& notes, int round) {
  for (size_t attempt = 0; attempt + 1 < notes.first_carrier.size(); ++attempt) {
    const int cluster = ClusterOf(attempt);
    for (uint32_t c = notes.first_carrier[attempt]; c < notes.first_carrier[attempt + 1]; ++c) {
      const RowIndex i = notes.rows[c];
      const bool wrong = facts_.wrong[i] != 0;
      const uint32_t children = notes.children[c];
      sums_.by_truth[kAnyTruth].Add(cluster, children);
      sums_.by_truth[wrong ? kFalseOnly : kTrueOnly].Add(cluster, children);
      if (!wrong) continue;
      const int generation = round - facts_.lineage.born_round[i];
      sums_.by_generation[SpreadSums::GenerationBin(generation)].Add(cluster, children);
      if (notes.agents[attempt] < sums_.by_agent.size()) {
        sums_.by_agent[notes.agents[attempt]].Add(cluster, children);
      }
    }
  }
}

// Who carries which line in one problem of this round.
void Scan::CountFixation(int slot) {
  std::vector<RowIndex> founders;
  for (size_t attempt = static_cast<size_t>(slot) * lanes_;
       attempt < static_cast<size_t>(slot + 1) * lanes_; ++attempt) {
    const auto begin = static_cast<int64_t>(founders.size());
    for (uint32_t c = now_.first_carrier[attempt]; c < now_.first_carrier[attempt + 1]; ++c) {
      founders.push_back(facts_.founder[now_.rows[c]]);
    }
    std::sort(founders.begin() + begin, founders.end());
    founders.erase(std::unique(founders.begin() + begin, founders.end()), founders.end());
  }
  std::sort(founders.begin(), founders.end());
  for (size_t at = 0; at < founders.size();) {
    const RowIndex founder = founders[at];
    int32_t count = 0;
    for (; at < founders.size() && founders[at] == founder; ++at) ++count;
    if (table_.row(founder).first_round == round_) start_count_[founder] = count;
    peak_count_[founder] = std::max(peak_count_[founder], count);
    if (count == lanes_ && fixed_round_[founder] < 0) fixed_round_[founder] = round_;
  }
}

void Scan::CountCarried() {
  const bool last = round_ == table_.round_count() - 1;
  Carried& of_round = sums_.carried[round_];
  for (size_t c = 0; c < now_.rows.size(); ++c) {
    const RowIndex i = now_.rows[c];
    const Claim claim = table_.row(i).claim;
    Carried one;
    one.carried = 1;
    one.wrong = facts_.wrong[i];
    one.hedged = claim.hedged();
    one.without_evidence = claim.support() == 0;
    one.turned_fact = facts_.lineage.lost_hedge[i] != 0 &&
                      claim.support() <= table_.row(facts_.founder[i]).claim.support();
    one.confidence_sum = claim.confidence();
    one.log2_paths_sum = std::log2(now_.paths[c]);
    one.most_paths = now_.paths[c];
    of_round.Add(one);
    if (last) sums_.survivors[SpreadSums::AgeBin(round_ - facts_.lineage.born_round[i])].Add(one);
  }
}

void Scan::FinishRound() {
  now_.first_carrier.resize(static_cast<size_t>(problems_) * lanes_ + 1,
                            static_cast<uint32_t>(now_.rows.size()));
  if (round_ > 0) CountOffspring(before_, round_ - 1);
  for (int slot = 0; slot < problems_; ++slot) CountFixation(slot);
  CountCarried();
}

// What became of the lines of the run.
void Scan::CountFixed() {
  for (RowIndex i = 0; i < table_.size(); ++i) {
    if (facts_.founder[i] != i) continue;
    const int cluster = sums_.runs.ClusterOf(table_.row(i).id.attempt());
    for (int truth : {int{kAnyTruth}, int{facts_.wrong[i] != 0 ? kFalseOnly : kTrueOnly}}) {
      FixationSums& fixation = sums_.fixation[truth];
      ClusterShare& share = fixation.clusters[cluster];
      ++share.of;
      share.count += fixed_round_[i] >= 0;
      ++fixation.counts.lines;
      fixation.start_share_sum += static_cast<double>(start_count_[i]) / lanes_;
      fixation.peak_share_sum += static_cast<double>(peak_count_[i]) / lanes_;
      if (fixed_round_[i] >= 0) {
        ++fixation.counts.fixed;
        fixation.rounds.push_back(fixed_round_[i] - table_.row(i).first_round);
      } else if (facts_.lineage.last_round[i] < table_.round_count() - 1) {
        ++fixation.counts.lost;
      } else {
        ++fixation.counts.undecided;
      }
    }
  }
}

void Scan::Finish() {
  if (round_ >= 0) FinishRound();
  CountFixed();
}

}  // namespace

SpreadCount::SpreadCount(const RunSet& runs, const BootstrapOptions& options)
    : sums_(std::make_unique<SpreadSums>(runs, options)) {}
SpreadCount::~SpreadCount() = default;

absl::Status SpreadCount::Add(const Store& store, const ClaimTable& table) {
  Scan scan(table, sums_.get());
  absl::Status status;
  if (absl::Status whole = store.RequireWhole(table.run().run()); !whole.ok()) return whole;
  const absl::Status scanned = store.ScanRun(table.run().run(), [&](const AttemptBlock& block) {
    status = scan.Add(block);
    return status.ok();
  });
  if (!scanned.ok()) return scanned;
  if (status.ok()) scan.Finish();
  return status;
}

SpreadStudy SpreadCount::Finish() const { return sums_->Finish(); }

absl::StatusOr<SpreadStudy> StudySpread(const Store& store, const ClaimTable& table,
                                        const BootstrapOptions& options) {
  const RunSet runs(table.run());
  SpreadCount count(runs, options);
  const absl::Status status = count.Add(store, table);
  if (!status.ok()) return status;
  return count.Finish();
}

}  // namespace hearsay
