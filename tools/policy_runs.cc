#include "tools/policy_runs.h"

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "rounds/plan.h"

namespace hearsay {
namespace {

// The plan of a run without its policies, as text.
absl::StatusOr<std::string> PlanWithoutPolicies(const RunRecord& run) {
  absl::StatusOr<Plan> plan = ParsePlan(run.plan_text(), absl::StrCat("plan of run R", run.run()));
  if (!plan.ok()) return absl::DataLossError(plan.status().message());
  plan->clear_policies();
  return FormatPlan(*plan);
}

}  // namespace

absl::StatusOr<PolicyRuns> FindPolicyRuns(const Store& store, const RunRecord& run) {
  const absl::StatusOr<std::string> wanted = PlanWithoutPolicies(run);
  if (!wanted.ok()) return wanted.status();
  const absl::StatusOr<std::vector<RunRecord>> all = store.Runs();
  if (!all.ok()) return all.status();
  PolicyRuns runs;
  bool found = false;
  std::set<std::string> seen;
  for (const RunRecord& other : *all) {
    const absl::StatusOr<std::string> plan = PlanWithoutPolicies(other);
    if (!plan.ok()) return plan.status();
    if (*plan != *wanted || other.worlds_digest() != run.worlds_digest() ||
        other.state() != RunRecord::COMPLETE || !seen.insert(other.policies()).second) {
      continue;
    }
    if (other.policies().empty()) {
      runs.without = other;
      found = true;
    } else {
      runs.with.push_back(other);
    }
  }
  if (!found) {
    return absl::FailedPreconditionError(
        absl::StrCat("no complete run of the plan of R", run.run(),
                     " without policies; make one: hearsay sweep --vary policy=none/verify_gate"));
  }
  return runs;
}

}  // namespace hearsay
