#include "lineage/run_set.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace hearsay {
namespace {

// Lanes of one seed past these many share a cluster.
constexpr int kMostLaneClusters = 256;
// Values that a note lists.
constexpr int kMostListed = 12;

absl::Status CannotPool(const RunRecord& a, const RunRecord& b, const std::string& why) {
  return absl::InvalidArgumentError(
      absl::StrCat("R", a.run(), " and R", b.run(), " cannot be pooled: ", why));
}

// What the runs have in one field, each value once; empty where all have the same.
template <typename Value>
std::string Differing(absl::Span<const RunRecord> runs, const char* name, Value value) {
  std::vector<std::string> values;
  for (const RunRecord& run : runs) {
    std::string one = absl::StrCat(value(run));
    if (one.empty()) one = "none";
    if (std::find(values.begin(), values.end(), one) == values.end()) {
      values.push_back(std::move(one));
    }
  }
  if (values.size() == 1) return "";
  const size_t count = values.size();
  if (count > kMostListed) values.resize(kMostListed);
  return absl::StrCat(name, " (", absl::StrJoin(values, "; "),
                      count > kMostListed ? absl::StrCat("; ", count - kMostListed, " more") : "",
                      ")");
}

}  // namespace

std::string AgentName(const RunRecord& run, int agent) {
  return agent < run.agents_size() ? run.agents(agent) : absl::StrCat("agent ", agent);
}

RunSet::RunSet(const RunRecord& run) : runs_({run}) { Index(); }

absl::StatusOr<RunSet> RunSet::Pool(const Store& store, std::vector<RunRecord> runs) {
  RunSet set;
  std::sort(runs.begin(), runs.end(),
            [](const RunRecord& a, const RunRecord& b) { return a.run() < b.run(); });
  runs.erase(std::unique(runs.begin(), runs.end(),
                         [](const RunRecord& a, const RunRecord& b) { return a.run() == b.run(); }),
             runs.end());
  set.runs_ = std::move(runs);
  const RunRecord& first = set.runs_.front();
  std::map<std::string, const RunRecord*> plans;
  size_t rounds_of_first = 0;
  for (const RunRecord& run : set.runs_) {
    const auto [same, is_new] = plans.try_emplace(run.plan_text(), &run);
    if (!is_new) {
      return CannotPool(*same->second, run,
                        "they have the same plan and seed, so the second repeats the first");
    }
    // Studies count attempts, or claims that they made.
    const absl::Status whole = store.RequireWhole(run.run());
    if (!whole.ok()) return whole;
    if (run.hardware() != first.hardware()) {
      return CannotPool(
          first, run,
          absl::StrCat("their landscapes are of ", first.hardware(), " and of ", run.hardware()));
    }
    const bool same_problems = std::equal(run.problems().begin(), run.problems().end(),
                                          first.problems().begin(), first.problems().end());
    if (same_problems && run.worlds_digest() != first.worlds_digest()) {
      return CannotPool(first, run, "their landscapes differ, though not their hardware");
    }
    const auto rounds = store.Rounds(run.run());
    if (!rounds.ok()) return rounds.status();
    if (&run == &first) rounds_of_first = rounds->size();
    if (rounds->size() != rounds_of_first) {
      return CannotPool(
          first, run,
          absl::StrCat("they have ", rounds_of_first, " and ", rounds->size(), " rounds"));
    }
  }
  set.Index();
  if (set.agent_count() > kMostAgents) {
    return absl::InvalidArgumentError(absl::StrCat("the ", set.size(), " runs name ",
                                                   set.agent_count(), " agents, more than the ",
                                                   kMostAgents, " that can be pooled"));
  }
  return set;
}

