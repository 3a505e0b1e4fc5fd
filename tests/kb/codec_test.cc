#include "kb/codec.h"

#include <fstream>
#include <sstream>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/kb/kb_testing.h"

namespace hearsay {
namespace {

TEST(Keys, SortAsCoordinates) {
  EXPECT_LT(BlockKey(AttemptId::Of(1, 255, 0, 0)), BlockKey(AttemptId::Of(1, 256, 0, 0)));
  EXPECT_LT(BlockKey(AttemptId::Of(1, 2, 127, 0)), BlockKey(AttemptId::Of(1, 3, 0, 0)));
  EXPECT_LT(BlockKey(AttemptId::Of(1, 2, 5, 65280)), BlockKey(AttemptId::Of(1, 2, 5, 65536)));
  EXPECT_EQ(BlockKey(AttemptId::Of(1, 2, 5, 0)).substr(0, 8), RoundKey(1, 2));
}

TEST(Keys, OfBlocksParse) {
  const AttemptId id = AttemptId::Of(kMaxRuns - 1, kMaxRounds - 1, kMaxProblems - 1, 512);
  const absl::StatusOr<AttemptId> parsed = ParseBlockKey(BlockKey(id));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(*parsed, id);
  EXPECT_EQ(ParseBlockKey("short").status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(ParseBlockKey(std::string(16, '\xff')).status().code(), absl::StatusCode::kDataLoss);
}

// What DecodeLineage leaves of a block, taken from the whole of it.
void ExpectLineage(const AttemptBlock& block) {
  constexpr uint64_t kEffectAndSubject = uint64_t{0xff} << 22 | 0xff;
  constexpr uint64_t kStampAndUnused = ~uint64_t{0} << 38;
  AttemptBlock expected = block;
  for (NewClaim& made : expected.new_claims) {
    made.claim.bits &= ~(kEffectAndSubject | kStampAndUnused);
  }
  const absl::StatusOr<AttemptBlock> decoded = DecodeLineage(block.first, EncodeBlock(block));
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  for (int i = 0; i < block.size(); ++i) {
    const Outcome& whole = block.outcomes[i];
    Outcome left = decoded->outcomes[i];
    EXPECT_EQ(left.dsl, whole.dsl);
    EXPECT_EQ(left.adopted, whole.adopted);
    EXPECT_EQ(left.confirmed, whole.confirmed);
    EXPECT_EQ(left.refuted, whole.refuted);
  }
  const absl::StatusOr<AttemptBlock> sources = DecodeSources(block.first, EncodeBlock(block));
  ASSERT_TRUE(sources.ok()) << sources.status();
  EXPECT_EQ(sources->source_begin, block.source_begin);
  EXPECT_EQ(sources->sources, block.sources);
  expected.outcomes = decoded->outcomes;
  EXPECT_TRUE(*decoded == expected) << Format(block.first);
}

TEST(Blocks, ComeBackFromTheirBytes) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    TestRandom random(seed);
    const AttemptId first = AttemptId::Of(
        1 + random.Below(kMaxRuns - 1), random.Below(random.OneIn(3) ? 3 : kMaxRounds),
        random.Below(kMaxProblems), kBlockLanes * random.Below(kMaxLanes / kBlockLanes));
    const int lanes = 1 + random.Below(kBlockLanes);
    const AttemptBlock block = RandomBlock(&random, first, lanes, !random.OneIn(5));
    const absl::StatusOr<AttemptBlock> decoded = DecodeBlock(first, EncodeBlock(block));
    ASSERT_TRUE(decoded.ok()) << decoded.status() << ", seed " << seed;
    EXPECT_TRUE(*decoded == block) << "seed " << seed;
    if (block.has_claims()) ExpectLineage(block);
  }
}

TEST(Blocks, OfAPlausibleRunComeBack) {
  for (const TestTopology topology : {TestTopology::kRelay, TestTopology::kPool}) {
    KbShape shape;
    shape.lanes = kBlockLanes + 44;
    shape.topology = topology;
    const KbContents contents = RandomContents(7, shape);
    for (const std::vector<AttemptBlock>& round : contents.blocks) {
      for (const AttemptBlock& block : round) {
        const absl::StatusOr<AttemptBlock> decoded = DecodeBlock(block.first, EncodeBlock(block));
        ASSERT_TRUE(decoded.ok()) << decoded.status();
        EXPECT_TRUE(*decoded == block) << Format(block.first);
        ExpectLineage(block);
      }
    }
  }
}

// A block that decodes, whatever it says, can be written again: nothing in it points outside.
void ExpectTotal(AttemptId first, const std::string& bytes) {
  const absl::StatusOr<AttemptBlock> block = DecodeBlock(first, bytes);
  if (!block.ok()) {
    EXPECT_EQ(block.status().code(), absl::StatusCode::kDataLoss);
    return;
  }
  const absl::StatusOr<AttemptBlock> again = DecodeBlock(first, EncodeBlock(*block));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(*again == *block);
}

TEST(Blocks, CutShortAreRefused) {
  TestRandom random(11);
  const AttemptId first = AttemptId::Of(1, 3, 70, 0);
  const std::string bytes = EncodeBlock(RandomBlock(&random, first, 12, true));
  for (size_t size = 0; size < bytes.size(); ++size) {
    // At the end of exactly that much memory, so that a read too far is seen by the sanitizer.
    const std::vector<char> part(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_FALSE(DecodeBlock(first, absl::string_view(part.data(), size)).ok()) << size;
  }
}

TEST(Blocks, WithFlippedBitsAreDecodedOrRefused) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    TestRandom random(seed);
    const AttemptId first = AttemptId::Of(1, 30, 70, 256);
    const std::string bytes = EncodeBlock(RandomBlock(&random, first, 1 + random.Below(20), true));
    for (int k = 0; k < 500; ++k) {
      std::string damaged = bytes;
      for (int flips = 1 + random.Below(3); flips > 0; --flips) {
        const int bit = random.Below(static_cast<int>(8 * damaged.size()));
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
      }
      ASSERT_NO_FATAL_FAILURE(ExpectTotal(first, damaged)) << "seed " << seed << ", flip " << k;
    }
  }
}

