#include "lineage/persistence.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lineage/clustered.h"
#include "tasks/problems.h"
#include "tasks/words.h"

namespace hearsay {
namespace {

bool IsUnsupported(const ClaimTable& table, RowIndex i) {
  return table.row(i).claim.label() == Label::kUnsupportedClosure;
}

struct Subject {
  const Line* line;
  Lifetime lifetime;
  Truth truth;
};

// Lines of one problem compete for room in the same notes, and those of one lane pass through the
// same hands. A line that is carried in the last round has been seen to live through `last - born`
// rounds; one that is not was found gone one round after it was last carried.
Lifetime LifetimeOf(const ClaimTable& table, const Line& line, const RunClusters& clusters) {
  const ClaimRow& root = table.row(line.root);
  const int lived_rounds = line.last_round - root.first_round;
  const bool ended = line.end != LineEnd::kAlive;
  return {.time = static_cast<double>(ended ? lived_rounds + 1 : lived_rounds),
          .ended = ended,
          .cluster = clusters.Of(root.id.attempt())};
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
      const LineEnd end = subject->line->end;
      ++group.ends[static_cast<int>(end)];
      ends.push_back({subject->lifetime.time, end == LineEnd::kAlive ? -1 : static_cast<int>(end)});
    }
    group.incidence = CumulativeIncidence(std::move(ends), kLineEndCount);
    groups.push_back(std::move(group));
  }
}

// The two halves of the run, and whether lines of one age end at one rate in both.
void AddPeriods(const ClaimTable& table, const std::vector<Subject>& subjects,
                PersistenceStudy& study) {
  const int rounds = table.round_count();
  const int middle = rounds / 2;
  if (middle < 2) return;
  const int edges[] = {0, middle, rounds};
  for (const std::optional<Truth> truth : kTruths) {
    std::vector<std::vector<Lifetime>> halves;
    for (int half = 0; half < 2; ++half) {
      std::vector<Lifetime>& lifetimes = halves.emplace_back();
      for (const Subject& subject : subjects) {
        if (truth.has_value() && subject.truth != *truth) continue;
        const int born = table.row(subject.line->root).first_round;
        const auto part = Within(subject.lifetime, born, edges[half], edges[half + 1]);
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

std::vector<PersistenceRound> CountRounds(const ClaimTable& table, const RowLineage& lineage) {
  std::vector<PersistenceRound> rounds(table.round_count());
  for (int r = 0; r < table.round_count(); ++r) {
    PersistenceRound& round = rounds[r];
    round.round = r;
    round.counts = table.CountRound(r);
    table.VisitNotes(r, [&](bool, absl::Span<const RowIndex> closures) {
      for (RowIndex i : closures) {
        if (!lineage.unsupported[i]) continue;
        ++round.carried;
        round.lost_hedge += lineage.lost_hedge[i];
        round.age_sum += r - lineage.born_round[i];
      }
    });
  }
  return rounds;
}

}  // namespace

PersistenceStudy StudyPersistence(const ClaimTable& table) {
  const RowLineage lineage = TraceRows(table, Kinship::kAnyClosure);
  const std::vector<Line> lines = FindLines(table, Kinship::kAnyClosure, lineage, IsUnsupported);
  const RunClusters clusters(table.run());
  std::vector<Subject> subjects;
  subjects.reserve(lines.size());
  for (const Line& line : lines) {
    subjects.push_back({&line, LifetimeOf(table, line, clusters), table.TruthOfRow(line.root)});
  }
  std::vector<const Subject*> all;
  std::map<int, std::vector<const Subject*>> by_agent;
  std::map<std::string, std::vector<const Subject*>> by_family;
  for (const Subject& subject : subjects) {
    const ClaimRow& root = table.row(subject.line->root);
    all.push_back(&subject);
    by_agent[root.agent].push_back(&subject);
    by_family[FamilyOf(root.id.attempt().problem())].push_back(&subject);
  }
  PersistenceStudy study;
  study.by_lane = clusters.by_lane();
  std::vector<std::vector<Lifetime>> agents, families;
  AddGroups("all", "all", all, study.groups);
  for (const auto& [agent, members] : by_agent) {
    AddGroups("agent", table.AgentName(agent), members, study.groups);
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
  AddPeriods(table, subjects, study);
  study.rounds = CountRounds(table, lineage);
  return study;
}

}  // namespace hearsay
