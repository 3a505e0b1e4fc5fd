#include "lineage/grouped.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace hearsay {

GroupedSums::GroupedSums(const RunRecord& run, std::vector<std::string> categories, int fields)
    : run_(run),
      clusters_(Clusters::Of(run.problems_size(), run.lanes())),
      categories_(std::move(categories)),
      fields_(fields) {
  // All, then the agents that an outcome can name, then directions.
  const size_t groups = 1 + 256 + kFromCount * kDslCount;
  sums_.resize(groups * categories_.size());
}

void GroupedSums::Add(const Comparison& comparison, int category,
                      absl::Span<const double> amounts) {
  const int cluster = clusters_.At(comparison.slot, comparison.attempt.lane());
  const size_t groups[] = {0, size_t{1} + comparison.agent(),
                           size_t{257} + comparison.from * kDslCount + comparison.to()};
  for (size_t group : groups) {
    ClusterSums& sums = sums_[group * categories_.size() + category];
    if (sums.empty()) sums = ClusterSums(clusters_.count, fields_);
    for (int f = 0; f < fields_; ++f) sums.Add(cluster, f, amounts[f]);
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
    GroupRow row;
    row.by = group == 0 ? "all" : group < 257 ? "agent" : "direction";
    if (group > 0 && group < 257) row.agent = AgentName(run_, group - 1);
    if (group >= 257) {
      row.direction = DirectionName((group - 257) / kDslCount, (group - 257) % kDslCount);
    }
    row.category = categories_[at % categories_.size()];
    row.count = static_cast<int64_t>(sums_[at].Total(0));
    row.problems = sums_[at].Clusters();
    row.estimates = sums_[at].Estimates(statistics, options);
    study.rows.push_back(std::move(row));
  }
  study.notes = {absl::StrCat("95% percentile intervals of a bootstrap over ",
                              clusters_.by_lane ? "lanes, for the run has one problem" : "problems",
                              ", ", options.replicates, " replicates, seed ", options.seed)};
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
    if (!study.category_name.empty()) table.columns.push_back(study.category_name);
    table.columns.push_back(study.count_name);
    for (const std::string& measure : study.measures) {
      AppendEstimateColumns(measure, &table.columns);
    }
    for (const GroupRow& row : study.rows) {
      std::vector<Cell> cells = {Text(row.by), row.agent.empty() ? Missing() : Text(row.agent),
                                 row.direction.empty() ? Missing() : Text(row.direction)};
      if (!study.category_name.empty()) cells.push_back(Text(row.category));
      cells.push_back(Integer(row.count));
      for (const Estimate& estimate : row.estimates) AppendEstimate(estimate, &cells);
      table.rows.push_back(std::move(cells));
    }
  }
  return tables;
}

}  // namespace hearsay
