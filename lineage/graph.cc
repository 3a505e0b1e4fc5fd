#include "lineage/graph.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace hearsay {
namespace {

// "1,204"
std::string Grouped(int64_t number) {
  const std::string digits = absl::StrCat(number);
  std::string grouped;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) grouped += ',';
    grouped += digits[i];
  }
  return grouped;
}

constexpr int kUnreached = -1;

// Generations between each row and the nearest of `focus` by way of `next`; kUnreached past
// `depth`. `order` gains the rows reached, the nearest first.
template <typename Next>
std::vector<int> Distances(const ClaimTable& table, const std::vector<RowIndex>& focus, int depth,
                           Next next, std::vector<RowIndex>& order) {
  std::vector<int> distance(table.size(), kUnreached);
  std::vector<RowIndex> queue;
  for (RowIndex i : focus) {
    if (distance[i] == kUnreached) queue.push_back(i);
    distance[i] = 0;
  }
  for (size_t at = 0; at < queue.size(); ++at) {
    const RowIndex from = queue[at];
    if (distance[from] == depth) continue;
    for (RowIndex to : next(from)) {
      if (to == kNoRow || distance[to] != kUnreached) continue;
      distance[to] = distance[from] + 1;
      queue.push_back(to);
    }
  }
  order.insert(order.end(), queue.begin(), queue.end());
  return distance;
}

// The parents of a row, each once.
std::vector<RowIndex> ParentsOf(const ClaimRow& row) {
  std::vector<RowIndex> parents;
  for (RowIndex parent : row.parents) {
    if (parent != kNoRow && (parents.empty() || parents[0] != parent)) parents.push_back(parent);
  }
  return parents;
}

// The rounds that have a version of their own, numbered.
class Columns {
 public:
  explicit Columns(std::vector<int> rounds) : rounds_(std::move(rounds)) {
    std::sort(rounds_.begin(), rounds_.end());
    rounds_.erase(std::unique(rounds_.begin(), rounds_.end()), rounds_.end());
  }
  // REQUIRES: `round` is one of them.
  int Of(int round) const {
    return static_cast<int>(std::lower_bound(rounds_.begin(), rounds_.end(), round) -
                            rounds_.begin());
  }

 private:
  std::vector<int> rounds_;
};

// Drops what follows the first rows of `rows` whose edges among themselves span kMaxGraphSpan at
// most.
void CutToSpan(const ClaimTable& table, std::vector<RowIndex>& rows) {
  std::vector<int> rounds;
  for (RowIndex i : rows) rounds.push_back(table.row(i).first_round);
  const Columns columns(std::move(rounds));
  std::unordered_set<RowIndex> kept;
  int64_t span = 0;
  for (size_t at = 0; at < rows.size(); ++at) {
    const RowIndex i = rows[at];
    const int column = columns.Of(table.row(i).first_round);
    // An edge counts as soon as both its ends are in.
    for (RowIndex parent : ParentsOf(table.row(i))) {
      if (kept.count(parent) > 0) span += column - columns.Of(table.row(parent).first_round);
    }
    for (RowIndex child : table.children(i)) {
      if (kept.count(child) > 0) span += columns.Of(table.row(child).first_round) - column;
    }
    if (span > kMaxGraphSpan) {
      rows.resize(at);
      return;
    }
    kept.insert(i);
  }
}

absl::Status CheckOptions(const GraphOptions& options) {
  if (options.depth_up < 0 || options.depth_down < 0) {
    return absl::InvalidArgumentError("the depth of a graph cannot be negative");
  }
  if (options.max_nodes < 1 || options.max_nodes > kMaxGraphNodes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a graph of ", options.max_nodes, " versions: 1 to ", kMaxGraphNodes, " can be drawn"));
  }
  return absl::OkStatus();
}

// How many rows outside `reached` are a parent or child of one inside.
int64_t CountBeyond(const ClaimTable& table, const std::vector<RowIndex>& reached,
                    const std::vector<int>& up, const std::vector<int>& down) {
  std::vector<RowIndex> beyond;
  const auto look = [&](RowIndex i) {
    if (up[i] == kUnreached && down[i] == kUnreached) beyond.push_back(i);
  };
  // Siblings of an ancestor's line were not asked for: only what lies further in each direction
  // counts.
  for (RowIndex i : reached) {
    if (up[i] != kUnreached) {
      for (RowIndex parent : ParentsOf(table.row(i))) look(parent);
    }
    if (down[i] != kUnreached) {
      for (RowIndex child : table.children(i)) look(child);
    }
  }
  std::sort(beyond.begin(), beyond.end());
  return std::unique(beyond.begin(), beyond.end()) - beyond.begin();
}

