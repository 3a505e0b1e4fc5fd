#include "lineage/kinship.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "lineage/ancestry.h"
#include "tasks/words.h"

namespace hearsay {

absl::StatusOr<std::vector<RoundCarriers>> CarriersByRound(const Store& store,
                                                           const ClaimTable& table,
                                                           absl::Span<const Reached> versions) {
  std::vector<bool> member(table.size(), false);
  int first = table.round_count(), last = -1;
  for (const Reached& version : versions) {
    member[version.row] = true;
    if (table.row(version.row).carriers == 0) continue;
    first = std::min(first, table.row(version.row).first_round);
    last = std::max(last, table.row(version.row).last_round);
  }
  std::vector<RoundCarriers> rounds;
  if (versions.empty()) return rounds;
  const ClaimId claim = table.row(versions[0].row).id;
  const absl::StatusOr<std::vector<RoundRecord>> records = store.Rounds(table.run().run());
  if (!records.ok()) return records.status();
  for (int round = first; round <= last; ++round) {
    RoundCarriers carriers;
    carriers.round = round;
    carriers.dropped = round < static_cast<int>(records->size()) && (*records)[round].dropped();
    const absl::Status scanned = store.ScanRound(
        table.run().run(), round, claim.attempt().problem(), [&](const AttemptBlock& block) {
          for (int i = 0; i < block.size(); ++i) {
            bool any = false;
            for (const ClaimId id : block.note_of(i)) {
              const RowIndex row = table.Find(id);
              any = any || (row != kNoRow && member[row]);
              carriers.of_claim += id == claim;
            }
            carriers.of_any += any;
          }
          return true;
        });
    if (!scanned.ok()) return scanned;
    rounds.push_back(carriers);
  }
  return rounds;
}

Table CarriersTable(const std::vector<RoundCarriers>& rounds) {
  Table table;
  table.title = "Carriers by round";
  table.columns = {"round", "of_claim", "of_any_version"};
  bool dropped = false;
  for (const RoundCarriers& one : rounds) {
    dropped = dropped || one.dropped;
    table.rows.push_back({Integer(one.round), one.dropped ? Missing() : Integer(one.of_claim),
                          one.dropped ? Missing() : Integer(one.of_any)});
  }
  table.notes = {"notes that carry the claim itself, and any of its versions"};
  if (dropped) table.notes.emplace_back("none stands where the attempts of a round were dropped");
  return table;
}

absl::StatusOr<Table> CommonAncestorsTable(const ClaimTable& table, ClaimId a, ClaimId b) {
  if (a.attempt().run() != b.attempt().run() || a.attempt().problem() != b.attempt().problem()) {
    return absl::InvalidArgumentError(
        absl::StrCat(Format(a), " and ", Format(b),
                     " have nothing in common: claims of two runs or problems are never related"));
  }
  const absl::StatusOr<RowIndex> row_a = table.FindOrError(a);
  if (!row_a.ok()) return row_a.status();
  const absl::StatusOr<RowIndex> row_b = table.FindOrError(b);
  if (!row_b.ok()) return row_b.status();
  Table out;
  out.title = absl::StrCat("Last common ancestors of ", Format(a), " and ", Format(b));
  out.columns = {"claim", "generations_up", "generations_up_other", "change", "label", "hedged",
                 "truth", "words"};
  for (const CommonAncestor& one : Walker(table).LastCommonAncestors(*row_a, *row_b)) {
    const ClaimVersion v = DescribeVersion(table, one.row);
    out.rows.push_back({Text(Format(v.id)), Integer(one.distance_a), Integer(one.distance_b),
                        Text(std::string(Name(v.change))), Text(std::string(Name(v.claim.label()))),
                        Text(v.claim.hedged() ? "yes" : "no"), Text(std::string(Name(v.truth))),
                        Text(v.words)});
  }
  out.notes = {"of all that both were made from, that of which nothing else among it was made"};
  return out;
}

}  // namespace hearsay
