#include "rounds/plan.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "rounds/agents.h"
#include "tasks/landscape.h"
#include "tasks/problems.h"
#include "tasks/words.h"

namespace hearsay {
namespace {

using google::protobuf::TextFormat;

constexpr int kDefaultLanes = 12;
constexpr int kDefaultRounds = 20;

class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    // The parser counts from 0, people from 1.
    if (text.empty()) text = absl::StrCat(line + 1, ":", column + 1, ": ", message);
  }
  std::string text;
};

struct PolicyField {
  const char* name;
  int32_t Policies::*member;
};

constexpr PolicyField kPolicyFields[] = {
    {"drop_failed_source", &Policies::drop_failed_source},
    {"standing_gate", &Policies::standing_gate},
    {"verify_gate", &Policies::verify_gate},
    {"evidence_only", &Policies::evidence_only},
    {"keep_hedges", &Policies::keep_hedges},
    {"ttl", &Policies::ttl_rounds},
    {"retract", &Policies::retract},
    {"retract_false", &Policies::retract_false},
};

bool IsTtl(const PolicyField& field) { return field.member == &Policies::ttl_rounds; }

const PolicyField* FindPolicy(const std::string& name) {
  for (const PolicyField& field : kPolicyFields) {
    if (name == field.name) return &field;
  }
  return nullptr;
}

absl::Status CheckPolicy(const PolicySpec& policy) {
  const PolicyField* const field = FindPolicy(policy.name());
  if (field == nullptr) {
    std::vector<std::string> known;
    for (const PolicyField& f : kPolicyFields) known.push_back(f.name);
    return UnknownWord("policy", policy.name(), known);
  }
  const double strength = policy.strength();
  if (IsTtl(*field)) {
    if (!(strength >= 1 && strength < kMaxRounds) || strength != std::floor(strength)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "policy ttl is ", strength, "; it takes a whole number of rounds, 1 or more"));
    }
  } else if (!(strength >= 0 && strength <= 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("policy ", policy.name(), " has strength ", strength, ", not from 0 to 1"));
  }
  return absl::OkStatus();
}

// Parses a whole number of 1 to `limit` after a colon in a topology.
absl::StatusOr<int> ParseCount(absl::string_view text, absl::string_view topology, int limit) {
  int count = 0;
  if (!absl::SimpleAtoi(text, &count) || count < 1 || count > limit) {
    return absl::InvalidArgumentError(absl::StrCat("topology '", topology, "': '", text,
                                                   "' is not a whole number from 1 to ", limit));
  }
  return count;
}

absl::Status CheckRange(const char* what, int64_t value, int64_t low, int64_t high) {
  if (value >= low && value <= high) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, " is ", value, ", not from ", low, " to ", high));
}

absl::Status CheckWord(const char* what, const std::string& word,
                       const std::vector<std::string>& known) {
  for (const std::string& candidate : known) {
    if (word == candidate) return absl::OkStatus();
  }
  return UnknownWord(what, word, known);
}

void Default(const char* value, std::string* field) {
  if (field->empty()) *field = value;
}

}  // namespace

absl::StatusOr<Plan> ParsePlan(absl::string_view text, const std::string& name) {
  FirstError error;
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  Plan plan;
  if (!parser.ParseFromString(std::string(text), &plan)) {
    return absl::InvalidArgumentError(absl::StrCat(name, ":", error.text));
  }
  return plan;
}

absl::Status CompletePlan(Plan* plan) {
  Default("all", plan->mutable_problems());
  Default("relay", plan->mutable_topology());
  Default("alternate", plan->mutable_dsl_schedule());
  Default("fixed", plan->mutable_agent_schedule());
  Default("h200", plan->mutable_hardware());
  Default("full", plan->mutable_record());
  Default("all", plan->mutable_retain());
  if (!plan->has_lanes()) plan->set_lanes(kDefaultLanes);
  if (!plan->has_rounds()) plan->set_rounds(kDefaultRounds);
  if (!plan->has_seed()) plan->set_seed(1);
  if (plan->agents().empty()) {
    for (const AgentSpec& agent : BuiltInAgents()) plan->add_agents(agent.name());
  }

  const auto problems = ParseProblemSelection(plan->problems());
  if (!problems.ok()) return problems.status();
  plan->set_problems(FormatProblemSelection(*problems));
  const std::vector<AgentSpec> own(plan->agent_specs().begin(), plan->agent_specs().end());
  absl::Status specs = CheckAgentSpecs(own);
  if (!specs.ok()) return specs;
  for (const std::string& name : plan->agents()) {
    const auto agent = FindAgent(name, own);
    if (!agent.ok()) return agent.status();
  }
  const auto topology = ParseTopology(plan->topology());
  if (!topology.ok()) return topology.status();
  const auto schedule = ParseDslSchedule(plan->dsl_schedule());
  if (!schedule.ok()) return schedule.status();
  std::set<std::string> named;
  for (PolicySpec& policy : *plan->mutable_policies()) {
    if (!policy.has_strength()) policy.set_strength(1);
    absl::Status status = CheckPolicy(policy);
    if (!status.ok()) return status;
    if (!named.insert(policy.name()).second) {
      return absl::InvalidArgumentError(absl::StrCat("policy ", policy.name(), " is given twice"));
    }
  }
  const auto atlas = Atlas::Create(plan->hardware());
  if (!atlas.ok()) return atlas.status();
  for (absl::Status status :
       {CheckRange("lanes", plan->lanes(), 1, kMaxLanes),
        CheckRange("rounds", plan->rounds(), 1, kMaxRounds),
        CheckRange("number of agents", plan->agents_size(), 1, 255),
        CheckWord("agent schedule", plan->agent_schedule(), {"fixed", "rotate"}),
        CheckWord("record mode", plan->record(), {"full", "summary"})}) {
    if (!status.ok()) return status;
  }
  const auto retention = RetentionOf(*plan);
  if (!retention.ok()) return retention.status();
  plan->clear_pins();
  for (const ClaimId pin : retention->pins) plan->add_pins(FormatPin(pin));
  return absl::OkStatus();
}

