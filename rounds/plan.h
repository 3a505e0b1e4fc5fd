// Plans: read, checked, completed with defaults, and written.
#ifndef HEARSAY_ROUNDS_PLAN_H_
#define HEARSAY_ROUNDS_PLAN_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "executor/policy.h"
#include "executor/tables.h"
#include "kb/retention.h"
#include "rounds/plan.pb.h"

namespace hearsay {

// Reads a plan from a text protobuf. `name` stands for the file in errors.
// Errors: kInvalidArgument "name:line:column: ..." with what is wrong there.
absl::StatusOr<Plan> ParsePlan(absl::string_view text, const std::string& name);

// Fills in the defaults and checks every field.
// Errors: kInvalidArgument, one sentence naming the field and its value.
absl::Status CompletePlan(Plan* plan);

std::string FormatPlan(const Plan& plan);

// "relay", "fanout:2", "pool:4,best". Errors: kInvalidArgument, with the nearest word where one is
// unknown.
absl::StatusOr<Topology> ParseTopology(absl::string_view text);

absl::StatusOr<DslSchedule> ParseDslSchedule(absl::string_view text);

// "verify_gate=0.5". Errors: kInvalidArgument naming policy and strength.
absl::StatusOr<PolicySpec> ParsePolicy(absl::string_view text);

// REQUIRES: the plan is complete.
Policies PoliciesOf(const Plan& plan);

// What the run keeps. Errors: kInvalidArgument, also for a pin that is outside the plan. REQUIRES:
// the other fields are complete.
absl::StatusOr<Retention> RetentionOf(const Plan& plan);

// "verify_gate=0.5 ttl=3", or "" without policies.
std::string FormatPolicies(const Plan& plan);

}  // namespace hearsay

#endif  // HEARSAY_ROUNDS_PLAN_H_
