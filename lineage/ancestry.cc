#include "lineage/ancestry.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "kb/skill.h"
#include "lineage/walk.h"
#include "tasks/world.h"

namespace hearsay {
namespace {

double Doublings(int lg) { return static_cast<double>(lg) / kLgPerDoubling; }

// What was done to the rows reached. Events are sorted by attempt, so an attempt's stand together.
void AddDeeds(const ClaimTable& table, const std::vector<Reached>& reached, Pedigree& pedigree) {
  std::vector<bool> member(table.size(), false);
  for (const Reached& r : reached) member[r.row] = true;
  AttemptId last_adopter;
  for (const ClaimEvent& event : table.events()) {
    if (!member[event.row]) continue;
    const ClaimId version = table.row(event.row).id;
    switch (event.deed) {
      case Deed::kConfirmed:
      case Deed::kRefuted:
        pedigree.tests.push_back({event.attempt, version, event.deed == Deed::kConfirmed});
        break;
      case Deed::kAdopted:
        if (event.attempt != last_adopter) ++pedigree.adopting_attempts;
        last_adopter = event.attempt;
        break;
      case Deed::kPaidMost: {
        const double doublings = Doublings(event.cost_lg);
        if (doublings > 0 && (!pedigree.worst || doublings > pedigree.worst->doublings)) {
          pedigree.worst = WorstCost{event.attempt, version, doublings};
        }
        break;
      }
    }
  }
}

// REQUIRES: the first of `reached` is the claim asked about.
Pedigree Describe(const ClaimTable& table, std::vector<Reached> reached, size_t limit) {
  Pedigree pedigree;
  pedigree.claim = table.row(reached[0].row).id;
  pedigree.version_count = static_cast<int64_t>(reached.size());
  const auto by_row = [](const Reached& a, const Reached& b) { return a.row < b.row; };
  std::vector<Reached> listed = reached;
  if (listed.size() > limit) {
    std::sort(listed.begin(), listed.end(), [&](const Reached& a, const Reached& b) {
      if (a.distance != b.distance) return a.distance < b.distance;
      const int carriers_a = table.row(a.row).carriers;
      const int carriers_b = table.row(b.row).carriers;
      return carriers_a != carriers_b ? carriers_a > carriers_b : a.row < b.row;
    });
    listed.resize(limit);
  }
  std::sort(listed.begin(), listed.end(), by_row);
  std::sort(reached.begin(), reached.end(), by_row);
  for (const Reached& r : listed) {
    pedigree.versions.push_back(DescribeVersion(table, r.row));
    pedigree.versions.back().distance = r.distance;
  }
  for (const Reached& r : reached) {
    const ClaimRow& row = table.row(r.row);
    pedigree.carriers += row.carriers;
    pedigree.confirmed += row.confirmed;
    pedigree.refuted += row.refuted;
    if (!table.DroppedParents(r.row).empty()) {
      pedigree.cut.push_back(row.id);
    } else if (row.parents[0] == kNoRow && row.parents[1] == kNoRow) {
      pedigree.births.push_back(row.id);
    }
    if (row.change == Change::kHedgeLost) pedigree.hedges_lost.push_back(row.id);
  }
  for (RowIndex i : HedgeDrops<ClaimTable>(table, reached)) {
    pedigree.hedges_dropped.push_back(table.row(i).id);
  }
  const RowIndex unsupported = FirstUnsupported<ClaimTable>(table, reached);
  if (unsupported != kNoRow) pedigree.first_unsupported = table.row(unsupported).id;
  AddDeeds(table, reached, pedigree);
  return pedigree;
}

}  // namespace

ClaimVersion DescribeVersion(const ClaimTable& table, RowIndex i) {
  const ClaimRow& row = table.row(i);
  ClaimVersion version;
  version.id = row.id;
  version.claim = row.claim;
  version.change = row.change;
  for (RowIndex parent : row.parents) {
    if (parent != kNoRow) version.parents.push_back(table.row(parent).id);
  }
  const std::vector<ClaimId> dropped = table.DroppedParents(i);
  version.parents.insert(version.parents.end(), dropped.begin(), dropped.end());
  version.agent = table.AgentName(row.agent);
  version.words = ClaimInWords(row.id.attempt().problem(), row.claim);
  version.truth = table.TruthOfRow(i);
  for (int d = 0; d < kDslCount; ++d) version.truth_in[d] = table.TruthIn(i, static_cast<Dsl>(d));
  version.cost_doublings = Doublings(table.CostLgIn(i, row.claim.dsl()));
  version.first_round = row.first_round;
  version.last_round = row.last_round;
  version.carriers = row.carriers;
  version.adopted = row.adopted;
  version.confirmed = row.confirmed;
  version.refuted = row.refuted;
  version.alive = table.alive_at_end(i);
  return version;
}

absl::StatusOr<Pedigree> Ancestry(const ClaimTable& table, ClaimId claim) {
  absl::StatusOr<RowIndex> start = table.FindOrError(claim);
  if (!start.ok()) return start.status();
  std::vector<Reached> reached = Walker(table).Ancestors(*start);
  const size_t all = reached.size();
  return Describe(table, std::move(reached), all);
}

absl::StatusOr<Pedigree> Descendants(const ClaimTable& table, ClaimId claim, int limit) {
  if (limit < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("a limit of ", limit, " versions: at least 1 is needed"));
  }
  absl::StatusOr<RowIndex> start = table.FindOrError(claim);
  if (!start.ok()) return start.status();
  return Describe(table, Walker(table).Descendants(*start), static_cast<size_t>(limit));
}

}  // namespace hearsay
