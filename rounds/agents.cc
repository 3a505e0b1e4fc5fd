#include "rounds/agents.h"

#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "tasks/utf8.h"
#include "tasks/words.h"

namespace hearsay {
namespace {

// How a field of AgentSpec, by its name there, becomes one of AgentProfile: value * unit, rounded.
struct Field {
  const char* name;
  int32_t AgentProfile::*member;  // nullptr: the skill in one DSL
  int dsl;
  double unit;
  double low, high;
};

constexpr Field ChanceField(const char* name, Chance AgentProfile::*member) {
  return {name, member, 0, kCertain, 0, 1};
}

constexpr Field kFields[] = {
    {"skill_cute", nullptr, 0, 16, -1000, 1000},
    {"skill_tirx", nullptr, 1, 16, -1000, 1000},
    {"pace_seconds", &AgentProfile::pace_seconds, 0, 1, 1, 2400},
    {"note_capacity", &AgentProfile::note_capacity, 0, 1, 0, kMaxNoteClaims},
    ChanceField("prior_quality", &AgentProfile::prior_quality),
    ChanceField("consistency", &AgentProfile::consistency),
    ChanceField("boldness", &AgentProfile::boldness),
    ChanceField("jump", &AgentProfile::jump),
    ChanceField("repairing", &AgentProfile::repairing),
    {"caution", &AgentProfile::caution, 0, 256, 0, 16},
    ChanceField("trust", &AgentProfile::trust),
    ChanceField("hedge_discount", &AgentProfile::hedge_discount),
    ChanceField("foreign_discount", &AgentProfile::foreign_discount),
    ChanceField("following_fully", &AgentProfile::following_fully),
    ChanceField("following_partly", &AgentProfile::following_partly),
    ChanceField("verifying", &AgentProfile::verifying),
    ChanceField("closing_failed", &AgentProfile::closing_failed),
    ChanceField("closing_untried", &AgentProfile::closing_untried),
    ChanceField("asserting", &AgentProfile::asserting),
    ChanceField("asking", &AgentProfile::asking),
    ChanceField("describing", &AgentProfile::describing),
    ChanceField("measuring", &AgentProfile::measuring),
    ChanceField("hedging", &AgentProfile::hedging),
    ChanceField("fidelity", &AgentProfile::fidelity),
    ChanceField("hedge_loss", &AgentProfile::hedge_loss),
    ChanceField("generalising", &AgentProfile::generalising),
};

const AgentSpec* Find(absl::string_view name, const std::vector<AgentSpec>& specs) {
  for (const AgentSpec& spec : specs) {
    if (spec.name() == name) return &spec;
  }
  return nullptr;
}

absl::Status Apply(const AgentSpec& spec, AgentProfile* profile) {
  const auto* descriptor = spec.GetDescriptor();
  const auto* reflection = spec.GetReflection();
  for (const Field& field : kFields) {
    const auto* proto_field = descriptor->FindFieldByName(field.name);
    assert(proto_field != nullptr);
    if (!reflection->HasField(spec, proto_field)) continue;
    const double value = reflection->GetDouble(spec, proto_field);
    if (!(value >= field.low && value <= field.high)) {
      return absl::InvalidArgumentError(absl::StrCat("agent '", spec.name(), "': ", field.name,
                                                     " is ", value, ", not from ", field.low,
                                                     " to ", field.high));
    }
    const int32_t fixed = static_cast<int32_t>(std::lround(value * field.unit));
    if (field.member == nullptr) {
      profile->skill[field.dsl] = fixed;
    } else {
      profile->*field.member = fixed;
    }
  }
  return absl::OkStatus();
}

}  // namespace

const std::vector<AgentSpec>& BuiltInAgents() {
  static const auto& agents = *[] {
    AgentList list;
    const bool parsed = google::protobuf::TextFormat::ParseFromString(kBuiltInAgentsText, &list);
    assert(parsed);
    (void)parsed;
    return new std::vector<AgentSpec>(list.agents().begin(), list.agents().end());
  }();
  return agents;
}

absl::Status CheckAgentSpecs(const std::vector<AgentSpec>& own) {
  for (const AgentSpec& spec : own) {
    const std::string& name = spec.name();
    if (name.empty()) return absl::InvalidArgumentError("an agent of agent_specs has no name");
    const bool control = std::any_of(name.begin(), name.end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
    if (control || EndOfUtf8(name) < name.size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "agent '", absl::CHexEscape(name), "': a name is UTF-8 text without control characters"));
    }
    if (Find(name, own) != &spec) {
      return absl::InvalidArgumentError(absl::StrCat("agent '", name, "' is given twice"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<AgentProfile> FindAgent(absl::string_view name, const std::vector<AgentSpec>& own) {
  const AgentSpec* spec = Find(name, own);
  if (spec == nullptr) spec = Find(name, BuiltInAgents());
  std::vector<std::string> known;
  for (const AgentSpec& agent : own) known.push_back(agent.name());
  for (const AgentSpec& agent : BuiltInAgents()) known.push_back(agent.name());
  if (spec == nullptr) return UnknownWord("agent", name, known);
  AgentProfile profile{};
  profile.pace_seconds = 1;
  if (!spec->based_on().empty()) {
    // A base is built in and rests on another at most once, so this ends.
    const AgentSpec* const base = Find(spec->based_on(), BuiltInAgents());
    if (base == spec || (base == nullptr && Find(spec->based_on(), own) != nullptr)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "agent '", name, "': its base '", spec->based_on(), "' is not a built-in agent"));
    }
    if (base == nullptr) return UnknownWord("agent", spec->based_on(), known);
    const auto inherited = FindAgent(base->name(), {});
    if (!inherited.ok()) return inherited.status();
    profile = *inherited;
  }
  const absl::Status applied = Apply(*spec, &profile);
  if (!applied.ok()) return applied;
  return profile;
}

}  // namespace hearsay
