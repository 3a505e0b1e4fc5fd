// What ancestry.h finds, as tables for the command; and the ranking of long-lived closures.
#include <algorithm>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lineage/ancestry.h"
#include "lineage/by_problem.h"
#include "lineage/lines.h"
#include "tasks/words.h"
#include "tasks/world.h"

namespace hearsay {
namespace {

std::string JoinIds(const std::vector<ClaimId>& ids) {
  return absl::StrJoin(ids, " ",
                       [](std::string* out, ClaimId id) { absl::StrAppend(out, Format(id)); });
}

Cell Word(absl::string_view word) { return Text(std::string(word)); }

Table SummaryTable(const ClaimTable& table, const Pedigree& pedigree, const std::string& title) {
  Table summary;
  summary.title = absl::StrCat(title, " of ", Format(pedigree.claim));
  summary.columns = {"fact", "value"};
  const auto add = [&](const char* fact, Cell value) {
    summary.rows.push_back({Text(fact), std::move(value)});
  };
  add("versions", Integer(pedigree.version_count));
  add("versions_listed", Integer(static_cast<int64_t>(pedigree.versions.size())));
  add("births", Integer(static_cast<int64_t>(pedigree.births.size())));
  add("born_as", pedigree.births.empty() ? Missing() : Text(Format(pedigree.births.front())));
  if (!pedigree.cut.empty()) add("cut_at", Text(JoinIds(pedigree.cut)));
  add("hedge_lost_at",
      pedigree.hedges_lost.empty() ? Missing() : Text(JoinIds(pedigree.hedges_lost)));
  add("hedge_dropped_at",
      pedigree.hedges_dropped.empty() ? Missing() : Text(JoinIds(pedigree.hedges_dropped)));
  add("first_unsupported",
      pedigree.first_unsupported.none() ? Missing() : Text(Format(pedigree.first_unsupported)));
  add("carriers", Integer(pedigree.carriers));
  add("adopting_attempts", Integer(pedigree.adopting_attempts));
  add("confirmed", Integer(pedigree.confirmed));
  add("refuted", Integer(pedigree.refuted));
  const bool paid = pedigree.worst.has_value();
  add("worst_cost_doublings", paid ? Real(pedigree.worst->doublings) : Missing());
  add("worst_cost_attempt", paid ? Text(Format(pedigree.worst->attempt)) : Missing());
  add("worst_cost_version", paid ? Text(Format(pedigree.worst->version)) : Missing());
  summary.notes = {
      "hedge_lost_at: where 'may' became 'does' by being retold; hedge_dropped_at: also where it "
      "did "
      "by evidence or merging; first_unsupported: the oldest version that is an unsupported "
      "closure",
      "carriers: notes, in all rounds; worst cost: the most that one attempt lost to a false "
      "closure "
      "among the versions, as log2(best / best without the closed value)"};
  if (table.dropped_rounds() > 0) {
    summary.notes.push_back(
        absl::StrCat(table.KeptWords(),
                     "; versions that were not kept are not counted, and adopting_attempts and "
                     "worst cost are of the attempts that are left"));
  }
  if (!pedigree.cut.empty()) {
    summary.notes.push_back(
        "cut_at: versions made of claims that were not kept; what those came from is not known");
  }
  return summary;
}

Table VersionTable(const Pedigree& pedigree) {
  Table table;
  table.title = "Versions";
  table.columns = {"claim",   "round",     "lane",    "agent",          "dsl",           "change",
                   "parents", "label",     "stance",  "hedged",         "support",       "against",
                   "truth",   "in_cute",   "in_tirx", "cost_doublings", "through_round", "carriers",
                   "adopted", "confirmed", "refuted", "alive",          "words"};
  for (const ClaimVersion& v : pedigree.versions) {
    table.rows.push_back({Text(Format(v.id)),
                          Integer(v.id.attempt().round()),
                          Integer(v.id.attempt().lane()),
                          Text(v.agent),
                          Word(Name(v.claim.dsl())),
                          Word(Name(v.change)),
                          v.parents.empty() ? Missing() : Text(JoinIds(v.parents)),
                          Word(Name(v.claim.label())),
                          Word(Name(v.claim.stance())),
                          Text(v.claim.hedged() ? "yes" : "no"),
                          Integer(v.claim.support()),
                          Integer(v.claim.against()),
                          Word(Name(v.truth)),
                          Word(Name(v.truth_in[0])),
                          Word(Name(v.truth_in[1])),
                          v.claim.is_closure() ? Real(v.cost_doublings) : Missing(),
                          Integer(v.last_round),
                          Integer(v.carriers),
                          Integer(v.adopted),
                          Integer(v.confirmed),
                          Integer(v.refuted),
                          Text(v.alive ? "yes" : "no"),
                          Text(v.words)});
  }
  table.notes = {"truth: in the DSL the claim was made in; in_cute, in_tirx: in each"};
  const auto listed = static_cast<int64_t>(pedigree.versions.size());
  if (listed < pedigree.version_count) {
    table.notes.push_back(absl::StrCat("showing ", listed, " of ", pedigree.version_count,
                                       " versions, nearest first"));
  }
  return table;
}

Table TestTable(const ClaimTable& claims, const Pedigree& pedigree) {
  Table table;
  table.title = "Tested by";
  table.columns = {"attempt", "version", "result"};
  for (const ClaimTest& test : pedigree.tests) {
    table.rows.push_back({Text(Format(test.attempt)), Text(Format(test.version)),
                          Text(test.confirmed ? "confirmed" : "refuted")});
  }
  if (claims.dropped_rounds() > 0) {
    table.notes = {absl::StrCat("showing ", pedigree.tests.size(), " of ",
                                pedigree.confirmed + pedigree.refuted,
                                " tests: those by attempts that are left")};
  }
  return table;
}

bool IsFalse(const ClaimTable& table, RowIndex i) { return table.TruthOfRow(i) == Truth::kFalse; }

bool IsFalseUnsupported(const ClaimTable& table, RowIndex i) {
  return table.row(i).claim.label() == Label::kUnsupportedClosure && IsFalse(table, i);
}

}  // namespace

std::vector<Table> PedigreeTables(const ClaimTable& table, const Pedigree& pedigree,
                                  const std::string& title) {
  return {SummaryTable(table, pedigree, title), VersionTable(pedigree), TestTable(table, pedigree)};
}

std::vector<LongLived> LongestLivedFalseClosures(const ClaimTable& table, int k, ClosureKind kind) {
  const RowLineage lineage = TraceRows(table, Kinship::kSameStance);
  std::vector<Line> lines = FindLines(table, Kinship::kSameStance, lineage,
                                      kind == ClosureKind::kAny ? IsFalse : IsFalseUnsupported);
  const size_t kept = std::min(lines.size(), static_cast<size_t>(std::max(k, 0)));
  std::partial_sort(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(kept), lines.end(),
                    [&](const Line& a, const Line& b) {
                      const int rounds_a = a.rounds(table);
                      const int rounds_b = b.rounds(table);
                      return rounds_a != rounds_b ? rounds_a > rounds_b : a.root < b.root;
                    });
  lines.resize(kept);
  std::vector<LongLived> longest;
  for (const Line& line : lines) {
    const ClaimRow& root = table.row(line.root);
    LongLived one;
    one.claim = root.id;
    one.rounds = line.rounds(table);
    one.last_round = line.last_round;
    for (RowIndex i : VersionsOf(table, line.root, Kinship::kSameStance)) {
      one.carriers += table.row(i).carriers;
      ++one.versions;
    }
    one.cost_doublings =
        static_cast<double>(table.CostLgIn(line.root, root.claim.dsl())) / kLgPerDoubling;
    one.ended = Name(line.end);
    longest.push_back(std::move(one));
  }
  return longest;
}

absl::StatusOr<std::optional<LongLived>> LongestLivedOfRun(const Store& store, int run,
                                                           Atlas& atlas, int problem) {
  std::mutex mutex;
  std::optional<LongLived> longest;
  const absl::Status status =
      VisitProblems(store, run, atlas, problem, [&](const ClaimTable& table) {
        const std::vector<LongLived> one = LongestLivedFalseClosures(table, 1);
        if (one.empty()) return;
        const std::lock_guard<std::mutex> lock(mutex);
        if (!longest.has_value() || one[0].rounds > longest->rounds ||
            (one[0].rounds == longest->rounds && one[0].claim < longest->claim)) {
          longest = one[0];
        }
      });
  if (!status.ok()) return status;
  return longest;
}

Table LongestLivedTable(const ClaimTable& table, int k, ClosureKind kind) {
  Table out;
  out.title = absl::StrCat("Longest-lived false ", kind == ClosureKind::kAny ? "" : "unsupported ",
                           "closures of run R", table.run().run());
  out.columns = {"claim",    "rounds",         "last_round", "carriers",
                 "versions", "cost_doublings", "end",        "words"};
  for (const LongLived& one : LongestLivedFalseClosures(table, k, kind)) {
    out.rows.push_back({Text(Format(one.claim)), Integer(one.rounds), Integer(one.last_round),
                        Integer(one.carriers), Integer(one.versions), Real(one.cost_doublings),
                        Text(one.ended),
                        Text(DescribeVersion(table, table.Find(one.claim)).words)});
  }
  out.notes = {
      "rounds: in which the claim or a descendant of the same subject and stance was carried, the "
      "first included; false: in the DSL it was born in"};
  return out;
}

Table MergeLongestLived(std::vector<Table> tables, const std::string& runs, int k) {
  Table all = std::move(tables.front());
  if (tables.size() == 1) return all;
  for (size_t t = 1; t < tables.size(); ++t) {
    std::move(tables[t].rows.begin(), tables[t].rows.end(), std::back_inserter(all.rows));
  }
  const auto rounds = [](const std::vector<Cell>& row) { return std::get<int64_t>(row[1]); };
  std::stable_sort(all.rows.begin(), all.rows.end(),
                   [&](const auto& a, const auto& b) { return rounds(a) > rounds(b); });
  if (all.rows.size() > static_cast<size_t>(k)) all.rows.resize(k);
  all.title = absl::StrCat("Longest-lived false closures of ", runs);
  return all;
}

}  // namespace hearsay
