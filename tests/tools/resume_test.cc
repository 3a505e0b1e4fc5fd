// Runs that are stopped, killed or out of disk lose nothing that was committed, and end in the same
// digests as one that was left alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "absl/strings/str_cat.h"
#include "tests/tools/tools_testing.h"

namespace hearsay {
namespace {

using ::testing::HasSubstr;

// Long enough to be caught on the way: a round takes about as long as its commit.
constexpr int kRounds = 2000;
constexpr char kLongPlan[] = "--problems p01,p09,p71 --lanes 8 --rounds 2000";

class ResumeTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    reference_ = new Sandbox;
    ASSERT_EQ(reference_->Run(absl::StrCat("run --quiet ", kLongPlan)).code, 0);
  }
  static void TearDownTestSuite() { delete reference_; }

  // Run 1 of `sandbox`, now complete, is the reference's.
  static void ExpectEqualToReference(const Sandbox& sandbox) {
    const Ended compared =
        sandbox.Run(absl::StrCat("compare 1 1 --kb-b ", reference_->path("hearsay.kb")));
    EXPECT_EQ(compared.code, 0) << compared.err;
    const Ended checked = sandbox.Run("check");
    EXPECT_EQ(checked.code, 0) << checked.out << checked.err;
  }

  static Sandbox* reference_;
};

Sandbox* ResumeTest::reference_ = nullptr;

TEST_F(ResumeTest, AnInterruptedRunEndsCleanlyAndResumes) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Sandbox sandbox;
    const pid_t pid = sandbox.Start(absl::StrCat("run ", kLongPlan));
    AwaitRounds(sandbox.path("hearsay.kb"), 1, pid);
    kill(pid, signal);
    const Ended ended = sandbox.Wait(pid);
    if (ended.code == 0) continue;  // a machine so fast that there was nothing left to stop
    EXPECT_EQ(ended.code, 130) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("hearsay run --kb hearsay.kb --resume --run 1"));
    EXPECT_THAT(ended.out, HasSubstr("interrupted"));
    EXPECT_LT(CommittedRounds(sandbox.path("hearsay.kb")), kRounds);
    EXPECT_EQ(sandbox.Run("check").code, 0);
    const Ended resumed = sandbox.Run("run --kb hearsay.kb --resume --run 1");
    EXPECT_EQ(resumed.code, 0) << resumed.err;
    EXPECT_THAT(resumed.out, HasSubstr("complete"));
    ExpectEqualToReference(sandbox);
  }
}

TEST_F(ResumeTest, AKilledRunResumesFromAnyMoment) {
  for (const int rounds : {0, 1, 100, 800}) {
    SCOPED_TRACE(rounds);
    Sandbox sandbox;
    const std::string kb = sandbox.path("hearsay.kb");
    const pid_t pid = sandbox.Start(absl::StrCat("run ", kLongPlan));
    AwaitRounds(kb, rounds, pid);
    kill(pid, SIGKILL);
    const Ended ended = sandbox.Wait(pid);
    if (ended.code == 0) continue;
    EXPECT_EQ(ended.code, 128 + SIGKILL);
    // Killed at once there may be no kb, or a kb without the run.
    Ended resumed = sandbox.Run("run --resume");
    if (resumed.code == 1 && rounds == 0) {
      resumed = sandbox.Run(absl::StrCat("run ", kLongPlan));
    } else {
      EXPECT_GE(CommittedRounds(kb), rounds);
    }
    EXPECT_EQ(resumed.code, 0) << resumed.err;
    ExpectEqualToReference(sandbox);
  }
}

TEST_F(ResumeTest, SummaryRunsResumeToo) {
  Sandbox sandbox;
  const pid_t pid = sandbox.Start(absl::StrCat("run --record summary ", kLongPlan));
  AwaitRounds(sandbox.path("hearsay.kb"), 20, pid);
  kill(pid, SIGKILL);
  if (sandbox.Wait(pid).code != 0) {
    EXPECT_EQ(sandbox.Run("run --resume").code, 0);
  }
  EXPECT_EQ(sandbox.Run(absl::StrCat("compare 1 1 --kb-b ", reference_->path("hearsay.kb"))).code,
            0);
}

TEST_F(ResumeTest, ThreadsDoNotChangeDigests) {
  for (const char* threads : {"1", "2", "5"}) {
    Sandbox sandbox;
    ASSERT_EQ(sandbox.Run(absl::StrCat("run --threads ", threads, " ", kLongPlan)).code, 0);
    ExpectEqualToReference(sandbox);
  }
}

TEST_F(ResumeTest, AFullDiskLosesOnlyTheRoundInFlight) {
  Sandbox sandbox;
  constexpr int64_t kLimitBytes = 200 << 10;
  const Ended full = sandbox.RunWithFileLimit(absl::StrCat("run ", kLongPlan), kLimitBytes);
  EXPECT_EQ(full.code, 1);
  EXPECT_EQ(CountLines(full.err), 1) << full.err;
  EXPECT_THAT(full.err, HasSubstr("hearsay.kb"));
  EXPECT_GT(CommittedRounds(sandbox.path("hearsay.kb")), 0);
  EXPECT_EQ(sandbox.Run("check").code, 0);
  EXPECT_EQ(sandbox.Run("run --resume").code, 0);
  ExpectEqualToReference(sandbox);
}

TEST_F(ResumeTest, ADamagedKbIsRepairedAndResumed) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.Run(absl::StrCat("run --quiet ", kLongPlan)).code, 0);
  // One byte in the middle of the largest file.
  ASSERT_EQ(sandbox
                .Shell("f=$(ls -S hearsay.kb/*.sst | head -n 1); n=$(stat -c %s $f);"
                       "printf '\\377\\377' | dd of=$f bs=1 seek=$((n / 2)) conv=notrunc")
                .code,
            0);
  const Ended checked = sandbox.Run("check");
  EXPECT_EQ(checked.code, 1);
  EXPECT_THAT(checked.out, HasSubstr(".sst"));
  EXPECT_THAT(checked.out, HasSubstr("holds 'attempts' of R1:r"));
  const Ended repaired = sandbox.Run("kb repair -o saved.kb");
  ASSERT_EQ(repaired.code, 0) << repaired.err;
  EXPECT_THAT(repaired.out, HasSubstr("is not whole"));
  EXPECT_THAT(repaired.out, HasSubstr("hearsay run --kb saved.kb --resume --run 1"));
  EXPECT_EQ(sandbox.Run("check --kb saved.kb").code, 0);
  EXPECT_GT(CommittedRounds(sandbox.path("saved.kb")), 0);
  EXPECT_LT(CommittedRounds(sandbox.path("saved.kb")), kRounds);
  const Ended resumed = sandbox.Run("run --kb saved.kb --resume --run 1");
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(sandbox.Run("check --kb saved.kb").code, 0);
  EXPECT_EQ(
      sandbox.Run(absl::StrCat("compare 1 1 --kb saved.kb --kb-b ", reference_->path("hearsay.kb")))
          .code,
      0);
}

}  // namespace
}  // namespace hearsay
