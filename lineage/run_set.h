// Runs that a study takes together, as one sample.
//
// The problem is the cluster: attempts on one problem share its landscape, in whichever run they
// are made. A seed is no cluster above it, since random numbers hang on seed, problem and lane, so
// that what is lucky in one problem of a run says nothing of another. Runs of other seeds are thus
// replicates within the problem, and so are runs that differ in topology, agents or policies. Where
// all runs are of one problem, its lanes are the clusters, those of one seed together in all runs
// that have it: they share their random numbers.
//
// Agents are told apart by name. A run by itself is a set of one. Immutable; for any thread.
#ifndef HEARSAY_LINEAGE_RUN_SET_H_
#define HEARSAY_LINEAGE_RUN_SET_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "kb/store.h"

namespace hearsay {

// Agents that Outcome::agent can tell apart.
inline constexpr int kMostAgents = 256;

// Name of an agent of the run, or "agent 7" where its record names none.
std::string AgentName(const RunRecord& run, int agent);

class RunSet {
 public:
  RunSet(const RunRecord& run);  // NOLINT(google-explicit-constructor): a run is a set of one
  // The runs, each once, whatever the order they are given in. Errors: those of the store, as where
  // a run has dropped rounds; kInvalidArgument naming two runs and what keeps them from being
  // pooled: other landscapes, other numbers of committed rounds, or the same plan, seed included,
  // which is the same sample twice.
  // REQUIRES: at least one run.
  static absl::StatusOr<RunSet> Pool(const Store& store, std::vector<RunRecord> runs);

  // Ascending. A place is an index of these.
  absl::Span<const RunRecord> runs() const { return runs_; }
  int size() const { return static_cast<int>(runs_.size()); }
  const RunRecord& run(int place) const { return runs_[place]; }
  // REQUIRES: there is such a run.
  int PlaceOf(int run) const;

  // Problems of any of the runs. A slot is a place among them.
  int problem_count() const { return problem_count_; }
  // REQUIRES: one of the runs has the problem.
  int SlotOf(int problem) const { return slot_[problem]; }

  // Names of any of the runs; Outcome::agent of the run at `place` as an index of them. A number
  // that the run does not name stays as it is.
  int agent_count() const { return static_cast<int>(agents_.size()); }
  int AgentOf(int place, int agent) const;
  std::string AgentName(int agent) const;

  bool by_lane() const { return problem_count_ == 1; }  // lanes are the clusters
  int cluster_count() const { return cluster_count_; }
  int ClusterOf(AttemptId attempt) const;

  std::string RunName(int place) const;  // "R3"
  std::string Title() const;             // "run R3", "runs R1, R3-R5"
  // "95% percentile intervals of a bootstrap over problems", or what else is drawn.
  std::string ClustersInWords() const;
  // What a reader has to know of runs taken together: in what they differ. Empty for one.
  std::vector<std::string> Notes() const;

 private:
  RunSet() = default;
  void Index();

  std::vector<RunRecord> runs_;
  std::vector<int> slot_;  // by problem index; -1: none of the runs has it
  int problem_count_ = 0;
  std::vector<std::string> agents_;
  std::vector<std::vector<int>> agent_of_;  // by place and the run's own index
  std::vector<int> first_lane_cluster_;     // by place
  int lanes_per_seed_ = 1;
  int cluster_count_ = 0;
};

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_RUN_SET_H_
