#include "tools/plan_flags.h"

#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "rounds/plan.h"
#include "tasks/claim.h"
#include "tasks/words.h"
#include "tools/files.h"

namespace hearsay {
namespace {

absl::Status SetNumber(const std::string& text, int high, Plan* plan,
                       void (Plan::*set)(int32_t value)) {
  const absl::StatusOr<int64_t> number = ParseWholeNumber(text, 1, high);
  if (!number.ok()) return number.status();
  (plan->*set)(static_cast<int32_t>(*number));
  return absl::OkStatus();
}

absl::Status SetRounds(const std::string& text, Plan* plan) {
  return SetNumber(text, kMaxRounds, plan, &Plan::set_rounds);
}

absl::Status SetLanes(const std::string& text, Plan* plan) {
  return SetNumber(text, kMaxLanes, plan, &Plan::set_lanes);
}

absl::Status SetSeed(const std::string& text, Plan* plan) {
  uint64_t seed = 0;
  if (!absl::SimpleAtoi(text, &seed)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' is not a whole number from 0 to ", UINT64_MAX));
  }
  plan->set_seed(seed);
  return absl::OkStatus();
}

// A field that CompletePlan checks. It takes an empty word for a default, which a flag never means.
template <std::string* (Plan::*field)()>
absl::Status SetWord(const std::string& text, Plan* plan) {
  if (text.empty()) return absl::InvalidArgumentError("'' is no value");
  *(plan->*field)() = text;
  return absl::OkStatus();
}

struct PlanFlag {
  const char* flag;
  const char* meta;
  const char* help;
  absl::Status (*set)(const std::string& text, Plan* plan);
};

constexpr PlanFlag kPlanFlags[] = {
    {"--rounds", "N", "Rounds, the solo round 0 included (20)", SetRounds},
    {"--lanes", "N", "Lanes for each problem (12)", SetLanes},
    {"--problems", "LIST", "Such as p01,p62-p74 or a family (all)",
     SetWord<&Plan::mutable_problems>},
    {"--topology", "WORD", "relay, fanout:N or pool:N,uniform|best|standing (relay)",
     SetWord<&Plan::mutable_topology>},
    {"--dsl-schedule", "WORD", "alternate, fixed, random, cute or tirx (alternate)",
     SetWord<&Plan::mutable_dsl_schedule>},
    {"--agent-schedule", "WORD", "fixed or rotate (fixed)", SetWord<&Plan::mutable_agent_schedule>},
    {"--hardware", "WORD", "h200 or b200 (h200)", SetWord<&Plan::mutable_hardware>},
    {"--seed", "N", "Of all random numbers (1)", SetSeed},
    {"--record", "WORD", "full, or summary: no notes and claims (full)",
     SetWord<&Plan::mutable_record>},
    {"--retain", "WORD", "all rounds, last:N, every:N, or ancestral: what led to the last (all)",
     SetWord<&Plan::mutable_retain>},
};

void SetAgents(const std::vector<std::string>& names, Plan* plan) {
  plan->clear_agents();
  for (const std::string& name : names) plan->add_agents(name);
}

// Replaces the policy of this name, or adds it.
absl::Status SetPolicy(const std::string& text, Plan* plan) {
  absl::StatusOr<PolicySpec> policy = ParsePolicy(text);
  if (!policy.ok()) return policy.status();
  for (PolicySpec& known : *plan->mutable_policies()) {
    if (known.name() != policy->name()) continue;
    known = *std::move(policy);
    return absl::OkStatus();
  }
  *plan->add_policies() = *std::move(policy);
  return absl::OkStatus();
}

absl::Status Prefixed(absl::string_view prefix, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(prefix, ": ", status.message()));
}

// Whether the plan holds together, so that an error is known to be that of the flag just set.
absl::Status Check(Plan plan) { return CompletePlan(&plan); }

absl::StatusOr<Plan> ReadPlan(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  absl::StatusOr<Plan> plan = ParsePlan(*text, path);
  if (!plan.ok()) return plan.status();
  const absl::Status status = Check(*plan);
  if (!status.ok()) return Prefixed(path, status);
  return plan;
}

absl::Status SetAnyField(const std::string& field, const std::string& value, Plan* plan) {
  if (field == "agents") {
    SetAgents(absl::StrSplit(value, ','), plan);
    return absl::OkStatus();
  }
  if (field == "policy") {
    plan->clear_policies();
    if (value == "none") return absl::OkStatus();
    for (absl::string_view policy : absl::StrSplit(value, ',')) {
      absl::Status status = SetPolicy(std::string(policy), plan);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }
  std::vector<std::string> known = {"agents", "policy"};
  for (const PlanFlag& flag : kPlanFlags) {
    known.emplace_back(absl::StripPrefix(flag.flag, "--"));
    if (known.back() == field) return flag.set(value, plan);
  }
  return UnknownWord("field", field, known);
}

}  // namespace

absl::Status SetPlanField(const std::string& field, const std::string& value, Plan* plan) {
  absl::Status status = SetAnyField(field, value, plan);
  return status.ok() ? CompletePlan(plan) : status;
}

void PlanFlags::Declare(ArgParser& args) {
  args.AddOptionalWord("PLAN", "File with a plan; flags override its fields", &file_);
  texts_.resize(std::size(kPlanFlags));
  for (size_t i = 0; i < std::size(kPlanFlags); ++i) {
    args.AddText(kPlanFlags[i].flag, kPlanFlags[i].meta, kPlanFlags[i].help, &texts_[i]);
  }
  args.AddList("--agents", "A,B", "In the order in which they go round the lanes (the built-in)",
               &agents_);
  args.AddList("--policy", "NAME=STRENGTH", "Such as verify_gate=0.5; may be repeated", &policies_);
  args.AddList("--pin", "CLAIM",
               "With --retain ancestral: keep this too, such as r5.p71.l3#2; may be repeated",
               &pins_);
}

std::string PlanFlags::FirstGiven() const {
  if (file_.has_value()) return absl::StrCat("plan '", *file_, "'");
  for (size_t i = 0; i < texts_.size(); ++i) {
    if (texts_[i].has_value()) return kPlanFlags[i].flag;
  }
  if (!agents_.empty()) return "--agents";
  if (!policies_.empty()) return "--policy";
  return pins_.empty() ? "" : "--pin";
}

bool PlanFlags::Gives(const std::string& field) const {
  if (field == "agents") return !agents_.empty();
  if (field == "policy") return !policies_.empty();
  for (size_t i = 0; i < texts_.size(); ++i) {
    if (absl::StripPrefix(kPlanFlags[i].flag, "--") == field) return texts_[i].has_value();
  }
  return false;
}

absl::StatusOr<Plan> PlanFlags::Make() const {
  Plan plan;
  if (file_.has_value()) {
    absl::StatusOr<Plan> read = ReadPlan(*file_);
    if (!read.ok()) return read.status();
    plan = *std::move(read);
  }
  for (size_t i = 0; i < texts_.size(); ++i) {
    if (!texts_[i].has_value()) continue;
    absl::Status status = kPlanFlags[i].set(*texts_[i], &plan);
    if (status.ok()) status = Check(plan);
    if (!status.ok()) return Prefixed(kPlanFlags[i].flag, status);
  }
  if (!agents_.empty()) {
    SetAgents(agents_, &plan);
    absl::Status status = Check(plan);
    if (!status.ok()) return Prefixed("--agents", status);
  }
  // A policy of the plan's file is replaced, one of the flag's own is not.
  std::set<std::string> given;
  for (const std::string& policy : policies_) {
    absl::Status status = SetPolicy(policy, &plan);
    if (!status.ok()) return Prefixed("--policy", status);
    const std::string name = policy.substr(0, policy.find('='));
    if (!given.insert(name).second) {
      return absl::InvalidArgumentError(absl::StrCat("--policy: policy ", name, " is given twice"));
    }
  }
  for (const std::string& pin : pins_) {
    plan.add_pins(pin);
    absl::Status status = Check(plan);
    if (!status.ok()) return Prefixed("--pin", status);
  }
  absl::Status status = CompletePlan(&plan);
  if (!status.ok()) return status;
  return plan;
}

}  // namespace hearsay