std::string FormatPlan(const Plan& plan) {
  std::string text;
  TextFormat::PrintToString(plan, &text);
  return text;
}

absl::StatusOr<Topology> ParseTopology(absl::string_view text) {
  const std::vector<std::string> parts = absl::StrSplit(text, absl::MaxSplits(':', 1));
  const std::string& kind = parts[0];
  const bool has_argument = parts.size() == 2;
  Topology topology;
  if (kind == "relay" && !has_argument) return topology;
  if (kind == "fanout" && has_argument) {
    topology.kind = TopologyKind::kFanout;
    const auto fan = ParseCount(parts[1], text, kMaxLanes);
    if (!fan.ok()) return fan.status();
    topology.fan = *fan;
    return topology;
  }
  if (kind == "pool" && has_argument) {
    topology.kind = TopologyKind::kPool;
    const std::vector<std::string> arguments = absl::StrSplit(parts[1], absl::MaxSplits(',', 1));
    const auto sources = ParseCount(arguments[0], text, kMaxSources);
    if (!sources.ok()) return sources.status();
    topology.sources = *sources;
    if (arguments.size() == 1) return topology;
    const std::vector<std::string> selections = {"uniform", "best", "standing"};
    for (size_t i = 0; i < selections.size(); ++i) {
      if (arguments[1] != selections[i]) continue;
      topology.selection = static_cast<Selection>(i);
      return topology;
    }
    return UnknownWord("selection", arguments[1], selections);
  }
  for (const char* known : {"relay", "fanout", "pool"}) {
    if (kind == known) {
      return absl::InvalidArgumentError(
          absl::StrCat("topology '", text,
                       "' is incomplete; write relay, fanout:N or pool:N,uniform|best|standing"));
    }
  }
  return UnknownWord("topology", kind, {"relay", "fanout", "pool"});
}

absl::StatusOr<DslSchedule> ParseDslSchedule(absl::string_view text) {
  const std::vector<std::string> known = {"alternate", "fixed", "random", "cute", "tirx"};
  for (size_t i = 0; i < known.size(); ++i) {
    if (text == known[i]) return static_cast<DslSchedule>(i);
  }
  return UnknownWord("DSL schedule", text, known);
}

absl::StatusOr<PolicySpec> ParsePolicy(absl::string_view text) {
  const std::vector<std::string> parts = absl::StrSplit(text, absl::MaxSplits('=', 1));
  PolicySpec policy;
  policy.set_name(parts[0]);
  double strength = 1;
  if (parts.size() == 2 && !absl::SimpleAtod(parts[1], &strength)) {
    return absl::InvalidArgumentError(
        absl::StrCat("policy ", parts[0], ": strength '", parts[1], "' is not a number"));
  }
  policy.set_strength(strength);
  absl::Status status = CheckPolicy(policy);
  if (!status.ok()) return status;
  return policy;
}

Policies PoliciesOf(const Plan& plan) {
  Policies policies;
  for (const PolicySpec& spec : plan.policies()) {
    const PolicyField* const field = FindPolicy(spec.name());
    policies.*field->member = static_cast<int32_t>(
        IsTtl(*field) ? spec.strength() : std::lround(spec.strength() * kCertain));
  }
  return policies;
}

absl::StatusOr<Retention> RetentionOf(const Plan& plan) {
  absl::StatusOr<Retention> retention = ParseRetention(plan.retain());
  if (!retention.ok()) return retention;
  if (retention->kind != Retention::Kind::kAll && plan.record() == "summary") {
    return absl::InvalidArgumentError(absl::StrCat(
        "retention ", plan.retain(), " is about claims, and record mode summary keeps none"));
  }
  const auto problems = ParseProblemSelection(plan.problems());
  if (!problems.ok()) return problems.status();
  for (const std::string& text : plan.pins()) {
    const absl::StatusOr<ClaimId> pin = ParsePin(text);
    if (!pin.ok()) return pin.status();
    if (retention->kind != Retention::Kind::kAncestral) {
      return absl::InvalidArgumentError(
          absl::StrCat("pin '", text, "' is of use with retention ancestral only"));
    }
    const AttemptId author = pin->attempt();
    if (author.round() >= plan.rounds() || author.lane() >= plan.lanes() ||
        std::count(problems->begin(), problems->end(), author.problem()) == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("pin '", text, "' names no claim of the plan's rounds, problems and lanes"));
    }
    retention->pins.push_back(*pin);
  }
  return retention;
}

std::string FormatPolicies(const Plan& plan) {
  std::vector<std::string> words;
  for (const PolicySpec& policy : plan.policies()) {
    words.push_back(absl::StrCat(policy.name(), "=", policy.strength()));
  }
  return absl::StrJoin(words, " ");
}

}  // namespace hearsay
