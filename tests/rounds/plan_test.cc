#include "rounds/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "rounds/agents.h"

namespace hearsay {
namespace {

using ::testing::HasSubstr;

TEST(Plan, HasTheDocumentedDefaults) {
  Plan plan;
  ASSERT_TRUE(CompletePlan(&plan).ok());
  EXPECT_EQ(plan.problems(), "all");
  EXPECT_EQ(plan.agents_size(), 6);
  EXPECT_EQ(plan.lanes(), 12);
  EXPECT_EQ(plan.rounds(), 20);
  EXPECT_EQ(plan.topology(), "relay");
  EXPECT_EQ(plan.dsl_schedule(), "alternate");
  EXPECT_EQ(plan.agent_schedule(), "fixed");
  EXPECT_EQ(plan.hardware(), "h200");
  EXPECT_EQ(plan.seed(), 1u);
  EXPECT_EQ(plan.record(), "full");
}

TEST(Plan, ReadsBackWhatItWrites) {
  const auto plan = ParsePlan(R"(
      problems: "p71,linear_attention" agents: "bold" agents: "mine" lanes: 7 rounds: 3 seed: 0
      agent_specs { name: "mine" based_on: "timid" trust: 0.25 }
      topology: "pool:4,standing" dsl_schedule: "random" agent_schedule: "rotate"
      policies { name: "ttl" strength: 3 } policies { name: "verify_gate" strength: 0.5 })",
                              "plan");
  ASSERT_TRUE(plan.ok()) << plan.status();
  Plan complete = *plan;
  ASSERT_TRUE(CompletePlan(&complete).ok());
  EXPECT_EQ(complete.problems(), "p62-p74");
  EXPECT_EQ(complete.seed(), 0u);
  const auto again = ParsePlan(FormatPlan(complete), "again");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->SerializeAsString(), complete.SerializeAsString());
  EXPECT_EQ(FormatPolicies(complete), "ttl=3 verify_gate=0.5");
  const Policies policies = PoliciesOf(complete);
  EXPECT_EQ(policies.ttl_rounds, 3);
  EXPECT_EQ(policies.verify_gate, kCertain / 2);
  EXPECT_EQ(policies.retract, 0);
}

TEST(Plan, APolicyWithoutStrengthIsInForceAsThatOfAFlagIs) {
  const std::string text =
      "policies { name: 'keep_hedges' } policies { name: 'retract' strength: 0 }";
  absl::StatusOr<Plan> plan = ParsePlan(text, "plan");
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_TRUE(CompletePlan(&*plan).ok());
  EXPECT_EQ(FormatPolicies(*plan), "keep_hedges=1 retract=0");
  // What was written as 0 stays 0 when it is read again.
  absl::StatusOr<Plan> again = ParsePlan(FormatPlan(*plan), "again");
  ASSERT_TRUE(again.ok()) << again.status();
  ASSERT_TRUE(CompletePlan(&*again).ok());
  EXPECT_EQ(FormatPolicies(*again), "keep_hedges=1 retract=0");
}

TEST(Plan, ErrorsNameFileLineAndColumn) {
  const auto wrong_field = ParsePlan("lanes: 3\nronds: 5\n", "my.plan");
  EXPECT_THAT(std::string(wrong_field.status().message()), HasSubstr("my.plan:2:"));
  EXPECT_THAT(std::string(wrong_field.status().message()), HasSubstr("ronds"));
  const auto wrong_type = ParsePlan("lanes: many", "my.plan");
  EXPECT_THAT(std::string(wrong_type.status().message()), HasSubstr("my.plan:1:8"));
}

