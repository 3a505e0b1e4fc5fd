#include "lineage/spread.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lineage/lines.h"
#include "lineage/persistence.h"
#include "tasks/words.h"

namespace hearsay {
namespace {

// First generation of each bin of Reproduction; the last is open.
constexpr int kGenerations[] = {0, 1, 2, 3, 6, 11, 21, 51, 101};
constexpr int kGenerationBins = std::size(kGenerations);

// Rounds at which burdens are told by agent, and the last.
constexpr int kBurdenRounds[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};

int BinOf(int generation) {
  return static_cast<int>(
      std::upper_bound(std::begin(kGenerations), std::end(kGenerations), generation) -
      std::begin(kGenerations) - 1);
}

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

// Fields of sums.
enum { kChildren, kCarriers, kReproductionFields };
enum {
  kNotes,
  kNotesUnder,
  kNotesHardened,
  kNotesAny,
  kAttempts,
  kDecisionsUnder,
  kTruncated,
  kBurdenFields
};

struct ReproductionSums {
  OffspringCounts offspring;
  ClusterSums sums;

  void Add(int cluster, uint32_t children) {
    if (offspring.size() <= children) offspring.resize(children + 1, 0);
    ++offspring[children];
    sums.Add(cluster, kChildren, children);
    sums.Add(cluster, kCarriers, 1);
  }
};

class Scan {
 public:
  Scan(const ClaimTable& table, const BootstrapOptions& options)
      : table_(table),
        options_(options),
        facts_(table),
        lanes_(table.run().lanes()),
        problems_(table.run().problems_size()),
        clusters_(Clusters::Of(problems_, lanes_)),
        window_(std::max(1, (table.round_count() - 1) / 10)),
        start_count_(table.size(), 0),
        peak_count_(table.size(), 0),
        fixed_round_(table.size(), -1) {
    slot_.assign(kMaxProblems, -1);
    for (int i = 0; i < problems_; ++i) slot_[table.run().problems(i)] = i;
    const int agents = table.run().agents_size();
    const ReproductionSums none{{}, ClusterSums(clusters_.count, kReproductionFields)};
    by_truth_.assign(3, none);
    by_generation_.assign(kGenerationBins, none);
    by_agent_.assign(agents, none);
    windows_.assign(agents + 1, ClusterSums(clusters_.count, 2 * kBurdenFields));
  }

  absl::Status Add(const AttemptBlock& block);
  SpreadStudy Finish();

 private:
  void StartRound(int round);
  void FinishRound();
  void AddCarriers(size_t attempt, absl::Span<const uint32_t> sources, size_t first_of_slot);
  void CountOffspring(const Notes& notes, int round);
  void CountFixation(int slot);
  void CountDecision(size_t attempt, const Outcome& outcome, absl::Span<const IntakeEntry> intake);
  void CountNote(size_t attempt);
  void AddBurden(size_t attempt, int field);
  Carried CountCarried(int age_from, int age_to) const;
  void AddRows(SpreadStudy* study) const;
  Fixation FixationOf(std::optional<Truth> truth) const;

