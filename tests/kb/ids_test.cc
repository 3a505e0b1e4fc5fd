#include "kb/ids.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tasks/claim.h"

namespace hearsay {
namespace {

constexpr int kRuns[] = {1, 2, 9, 10, kMaxRuns - 1};
constexpr int kRounds[] = {0, 1, 17, kMaxRounds - 1};
constexpr int kProblemIndexes[] = {0, 8, 9, 70, 99, kMaxProblems - 1};
constexpr int kLanes[] = {0, 1, 255, 256, kMaxLanes - 1};

template <typename Visit>
void EachCorner(const Visit& visit) {
  for (const int run : kRuns) {
    for (const int round : kRounds) {
      for (const int problem : kProblemIndexes) {
        for (const int lane : kLanes) visit(run, round, problem, lane);
      }
    }
  }
}

TEST(Ids, KeepTheirCoordinates) {
  EachCorner([](int run, int round, int problem, int lane) {
    const AttemptId id = AttemptId::Of(run, round, problem, lane);
    EXPECT_EQ(id.run(), run);
    EXPECT_EQ(id.round(), round);
    EXPECT_EQ(id.problem(), problem);
    EXPECT_EQ(id.lane(), lane);
    for (const int place : {0, kMaxNewClaims - 1}) {
      const ClaimId claim = ClaimId::Of(id, place);
      EXPECT_EQ(claim.attempt(), id);
      EXPECT_EQ(claim.place(), place);
      EXPECT_FALSE(claim.none());
    }
  });
}

TEST(Ids, ParseWhatTheyFormat) {
  EachCorner([](int run, int round, int problem, int lane) {
    const AttemptId id = AttemptId::Of(run, round, problem, lane);
    const absl::StatusOr<AttemptId> parsed = ParseAttemptId(Format(id));
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(*parsed, id);
    for (int place = 0; place < kMaxNewClaims; ++place) {
      const ClaimId claim = ClaimId::Of(id, place);
      const absl::StatusOr<ClaimId> parsed_claim = ParseClaimId(Format(claim));
      ASSERT_TRUE(parsed_claim.ok()) << parsed_claim.status();
      EXPECT_EQ(*parsed_claim, claim);
    }
  });
}

TEST(Ids, AreWrittenFromNamesPeopleKnow) {
  EXPECT_EQ(Format(AttemptId::Of(3, 17, 70, 42)), "R3:r17.p71.l42");
  EXPECT_EQ(Format(AttemptId::Of(1, 0, 6, 0)), "R1:r0.p07.l0");
  EXPECT_EQ(Format(ClaimId::Of(AttemptId::Of(3, 17, 70, 42), 4)), "R3:r17.p71.l42#5");
}

TEST(Ids, SortAsTheirCoordinates) {
  EXPECT_LT(AttemptId::Of(1, 9, 127, 9), AttemptId::Of(2, 0, 0, 0));
  EXPECT_LT(AttemptId::Of(1, 1, 127, 9), AttemptId::Of(1, 2, 0, 0));
  EXPECT_LT(AttemptId::Of(1, 1, 3, kMaxLanes - 1), AttemptId::Of(1, 1, 4, 0));
}

TEST(Ids, RefuseOtherTexts) {
  for (const char* text : {"",
                           "R",
                           "R3",
                           "R3:r17",
                           "R3:r17.p71",
                           "R3:r17.p71.l",
                           "R3:r17.p71.l42 ",
                           " R3:r17.p71.l42",
                           "r3:r17.p71.l42",
                           "R03:r17.p71.l42",
                           "R3:r017.p71.l42",
                           "R3:r17.p7.l42",
                           "R3:r17.p071.l42",
                           "R3:r17.p71.l042",
                           "R3:r17.p71.l-1",
                           "R3:r17.p71.l42#1",
                           "R3:r17.p71.l42.",
                           "R3.r17.p71.l42",
                           "R3:r17.p71.l99999999999999999999",
                           "R0:r17.p71.l42",
                           "R4096:r0.p01.l0",
                           "R1:r1048576.p01.l0",
                           "R1:r0.p00.l0",
                           "R1:r0.p129.l0",
                           "R1:r0.p01.l1048576"}) {
    EXPECT_EQ(ParseAttemptId(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
  for (const char* text : {"", "R3:r17.p71.l42", "R3:r17.p71.l42#", "R3:r17.p71.l42#0",
                           "R3:r17.p71.l42#33", "R3:r17.p71.l42#05", "R3:r17.p71.l42#5#"}) {
    EXPECT_EQ(ParseClaimId(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

TEST(Ids, SayWhatIsWrong) {
  EXPECT_EQ(ParseAttemptId("p71").status().message(),
            "'p71' is no attempt id; one is written like \"R3:r17.p71.l42\"");
  EXPECT_EQ(ParseAttemptId("R1:r0.p129.l0").status().message(),
            "'R1:r0.p129.l0': the problem must be 1 to 128");
  EXPECT_EQ(ParseClaimId("R1:r0.p01.l0#40").status().message(),
            "'R1:r0.p01.l0#40': the number of the claim must be 1 to 32");
}

}  // namespace
}  // namespace hearsay
