// hearsay agents: the built-in profiles, as a table or as text that a plan can take over.
#include <google/protobuf/text_format.h>

#include "rounds/agents.h"
#include "tools/command.h"
#include "tools/output.h"

namespace hearsay {
namespace {

class AgentsCommand : public Command {
 public:
  void Declare(ArgParser& args) override {
    args.AddSwitch("--textproto", "Print them as plans write agent_specs", &textproto_);
    output_.Declare(args);
  }
  absl::StatusOr<ExitCode> Run(Console& console) override;

 private:
  bool textproto_ = false;
  OutputFlags output_;
};

// Profiles with the fields of what they are based on filled in.
std::vector<AgentSpec> WholeProfiles() {
  std::vector<AgentSpec> whole;
  for (const AgentSpec& agent : BuiltInAgents()) {
    AgentSpec& spec = whole.emplace_back();
    for (const AgentSpec& base : whole) {
      if (base.name() == agent.based_on()) spec = base;
    }
    spec.MergeFrom(agent);
    spec.clear_based_on();
  }
  return whole;
}

Table ProfileTable(const std::vector<AgentSpec>& agents) {
  Table table;
  table.title = "Built-in agents";
  table.columns = {"field"};
  for (const AgentSpec& agent : agents) table.columns.push_back(agent.name());
  const auto* descriptor = AgentSpec::descriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const auto* field = descriptor->field(i);
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_DOUBLE) continue;
    std::vector<Cell>& row = table.rows.emplace_back();
    row.push_back(Text(field->name()));
    for (const AgentSpec& agent : agents) {
      row.push_back(Real(agent.GetReflection()->GetDouble(agent, field)));
    }
  }
  table.notes = {"executor/agent.h says what each field does; skills are in steps of difficulty"};
  return table;
}

absl::StatusOr<ExitCode> AgentsCommand::Run(Console& console) {
  const std::vector<AgentSpec> agents = WholeProfiles();
  if (textproto_) {
    Plan plan;
    for (const AgentSpec& agent : agents) *plan.add_agent_specs() = agent;
    std::string text;
    google::protobuf::TextFormat::PrintToString(plan, &text);
    console.Out(text);
    return ExitCode::kOk;
  }
  const absl::Status printed = output_.Print({ProfileTable(agents)}, console);
  if (!printed.ok()) return printed;
  return ExitCode::kOk;
}

}  // namespace

std::unique_ptr<Command> NewAgentsCommand() { return std::make_unique<AgentsCommand>(); }

}  // namespace hearsay