void AddNodesAndEdges(const ClaimTable& table, const std::vector<RowIndex>& kept,
                      const std::vector<int>& up, const std::vector<int>& down, GraphModel& model) {
  std::unordered_map<RowIndex, int> node_of;
  for (RowIndex i : kept) {
    node_of[i] = static_cast<int>(model.nodes.size());
    GraphNode node;
    node.version = DescribeVersion(table, i);
    node.version.distance = up[i] == kUnreached     ? down[i]
                            : down[i] == kUnreached ? up[i]
                                                    : std::min(up[i], down[i]);
    node.focus = up[i] == 0;
    node.hidden_children = static_cast<int>(table.children(i).size());
    model.nodes.push_back(std::move(node));
  }
  for (RowIndex i : kept) {
    const int to = node_of[i];
    for (RowIndex parent : ParentsOf(table.row(i))) {
      const auto from = node_of.find(parent);
      if (from == node_of.end()) {
        ++model.nodes[to].hidden_parents;
        continue;
      }
      --model.nodes[from->second].hidden_children;
      model.edges.push_back({from->second, to, table.row(i).change});
    }
  }
}

}  // namespace

std::string GraphModel::CutWords() const {
  const auto shown = static_cast<int64_t>(nodes.size());
  std::string words = absl::StrCat("showing ", Grouped(shown), " of ", Grouped(reached),
                                   " versions", shown == reached ? "" : ", the nearest first");
  if (beyond > 0) {
    absl::StrAppend(&words, "; ", Grouped(beyond), " more lie just beyond the depth asked for");
  }
  return words;
}

int64_t GraphModel::Span() const {
  std::vector<int> rounds;
  for (const GraphNode& node : nodes) rounds.push_back(node.version.first_round);
  const Columns columns(std::move(rounds));
  int64_t span = 0;
  for (const GraphEdge& edge : edges) {
    span += columns.Of(nodes[edge.to].version.first_round) -
            columns.Of(nodes[edge.from].version.first_round);
  }
  return span;
}

absl::StatusOr<GraphModel> PropagationGraph(const ClaimTable& table,
                                            const std::vector<RowIndex>& focus,
                                            const GraphOptions& options) {
  if (absl::Status status = CheckOptions(options); !status.ok()) return status;
  std::vector<RowIndex> reached;
  const std::vector<int> up = Distances(
      table, focus, options.depth_up, [&](RowIndex i) { return ParentsOf(table.row(i)); }, reached);
  const std::vector<int> down = Distances(
      table, focus, options.depth_down, [&](RowIndex i) { return table.children(i); }, reached);
  std::sort(reached.begin(), reached.end());
  reached.erase(std::unique(reached.begin(), reached.end()), reached.end());

  GraphModel model;
  model.title = absl::StrCat("Run R", table.run().run(), ": propagation of ",
                             focus.size() == 1 ? Format(table.row(focus[0]).id)
                                               : absl::StrCat(Grouped(focus.size()), " claims"));
  model.reached = static_cast<int64_t>(reached.size());
  model.beyond = CountBeyond(table, reached, up, down);
  const auto near = [&](RowIndex i) {
    // As unsigned, kUnreached is farther than anything.
    return std::min(static_cast<unsigned>(up[i]), static_cast<unsigned>(down[i]));
  };
  std::sort(reached.begin(), reached.end(), [&](RowIndex a, RowIndex b) {
    if (near(a) != near(b)) return near(a) < near(b);
    const int carriers_a = table.row(a).carriers;
    const int carriers_b = table.row(b).carriers;
    return carriers_a != carriers_b ? carriers_a > carriers_b : a < b;
  });
  if (reached.size() > static_cast<size_t>(options.max_nodes)) reached.resize(options.max_nodes);
  CutToSpan(table, reached);
  std::sort(reached.begin(), reached.end());
  AddNodesAndEdges(table, reached, up, down, model);
  return model;
}

absl::StatusOr<GraphModel> PropagationGraph(const ClaimTable& table, ClaimId focus,
                                            const GraphOptions& options) {
  absl::StatusOr<RowIndex> row = table.FindOrError(focus);
  if (!row.ok()) return row.status();
  return PropagationGraph(table, std::vector<RowIndex>{*row}, options);
}

}  // namespace hearsay
