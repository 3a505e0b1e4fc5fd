// Walks over who was made of whom, and what can be read off them: for a ClaimTable as for a section
// of an AncestryIndex.
//
// A Graph has size(), parents(i) (which may hold kNoRow), children(i), label(i), change(i) and
// hedged(i). Pure functions but for Walker, which is for one thread and keeps what it has seen, so
// that a walk costs by what it reaches and not by what there is.
#ifndef HEARSAY_LINEAGE_WALK_H_
#define HEARSAY_LINEAGE_WALK_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "lineage/claim_table.h"

namespace hearsay {

struct Reached {
  RowIndex row;
  int distance;  // generations from the start, along the shortest way
  friend bool operator==(const Reached&, const Reached&) = default;
};

// A claim that two others both come from.
struct CommonAncestor {
  RowIndex row;
  int distance_a;
  int distance_b;
  friend bool operator==(const CommonAncestor&, const CommonAncestor&) = default;
};

template <typename Graph>
class Walker {
 public:
  // `graph` must outlive it.
  explicit Walker(const Graph& graph)
      : graph_(graph), seen_(static_cast<size_t>(graph.size()), 0) {}

  // The start and all that it was made from, or all that was made from it, nearest first.
  // REQUIRES: `start` is a row.
  std::vector<Reached> Ancestors(RowIndex start) {
    return Walk(start, [this](RowIndex i) { return graph_.parents(i); });
  }
  std::vector<Reached> Descendants(RowIndex start) {
    return Walk(start, [this](RowIndex i) { return graph_.children(i); });
  }

  // Of the claims that both come from (each also from itself), the last ones: those of which no
  // other such claim was made. The nearest to both first, then by row; empty where the two are not
  // related.
  std::vector<CommonAncestor> LastCommonAncestors(RowIndex a, RowIndex b) {
    const auto by_row = [](const Reached& x, const Reached& y) { return x.row < y.row; };
    std::vector<Reached> of_a = Ancestors(a), of_b = Ancestors(b);
    std::sort(of_a.begin(), of_a.end(), by_row);
    std::sort(of_b.begin(), of_b.end(), by_row);
    std::vector<CommonAncestor> common;
    for (size_t i = 0, k = 0; i < of_a.size() && k < of_b.size();) {
      if (of_a[i].row == of_b[k].row) {
        common.push_back({of_a[i].row, of_a[i].distance, of_b[k].distance});
      }
      const RowIndex row_a = of_a[i].row;
      i += row_a <= of_b[k].row;
      k += of_b[k].row <= row_a;
    }
    // What one of them was made of is not the last.
    ++epoch_;
    for (const CommonAncestor& one : common) {
      for (RowIndex parent : graph_.parents(one.row)) {
        if (parent != kNoRow) seen_[parent] = epoch_;
      }
    }
    std::erase_if(common, [&](const CommonAncestor& one) { return seen_[one.row] == epoch_; });
    std::stable_sort(common.begin(), common.end(), [](const auto& x, const auto& y) {
      return x.distance_a + x.distance_b < y.distance_a + y.distance_b;
    });
    return common;
  }

 private:
  template <typename Next>
  std::vector<Reached> Walk(RowIndex start, Next next) {
    ++epoch_;
    std::vector<Reached> reached = {{start, 0}};
    seen_[start] = epoch_;
    for (size_t at = 0; at < reached.size(); ++at) {
      const Reached from = reached[at];
      for (RowIndex row : next(from.row)) {
        if (row == kNoRow || seen_[row] == epoch_) continue;
        seen_[row] = epoch_;
        reached.push_back({row, from.distance + 1});
      }
    }
    return reached;
  }

  const Graph& graph_;
  std::vector<uint32_t> seen_;  // the last walk that reached the row
  uint32_t epoch_ = 0;
};

// Of `reached`, the oldest unsupported closure, by id; kNoRow where there is none.
template <typename Graph>
RowIndex FirstUnsupported(const Graph& graph, absl::Span<const Reached> reached) {
  RowIndex first = kNoRow;
  for (const Reached& r : reached) {
    if (graph.label(r.row) != Label::kUnsupportedClosure) continue;
    if (first == kNoRow || r.row < first) first = r.row;
  }
  return first;
}

// Of `reached`, the rows that say without a hedge what a parent said with one, for whatever reason;
// ascending.
template <typename Graph>
std::vector<RowIndex> HedgeDrops(const Graph& graph, absl::Span<const Reached> reached) {
  std::vector<RowIndex> drops;
  for (const Reached& r : reached) {
    if (graph.hedged(r.row)) continue;
    const auto parents = graph.parents(r.row);
    if (std::any_of(parents.begin(), parents.end(),
                    [&](RowIndex p) { return p != kNoRow && graph.hedged(p); })) {
      drops.push_back(r.row);
    }
  }
  std::sort(drops.begin(), drops.end());
  return drops;
}

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_WALK_H_
