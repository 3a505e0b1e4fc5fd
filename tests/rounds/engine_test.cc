#include "rounds/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "rounds/replay.h"
#include "tests/rounds/rounds_testing.h"

namespace hearsay {
namespace {

using ::testing::HasSubstr;

class EngineTest : public KbTest {};

// Every topology, schedule and policy, small: the kb is sound, and with another number of threads
// the digests are the same.
TEST_F(EngineTest, RecordsEveryKindOfRunSoundlyWhateverTheThreads) {
  const auto one = OpenKb("one");
  const auto three = OpenKb("three");
  const std::vector<std::string> variants = {
      "",
      "topology: 'fanout:3' agent_schedule: 'rotate'",
      "topology: 'pool:3,uniform' dsl_schedule: 'random'",
      "topology: 'pool:4,best' dsl_schedule: 'fixed'",
      "topology: 'pool:8,standing' dsl_schedule: 'cute' agent_schedule: 'rotate'",
      "policies { name: 'drop_failed_source' strength: 1 } policies { name: 'ttl' strength: 2 }",
      "policies { name: 'standing_gate' strength: 1 } dsl_schedule: 'tirx'",
      "policies { name: 'verify_gate' strength: 1 } policies { name: 'keep_hedges' strength: 1 }",
      "policies { name: 'evidence_only' strength: 1 } topology: 'pool:2'",
      "policies { name: 'retract' strength: 0.9 } policies { name: 'retract_false' strength: 0.1 }",
      "record: 'summary'",
  };
  for (const std::string& variant : variants) {
    const Plan plan = PlanOf("problems: 'p05,p33,p71' lanes: 30 rounds: 5 " + variant);
    RunOptions options;
    options.threads = 1;
    const auto first = ExecutePlan(plan, options, one.get());
    ASSERT_TRUE(first.ok()) << first.status();
    EXPECT_EQ(first->state(), RunRecord::COMPLETE);
    options.threads = 3;
    const auto second = ExecutePlan(plan, options, three.get());
    ASSERT_TRUE(second.ok()) << second.status();
    EXPECT_EQ(Digests(*one, first->run()), Digests(*three, second->run())) << variant;
    EXPECT_EQ(Digests(*one, first->run()).size(), 5u);
  }
  ExpectHealthy(*one);
  ExpectHealthy(*three);
}

// Lanes past one block, so that chunks, blocks and receivers meet at a boundary.
TEST_F(EngineTest, RecordsLanesPastOneBlock) {
  const auto store = OpenKb("kb");
  const auto run = ExecutePlan(PlanOf("problems: 'p40' lanes: 1300 rounds: 3 topology: 'pool:2'"),
                               RunOptions(), store.get());
  ASSERT_TRUE(run.ok()) << run.status();
  ExpectHealthy(*store);
}

TEST_F(EngineTest, StopsBetweenRoundsAndResumesToTheSameDigests) {
  for (const std::string record : {"full", "summary"}) {
    const Plan plan = PlanOf(
        "problems: 'p12,p66' lanes: 25 rounds: 8 topology: 'pool:3,best' "
        "policies { name: 'retract' strength: 0.5 } record: '" +
        record + "'");
    const auto whole = OpenKb("whole_" + record);
    const auto pieces = OpenKb("pieces_" + record);
    const auto uninterrupted = ExecutePlan(plan, RunOptions(), whole.get());
    ASSERT_TRUE(uninterrupted.ok()) << uninterrupted.status();

    std::atomic<bool> stop{false};
    RunOptions options;
    options.stop = &stop;
    options.progress = [&](const RunProgress& progress) { stop = progress.rounds_done % 3 == 0; };
    auto run = ExecutePlan(plan, options, pieces.get());
    ASSERT_TRUE(run.ok()) << run.status();
    EXPECT_EQ(run->state(), RunRecord::INTERRUPTED);
    EXPECT_EQ(Digests(*pieces, 1).size(), 3u);
    stop = false;
    run = ResumeRun(0, options, pieces.get());
    ASSERT_TRUE(run.ok()) << run.status();
    EXPECT_EQ(run->state(), RunRecord::INTERRUPTED);
    stop = false;
    run = ResumeRun(1, options, pieces.get());
    ASSERT_TRUE(run.ok()) << run.status();
    EXPECT_EQ(run->state(), RunRecord::COMPLETE);
    EXPECT_EQ(Digests(*pieces, 1), Digests(*whole, 1));
    ExpectHealthy(*pieces);
  }
}

TEST_F(EngineTest, RefusesToResumeWhatCannotBeResumed) {
  const auto store = OpenKb("kb");
  EXPECT_THAT(std::string(ResumeRun(0, RunOptions(), store.get()).status().message()),
              HasSubstr("no run to resume"));
  const auto run =
      ExecutePlan(PlanOf("problems: 'p01' lanes: 2 rounds: 2"), RunOptions(), store.get());
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_THAT(std::string(ResumeRun(1, RunOptions(), store.get()).status().message()),
              HasSubstr("run 1 is complete"));
  EXPECT_EQ(ResumeRun(7, RunOptions(), store.get()).status().code(), absl::StatusCode::kNotFound);
  RunRecord other = *run;
  other.set_state(RunRecord::INTERRUPTED);
  other.set_worlds_digest(other.worlds_digest() + 1);
  ASSERT_TRUE(store->PutRun(other).ok());
  EXPECT_THAT(std::string(ResumeRun(1, RunOptions(), store.get()).status().message()),
              HasSubstr("other landscapes"));
}

TEST_F(EngineTest, ReplaysEveryAttemptToWhatIsStored) {
  const auto store = OpenKb("kb");
  const std::vector<std::string> variants = {
      "", "topology: 'pool:3,standing' policies { name: 'retract' strength: 1 }",
      "topology: 'fanout:2' agent_schedule: 'rotate' policies { name: 'standing_gate' strength: 1 "
      "}"};
  for (const std::string& variant : variants) {
    const auto run = ExecutePlan(PlanOf("problems: 'p21,p70' lanes: 9 rounds: 4 " + variant),
                                 RunOptions(), store.get());
    ASSERT_TRUE(run.ok()) << run.status();
    for (int round = 0; round < 4; ++round) {
      for (int problem : run->problems()) {
        for (int lane = 0; lane < 9; ++lane) {
          const AttemptId id = AttemptId::Of(run->run(), round, problem, lane);
          const auto replayed = ReplayAttempt(*store, id);
          ASSERT_TRUE(replayed.ok()) << replayed.status();
          EXPECT_TRUE(replayed->matches) << Format(id);
          EXPECT_EQ(replayed->submissions.size(), replayed->outcome.submissions);
          int failures = 0;
          int seconds = 0;
          for (const Submission& submission : replayed->submissions) {
            failures += submission.status != Status::kOk;
            seconds += submission.seconds;
          }
          EXPECT_EQ(failures, replayed->outcome.failures);
          EXPECT_EQ(seconds, replayed->outcome.seconds);
        }
      }
    }
  }
  EXPECT_EQ(ReplayAttempt(*store, AttemptId::Of(1, 9, 20, 0)).status().code(),
            absl::StatusCode::kNotFound);
}

// The digests of a small run, so that a change of results never goes unseen. After a deliberate
// change of the model or of an attempt: say so in CHANGELOG.md and write the new numbers here.
TEST_F(EngineTest, HasTheRecordedDigests) {
  const auto store = OpenKb("kb");
  const auto run =
      ExecutePlan(PlanOf("problems: 'p05,p33,p71' lanes: 12 rounds: 3"), RunOptions(), store.get());
  ASSERT_TRUE(run.ok()) << run.status();
  const std::vector<uint64_t> recorded = {0x01c4516d836c3b36, 0xf41444341aad4e2c,
                                          0x9c84342c692774aa};
  EXPECT_EQ(Digests(*store, 1), recorded);
}

}  // namespace
}  // namespace hearsay
