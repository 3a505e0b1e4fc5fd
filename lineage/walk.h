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

// A set of rows that is emptied at once, and small where it holds little: a step of a walk looks up
// what the cache holds, where an array with a place for each row would have it wait for memory.
class RowSet {
 public:
  RowSet() : slots_(kLeastSlots, 0) {}
  void Clear() {
    size_ = 0;
    if (++epoch_ != 0) return;
    std::fill(slots_.begin(), slots_.end(), 0);
    epoch_ = 1;
  }
  // False if it was there.
  bool Insert(RowIndex row) {
    uint64_t& slot = SlotOf(row);
    if (slot >> 32 == epoch_) return false;
    slot = Entry(row);
    if (++size_ * 2 > slots_.size()) Grow();
    return true;
  }
  bool Contains(RowIndex row) { return SlotOf(row) >> 32 == epoch_; }

 private:
  static constexpr size_t kLeastSlots = 512;

  uint64_t Entry(RowIndex row) const { return uint64_t{epoch_} << 32 | static_cast<uint32_t>(row); }
  // That of the row, or the free one that it would take.
  uint64_t& SlotOf(RowIndex row) {
    const size_t mask = slots_.size() - 1;
    size_t at = static_cast<uint32_t>(row) * uint64_t{0x9e3779b97f4a7c15} >> 40 & mask;
    while (slots_[at] >> 32 == epoch_ && slots_[at] != Entry(row)) at = (at + 1) & mask;
    return slots_[at];
  }
  void Grow() {
    std::vector<uint64_t> old(2 * slots_.size(), 0);
    old.swap(slots_);
    for (const uint64_t slot : old) {
      if (slot >> 32 == epoch_) SlotOf(static_cast<RowIndex>(slot & UINT32_MAX)) = slot;
    }
  }

  std::vector<uint64_t> slots_;  // the epoch it was taken in, then the row; a power of two of them
  size_t size_ = 0;
  uint32_t epoch_ = 1;
};

template <typename Graph>
class Walker {
 public:
  // `graph` must outlive it.
  explicit Walker(const Graph& graph) : graph_(graph) {}

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
    seen_.Clear();
    for (const CommonAncestor& one : common) {
      for (RowIndex parent : graph_.parents(one.row)) {
        if (parent != kNoRow) seen_.Insert(parent);
      }
    }
    std::erase_if(common, [&](const CommonAncestor& one) { return seen_.Contains(one.row); });
    std::stable_sort(common.begin(), common.end(), [](const auto& x, const auto& y) {
      return x.distance_a + x.distance_b < y.distance_a + y.distance_b;
    });
    return common;
  }

 private:
  template <typename Next>
  std::vector<Reached> Walk(RowIndex start, Next next) {
    seen_.Clear();
    std::vector<Reached> reached;
    reached.reserve(kUsual);
    reached.push_back({start, 0});
    seen_.Insert(start);
    for (size_t at = 0; at < reached.size(); ++at) {
      const Reached from = reached[at];
      for (RowIndex row : next(from.row)) {
        if (row == kNoRow || !seen_.Insert(row)) continue;
        reached.push_back({row, from.distance + 1});
      }
    }
    return reached;
  }

  static constexpr size_t kUsual = 128;  // claims that most walks reach

  const Graph& graph_;
  RowSet seen_;
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