TEST(Blocks, OfNoiseAreRefused) {
  TestRandom random(5);
  for (int k = 0; k < 2000; ++k) {
    std::string noise(random.Below(200), '\0');
    for (char& c : noise) c = static_cast<char>(random.Bits());
    ExpectTotal(AttemptId::Of(1, 1, 1, 0), noise);
  }
}

// The bytes of version 3, as written when it was frozen: a change here is a new schema version.
TEST(Blocks, HaveTheBytesOfTheirVersion) {
  AttemptBlock block;
  block.first = AttemptId::Of(3, 17, 70, 0);
  Outcome o;
  o.passed = 1;
  o.submissions = 4;
  o.failures = 1;
  o.speed_lg = 1500;
  o.point = 300;
  o.seconds = 1800;
  o.reception = Reception::kConditioned;
  o.dsl = Dsl::kTirx;
  o.adopted = 0b10;
  o.intake_size = 2;
  o.note_size = 2;
  block.outcomes = {o};
  block.source_begin = {0, 1};
  block.sources = {5};
  const AttemptId source = AttemptId::Of(3, 16, 70, 5);
  const ClaimId old = ClaimId::Of(AttemptId::Of(3, 2, 70, 9), 3);
  block.intake_begin = {0, 2};
  block.intake = {{{old, {}}}, {{ClaimId::Of(source, 0), {}}}};
  block.new_begin = {0, 1};
  block.new_claims = {{Claim()
                           .WithKnob(2)
                           .WithValue(1)
                           .WithLabel(Label::kUnsupportedClosure)
                           .WithStance(Stance::kInfeasible)
                           .WithConfidence(9)
                           .WithEffectEighths(-4)
                           .WithStampRound(16),
                       Change::kHedgeLost,
                       {ClaimId::Of(source, 0), {}}}};
  block.note_begin = {0, 2};
  block.notes = {old, ClaimId::Of(block.id(0), 0)};

  std::ifstream file(absl::StrCat(HEARSAY_TEST_DATA, "/kb_block_v3.hex"));
  std::string line, hex;
  while (std::getline(file, line)) {
    if (!line.empty() && line[0] != '#') hex += line;
  }
  const std::string golden = absl::HexStringToBytes(hex);
  EXPECT_EQ(absl::BytesToHexString(EncodeBlock(block)), hex);
  const absl::StatusOr<AttemptBlock> decoded = DecodeBlock(block.first, golden);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_TRUE(*decoded == block);
}

TEST(Baselines, ComeBackFromTheirBytes) {
  TestRandom random(3);
  BaselineBlock baselines;
  baselines.agent_slots = 3;
  baselines.outcomes = RandomBlock(&random, AttemptId::Of(1, 0, 0, 0), 240, false).outcomes;
  const std::string bytes = EncodeBaselines(baselines);
  const absl::StatusOr<BaselineBlock> decoded = DecodeBaselines(bytes);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->agent_slots, 3);
  EXPECT_EQ(decoded->outcomes, baselines.outcomes);
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(DecodeBaselines(absl::string_view(bytes).substr(0, size)).ok()) << size;
  }
}

}  // namespace
}  // namespace hearsay
