#include "lineage/graph_collapse.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace hearsay {
namespace {

// Breadth first from `focus`, by way of `next`. Rows not reached yet get their distance and their
// place in the result, and hand their weight on to the row that they were reached from.
template <typename Next>
void Walk(const ClaimTable& table, const std::vector<RowIndex>& focus, int depth, Next next,
          std::vector<int>& distance, std::vector<int64_t>& weight) {
  distance.assign(table.size(), Reach::kUnreached);
  std::vector<RowIndex> queue;
  std::vector<RowIndex> before;  // by place in the queue
  for (RowIndex i : focus) {
    if (distance[i] == Reach::kUnreached) {
      queue.push_back(i);
      before.push_back(kNoRow);
    }
    distance[i] = 0;
  }
  for (size_t at = 0; at < queue.size(); ++at) {
    const RowIndex from = queue[at];
    if (distance[from] == depth) continue;
    for (RowIndex to : next(from)) {
      if (to == kNoRow || distance[to] != Reach::kUnreached) continue;
      distance[to] = distance[from] + 1;
      queue.push_back(to);
      before.push_back(from);
    }
  }
  std::vector<int64_t> own(table.size(), 0);
  for (size_t at = queue.size(); at-- > 0;) {
    own[queue[at]] += table.row(queue[at]).carriers;
    if (before[at] != kNoRow) own[before[at]] += own[queue[at]];
  }
  for (RowIndex i : queue) weight[i] = std::max(weight[i], own[i]);
}

// Says nothing new: see GraphEdge::via.
bool OnlyRepeats(const ClaimTable& table, RowIndex i, RowIndex parent) {
  const ClaimRow& row = table.row(i);
  if (row.change != Change::kStrengthened && row.change != Change::kGeneralised) return false;
  const Claim before = table.row(parent).claim;
  return row.claim.label() == before.label() && row.claim.stance() == before.stance() &&
         row.claim.hedged() == before.hedged() && table.TruthOfRow(i) == table.TruthOfRow(parent);
}

// What the versions on one stack have in common beside their parent, as one number.
uint64_t LikenessOf(const ClaimTable& table, RowIndex i) {
  const ClaimRow& row = table.row(i);
  uint64_t likeness = static_cast<uint64_t>(row.first_round);
  for (int part : {static_cast<int>(row.change), static_cast<int>(row.claim.label()),
                   static_cast<int>(row.claim.stance()), row.claim.hedged() ? 1 : 0,
                   static_cast<int>(table.TruthOfRow(i))}) {
    likeness = likeness << 8 | static_cast<uint64_t>(part);
  }
  return likeness;
}

using Leaf = std::pair<uint64_t, RowIndex>;  // likeness, row

// Puts those children of `parent` that are alike on stacks. `leaves` is room to work in.
void Stack(const ClaimTable& table, const Reach& reach, RowIndex parent, std::vector<Leaf>& leaves,
           std::vector<RowIndex>& stack_of) {
  const absl::Span<const RowIndex> children = table.children(parent);
  if (children.size() < 2) return;
  leaves.clear();
  for (RowIndex child : children) {
    if (!reach.Has(child) || reach.IsFocus(child) || !table.children(child).empty()) continue;
    if (Parents(table.row(child)).count == 1) leaves.emplace_back(LikenessOf(table, child), child);
  }
  std::sort(leaves.begin(), leaves.end());
  for (size_t at = 1; at < leaves.size(); ++at) {
    if (leaves[at].first != leaves[at - 1].first) continue;
    stack_of[leaves[at].second] = stack_of[leaves[at - 1].second];
  }
}

}  // namespace

Reach ReachFrom(const ClaimTable& table, const std::vector<RowIndex>& focus, int depth_up,
                int depth_down) {
  Reach reach;
  reach.weight.assign(table.size(), 0);
  Walk(
      table, focus, depth_up, [&](RowIndex i) { return Parents(table.row(i)); }, reach.up,
      reach.weight);
  Walk(
      table, focus, depth_down, [&](RowIndex i) { return table.children(i); }, reach.down,
      reach.weight);
  for (RowIndex i = 0; i < table.size(); ++i) {
    if (reach.Has(i)) reach.rows.push_back(i);
  }
  return reach;
}

std::vector<RowIndex> StackRows(const ClaimTable& table, const Reach& reach) {
  std::vector<RowIndex> stack_of(table.size());
  std::iota(stack_of.begin(), stack_of.end(), 0);
  std::vector<Leaf> leaves;
  for (RowIndex i : reach.rows) Stack(table, reach, i, leaves, stack_of);
  return stack_of;
}

std::unordered_set<RowIndex> FindPassages(const ClaimTable& table, const Reach& reach,
                                          const std::vector<RowIndex>& drawn) {
  const std::unordered_set<RowIndex> members(drawn.begin(), drawn.end());
  std::unordered_set<RowIndex> passages;
  for (RowIndex i : drawn) {
    const Parents parents(table.row(i));
    if (reach.IsFocus(i) || parents.count != 1 || members.count(parents.rows[0]) == 0) continue;
    if (!OnlyRepeats(table, i, parents.rows[0])) continue;
    const auto children = table.children(i);
    const auto shown = std::count_if(children.begin(), children.end(),
                                     [&](RowIndex child) { return members.count(child) > 0; });
    if (shown == 1) passages.insert(i);
  }
  return passages;
}

Families LargestFamilies(const ClaimTable& table, const Reach& reach, size_t k) {
  std::vector<RowIndex> head(table.size());
  std::iota(head.begin(), head.end(), 0);
  const auto head_of = [&](RowIndex i) {
    while (head[i] != i) i = head[i] = head[head[i]];
    return i;
  };
  for (RowIndex i : reach.rows) {
    for (RowIndex parent : Parents(table.row(i))) {
      if (!reach.Has(parent)) continue;
      const RowIndex a = head_of(i);
      const RowIndex b = head_of(parent);
      head[std::max(a, b)] = std::min(a, b);
    }
  }
  std::vector<int64_t> weight(table.size(), 0);
  std::vector<RowIndex> heads;
  for (RowIndex i : reach.rows) {
    weight[head_of(i)] += table.row(i).carriers;
    if (head[i] == i) heads.push_back(i);
  }
  Families families;
  families.total = static_cast<int64_t>(heads.size());
  const size_t kept = std::min(k, heads.size());
  std::partial_sort(heads.begin(), heads.begin() + static_cast<std::ptrdiff_t>(kept), heads.end(),
                    [&](RowIndex a, RowIndex b) {
                      return weight[a] != weight[b] ? weight[a] > weight[b] : a < b;
                    });
  families.rows.resize(kept);
  std::unordered_map<RowIndex, size_t> place;
  for (size_t f = 0; f < kept; ++f) place[heads[f]] = f;
  for (RowIndex i : reach.rows) {
    const auto family = place.find(head_of(i));
    if (family != place.end()) families.rows[family->second].push_back(i);
  }
  return families;
}

}  // namespace hearsay
