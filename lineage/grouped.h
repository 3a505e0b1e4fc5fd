// Sums over comparisons by group (all, run, agent, direction) and category, with what is computed
// of them: the common shape of the studies of transfer.
#ifndef HEARSAY_LINEAGE_GROUPED_H_
#define HEARSAY_LINEAGE_GROUPED_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lineage/clustered.h"
#include "lineage/comparisons.h"
#include "lineage/table.h"

namespace hearsay {

struct Measure {
  std::string name;
  SumStatistic statistic;
};

struct GroupRow {
  std::string by;         // "all", "run", "agent" or "direction"
  std::string run;        // "R3"; empty: any
  std::string agent;      // empty: any
  std::string direction;  // empty: any
  std::string category;
  int64_t count = 0;                // field 0
  int problems = 0;                 // or lanes, where the run has one problem
  std::vector<Estimate> estimates;  // one a measure
};

// One table of a study.
struct GroupStudy {
  std::string title;
  std::string category_name;  // of the column; empty: there is only one category
  std::string count_name;
  std::vector<std::string> measures;
  bool several_runs = false;   // there are rows by run, and tables have a column for it
  std::vector<GroupRow> rows;  // groups sorted; categories in their order within a group
  std::vector<std::string> notes;

  // Null where there is none; of rows by run the first.
  const GroupRow* Find(absl::string_view by, absl::string_view agent, absl::string_view direction,
                       absl::string_view category) const;
  // REQUIRES: there are such a row and measure.
  const Estimate& Get(const GroupRow& row, absl::string_view measure) const;
};

class GroupedSums {
 public:
  // `runs` must outlive the sums. REQUIRES: categories is not empty.
  GroupedSums(const RunSet& runs, std::vector<std::string> categories, int fields);

  // Adds amounts[f] to field f in every group the comparison is of.
  void Add(const Comparison& comparison, int category, absl::Span<const double> amounts);
  // Rows without any comparison are left out.
  GroupStudy Study(const std::string& title, const std::string& category_name,
                   const std::string& count_name, const std::vector<Measure>& measures,
                   const BootstrapOptions& options) const;

 private:
  size_t FirstAgentGroup() const { return runs_.size() == 1 ? 1 : size_t{1} + runs_.size(); }

  const RunSet& runs_;
  const std::vector<std::string> categories_;
  const int fields_;
  std::vector<ClusterSums> sums_;  // [group][category]; empty until needed
};

// Directions are counted with these many DSLs a source can be in.
inline constexpr int kFromCount = kNoSources + 1;

std::vector<Table> GroupTables(const std::vector<GroupStudy>& studies);

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_GROUPED_H_
