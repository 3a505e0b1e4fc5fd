#include "tools/policy_runs.h"

#include <map>
#include <set>
#include <string>
#include <utility>

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

absl::StatusOr<std::vector<PolicyRuns>> FindPolicyRuns(const Store& store, const RunSet& runs) {
  const absl::StatusOr<std::vector<RunRecord>> all = store.Runs();
  if (!all.ok()) return all.status();
  std::map<std::string, std::vector<const RunRecord*>> by_plan;
  for (const RunRecord& run : *all) {
    const absl::StatusOr<std::string> plan = PlanWithoutPolicies(run);
    if (!plan.ok()) return plan.status();
    by_plan[*plan].push_back(&run);
  }
  std::vector<PolicyRuns> found;
  std::set<std::string> seen_plans;
  for (const RunRecord& run : runs.runs()) {
    const absl::StatusOr<std::string> plan = PlanWithoutPolicies(run);
    if (!plan.ok()) return plan.status();
    if (!seen_plans.insert(*plan).second) continue;
    PolicyRuns of_plan;
    std::set<std::string> seen;
    for (const RunRecord* other : by_plan[*plan]) {
      if (other->worlds_digest() != run.worlds_digest() || other->state() != RunRecord::COMPLETE ||
          !seen.insert(other->policies()).second) {
        continue;
      }
      if (other->policies().empty()) {
        of_plan.without = *other;
      } else {
        of_plan.with.push_back(*other);
      }
    }
    if (!seen.contains("")) {
      return absl::FailedPreconditionError(absl::StrCat(
          "no complete run of the plan of R", run.run(),
          " without policies; make one: hearsay sweep --vary policy=none/verify_gate"));
    }
    found.push_back(std::move(of_plan));
  }
  return found;
}

}  // namespace hearsay