  const ClaimTable& table_;
  const BootstrapOptions options_;
  const RowFacts facts_;
  const int lanes_;
  const int problems_;
  const Clusters clusters_;
  const int window_;
  std::vector<int> slot_;
  int round_ = -1;
  Notes before_, now_;
  std::vector<ReproductionSums> by_truth_, by_generation_, by_agent_;  // any, true, false
  std::vector<ClusterSums> burden_;   // of this round: all, then agents
  std::vector<ClusterSums> windows_;  // early and late: all, then agents
  // By row, of founders: notes of the problem that carried its line at first and at most, and the
  // first round in which all lanes did.
  std::vector<int32_t> start_count_, peak_count_, fixed_round_;
  SpreadStudy study_;
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
  burden_.assign(table_.run().agents_size() + 1, ClusterSums(clusters_.count, kBurdenFields));
}

absl::Status Scan::Add(const AttemptBlock& block) {
  if (block.first.round() != round_) StartRound(block.first.round());
  const int slot = slot_[block.first.problem()];
  const size_t first_of_slot = static_cast<size_t>(slot) * lanes_;
  for (int i = 0; i < block.size(); ++i) {
    const size_t attempt = first_of_slot + block.id(i).lane();
    const Outcome& outcome = block.outcomes[i];
    now_.agents[attempt] = outcome.agent;
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
  const int cluster =
      clusters_.At(static_cast<int>(attempt / lanes_), static_cast<int>(attempt % lanes_));
  const size_t agent = now_.agents[attempt] + size_t{1};
  const bool early = round_ >= 1 && round_ <= window_;
  const bool late = round_ >= table_.round_count() - window_;
  for (size_t group : {size_t{0}, agent}) {
    if (group >= burden_.size()) continue;
    burden_[group].Add(cluster, field, 1);
    if (early) windows_[group].Add(cluster, field, 1);
    if (late) windows_[group].Add(cluster, kBurdenFields + field, 1);
  }
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
    const int cluster =
        clusters_.At(static_cast<int>(attempt / lanes_), static_cast<int>(attempt % lanes_));
    for (uint32_t c = notes.first_carrier[attempt]; c < notes.first_carrier[attempt + 1]; ++c) {
      const RowIndex i = notes.rows[c];
      const bool wrong = facts_.wrong[i] != 0;
      by_truth_[0].Add(cluster, notes.children[c]);
      by_truth_[wrong ? 2 : 1].Add(cluster, notes.children[c]);
      if (!wrong) continue;
      by_generation_[BinOf(round - facts_.lineage.born_round[i])].Add(cluster, notes.children[c]);
      if (notes.agents[attempt] < by_agent_.size()) {
        by_agent_[notes.agents[attempt]].Add(cluster, notes.children[c]);
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

Carried Scan::CountCarried(int age_from, int age_to) const {
  Carried carried;
  carried.round = round_;
  carried.age_from = age_from;
  carried.age_to = age_to;
  for (size_t c = 0; c < now_.rows.size(); ++c) {
    const RowIndex i = now_.rows[c];
    const int age = round_ - facts_.lineage.born_round[i];
    if (age_from >= 0 && (age < age_from || age > age_to)) continue;
    const Claim claim = table_.row(i).claim;
    ++carried.carried;
    carried.wrong += facts_.wrong[i];
    carried.hedged += claim.hedged();
    carried.without_evidence += claim.support() == 0;
    carried.turned_fact += facts_.lineage.lost_hedge[i] != 0 &&
                           claim.support() <= table_.row(facts_.founder[i]).claim.support();
    carried.confidence_sum += claim.confidence();
    carried.log2_paths_sum += std::log2(now_.paths[c]);
    carried.most_paths = std::max(carried.most_paths, now_.paths[c]);
  }
  return carried;
}

SumStatistic LateLessEarly(int numerator, int denominator) {
  return PointsBetween(kBurdenFields + numerator, kBurdenFields + denominator, numerator,
                       denominator);
}

BurdenRound Summarise(int round, const std::string& agent, const ClusterSums& sums,
                      const BootstrapOptions& options) {
  const std::vector<Estimate> estimates = sums.Estimates(
      {RatioOf(kNotesUnder, kNotes), RatioOf(kNotesHardened, kNotes), RatioOf(kNotesAny, kNotes),
       RatioOf(kDecisionsUnder, kAttempts), RatioOf(kTruncated, kAttempts)},
      options);
  return {round,
          agent,
          static_cast<int64_t>(sums.Total(kNotes)),
          static_cast<int64_t>(sums.Total(kAttempts)),
          estimates[0],
          estimates[1],
          estimates[2],
          estimates[3],
          estimates[4]};
}

void Scan::FinishRound() {
  now_.first_carrier.resize(static_cast<size_t>(problems_) * lanes_ + 1,
                            static_cast<uint32_t>(now_.rows.size()));
  if (round_ > 0) CountOffspring(before_, round_ - 1);
  for (int slot = 0; slot < problems_; ++slot) CountFixation(slot);
  study_.carried.push_back(CountCarried(-1, -1));
  AddRows(&study_);
}

void Scan::AddRows(SpreadStudy* study) const {
  study->rounds.push_back(Summarise(round_, "", burden_[0], options_));
  const bool told = round_ == table_.round_count() - 1 ||
                    std::find(std::begin(kBurdenRounds), std::end(kBurdenRounds), round_) !=
                        std::end(kBurdenRounds);
  if (!told) return;
  for (size_t agent = 0; agent + 1 < burden_.size(); ++agent) {
    study->rounds.push_back(
        Summarise(round_, table_.AgentName(static_cast<int>(agent)), burden_[agent + 1], options_));
  }
}

Fixation Scan::FixationOf(std::optional<Truth> truth) const {
  Fixation fixation;
  fixation.truth = truth.has_value() ? std::string(Name(*truth)) : "any";
  std::vector<double> rounds;
  std::vector<ClusterShare> clusters(clusters_.count);
  for (RowIndex i = 0; i < table_.size(); ++i) {
    if (facts_.founder[i] != i) continue;
    if (truth.has_value() && (facts_.wrong[i] != 0) != (*truth == Truth::kFalse)) continue;
    const AttemptId birth = table_.row(i).id.attempt();
    ClusterShare& cluster = clusters[clusters_.At(slot_[birth.problem()], birth.lane())];
    ++cluster.of;
    cluster.count += fixed_round_[i] >= 0;
    ++fixation.lines;
    fixation.start_share += start_count_[i];
    fixation.peak_share += peak_count_[i];
    if (fixed_round_[i] >= 0) {
      ++fixation.fixed;
      rounds.push_back(fixed_round_[i] - table_.row(i).first_round);
    } else if (facts_.lineage.last_round[i] < table_.round_count() - 1) {
      ++fixation.lost;
    } else {
      ++fixation.undecided;
    }
  }
  if (fixation.lines > 0) {
    fixation.start_share /= static_cast<double>(fixation.lines) * lanes_;
    fixation.peak_share /= static_cast<double>(fixation.lines) * lanes_;
  }
  fixation.fixed_interval = ClusteredInterval(clusters);
  if (!rounds.empty()) {
    std::sort(rounds.begin(), rounds.end());
    const size_t middle = rounds.size() / 2;
    fixation.median_rounds =
        rounds.size() % 2 == 1 ? rounds[middle] : (rounds[middle - 1] + rounds[middle]) / 2;
  }
  return fixation;
}

Reproduction ReproductionOf(const std::string& truth, const std::string& agent, int from, int to,
                            ReproductionSums sums, const BootstrapOptions& options) {
  Reproduction reproduction{truth, agent, from, to, std::move(sums.offspring), {}, {}};
  reproduction.fit = FitNegativeBinomial(reproduction.offspring);
  reproduction.mean = sums.sums.Estimates({RatioOf(kChildren, kCarriers)}, options)[0];
  return reproduction;
}

SpreadStudy Scan::Finish() {
  if (round_ >= 0) FinishRound();
  SpreadStudy& study = study_;
  study.by_lane = clusters_.by_lane;
  study.window_rounds = window_;
  const char* const truths[] = {"any", "true", "false"};
  for (int t = 0; t < 3; ++t) {
    study.reproduction.push_back(
        ReproductionOf(truths[t], "", -1, -1, std::move(by_truth_[t]), options_));
  }
  for (int bin = 0; bin < kGenerationBins; ++bin) {
    if (by_generation_[bin].offspring.empty()) continue;
    const bool open = bin + 1 == kGenerationBins;
    study.reproduction.push_back(ReproductionOf(
        "false", "", kGenerations[bin], open ? table_.round_count() - 1 : kGenerations[bin + 1] - 1,
        std::move(by_generation_[bin]), options_));
  }
  for (size_t agent = 0; agent < by_agent_.size(); ++agent) {
    study.reproduction.push_back(ReproductionOf("false", table_.AgentName(static_cast<int>(agent)),
                                                -1, -1, std::move(by_agent_[agent]), options_));
  }
  for (const std::optional<Truth> truth :
       {std::optional<Truth>(), std::optional<Truth>(Truth::kTrue),
        std::optional<Truth>(Truth::kFalse)}) {
    study.fixation.push_back(FixationOf(truth));
  }
  // With fewer than three rounds the first and the last tenth are the same.
  if (table_.round_count() >= 3) {
    for (size_t group = 0; group < windows_.size(); ++group) {
      const std::vector<Estimate> points = windows_[group].Estimates(
          {LateLessEarly(kNotesUnder, kNotes), LateLessEarly(kNotesHardened, kNotes),
           LateLessEarly(kNotesAny, kNotes), LateLessEarly(kDecisionsUnder, kAttempts)},
          options_);
      study.trends.push_back({group == 0 ? "" : table_.AgentName(static_cast<int>(group) - 1),
                              points[0], points[1], points[2], points[3]});
    }
  }
  if (round_ >= 0) {
    for (size_t edge = 0; edge + 1 < std::size(kAgeEdges); ++edge) {
      const int from = edge == 0 ? 0 : kAgeEdges[edge] + 1;
      const Carried carried = CountCarried(from, kAgeEdges[edge + 1]);
      if (carried.carried > 0) study.survivors.push_back(carried);
    }
  }
  return std::move(study_);
}

}  // namespace

absl::StatusOr<SpreadStudy> StudySpread(const Store& store, const ClaimTable& table,
                                        const BootstrapOptions& options) {
  Scan scan(table, options);
  absl::Status status;
  if (absl::Status whole = store.RequireWhole(table.run().run()); !whole.ok()) return whole;
  const absl::Status scanned = store.ScanRun(table.run().run(), [&](const AttemptBlock& block) {
    status = scan.Add(block);
    return status.ok();
  });
  if (!scanned.ok()) return scanned;
  if (!status.ok()) return status;
  return scan.Finish();
}

}  // namespace hearsay
