#include "tasks/landscape.h"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tasks/landscape_check.h"
#include "tasks/problems.h"
#include "tasks/words.h"

namespace hearsay {
namespace {

using ::testing::HasSubstr;

std::vector<int> AllProblems() { return *ParseProblemSelection("all"); }

// By the definition, a scan of all points for each value: does the point have the value?
bool Has(const World& world, int point, int knob, int value) {
  if (point % world.value_count[0] == 0) return value == 0;
  return point / world.stride[knob] % world.value_count[knob] == value;
}

int BestWhere(const World& world, int knob, int value, bool with) {
  int best = kNoSpeed;
  for (int p = 0; p < world.point_count; ++p) {
    if (!world.entries[p].ok() || Has(world, p, knob, value) != with) continue;
    best = std::max(best, world.entries[p].speed_lg());
  }
  return best;
}

TEST(LandscapeTest, TablesAgreeWithAScan) {
  const auto atlas = *Atlas::Create("h200");
  for (const char* id : {"p01", "p25", "p26", "p27", "p38", "p44", "p58", "p71"}) {
    for (Dsl dsl : {Dsl::kCute, Dsl::kTirx}) {
      const World& world = atlas->Get(*ParseProblemId(id), dsl).world();
      int best = kNoSpeed;
      for (int p = 0; p < world.point_count; ++p) {
        if (world.entries[p].ok()) best = std::max(best, world.entries[p].speed_lg());
      }
      EXPECT_EQ(world.best_lg, best);
      for (int k = 0; k < world.knob_count; ++k) {
        for (int v = 0; v < world.value_count[k]; ++v) {
          ASSERT_EQ(world.best_with_lg[k][v], BestWhere(world, k, v, true)) << id << k << v;
          ASSERT_EQ(world.best_without_lg[k][v], BestWhere(world, k, v, false)) << id << k << v;
        }
      }
    }
  }
}

TEST(LandscapeTest, WorldMirrorsTheSpace) {
  const auto atlas = *Atlas::Create("h200");
  for (int i = 0; i < ProblemCount(); i += 6) {
    const DesignSpace& space = DesignSpaceOf(i);
    const Landscape& landscape = atlas->Get(i, Dsl::kCute);
    const World& world = landscape.world();
    EXPECT_EQ(landscape.source(), LandscapeSource::kModelled);
    EXPECT_EQ(world.entries, landscape.entries().data());
    ASSERT_EQ(world.knob_count, static_cast<int>(space.knobs.size()));
    EXPECT_EQ(world.point_count, space.point_count());
    for (int k = 0; k < kMaxKnobs; ++k) {
      const bool used = k < world.knob_count;
      EXPECT_EQ(world.value_count[k], used ? space.knobs[k].values.size() : 1u);
      if (used) {
        EXPECT_EQ(world.stride[k], space.strides[k]);
        EXPECT_EQ(world.kind[k], space.knobs[k].kind);
      }
      EXPECT_EQ(world.difficulty[k][0], 0);
      for (int v = 1; v < kMaxValues; ++v) {
        EXPECT_EQ(world.difficulty[k][v] > 0, v < world.value_count[k]) << k << " " << v;
      }
    }
  }
}

TEST(LandscapeTest, SyntheticLandscapeByHand) {
  const DesignSpace space = {
      {{KnobKind::kMove, "move", {"eager", "all"}}, {KnobKind::kTile, "tile", {"1", "2", "4"}}},
      {1, 2}};
  // Points: eager/1, all/1, eager/2, all/2, eager/4, all/4.
  std::vector<Entry> entries = {Entry::Speed(0), Entry::Speed(-300),
                                Entry::Speed(0), Entry::Speed(500),
                                Entry::Speed(0), Entry::Failure(Status::kIncorrect)};
  const uint8_t difficulty[kMaxKnobs][kMaxValues] = {{0, 9}, {0, 1, 2}};
  const Landscape landscape(space, Dsl::kTirx, LandscapeSource::kMeasured, entries, difficulty);
  const World& world = landscape.world();
  EXPECT_EQ(world.best_lg, 500);
  EXPECT_EQ(world.best_with_lg[0][0], 0);
  EXPECT_EQ(world.best_with_lg[0][1], 500);
  EXPECT_EQ(world.best_without_lg[0][1], 0);
  EXPECT_EQ(world.best_with_lg[1][0], 0);  // the plateau speaks for the trivial value only
  EXPECT_EQ(world.best_with_lg[1][1], 500);
  EXPECT_EQ(world.best_with_lg[1][2], kNoSpeed);
  EXPECT_EQ(world.best_without_lg[1][1], 0);
  EXPECT_EQ(world.best_without_lg[1][2], 500);
  EXPECT_EQ(world.best_with_lg[2][0], kNoSpeed);
  EXPECT_EQ(world.value_count[2], 1);
  EXPECT_EQ(landscape.source(), LandscapeSource::kMeasured);
}

TEST(AtlasTest, UnknownHardwareIsNamed) {
  EXPECT_THAT(std::string(Atlas::Create("h20").status().message()),
              HasSubstr("did you mean 'h200'?"));
}

TEST(AtlasTest, ThreadsMakeNoDifference) {
  const auto alone = *Atlas::Create("h200");
  const auto many = *Atlas::Create("h200");
  many->Prepare(AllProblems(), 7);
  EXPECT_EQ(many->Digest(AllProblems()), alone->Digest(AllProblems()));
  EXPECT_EQ(&many->Get(3, Dsl::kCute), &many->Get(3, Dsl::kCute));
}

TEST(AtlasTest, DigestTellsProblemsAndHardwareApart) {
  const auto h200 = *Atlas::Create("h200");
  const auto b200 = *Atlas::Create("b200");
  EXPECT_NE(h200->Digest({0}), h200->Digest({1}));
  EXPECT_NE(h200->Digest({0}), b200->Digest({0}));
  EXPECT_EQ(h200->Digest({0, 5}), h200->Digest({5, 0}));
  EXPECT_EQ(h200->Digest({}), 0u);
}

// Landscapes are the same to the bit on every machine, so their digests are kept with the tests.
TEST(AtlasTest, DigestsAreTheRecordedOnes) {
  std::ifstream file(HEARSAY_TEST_DATA "/landscape_digests.txt");
  ASSERT_TRUE(file) << "no landscape_digests.txt";
  std::string line;
  std::string measured;
  int count = 0;
  bool same = true;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    std::string hardware, selection, digest;
    fields >> hardware >> selection >> digest;
    const auto atlas = *Atlas::Create(hardware);
    const std::string now =
        absl::StrFormat("%016x", atlas->Digest(*ParseProblemSelection(selection)));
    measured += hardware + " " + selection + " " + now + "\n";
    same &= now == digest;
    ++count;
  }
  EXPECT_EQ(count, 8);
  EXPECT_TRUE(same) << "if the landscapes were meant to change, the new lines are:\n" << measured;
}

class LandscapeCheckTest : public testing::TestWithParam<const char*> {};

TEST_P(LandscapeCheckTest, NoLandscapeIsDegenerate) {
  const auto atlas = *Atlas::Create(GetParam());
  const LandscapeReport report = CheckLandscapes(*atlas, AllProblems());
  for (const DegenerateLandscape& d : report.degenerate) {
    ADD_FAILURE() << Problems()[d.problem_index].id() << " " << Name(d.dsl) << ": " << d.reason;
  }
  ASSERT_EQ(report.families.size(), 12u);
  int problems = 0;
  for (const FamilySummary& family : report.families) {
    problems += family.problem_count;
    EXPECT_LE(family.least_best_lg, family.median_best_lg);
    EXPECT_LE(family.median_best_lg, family.greatest_best_lg);
    EXPECT_EQ(
        std::accumulate(family.status_counts, family.status_counts + kStatusCount, int64_t{0}),
        family.point_count);
    EXPECT_GT(family.plateau_count, 0);
    EXPECT_LT(family.plateau_count, family.point_count);
  }
  EXPECT_EQ(problems, 148);
}

// The order of magnitude of the facts: where eager is a library call little is to be won, where it
// is a loop of launches nearly everything.
TEST_P(LandscapeCheckTest, SpeedupsAreOfTheRightOrder) {
  const auto atlas = *Atlas::Create(GetParam());
  for (Dsl dsl : {Dsl::kCute, Dsl::kTirx}) {
    std::vector<int> bests;
    for (int i : AllProblems()) bests.push_back(atlas->Get(i, dsl).world().best_lg);
    std::sort(bests.begin(), bests.end());
    EXPECT_LT(bests.front(), 300);
    EXPECT_GT(bests.back(), 10 * kLgPerDoubling);
    EXPECT_LT(bests.back(), 14 * kLgPerDoubling);
    EXPECT_GT(bests[37], 3 * kLgPerDoubling / 2);  // 2.8x
    EXPECT_LT(bests[37], 7 * kLgPerDoubling / 2);  // 11x
    EXPECT_LT(atlas->Get(*ParseProblemId("p27"), dsl).world().best_lg, kLgPerDoubling);
    EXPECT_GT(atlas->Get(*ParseProblemId("p74"), dsl).world().best_lg, 7 * kLgPerDoubling);
  }
}

INSTANTIATE_TEST_SUITE_P(Hardware, LandscapeCheckTest, testing::Values("h200", "b200"));

// A stand-in that returns whatever landscapes a test gives it.
class FixedAtlas : public Atlas {
 public:
  FixedAtlas(const Landscape& cute, const Landscape& tirx) : cute_(cute), tirx_(tirx) {}
  const Landscape& Get(int, Dsl dsl) override { return dsl == Dsl::kCute ? cute_ : tirx_; }
  void Prepare(const std::vector<int>&, int) override {}
  uint64_t Digest(const std::vector<int>&) override { return 0; }

