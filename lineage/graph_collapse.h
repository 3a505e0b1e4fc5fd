// Which versions of a propagation graph are drawn, and which are told by an arrow or by a stack.
// Inner part of graph.cc.
#ifndef HEARSAY_LINEAGE_GRAPH_COLLAPSE_H_
#define HEARSAY_LINEAGE_GRAPH_COLLAPSE_H_

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "lineage/claim_table.h"

namespace hearsay {

// What lies around the claims asked for. Vectors by row of the table.
struct Reach {
  static constexpr int kUnreached = -1;
  std::vector<RowIndex> rows;  // reached, ascending
  // Generations to the nearest claim asked for, going up or down; kUnreached.
  std::vector<int> up, down;
  // Notes that carry the row or anything that was first reached by way of it. Falls with distance.
  std::vector<int64_t> weight;

  bool Has(RowIndex i) const { return up[i] != kUnreached || down[i] != kUnreached; }
  bool IsFocus(RowIndex i) const { return up[i] == 0; }
  int Distance(RowIndex i) const {
    // As unsigned, kUnreached is farther than anything.
    const unsigned near = std::min(static_cast<unsigned>(up[i]), static_cast<unsigned>(down[i]));
    return static_cast<int>(near);
  }
};
Reach ReachFrom(const ClaimTable& table, const std::vector<RowIndex>& focus, int depth_up,
                int depth_down);

// The parents of a row, each once.
struct Parents {
  explicit Parents(const ClaimRow& row) {
    for (RowIndex parent : row.parents) {
      if (parent != kNoRow && (count == 0 || rows[0] != parent)) rows[count++] = parent;
    }
  }
  const RowIndex* begin() const { return rows; }
  const RowIndex* end() const { return rows + count; }

  RowIndex rows[2] = {kNoRow, kNoRow};
  int count = 0;
};

// By row of the table, the first row of the stack that it lies on, which may be itself. Siblings
// without children, of one parent, that say the same and came about alike in one round lie on one.
std::vector<RowIndex> StackRows(const ClaimTable& table, const Reach& reach);

// Those of `drawn` that an arrow can stand for: with one parent, which is drawn, and one child that
// is, which only strengthened or generalised what they came from and are as true.
std::unordered_set<RowIndex> FindPassages(const ClaimTable& table, const Reach& reach,
                                          const std::vector<RowIndex>& drawn);

// Families: rows that are related, each with its parents and children among those reached.
struct Families {
  int64_t total = 0;                        // all there are
  std::vector<std::vector<RowIndex>> rows;  // of the k that most notes carry, largest first
};
Families LargestFamilies(const ClaimTable& table, const Reach& reach, size_t k);

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_GRAPH_COLLAPSE_H_
