#include "lineage/persistence.h"

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

struct Subject {
  const Line* line;
  Lifetime lifetime;
  Truth truth;
};

// A line that is carried in the last round has been seen to live through `last - born` rounds; one
// that is not was found gone one round after it was last carried.
Lifetime LifetimeOf(const ClaimTable& table, const Line& line) {
  const int lived_rounds = line.last_round - table.row(line.root).first_round;
  const bool ended = line.end != LineEnd::kAlive;
  return {static_cast<double>(ended ? lived_rounds + 1 : lived_rounds), ended};
}

// The three groups (any, true, false) of the subjects given.
void AddGroups(const std::string& kind, const std::string& name,
               const std::vector<const Subject*>& subjects, std::vector<PersistenceGroup>& groups) {
  for (const std::optional<Truth> truth :
       {std::optional<Truth>(), std::optional<Truth>(Truth::kTrue),
        std::optional<Truth>(Truth::kFalse)}) {
    PersistenceGroup group;
    group.kind = kind;
    group.name = name;
    group.truth = truth.has_value() ? std::string(Name(*truth)) : "any";
    std::vector<Lifetime> lifetimes;
    for (const Subject* subject : subjects) {
      if (truth.has_value() && subject->truth != *truth) continue;
      lifetimes.push_back(subject->lifetime);
      ++group.ends[static_cast<int>(subject->line->end)];
    }
    group.curve = KaplanMeier(std::move(lifetimes));
    groups.push_back(std::move(group));
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
  std::vector<Subject> subjects;
  subjects.reserve(lines.size());
  for (const Line& line : lines) {
    subjects.push_back({&line, LifetimeOf(table, line), table.TruthOfRow(line.root)});
  }
  std::vector<const Subject*> all;
  std::map<int, std::vector<const Subject*>> by_agent;
  std::map<std::string, std::vector<const Subject*>> by_family;
  std::vector<Lifetime> true_lines;
  std::vector<Lifetime> false_lines;
  for (const Subject& subject : subjects) {
    const ClaimRow& root = table.row(subject.line->root);
    all.push_back(&subject);
    by_agent[root.agent].push_back(&subject);
    by_family[FamilyOf(root.id.attempt().problem())].push_back(&subject);
    if (subject.truth == Truth::kTrue) true_lines.push_back(subject.lifetime);
    if (subject.truth == Truth::kFalse) false_lines.push_back(subject.lifetime);
  }
  PersistenceStudy study;
  AddGroups("all", "all", all, study.groups);
  for (const auto& [agent, members] : by_agent) {
    AddGroups("agent", table.AgentName(agent), members, study.groups);
  }
  for (const auto& [family, members] : by_family) {
    AddGroups("family", family, members, study.groups);
  }
  study.true_against_false = LogRankTest(std::move(true_lines), std::move(false_lines));
  study.rounds = CountRounds(table, lineage);
  return study;
}

}  // namespace hearsay
