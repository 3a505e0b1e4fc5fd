#include "tools/run_verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "executor/device.h"
#include "rounds/plan.h"
#include "tests/tools/tools_testing.h"

namespace hearsay {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The CPU executor, but that after one round its state is tampered with.
class TamperedExecutor : public Executor {
 public:
  using Tamper = std::function<void(Outcome*, WrittenNote*)>;

  TamperedExecutor(const RunTables& run, int round, int64_t lane, Tamper tamper)
      : real_(NewCpuExecutor(run, 1)), round_(round), lane_(lane), tamper_(std::move(tamper)) {}

  std::string name() const override { return "tampered"; }
  absl::Status RunBaselines(std::vector<Outcome>* baselines) override {
    absl::Status status = real_->RunBaselines(baselines);
    if (round_ < 0) tamper_(&(*baselines)[lane_], nullptr);
    return status;
  }
  absl::Status RunRound(int round, const ChunkVisitor& visit,
                        std::vector<uint64_t>* digests) override {
    absl::Status status = real_->RunRound(round, visit, digests);
    tampered_ = round == round_;
    if (tampered_) (*digests)[1] += 1;
    return status;
  }
  absl::Status Restore(std::vector<Outcome> outcomes, std::vector<WrittenNote> notes,
                       std::vector<Retractions> retractions) override {
    return real_->Restore(std::move(outcomes), std::move(notes), std::move(retractions));
  }
  absl::StatusOr<RoundState> State() override {
    auto state = real_->State();
    if (state.ok() && tampered_) tamper_(&state->outcomes[lane_], &state->notes[lane_]);
    return state;
  }

 private:
  std::unique_ptr<Executor> real_;
  const int round_;
  const int64_t lane_;
  const Tamper tamper_;
  bool tampered_ = false;
};

class VerifyTest : public ::testing::Test {
 protected:
  VerifyTest() {
    Plan plan;
    plan.set_problems("p09,p71");
    plan.set_lanes(5);
    plan.set_rounds(4);
    EXPECT_TRUE(CompletePlan(&plan).ok());
    setup_ = *PrepareRun(plan, 1);
  }

  // What is said of an executor whose lane 2 of p71 is tampered with in a round.
  std::string WordsAfter(int round, TamperedExecutor::Tamper tamper) {
    const auto cpu = NewCpuExecutor(setup_->tables, 1);
    TamperedExecutor other(setup_->tables, round, round < 0 ? (5 + 2) * kDslCount : 5 + 2,
                           std::move(tamper));
    const auto difference = CompareExecutors(setup_.get(), 4, cpu.get(), &other);
    EXPECT_TRUE(difference.ok());
    return difference->has_value() ? WordsFor(**difference) : "";
  }

  std::unique_ptr<RunSetup> setup_;
};

TEST_F(VerifyTest, EqualExecutorsAreEqual) {
  const auto one = NewCpuExecutor(setup_->tables, 1);
  const auto two = NewCpuExecutor(setup_->tables, 2);
  const auto difference = CompareExecutors(setup_.get(), 4, one.get(), two.get());
  ASSERT_TRUE(difference.ok());
  EXPECT_FALSE(difference->has_value());
}

TEST_F(VerifyTest, NamesRoundProblemLaneAndField) {
  EXPECT_THAT(WordsAfter(2, [](Outcome* outcome, WrittenNote*) { outcome->seconds ^= 1; }),
              StartsWith("round 2, p71, lane 2: seconds is "));
  EXPECT_THAT(WordsAfter(1, [](Outcome*, WrittenNote* note) { note->size = 30; }),
              StartsWith("round 1, p71, lane 2: note has "));
  EXPECT_THAT(WordsAfter(3, [](Outcome*, WrittenNote* note) { note->claims[0].bits ^= 1; }),
              StartsWith("round 3, p71, lane 2: claim 1 of the note is "));
  EXPECT_THAT(WordsAfter(0, [](Outcome*, WrittenNote* note) { note->parent[0] ^= 1; }),
              StartsWith("round 0, p71, lane 2: claim 1 of the note came about"));
  EXPECT_THAT(WordsAfter(-1, [](Outcome* outcome, WrittenNote*) { ++outcome->bugs; }),
              StartsWith("round 0, p71, lane 2: of its solo baselines, bugs is "));
  EXPECT_THAT(WordsAfter(1, [](Outcome*, WrittenNote*) {}), HasSubstr("the sources must"));
}

TEST(SampleOf, CutsLanesAndRoundsAlone) {
  Plan plan;
  plan.set_lanes(1000);
  plan.set_rounds(7);
  plan.set_topology("pool:4,best");
  ASSERT_TRUE(CompletePlan(&plan).ok());
  Plan expected = plan;
  expected.set_lanes(240);
  EXPECT_EQ(FormatPlan(SampleOf(plan)), FormatPlan(expected));
}

TEST(RunCommand, NeedsAGpuForCudaAndSaysWhatAutoTook) {
  const Sandbox sandbox;
  const std::string plan = kTinyPlan;
  const Ended took = sandbox.Run("run " + plan + " --kb auto.kb");
  ASSERT_EQ(took.code, 0) << took.err;
  const bool has_gpu = CudaDevices().ok();
  EXPECT_THAT(took.err,
              HasSubstr(has_gpu ? "executor auto took cuda, " : "executor auto took cpu"));
  for (const std::string flag : {"--executor cuda", "--verify"}) {
    const Ended ended = sandbox.Run("run " + plan + " --kb gpu.kb " + flag);
    if (has_gpu) {
      EXPECT_EQ(ended.code, 0) << ended.err;
      EXPECT_EQ(ended.out.substr(ended.out.rfind(' ')), took.out.substr(took.out.rfind(' ')));
      continue;
    }
    EXPECT_EQ(ended.code, 1);
    EXPECT_THAT(ended.err, HasSubstr(flag + ": "));
    EXPECT_EQ(CountLines(ended.err), 1);
    EXPECT_FALSE(std::filesystem::exists(sandbox.path("gpu.kb")));
  }
}

}  // namespace
}  // namespace hearsay
