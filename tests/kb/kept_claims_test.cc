// Kept claims come back from their bytes as they went in, and no bytes can do harm.
#include "kb/kept_claims.h"

#include <functional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/kb/kb_testing.h"

namespace hearsay {
namespace {

constexpr AttemptId kFirst = AttemptId::Of(3, 2000, 70, 3 * kBlockLanes);

// Ascending, over the whole of what can be.
std::vector<KeptClaim> RandomClaims(TestRandom* random, int count) {
  std::vector<KeptClaim> claims;
  int lane = 0, place = -1;
  for (int i = 0; i < count; ++i) {
    place += 1 + random->Below(4);
    if (place >= kMaxNewClaims) {
      place %= kMaxNewClaims;
      lane += 1 + random->Below(5);
    }
    if (lane >= kBlockLanes) break;
    KeptClaim& claim = claims.emplace_back();
    claim.id = ClaimId::Of({kFirst.value + static_cast<uint64_t>(lane)}, place);
    claim.made.claim.bits = random->Bits() >> 6;
    claim.made.change = static_cast<Change>(random->Below(7));
    for (ClaimId& parent : claim.made.parents) {
      if (random->OneIn(2)) continue;
      const int round = random->OneIn(3) ? 1999 : random->Below(2000);
      parent = ClaimId::Of(AttemptId::Of(3, round, 70, random->Below(kMaxLanes)),
                           random->Below(kMaxNewClaims));
    }
    claim.agent = static_cast<uint8_t>(random->Below(256));
    claim.last_round = 2000 + random->Below(kMaxRounds - 2000);
    claim.carriers = random->Below(INT32_MAX);
    claim.adopted = random->Below(3);
    claim.confirmed = random->Below(1000);
    claim.refuted = random->Below(2);
  }
  return claims;
}

TEST(KeptClaims, ComeBack) {
  TestRandom random(5);
  for (int i = 0; i < 200; ++i) {
    const std::vector<KeptClaim> claims = RandomClaims(&random, 1 + random.Below(400));
    const auto decoded = DecodeKept(kFirst, EncodeKept(claims));
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_TRUE(*decoded == claims) << i;
    for (const KeptClaim& claim : claims) {
      EXPECT_EQ(FindKept(*decoded, claim.id)->id, claim.id);
    }
    EXPECT_EQ(FindKept(*decoded, ClaimId::Of(kFirst, 0)) == nullptr,
              claims[0].id != ClaimId::Of(kFirst, 0));
  }
}

TEST(KeptClaims, KeysSortByProblemFirst) {
  const AttemptId a = AttemptId::Of(1, 9, 3, 0), b = AttemptId::Of(1, 2, 4, 0);
  EXPECT_LT(KeptKey(a), KeptKey(b));
  EXPECT_TRUE(KeptKey(b).starts_with(KeptKey(1, 4)));
  EXPECT_EQ(ParseKeptKey(KeptKey(kFirst))->value, kFirst.value);
  EXPECT_FALSE(ParseKeptKey("short").ok());
}

TEST(KeptClaims, EachFieldChangesTheDigest) {
  TestRandom random(6);
  const KeptClaim claim = RandomClaims(&random, 1)[0];
  const auto expect_other = [&](const std::function<void(KeptClaim&)>& change) {
    KeptClaim other = claim;
    change(other);
    EXPECT_FALSE(other == claim);
    EXPECT_NE(KeptDigest(other), KeptDigest(claim));
  };
  expect_other([](KeptClaim& c) { c.id.value ^= 1; });
  expect_other([](KeptClaim& c) { c.id.value ^= 1 << 5; });
  expect_other([](KeptClaim& c) { c.made.claim.bits ^= 1 << 20; });
  expect_other([](KeptClaim& c) {
    c.made.change = c.made.change == Change::kBorn ? Change::kMerged : Change::kBorn;
  });
  expect_other([](KeptClaim& c) { c.made.parents[0].value ^= 1; });
  expect_other([](KeptClaim& c) { c.made.parents[1].value ^= 1; });
  expect_other([](KeptClaim& c) { ++c.agent; });
  expect_other([](KeptClaim& c) { --c.last_round; });
  expect_other([](KeptClaim& c) { --c.carriers; });
  expect_other([](KeptClaim& c) { ++c.adopted; });
  expect_other([](KeptClaim& c) { ++c.confirmed; });
  expect_other([](KeptClaim& c) { ++c.refuted; });
}

TEST(KeptClaims, AnyBytesGiveClaimsOrAnError) {
  TestRandom random(7);
  int errors = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string bytes = EncodeKept(RandomClaims(&random, 1 + random.Below(20)));
    if (random.OneIn(3)) bytes.resize(random.Below(static_cast<int>(bytes.size())));
    for (int k = 0; k < 3 && !bytes.empty(); ++k) {
      bytes[random.Below(static_cast<int>(bytes.size()))] = static_cast<char>(random.Bits());
    }
    const auto decoded = DecodeKept(kFirst, bytes);
    errors += !decoded.ok();
    if (!decoded.ok()) {
      EXPECT_EQ(decoded.status().code(), absl::StatusCode::kDataLoss);
      continue;
    }
    for (size_t c = 0; c < decoded->size(); ++c) {
      EXPECT_EQ(FirstOfBlock((*decoded)[c].id.attempt()), kFirst);
      if (c == 0) continue;
      EXPECT_LT((*decoded)[c - 1].id, (*decoded)[c].id);
    }
  }
  EXPECT_GT(errors, 1000);
}

}  // namespace
}  // namespace hearsay