 private:
  const Landscape& cute_;
  const Landscape& tirx_;
};

TEST(LandscapeCheckTest, FindsWhatIsDegenerate) {
  const DesignSpace space = {
      {{KnobKind::kMove, "move", {"eager", "all"}}, {KnobKind::kTile, "tile", {"1", "2"}}}, {1, 2}};
  const uint8_t difficulty[kMaxKnobs][kMaxValues] = {{0, 9}, {0, 1}};
  const std::vector<Entry> entries = {Entry::Speed(0), Entry::Speed(100), Entry::Speed(1),
                                      Entry::Failure(Status::kTimeout)};
  const Landscape cute(space, Dsl::kCute, LandscapeSource::kModelled, entries, difficulty);
  const Landscape tirx(space, Dsl::kTirx, LandscapeSource::kModelled, entries, difficulty);
  FixedAtlas atlas(cute, tirx);
  const LandscapeReport report = CheckLandscapes(atlas, {0});
  std::vector<std::string> reasons;
  for (const DegenerateLandscape& d : report.degenerate) {
    if (d.dsl == Dsl::kTirx) reasons.push_back(d.reason);
  }
  EXPECT_THAT(reasons, testing::ElementsAre("fewer than 64 points",
                                            "an all-eager point is not at eager speed",
                                            "nothing incorrect or uncompilable",
                                            "times and statuses copy the other DSL",
                                            "difficulty copies the other DSL"));
  EXPECT_EQ(report.families[0].status_counts[static_cast<int>(Status::kTimeout)], 1);
  EXPECT_EQ(report.families[0].plateau_count, 2);
  EXPECT_EQ(report.families[0].median_best_lg, 100);
}

}  // namespace
}  // namespace hearsay
