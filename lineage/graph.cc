#include "lineage/graph.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lineage/graph_collapse.h"

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

// Families that a drawing of a problem shows.
constexpr size_t kMostFamilies = 8;
// How many versions may be looked at for each node that is drawn, since arrows can stand for some.
constexpr size_t kPassagesPerNode = 16;

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

// How many rows outside are a parent or child of one inside.
int64_t CountBeyond(const ClaimTable& table, const Reach& reach) {
  std::vector<RowIndex> beyond;
  const auto look = [&](RowIndex i) {
    if (!reach.Has(i)) beyond.push_back(i);
  };
  // Siblings of an ancestor's line were not asked for: only what lies further in each direction
  // counts.
  for (RowIndex i : reach.rows) {
    if (reach.up[i] != Reach::kUnreached) {
      for (RowIndex parent : Parents(table.row(i))) look(parent);
    }
    if (reach.down[i] != Reach::kUnreached) {
      for (RowIndex child : table.children(i)) look(child);
    }
  }
  std::sort(beyond.begin(), beyond.end());
  return std::unique(beyond.begin(), beyond.end()) - beyond.begin();
}

// A drawn row and one it was made of, with the rows between them that the arrow stands for, the
// latest first.
struct Way {
  RowIndex from = kNoRow;
  std::vector<RowIndex> via;
};

class Drawing {
 public:
  Drawing(const ClaimTable& table, const Reach& reach, const GraphOptions& options)
      : table_(table),
        reach_(reach),
        collapses_(options.collapse == Collapse::kAlways ||
                   (options.collapse == Collapse::kLarge &&
                    reach.rows.size() > static_cast<size_t>(kUncollapsedVersions))),
        weight_(reach.weight) {
    if (collapses_) stack_of_ = StackRows(table, reach);
  }

  // Decides what gets a node: of each group of rows the most carried, at most `max_nodes` in all,
  // and so many that their edges do not cross too much.
  void Choose(const std::vector<std::vector<RowIndex>>& groups, int max_nodes);
  void Fill(GraphModel& model) const;

 private:
  RowIndex StackOf(RowIndex i) const { return collapses_ ? stack_of_[i] : i; }
  bool Before(RowIndex a, RowIndex b) const;
  void ChooseOf(const std::vector<RowIndex>& group, size_t max_nodes);
  void CutToSpan();
  std::vector<Way> WaysTo(RowIndex i) const;
  GraphNode NodeOf(RowIndex i) const;
  void AddEdge(const Way& way, RowIndex i, GraphModel& model) const;
  void AddMarks(GraphModel& model) const;

  const ClaimTable& table_;
  const Reach& reach_;
  const bool collapses_;
  std::vector<RowIndex> stack_of_;         // empty unless collapses_
  std::vector<int64_t> weight_;            // as in reach_, of the first of a stack for all of it
  std::vector<RowIndex> chosen_;           // that get a node
  std::unordered_set<RowIndex> passages_;  // that an arrow stands for
};

bool Drawing::Before(RowIndex a, RowIndex b) const {
  if (weight_[a] != weight_[b]) return weight_[a] > weight_[b];
  const int near_a = reach_.Distance(a);
  const int near_b = reach_.Distance(b);
  return near_a != near_b ? near_a < near_b : a < b;
}

void Drawing::ChooseOf(const std::vector<RowIndex>& group, size_t max_nodes) {
  std::vector<RowIndex> rows;
  for (RowIndex i : group) {
    if (StackOf(i) == i) rows.push_back(i);
  }
  // What becomes part of an arrow leaves room for more, so more are looked at than can be drawn.
  const size_t most = std::min(rows.size(), collapses_ ? kPassagesPerNode * max_nodes : max_nodes);
  std::partial_sort(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(most), rows.end(),
                    [&](RowIndex a, RowIndex b) { return Before(a, b); });
  rows.resize(most);
  std::vector<RowIndex> taken(
      rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(std::min(most, max_nodes)));
  std::unordered_set<RowIndex> passages;
  if (collapses_) passages = FindPassages(table_, reach_, taken);
  // Steps of an eighth at least, so that long chains take few of them; halved where a second child
  // makes too many nodes of what was part of an arrow.
  size_t step = std::max(max_nodes / 8, passages.size());
  while (taken.size() < most && step > 0) {
    const size_t next = std::min(most, taken.size() + step);
    std::vector<RowIndex> more(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(next));
    std::unordered_set<RowIndex> more_passages = FindPassages(table_, reach_, more);
    if (more.size() - more_passages.size() > max_nodes) {
      step /= 2;
      continue;
    }
    taken = std::move(more);
    passages = std::move(more_passages);
    step = std::max(step, taken.size() / 8);
  }
  for (RowIndex i : taken) {
    if (passages.count(i) == 0) chosen_.push_back(i);
  }
  passages_.merge(passages);
}

