#include "lineage/lines.h"

#include <algorithm>
#include <unordered_set>

namespace hearsay {
namespace {

// The latest round in which something ended a row or what continues it, by row; -1 for never.
struct Endings {
  std::vector<int32_t> corrected, refuted, replaced;
};

void RaiseTo(int32_t& round, int32_t other) { round = std::max(round, other); }

Endings TraceEndings(const ClaimTable& table, Kinship kinship) {
  Endings endings;
  endings.corrected.assign(table.size(), -1);
  endings.refuted.assign(table.size(), -1);
  endings.replaced.assign(table.size(), -1);
  for (const ClaimEvent& event : table.events()) {
    if (event.deed != Deed::kRefuted) continue;
    RaiseTo(endings.refuted[event.row], event.attempt.round());
  }
  for (RowIndex i = table.size() - 1; i >= 0; --i) {
    const ClaimRow& row = table.row(i);
    for (RowIndex parent : row.parents) {
      if (parent == kNoRow) continue;
      if (Continues(table.row(parent), row, kinship)) {
        RaiseTo(endings.corrected[parent], endings.corrected[i]);
        RaiseTo(endings.refuted[parent], endings.refuted[i]);
        RaiseTo(endings.replaced[parent], endings.replaced[i]);
      } else if (row.change == Change::kCorrected) {
        RaiseTo(endings.corrected[parent], row.first_round);
      } else {
        RaiseTo(endings.replaced[parent], row.first_round);
      }
    }
  }
  return endings;
}

bool IsRoot(const ClaimTable& table, RowIndex i, Kinship kinship) {
  const ClaimRow& row = table.row(i);
  if (!row.claim.is_closure()) return false;
  return std::none_of(std::begin(row.parents), std::end(row.parents), [&](RowIndex parent) {
    return parent != kNoRow && Continues(table.row(parent), row, kinship);
  });
}

}  // namespace

const char* Name(LineEnd end) {
  switch (end) {
    case LineEnd::kAlive:
      return "alive";
    case LineEnd::kCorrected:
      return "corrected";
    case LineEnd::kRefuted:
      return "refuted";
    case LineEnd::kReplaced:
      return "replaced";
    case LineEnd::kNotCopied:
      return "not_copied";
  }
  return "";
}

RowLineage TraceRows(const ClaimTable& table, Kinship kinship) {
  RowLineage lineage;
  const int size = table.size();
  lineage.last_round.resize(size);
  lineage.born_round.resize(size);
  lineage.lost_hedge.assign(size, 0);
  lineage.unsupported.assign(size, 0);
  std::vector<uint8_t> was_hedged(size, 0);
  // Parents stand before children: what is inherited flows forward, what is bequeathed backward.
  for (RowIndex i = 0; i < size; ++i) {
    const ClaimRow& row = table.row(i);
    lineage.last_round[i] = row.last_round;
    lineage.born_round[i] = row.first_round;
    was_hedged[i] = row.claim.hedged();
    lineage.unsupported[i] =
        row.claim.is_closure() && row.claim.label() == Label::kUnsupportedClosure;
    for (RowIndex parent : row.parents) {
      if (parent == kNoRow || !Continues(table.row(parent), row, kinship)) continue;
      lineage.born_round[i] = std::min(lineage.born_round[i], lineage.born_round[parent]);
      was_hedged[i] |= was_hedged[parent];
      lineage.unsupported[i] |= lineage.unsupported[parent];
    }
    lineage.lost_hedge[i] = was_hedged[i] != 0 && !row.claim.hedged();
  }
  for (RowIndex i = size - 1; i >= 0; --i) {
    const ClaimRow& row = table.row(i);
    for (RowIndex parent : row.parents) {
      if (parent == kNoRow || !Continues(table.row(parent), row, kinship)) continue;
      RaiseTo(lineage.last_round[parent], lineage.last_round[i]);
    }
  }
  return lineage;
}

std::vector<Line> FindLines(const ClaimTable& table, Kinship kinship, const RowLineage& lineage,
                            bool (*is_root)(const ClaimTable&, RowIndex)) {
  const Endings endings = TraceEndings(table, kinship);
  std::vector<Line> lines;
  for (RowIndex i = 0; i < table.size(); ++i) {
    if (!IsRoot(table, i, kinship) || !is_root(table, i)) continue;
    const int32_t last = lineage.last_round[i];
    Line line = {i, last, LineEnd::kNotCopied};
    // Only what the readers of the last notes did has ended the line.
    if (last == table.round_count() - 1) {
      line.end = LineEnd::kAlive;
    } else if (endings.corrected[i] == last + 1) {
      line.end = LineEnd::kCorrected;
    } else if (endings.refuted[i] == last + 1) {
      line.end = LineEnd::kRefuted;
    } else if (endings.replaced[i] == last + 1) {
      line.end = LineEnd::kReplaced;
    }
    lines.push_back(line);
  }
  return lines;
}

std::vector<RowIndex> VersionsOf(const ClaimTable& table, RowIndex root, Kinship kinship) {
  std::vector<RowIndex> versions = {root};
  std::unordered_set<RowIndex> seen = {root};
  for (size_t next = 0; next < versions.size(); ++next) {
    for (RowIndex child : table.children(versions[next])) {
      if (!Continues(table.row(versions[next]), table.row(child), kinship)) continue;
      if (seen.insert(child).second) versions.push_back(child);
    }
  }
  std::sort(versions.begin(), versions.end());
  return versions;
}

}  // namespace hearsay
