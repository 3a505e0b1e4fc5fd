#include "rounds/setup.h"

#include <utility>

#include "rounds/agents.h"
#include "rounds/plan.h"
#include "tasks/problems.h"

namespace hearsay {

absl::StatusOr<std::unique_ptr<RunSetup>> PrepareRun(const Plan& plan, std::vector<int> problems,
                                                     int threads) {
  auto setup = std::make_unique<RunSetup>();
  setup->plan = plan;
  auto atlas = Atlas::Create(plan.hardware());
  if (!atlas.ok()) return atlas.status();
  setup->atlas = *std::move(atlas);
  setup->atlas->Prepare(problems, threads);
  setup->worlds_digest = setup->atlas->Digest(problems);
  for (int problem : problems) {
    setup->problems.push_back(problem);
    for (Dsl dsl : {Dsl::kCute, Dsl::kTirx}) {
      setup->worlds.push_back(setup->atlas->Get(problem, dsl).world());
      setup->priors.push_back(MakePriorTable(setup->worlds.back()));
    }
  }
  const std::vector<AgentSpec> own(plan.agent_specs().begin(), plan.agent_specs().end());
  for (const std::string& name : plan.agents()) {
    const auto agent = FindAgent(name, own);
    if (!agent.ok()) return agent.status();
    for (int problem : problems) {
      const auto index = static_cast<uint32_t>(setup->agents.size());
      setup->biases.emplace_back().Draw(Draws(plan.seed(), Stream::kBias, index, problem, 0), 0);
    }
    setup->agents.push_back(*agent);
  }
  const auto topology = ParseTopology(plan.topology());
  if (!topology.ok()) return topology.status();
  const auto schedule = ParseDslSchedule(plan.dsl_schedule());
  if (!schedule.ok()) return schedule.status();

  RunTables& tables = setup->tables;
  tables.seed = plan.seed();
  tables.problem_count = static_cast<int32_t>(setup->problems.size());
  tables.lanes = plan.lanes();
  tables.agent_count = static_cast<int32_t>(setup->agents.size());
  tables.agents_rotate = plan.agent_schedule() == "rotate";
  tables.dsl_schedule = *schedule;
  tables.topology = *topology;
  tables.policies = PoliciesOf(plan);
  tables.worlds = setup->worlds.data();
  tables.priors = setup->priors.data();
  tables.biases = setup->biases.data();
  tables.problem_index = setup->problems.data();
  tables.agents = setup->agents.data();
  return setup;
}

absl::StatusOr<std::unique_ptr<RunSetup>> PrepareRun(const Plan& plan, int threads) {
  auto problems = ParseProblemSelection(plan.problems());
  if (!problems.ok()) return problems.status();
  return PrepareRun(plan, *std::move(problems), threads);
}

}  // namespace hearsay