// Drops what follows the first chosen rows whose edges among themselves span kMaxGraphSpan at most.
// REQUIRES: the most carried come first.
void Drawing::CutToSpan() {
  std::vector<int> rounds;
  for (RowIndex i : chosen_) rounds.push_back(table_.row(i).first_round);
  const Columns columns(std::move(rounds));
  std::unordered_map<RowIndex, size_t> place;
  for (size_t at = 0; at < chosen_.size(); ++at) place[chosen_[at]] = at;
  // An edge counts as soon as both its ends are in.
  std::vector<int64_t> added(chosen_.size(), 0);
  for (RowIndex i : chosen_) {
    for (const Way& way : WaysTo(i)) {
      const auto from = place.find(way.from);
      if (from == place.end()) continue;
      added[std::max(place[i], from->second)] +=
          columns.Of(table_.row(i).first_round) - columns.Of(table_.row(way.from).first_round);
    }
  }
  int64_t span = 0;
  for (size_t at = 0; at < chosen_.size(); ++at) {
    span += added[at];
    if (span > kMaxGraphSpan) {
      chosen_.resize(at);
      return;
    }
  }
}

void Drawing::Choose(const std::vector<std::vector<RowIndex>>& groups, int max_nodes) {
  for (RowIndex i : reach_.rows) {
    if (StackOf(i) != i) weight_[StackOf(i)] += reach_.weight[i];
  }
  for (size_t g = 0; g < groups.size(); ++g) {
    const size_t room = static_cast<size_t>(max_nodes) - chosen_.size();
    // What a small group leaves is for those that follow.
    if (room > 0) ChooseOf(groups[g], std::max<size_t>(1, room / (groups.size() - g)));
  }
  std::sort(chosen_.begin(), chosen_.end(), [&](RowIndex a, RowIndex b) { return Before(a, b); });
  CutToSpan();
  std::sort(chosen_.begin(), chosen_.end());
}

std::vector<Way> Drawing::WaysTo(RowIndex i) const {
  std::vector<Way> ways;
  for (RowIndex parent : Parents(table_.row(i))) {
    if (!reach_.Has(parent)) continue;
    Way way;
    while (passages_.count(parent) > 0) {
      way.via.push_back(parent);
      parent = Parents(table_.row(parent)).rows[0];
    }
    way.from = parent;
    ways.push_back(std::move(way));
  }
  return ways;
}

GraphNode Drawing::NodeOf(RowIndex i) const {
  GraphNode node;
  node.version = DescribeVersion(table_, i);
  node.version.distance = reach_.Distance(i);
  node.focus = reach_.IsFocus(i);
  node.hidden_children = static_cast<int>(table_.children(i).size());
  return node;
}

void Drawing::AddEdge(const Way& way, RowIndex i, GraphModel& model) const {
  GraphEdge& edge = model.edges.back();
  edge.change = table_.row(i).change;
  edge.changes[static_cast<int>(edge.change)] = 1;
  edge.via = static_cast<int>(way.via.size());
  for (RowIndex on_way : way.via) {
    const ClaimRow& row = table_.row(on_way);
    ++edge.changes[static_cast<int>(row.change)];
    edge.via_carriers += row.carriers;
    edge.via_hidden_children += static_cast<int>(table_.children(on_way).size()) - 1;
  }
  if (way.via.empty()) return;
  edge.via_first_round = table_.row(way.via.back()).first_round;
  edge.via_last_round = table_.row(way.via.front()).first_round;
}