void RunSet::Index() {
  slot_.assign(kMaxProblems, -1);
  for (const RunRecord& run : runs_) {
    for (int problem : run.problems()) {
      if (problem >= 0 && problem < kMaxProblems) slot_[problem] = 0;
    }
  }
  for (int& slot : slot_) {
    if (slot == 0) slot = problem_count_++;
  }
  std::map<uint64_t, int> seeds;
  for (const RunRecord& run : runs_) {
    std::vector<int>& agent_of = agent_of_.emplace_back();
    for (const std::string& name : run.agents()) {
      const auto known = std::find(agents_.begin(), agents_.end(), name);
      agent_of.push_back(static_cast<int>(known - agents_.begin()));
      if (known == agents_.end()) agents_.push_back(name);
    }
    seeds[run.seed()] = 0;
    lanes_per_seed_ = std::max(lanes_per_seed_, std::min(run.lanes(), kMostLaneClusters));
  }
  // In the order of the seeds, so that sets of the same seeds have the same clusters.
  int number = 0;
  for (auto& [seed, index] : seeds) index = number++;
  for (const RunRecord& run : runs_) {
    first_lane_cluster_.push_back(seeds[run.seed()] * lanes_per_seed_);
  }
  cluster_count_ = by_lane() ? static_cast<int>(seeds.size()) * lanes_per_seed_ : problem_count_;
}

int RunSet::PlaceOf(int run) const {
  return static_cast<int>(
      std::lower_bound(runs_.begin(), runs_.end(), run,
                       [](const RunRecord& record, int number) { return record.run() < number; }) -
      runs_.begin());
}

int RunSet::AgentOf(int place, int agent) const {
  const std::vector<int>& agent_of = agent_of_[place];
  return static_cast<size_t>(agent) < agent_of.size() ? agent_of[agent] : agent;
}

std::string RunSet::AgentName(int agent) const {
  return agent < agent_count() ? agents_[agent] : absl::StrCat("agent ", agent);
}

int RunSet::ClusterOf(AttemptId attempt) const {
  if (!by_lane()) return slot_[attempt.problem()];
  return first_lane_cluster_[size() == 1 ? 0 : PlaceOf(attempt.run())] +
         attempt.lane() % lanes_per_seed_;
}

std::string RunSet::RunName(int place) const { return absl::StrCat("R", runs_[place].run()); }

std::string RunSet::Title() const {
  std::string title = size() == 1 ? "run " : "runs ";
  for (int from = 0; from < size();) {
    int to = from;
    while (to + 1 < size() && runs_[to + 1].run() == runs_[to].run() + 1) ++to;
    absl::StrAppend(&title, from == 0 ? "" : ", ", RunName(from));
    if (to > from) absl::StrAppend(&title, to == from + 1 ? ", " : "-", RunName(to));
    from = to + 1;
  }
  return title;
}

std::string RunSet::ClustersInWords() const {
  if (!by_lane()) return "problems";
  return size() == 1 ? "lanes, for the run has one problem"
                     : "lanes of seeds, for the runs have one problem";
}

std::vector<std::string> RunSet::Notes() const {
  if (size() == 1) return {};
  std::vector<std::string> differing;
  for (std::string one :
       {Differing(runs_, "seed", [](const RunRecord& run) { return run.seed(); }),
        Differing(runs_, "topology", [](const RunRecord& run) { return run.topology(); }),
        Differing(runs_, "policies", [](const RunRecord& run) { return run.policies(); }),
        Differing(runs_, "agents",
                  [](const RunRecord& run) { return absl::StrJoin(run.agents(), ","); }),
        Differing(runs_, "lanes", [](const RunRecord& run) { return run.lanes(); }),
        Differing(runs_, "number of problems",
                  [](const RunRecord& run) { return run.problems_size(); }),
        Differing(runs_, "software", [](const RunRecord& run) { return run.software(); })}) {
    if (!one.empty()) differing.push_back(std::move(one));
  }
  std::vector<std::string> notes = {absl::StrCat(
      size(),
      " runs pooled: every attempt counts the same, and what is drawn is drawn from all "
      "runs together")};
  if (!differing.empty()) {
    notes.push_back(absl::StrCat("the runs differ in ", absl::StrJoin(differing, ", ")));
  }
  return notes;
}

}  // namespace hearsay
