#include "lineage/persistence.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tasks/problems.h"
#include "tasks/words.h"

namespace hearsay {
namespace {

bool IsUnsupported(const ClaimTable& table, RowIndex i) {
  return table.row(i).claim.label() == Label::kUnsupportedClosure;
}

using Subject = PersistenceCount::Subject;

// Lines of one problem compete for room in the same notes, and those of one lane pass through the
// same hands. A line that is carried in the last round has been seen to live through `last - born`
// rounds; one that is not was found gone one round after it was last carried.
Lifetime LifetimeOf(const ClaimTable& table, const Line& line, const RunSet& runs) {
  const ClaimRow& root = table.row(line.root);
  const int lived_rounds = line.last_round - root.first_round;
  const bool ended = line.end != LineEnd::kAlive;
  return {.time = static_cast<double>(ended ? lived_rounds + 1 : lived_rounds),
          .ended = ended,
          .cluster = runs.ClusterOf(root.id.attempt())};
}

// What is seen of a line in rounds [first, end): nullopt where nothing is. A line born before
// `first` enters late: at the age it had in the round before, for whether it is carried in `first`
// is seen.
std::optional<Lifetime> Within(const Lifetime& whole, int born, int first, int end) {
  Lifetime part = whole;
  if (born < first) part.entry = first - 1 - born;
  const double last_age = end - 1 - born;
  if (part.time > last_age) {
    part.time = last_age;
    part.ended = false;
  }
  if (part.time < 0 || part.time <= part.entry) return std::nullopt;
  return part;
}

constexpr std::optional<Truth> kTruths[] = {std::nullopt, Truth::kTrue, Truth::kFalse};

PersistenceGroup MakeGroup(const std::string& kind, const std::string& name,
                           std::optional<Truth> truth, const std::vector<Lifetime>& lifetimes) {
  PersistenceGroup group;
  group.kind = kind;
  group.name = name;
  group.truth = truth.has_value() ? std::string(Name(*truth)) : "any";
  group.curve = KaplanMeier(lifetimes);
  group.hazards = HazardByAge(lifetimes, kAgeEdges);
  return group;
}

std::vector<Lifetime> Select(const std::vector<const Subject*>& subjects,
                             std::optional<Truth> truth) {
  std::vector<Lifetime> lifetimes;
  for (const Subject* subject : subjects) {
    if (!truth.has_value() || subject->truth == *truth) lifetimes.push_back(subject->lifetime);
  }
  return lifetimes;
}

// The three groups (any, true, false) of the subjects given.
void AddGroups(const std::string& kind, const std::string& name,
               const std::vector<const Subject*>& subjects, std::vector<PersistenceGroup>& groups) {
  for (const std::optional<Truth> truth : kTruths) {
    PersistenceGroup group = MakeGroup(kind, name, truth, Select(subjects, truth));
    std::vector<CausedEnd> ends;
    for (const Subject* subject : subjects) {
      if (truth.has_value() && subject->truth != *truth) continue;
      const LineEnd end = subject->end;
      ++group.ends[static_cast<int>(end)];
      ends.push_back({subject->lifetime.time, end == LineEnd::kAlive ? -1 : static_cast<int>(end)});
    }
    group.incidence = CumulativeIncidence(std::move(ends), kLineEndCount);
    groups.push_back(std::move(group));
  }
}

// The two halves of the runs, and whether lines of one age end at one rate in both.
void AddPeriods(int rounds, const std::vector<Subject>& subjects, PersistenceStudy& study) {
  const int middle = rounds / 2;
  if (middle < 2) return;
  const int edges[] = {0, middle, rounds};
  for (const std::optional<Truth> truth : kTruths) {
    std::vector<std::vector<Lifetime>> halves;
    for (int half = 0; half < 2; ++half) {
      std::vector<Lifetime>& lifetimes = halves.emplace_back();
      for (const Subject& subject : subjects) {
        if (truth.has_value() && subject.truth != *truth) continue;
        const auto part = Within(subject.lifetime, subject.born, edges[half], edges[half + 1]);
        if (part.has_value()) lifetimes.push_back(*part);
      }
      study.groups.push_back(
          MakeGroup("period", absl::StrCat("rounds ", edges[half], "-", edges[half + 1] - 1), truth,
                    lifetimes));
    }
    if (truth == Truth::kFalse) {
      study.tests.push_back({"halves of the run, false lines", LogRankTest(halves)});
    }
  }
}

std::string FamilyOf(int problem) {
  return problem < ProblemCount() ? Problems()[problem].family() : std::string("unknown");
}

void CountRounds(const ClaimTable& table, const RowLineage& lineage,
                 std::vector<PersistenceRound>* rounds) {
  for (int r = static_cast<int>(rounds->size()); r < table.round_count(); ++r) {
    rounds->emplace_back().round = r;
  }
  for (int r = 0; r < table.round_count(); ++r) {
    PersistenceRound& round = (*rounds)[r];
    round.counts.Add(table.CountRound(r));
    table.VisitNotes(r, [&](bool, absl::Span<const RowIndex> closures) {
      for (RowIndex i : closures) {
        if (!lineage.unsupported[i]) continue;
        ++round.carried;
        round.lost_hedge += lineage.lost_hedge[i];
        round.age_sum += r - lineage.born_round[i];
      }
    });
  }
}

}  // namespace

void PersistenceCount::Add(const ClaimTable& table) {
  const RowLineage lineage = TraceRows(table, Kinship::kAnyClosure);
  const int place = runs_.PlaceOf(table.run().run());
  for (const Line& line : FindLines(table, Kinship::kAnyClosure, lineage, IsUnsupported)) {
    const ClaimRow& root = table.row(line.root);
    subjects_.push_back({.lifetime = LifetimeOf(table, line, runs_),
                         .born = root.first_round,
                         .agent = static_cast<int16_t>(runs_.AgentOf(place, root.agent)),
                         .problem = static_cast<int16_t>(root.id.attempt().problem()),
                         .place = static_cast<int16_t>(place),
                         .end = line.end,
                         .truth = table.TruthOfRow(line.root)});
  }
  CountRounds(table, lineage, &rounds_);
}

PersistenceStudy PersistenceCount::Finish() const {
  std::vector<const Subject*> all;
  std::map<int, std::vector<const Subject*>> by_run, by_agent;
  std::map<std::string, std::vector<const Subject*>> by_family;
  for (const Subject& subject : subjects_) {
    all.push_back(&subject);
    if (runs_.size() > 1) by_run[subject.place].push_back(&subject);
    by_agent[subject.agent].push_back(&subject);
    by_family[FamilyOf(subject.problem)].push_back(&subject);
  }
  PersistenceStudy study(runs_);
  std::vector<std::vector<Lifetime>> agents, families;
  AddGroups("all", "all", all, study.groups);
  for (const auto& [place, members] : by_run) {
    AddGroups("run", runs_.RunName(place), members, study.groups);
  }
  for (const auto& [agent, members] : by_agent) {
    AddGroups("agent", runs_.AgentName(agent), members, study.groups);
    agents.push_back(Select(members, Truth::kFalse));
  }
  for (const auto& [family, members] : by_family) {
    AddGroups("family", family, members, study.groups);
    families.push_back(Select(members, Truth::kFalse));
  }
  study.tests = {
      {"true against false", LogRankTest(Select(all, Truth::kTrue), Select(all, Truth::kFalse))},
      {"agents, false lines", LogRankTest(agents)},
      {"families, false lines", LogRankTest(families)}};
  AddPeriods(static_cast<int>(rounds_.size()), subjects_, study);
  study.rounds = rounds_;
  return study;
}

PersistenceStudy StudyPersistence(const ClaimTable& table) {
  const RunSet runs(table.run());
  PersistenceCount count(runs);
  count.Add(table);
  return count.Finish();
}

}  // namespace hearsay