void Drawing::Fill(GraphModel& model) const {
  std::unordered_map<RowIndex, int> node_of;
  for (RowIndex i : chosen_) {
    node_of[i] = static_cast<int>(model.nodes.size());
    model.nodes.push_back(NodeOf(i));
  }
  for (RowIndex i : reach_.rows) {
    const auto first = StackOf(i) == i ? node_of.end() : node_of.find(StackOf(i));
    if (first == node_of.end()) continue;
    GraphNode& node = model.nodes[first->second];
    ++node.alike;
    node.alike_carriers += table_.row(i).carriers;
    node.alike_refuted += table_.row(i).refuted;
  }
  for (RowIndex i : chosen_) {
    GraphNode& to = model.nodes[node_of[i]];
    to.hidden_parents =
        Parents(table_.row(i)).count + static_cast<int>(table_.DroppedParents(i).size());
    for (const Way& way : WaysTo(i)) {
      const auto from = node_of.find(way.from);
      if (from == node_of.end()) continue;
      --to.hidden_parents;
      model.nodes[from->second].hidden_children -= way.via.empty() ? 1 + to.alike : 1;
      model.edges.push_back({.from = from->second, .to = node_of[i]});
      AddEdge(way, i, model);
      if (!way.via.empty()) model.edges.back().via_hidden_children -= to.alike;
    }
  }
  AddMarks(model);
}

void Drawing::AddMarks(GraphModel& model) const {
  std::unordered_map<RowIndex, int> last_refuted;
  for (RowIndex i : chosen_) {
    if (table_.row(i).refuted > 0) last_refuted[i] = 0;
  }
  if (!last_refuted.empty()) {
    for (const ClaimEvent& event : table_.events()) {
      if (event.deed != Deed::kRefuted) continue;
      const auto one = last_refuted.find(event.row);
      if (one != last_refuted.end()) one->second = event.attempt.round();
    }
  }
  for (size_t n = 0; n < chosen_.size(); ++n) {
    const ClaimRow& row = table_.row(chosen_[n]);
    const GraphNode& node = model.nodes[n];
    const auto children = table_.children(chosen_[n]);
    const auto corrected = std::count_if(children.begin(), children.end(), [&](RowIndex child) {
      return table_.row(child).change == Change::kCorrected;
    });
    if (row.refuted > corrected && node.alike == 0) {
      model.marks.push_back(
          {static_cast<int>(n), GraphMark::Kind::kRefuted, last_refuted[chosen_[n]], row.refuted});
    }
    if (row.last_round > row.first_round && children.empty() && node.alike == 0) {
      model.marks.push_back(
          {static_cast<int>(n), GraphMark::Kind::kCarried, row.last_round, row.carriers - 1});
    }
  }
}

// Of all that is reached, or of the families that most notes carry.
enum class Scope { kAll, kFamilies };

absl::StatusOr<GraphModel> MakeGraph(const ClaimTable& table, const std::vector<RowIndex>& focus,
                                     Scope scope, const GraphOptions& options) {
  if (absl::Status status = CheckOptions(options); !status.ok()) return status;
  const Reach reach = ReachFrom(table, focus, options.depth_up, options.depth_down);
  GraphModel model;
  model.reached = static_cast<int64_t>(reach.rows.size());
  model.beyond = CountBeyond(table, reach);
  if (table.dropped_rounds() > 0) model.notes.push_back(table.KeptWords());
  std::vector<std::vector<RowIndex>> groups;
  if (scope == Scope::kAll) {
    groups.push_back(reach.rows);
  } else {
    Families families = LargestFamilies(table, reach, kMostFamilies);
    groups = std::move(families.rows);
    if (families.total > static_cast<int64_t>(groups.size())) {
      model.notes.push_back(absl::StrCat("the ", groups.size(), " of ", Grouped(families.total),
                                         " families of claims that most notes carry"));
    }
  }
  Drawing drawing(table, reach, options);
  drawing.Choose(groups, options.max_nodes);
  drawing.Fill(model);
  return model;
}

}  // namespace

int64_t GraphModel::Via() const {
  int64_t via = 0;
  for (const GraphEdge& edge : edges) via += edge.via;
  return via;
}