// One bad field each, with what the sentence must name.
TEST(Plan, RefusesEveryBadField) {
  struct Case {
    std::function<void(Plan*)> spoil;
    std::vector<std::string> named;
  };
  const std::vector<Case> cases = {
      {[](Plan* p) { p->set_problems("p99"); }, {"p99"}},
      {[](Plan* p) { p->add_agents("steadi"); }, {"steadi", "steady"}},
      {[](Plan* p) { p->set_lanes(0); }, {"lanes is 0"}},
      {[](Plan* p) { p->set_lanes(kMaxLanes + 1); }, {"lanes is 1048577"}},
      {[](Plan* p) { p->set_rounds(0); }, {"rounds is 0"}},
      {[](Plan* p) { p->set_rounds(-2); }, {"rounds is -2"}},
      {[](Plan* p) { p->set_topology("relai"); }, {"relai", "relay"}},
      {[](Plan* p) { p->set_topology("fanout"); }, {"fanout"}},
      {[](Plan* p) { p->set_topology("fanout:0"); }, {"fanout:0", "'0'"}},
      {[](Plan* p) { p->set_topology("pool:9"); }, {"pool:9", "'9'", "8"}},
      {[](Plan* p) { p->set_topology("pool:2,bets"); }, {"bets", "best"}},
      {[](Plan* p) { p->set_topology("relay:3"); }, {"relay:3"}},
      {[](Plan* p) { p->set_dsl_schedule("alternating"); }, {"alternating"}},
      {[](Plan* p) { p->set_agent_schedule("rotat"); }, {"rotat", "rotate"}},
      {[](Plan* p) { p->set_record("ful"); }, {"ful", "full"}},
      {[](Plan* p) { p->set_hardware("h20"); }, {"h20"}},
      {[](Plan* p) { p->add_policies()->set_name("verify_gat"); }, {"verify_gat", "verify_gate"}},
      {[](Plan* p) {
         p->add_policies()->set_name("ttl");
         p->mutable_policies(0)->set_strength(0.5);
       },
       {"ttl is 0.5"}},
      {[](Plan* p) {
         p->add_policies()->set_name("retract");
         p->mutable_policies(0)->set_strength(1.5);
       },
       {"retract", "1.5"}},
      {[](Plan* p) {
         p->add_policies()->set_name("retract");
         p->add_policies()->set_name("retract");
       },
       {"retract is given twice"}},
      {[](Plan* p) {
         p->add_agents("mine");
         p->add_agent_specs()->set_name("mine");
         p->mutable_agent_specs(0)->set_trust(2);
       },
       {"mine", "trust is 2"}},
  };
  for (const Case& bad : cases) {
    Plan plan;
    bad.spoil(&plan);
    const absl::Status status = CompletePlan(&plan);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << bad.named[0];
    for (const std::string& word : bad.named) {
      EXPECT_THAT(std::string(status.message()), HasSubstr(word));
    }
  }
}

TEST(ParsePolicy, ReadsNameAndStrength) {
  EXPECT_EQ(ParsePolicy("ttl=4")->strength(), 4);
  EXPECT_EQ(ParsePolicy("keep_hedges")->strength(), 1);
  EXPECT_THAT(std::string(ParsePolicy("ttl=soon").status().message()), HasSubstr("'soon'"));
}

TEST(Agents, BuiltInOnesAreWhole) {
  ASSERT_EQ(BuiltInAgents().size(), 6u);
  for (const AgentSpec& spec : BuiltInAgents()) {
    const auto agent = FindAgent(spec.name(), {});
    ASSERT_TRUE(agent.ok()) << agent.status();
    EXPECT_GT(agent->note_capacity, 0);
    EXPECT_GT(agent->fidelity, 0);
    EXPECT_GT(agent->trust, 0);
  }
}

TEST(Agents, APlansOwnAgentComesFirstAndInherits) {
  AgentSpec own;
  own.set_name("bold");
  own.set_based_on("timid");
  own.set_fidelity(1);
  const auto agent = FindAgent("bold", {own});
  ASSERT_TRUE(agent.ok()) << agent.status();
  EXPECT_EQ(agent->fidelity, kCertain);
  EXPECT_EQ(agent->boldness, FindAgent("timid", {})->boldness);
  EXPECT_NE(agent->boldness, FindAgent("bold", {})->boldness);
  own.set_based_on("timmid");
  EXPECT_THAT(std::string(FindAgent("bold", {own}).status().message()), HasSubstr("timid"));
}

}  // namespace
}  // namespace hearsay
