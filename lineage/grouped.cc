#include "lineage/grouped.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace hearsay {

GroupedSums::GroupedSums(const RunSet& runs, std::vector<std::string> categories, int fields)
    : runs_(runs), categories_(std::move(categories)), fields_(fields) {
  // All, then runs, then agents, then directions.
  const size_t groups = FirstAgentGroup() + kMostAgents + kFromCount * kDslCount;
  sums_.resize(groups * categories_.size());
}

void GroupedSums::Add(const Comparison& comparison, int category,
                      absl::Span<const double> amounts) {
  const size_t first_agent = FirstAgentGroup();
  const size_t first_direction = first_agent + kMostAgents;
  const size_t groups[] = {0, size_t{1} + comparison.place, first_agent + comparison.agent,
                           first_direction + comparison.from * kDslCount + comparison.to()};
  for (size_t g = 0; g < std::size(groups); ++g) {
    if (g == 1 && runs_.size() == 1) continue;
    ClusterSums& sums = sums_[groups[g] * categories_.size() + category];
    if (sums.empty()) sums = ClusterSums(runs_.cluster_count(), fields_);
    for (int f = 0; f < fields_; ++f) sums.Add(comparison.cluster, f, amounts[f]);
  }
}

GroupStudy GroupedSums::Study(const std::string& title, const std::string& category_name,
                              const std::string& count_name, const std::vector<Measure>& measures,
                              const BootstrapOptions& options) const {
  GroupStudy study;
  study.title = title;
  study.category_name = category_name;
  study.count_name = count_name;
  std::vector<SumStatistic> statistics;
  for (const Measure& measure : measures) {
    study.measures.push_back(measure.name);
    statistics.push_back(measure.statistic);
  }
  for (size_t at = 0; at < sums_.size(); ++at) {
    if (sums_[at].empty()) continue;
    const int group = static_cast<int>(at / categories_.size());
    const int agent = group - static_cast<int>(FirstAgentGroup());
    const int direction = agent - kMostAgents;
    GroupRow row;
    if (group == 0) {
      row.by = "all";
    } else if (agent < 0) {
      row.by = "run";
      row.run = runs_.RunName(group - 1);
    } else if (direction < 0) {
      row.by = "agent";
      row.agent = runs_.AgentName(agent);
    } else {
      row.by = "direction";
      row.direction = DirectionName(direction / kDslCount, direction % kDslCount);
    }
    row.category = categories_[at % categories_.size()];
    row.count = static_cast<int64_t>(sums_[at].Total(0));
    row.problems = sums_[at].Clusters();
    row.estimates = sums_[at].Estimates(statistics, options);
    study.rows.push_back(std::move(row));
  }
  study.several_runs = runs_.size() > 1;
  study.notes = {absl::StrCat("95% percentile intervals of a bootstrap over ",
                              runs_.ClustersInWords(), "; ", options.replicates,
                              " replicates, seed ", options.seed)};
  for (std::string& note : runs_.Notes()) study.notes.push_back(std::move(note));
  return study;
}

const GroupRow* GroupStudy::Find(absl::string_view by, absl::string_view agent,
                                 absl::string_view direction, absl::string_view category) const {
  for (const GroupRow& row : rows) {
    if (row.by == by && row.agent == agent && row.direction == direction &&
        row.category == category) {
      return &row;
    }
  }
  return nullptr;
}

const Estimate& GroupStudy::Get(const GroupRow& row, absl::string_view measure) const {
  return row.estimates[std::find(measures.begin(), measures.end(), measure) - measures.begin()];
}

std::vector<Table> GroupTables(const std::vector<GroupStudy>& studies) {
  std::vector<Table> tables;
  for (const GroupStudy& study : studies) {
    Table& table = tables.emplace_back();
    table.title = study.title;
    table.notes = study.notes;
    table.columns = {"by", "agent", "direction"};
    if (study.several_runs) table.columns.insert(table.columns.begin() + 1, "run");
    if (!study.category_name.empty()) table.columns.push_back(study.category_name);
    table.columns.push_back(study.count_name);
    for (const std::string& measure : study.measures) {
      AppendEstimateColumns(measure, &table.columns);
    }
    for (const GroupRow& row : study.rows) {
      std::vector<Cell> cells = {Text(row.by)};
      if (study.several_runs) cells.push_back(TextOrMissing(row.run));
      cells.push_back(TextOrMissing(row.agent));
      cells.push_back(TextOrMissing(row.direction));
      if (!study.category_name.empty()) cells.push_back(Text(row.category));
      cells.push_back(Integer(row.count));
      for (const Estimate& estimate : row.estimates) AppendEstimate(estimate, &cells);
      table.rows.push_back(std::move(cells));
    }
  }
  return tables;
}

}  // namespace hearsay