int64_t GraphModel::Stacked() const {
  int64_t stacked = 0;
  for (const GraphNode& node : nodes) stacked += node.alike;
  return stacked;
}

std::string GraphModel::CutWords() const {
  const auto shown = static_cast<int64_t>(nodes.size());
  const int64_t via = Via();
  const int64_t stacked = Stacked();
  const int64_t left_out = reached - shown - via - stacked;
  std::string words =
      absl::StrCat("showing ", Grouped(shown), " of ", Grouped(reached), " versions");
  if (via > 0) absl::StrAppend(&words, "; ", Grouped(via), " more in arrows (via)");
  if (stacked > 0) {
    absl::StrAppend(&words, via > 0 ? ", " : "; ", Grouped(stacked),
                    via > 0 ? " on stacks (×)" : " more on stacks (×)");
  }
  if (left_out > 0) {
    absl::StrAppend(&words, "; ", Grouped(left_out), " left out, the most carried lines kept");
  }
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
  absl::StatusOr<GraphModel> model = MakeGraph(table, focus, Scope::kAll, options);
  if (!model.ok()) return model;
  model->title = absl::StrCat("Run R", table.run().run(), ": propagation of ",
                              focus.size() == 1 ? Format(table.row(focus[0]).id)
                                                : absl::StrCat(Grouped(focus.size()), " claims"));
  return model;
}

absl::StatusOr<GraphModel> PropagationGraph(const ClaimTable& table, ClaimId focus,
                                            const GraphOptions& options) {
  absl::StatusOr<RowIndex> row = table.FindOrError(focus);
  if (!row.ok()) return row.status();
  return PropagationGraph(table, std::vector<RowIndex>{*row}, options);
}

absl::StatusOr<GraphModel> ProblemGraph(const ClaimTable& table, const GraphOptions& options) {
  std::vector<RowIndex> births;
  for (RowIndex i = 0; i < table.size(); ++i) {
    if (Parents(table.row(i)).count == 0) births.push_back(i);
  }
  absl::StatusOr<GraphModel> model = MakeGraph(table, births, Scope::kFamilies, options);
  if (!model.ok()) return model;
  model->title = absl::StrCat("Run R", table.run().run(), ": propagation of all claims on ",
                              FormatProblem(table.problem()));
  for (GraphNode& node : model->nodes) node.focus = false;
  return model;
}

GraphModel JoinGraphs(std::vector<GraphModel> graphs) {
  GraphModel all;
  if (graphs.empty()) return all;
  all.title = graphs[0].title;
  struct Place {
    ClaimId id;
    size_t graph;
    int node;
  };
  std::vector<Place> places;
  std::vector<std::vector<int>> moved(graphs.size());  // [graph][node]
  for (size_t g = 0; g < graphs.size(); ++g) {
    moved[g].resize(graphs[g].nodes.size());
    for (size_t n = 0; n < graphs[g].nodes.size(); ++n) {
      places.push_back({graphs[g].nodes[n].version.id, g, static_cast<int>(n)});
    }
    all.notes.insert(all.notes.end(), graphs[g].notes.begin(), graphs[g].notes.end());
    all.reached += graphs[g].reached;
    all.beyond += graphs[g].beyond;
  }
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.id < b.id; });
  for (const Place& place : places) {
    moved[place.graph][place.node] = static_cast<int>(all.nodes.size());
    all.nodes.push_back(std::move(graphs[place.graph].nodes[place.node]));
  }
  for (size_t g = 0; g < graphs.size(); ++g) {
    for (GraphEdge edge : graphs[g].edges) {
      edge.from = moved[g][edge.from];
      edge.to = moved[g][edge.to];
      all.edges.push_back(edge);
    }
    for (GraphMark mark : graphs[g].marks) {
      mark.node = moved[g][mark.node];
      all.marks.push_back(mark);
    }
  }
  std::sort(all.edges.begin(), all.edges.end(), [](const GraphEdge& a, const GraphEdge& b) {
    return a.to != b.to ? a.to < b.to : a.from < b.from;
  });
  std::stable_sort(all.marks.begin(), all.marks.end(),
                   [](const GraphMark& a, const GraphMark& b) { return a.node < b.node; });
  return all;
}

}  // namespace hearsay
