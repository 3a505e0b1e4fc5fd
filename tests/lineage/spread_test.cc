#include "lineage/spread.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <set>

#include "lineage/lines.h"
#include "tests/lineage/lineage_testing.h"

namespace hearsay {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kProblem = 70;

SpreadStudy Study(const TestRun& run) {
  TinyAtlas atlas;
  const auto table = LoadTable(run, atlas);
  absl::StatusOr<SpreadStudy> study = StudySpread(run, *table, {.replicates = 50});
  EXPECT_TRUE(study.ok()) << study.status();
  return *std::move(study);
}

const Reproduction& Part(const SpreadStudy& study, const std::string& truth,
                         const std::string& agent, int generation) {
  for (const Reproduction& part : study.reproduction) {
    if (part.truth == truth && part.agent == agent && part.generation_from == generation) {
      return part;
    }
  }
  ADD_FAILURE() << truth << " " << agent << " " << generation;
  static const Reproduction kNone;
  return kNone;
}

// Three lanes, four rounds. Round 0: lane 0 closes tile 3, which is false, and hedges; lane 1
// closes tile 2, which is true.
struct Story {
  TestRun run{{kProblem}, 3};

  Story() {
    const ClaimId wrong = run.Make(0, kProblem, 0, Closure(3).WithHedged(true).WithConfidence(8));
    const ClaimId right = run.Make(0, kProblem, 1, Closure(2));
    // Round 1: lanes 0 and 2 take the false one from lane 0; lane 1 reads both notes and takes
    // both.
    Read(1, 0, {0});
    Read(1, 1, {1, 0});
    Read(1, 2, {0});
    run.Carry(1, kProblem, 0, wrong);
    run.Carry(1, kProblem, 1, wrong);
    run.Carry(1, kProblem, 1, right);
    const ClaimId bare =
        run.Make(1, kProblem, 2, Closure(3).WithConfidence(10), Change::kHedgeLost, wrong);
    run.At(1, kProblem, 2).outcome.agent = 1;
    // Round 2: lane 0 reads lanes 0 and 1, both of which carry the false one; lane 1 drops it; lane
    // 2 reads lane 2.
    Read(2, 0, {0, 1});
    Read(2, 1, {1});
    Read(2, 2, {2});
    run.Carry(2, kProblem, 0, wrong);
    run.Carry(2, kProblem, 2, bare);
    run.At(2, kProblem, 2).outcome.agent = 1;
    TestAttempt& misled = run.At(2, kProblem, 0);
    misled.outcome.adopted = run.Read(2, kProblem, 0, wrong);
    misled.outcome.events = kEventTruncated;
    // Round 3: nobody but lane 0, from lane 0.
    Read(3, 0, {0});
    run.Carry(3, kProblem, 0, wrong);
  }

  void Read(int round, int lane, std::vector<uint32_t> sources) {
    TestAttempt& attempt = run.At(round, kProblem, lane);
    attempt.sources = std::move(sources);
    attempt.outcome.reception = Reception::kConditioned;
  }
};

TEST(SpreadTest, OffspringByHand) {
  Story story;
  const SpreadStudy study = Study(story.run);
  EXPECT_TRUE(study.runs.by_lane());
  // Round 0: the false one has three children. Round 1: lane 0 one, lane 1 none (lane 0 of round 2
  // had it from lane 0 first), lane 2 one. Round 2: lane 0 one, lane 2 none.
  EXPECT_THAT(Part(study, "false", "", -1).offspring, ElementsAre(2, 3, 0, 1));
  EXPECT_THAT(Part(study, "true", "", -1).offspring, ElementsAre(1, 1));
  EXPECT_THAT(Part(study, "any", "", -1).offspring, ElementsAre(3, 4, 0, 1));
  EXPECT_THAT(*Part(study, "false", "", -1).mean.value, DoubleNear(6. / 6, 1e-12));
  EXPECT_THAT(Part(study, "false", "", 0).offspring, ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(Part(study, "false", "", 1).offspring, ElementsAre(1, 2));
  EXPECT_THAT(Part(study, "false", "", 2).offspring, ElementsAre(1, 1));
  EXPECT_THAT(Part(study, "false", "bob", -1).offspring, ElementsAre(1, 1));
  EXPECT_THAT(Part(study, "false", "ada", -1).offspring, ElementsAre(1, 2, 0, 1));
}

TEST(SpreadTest, FixationByHand) {
  Story story;
  const SpreadStudy study = Study(story.run);
  const Fixation& wrong = study.fixation[2];
  EXPECT_EQ(wrong.lines, 1);
  EXPECT_EQ(wrong.fixed, 1);  // in round 1
  EXPECT_EQ(wrong.median_rounds, 1);
  EXPECT_THAT(wrong.start_share, DoubleNear(1. / 3, 1e-12));
  EXPECT_EQ(wrong.peak_share, 1);
  const Fixation& right = study.fixation[1];
  EXPECT_EQ(right.lines, 1);
  EXPECT_EQ(right.fixed, 0);
  EXPECT_EQ(right.lost, 1);
  EXPECT_EQ(right.median_rounds, std::nullopt);
  EXPECT_EQ(study.fixation[0].lines, 2);
}

TEST(SpreadTest, BurdenAndCitationByHand) {
  Story story;
  const SpreadStudy study = Study(story.run);
  ASSERT_EQ(study.carried.size(), 4);
  // Round 1: the false one three times, once bare without new evidence, and the true one.
  EXPECT_EQ(study.carried[1].carried, 4);
  EXPECT_EQ(study.carried[1].wrong, 3);
  EXPECT_EQ(study.carried[1].hedged, 2);
  EXPECT_EQ(study.carried[1].turned_fact, 1);
  EXPECT_EQ(study.carried[1].without_evidence, 4);
  EXPECT_EQ(study.carried[1].confidence_sum, 8 + 8 + 10 + 0);
  // Lane 0 of round 2 has it over two lanes.
  EXPECT_EQ(study.carried[2].most_paths, 2);
  EXPECT_EQ(study.carried[2].log2_paths_sum, 1);
  EXPECT_EQ(study.carried[3].most_paths, 2);
  ASSERT_EQ(study.survivors.size(), 1);
  EXPECT_EQ(study.survivors[0].age_from, 3);
  EXPECT_EQ(study.survivors[0].carried, 1);

  for (const BurdenRound& round : study.rounds) {
    if (!round.agent.empty()) continue;
    if (round.round == 1) {
      EXPECT_EQ(round.notes_under.value, 1);
    }
    if (round.round == 2) {
      EXPECT_EQ(round.notes, 2);
      EXPECT_EQ(round.attempts, 3);
      EXPECT_EQ(round.notes_under.value, 1);
      EXPECT_THAT(*round.decisions_under.value, DoubleNear(1. / 3, 1e-12));
      EXPECT_THAT(*round.truncated.value, DoubleNear(1. / 3, 1e-12));
    }
  }
  ASSERT_EQ(study.trends.size(), 3);
  EXPECT_EQ(study.trends[0].notes_points.value, 0);  // round 3 against round 1: all notes
  for (const Table& table : SpreadTables(study)) {
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.title;
  }
}

TEST(SpreadTest, NamesTheAttemptWhoseSourceDoesNotExist) {
  Story story;
  story.run.At(2, kProblem, 1).sources = {7};
  TinyAtlas atlas;
  const auto table = LoadTable(story.run, atlas);
  const absl::Status status = StudySpread(story.run, *table).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("R3:r2.p71.l1"));
}

// From the definition, claim by claim and note by note.
OffspringCounts SlowOffspring(TestRun& run, const ClaimTable& table, int rounds, int lanes) {
  const auto on_line = [&](ClaimId id) {
    for (RowIndex root = 0; root < table.size(); ++root) {
      if (table.row(root).claim.label() != Label::kUnsupportedClosure ||
          !table.row(root).claim.is_closure()) {
        continue;
      }
      for (RowIndex version : VersionsOf(table, root, Kinship::kAnyClosure)) {
        if (table.row(version).id == id) return true;
      }
    }
    return false;
  };
  OffspringCounts counts;
  for (int round = 0; round + 1 < rounds; ++round) {
    for (int problem : run.record.problems()) {
      for (int lane = 0; lane < lanes; ++lane) {
        for (ClaimId carried : run.At(round, problem, lane).note) {
          if (!on_line(carried)) continue;
          const RowIndex j = table.Find(carried);
          size_t children = 0;
          for (int reader = 0; reader < lanes; ++reader) {
            const TestAttempt& next = run.At(round + 1, problem, reader);
            for (ClaimId taken : next.note) {
              const ClaimRow& row = table.row(table.Find(taken));
              const auto descends = [&](ClaimId from) {
                const RowIndex k = table.Find(from);
                if (from == taken) return on_line(taken);
                return on_line(from) && (row.parents[0] == k || row.parents[1] == k) &&
                       Continues(table.row(k), row, Kinship::kAnyClosure);
              };
              // The first carrier among the sources is the parent.
              bool found = false;
              for (uint32_t source : next.sources) {
                for (ClaimId offered : run.At(round, problem, source).note) {
                  if (found || !descends(offered)) continue;
                  found = true;
                  children += static_cast<int>(source) == lane && table.Find(offered) == j;
                }
              }
            }
          }
          if (counts.size() <= children) counts.resize(children + 1, 0);
          ++counts[children];
        }
      }
    }
  }
  return counts;
}

TEST(SpreadTest, AgreesWithItsSlowTwin) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    constexpr int kRounds = 6, kLanes = 4;
    const std::unique_ptr<TestRun> run = RandomRun(seed, kRounds, kLanes);
    // Sources at random; what a note took from elsewhere then counts as born there.
    std::mt19937_64 random(seed);
    for (int round = 1; round < kRounds; ++round) {
      for (int problem : run->record.problems()) {
        for (int lane = 0; lane < kLanes; ++lane) {
          std::set<uint32_t> sources;
          for (int s = 0; s < 3; ++s) sources.insert(static_cast<uint32_t>(random() % kLanes));
          run->At(round, problem, lane).sources.assign(sources.begin(), sources.end());
        }
      }
    }
    TinyAtlas atlas;
    const auto table = LoadTable(*run, atlas);
    const SpreadStudy study = Study(*run);
    EXPECT_EQ(Part(study, "any", "", -1).offspring, SlowOffspring(*run, *table, kRounds, kLanes));
  }
}

TEST(SpreadTest, ANeutralPoolFixesByStartingFrequency) {
  // A claim starts in 2 of 8 lanes; every lane copies the note of a lane drawn at random.
  constexpr int kWorlds = 60, kLanes = 8, kRounds = 80;
  std::vector<int> problems(kWorlds);
  for (int p = 0; p < kWorlds; ++p) problems[p] = p;
  TestRun run(problems, kLanes);
  std::mt19937_64 random(5);
  for (int p = 0; p < kWorlds; ++p) {
    const ClaimId claim = run.Make(0, p, 0, Closure(3));
    std::vector<bool> carries(kLanes, false);
    carries[0] = carries[1] = true;
    run.Carry(0, p, 1, claim);
    for (int round = 1; round < kRounds; ++round) {
      std::vector<bool> next(kLanes);
      for (int lane = 0; lane < kLanes; ++lane) {
        const auto source = static_cast<uint32_t>(random() % kLanes);
        run.At(round, p, lane).sources = {source};
        next[lane] = carries[source];
        if (next[lane]) run.Carry(round, p, lane, claim);
      }
      carries = next;
    }
  }
  const SpreadStudy study = Study(run);
  const Fixation& wrong = study.fixation[2];
  EXPECT_EQ(wrong.lines, kWorlds);
  EXPECT_THAT(wrong.start_share, DoubleNear(.25, 1e-12));
  EXPECT_EQ(wrong.fixed + wrong.lost, kWorlds);
  const Interval interval = WilsonInterval(wrong.fixed, wrong.lines);
  EXPECT_LE(interval.low, .25);
  EXPECT_GE(interval.high, .25);
  // Nobody gains: a carrier has one child on average.
  const Estimate& mean = Part(study, "false", "", -1).mean;
  EXPECT_LE(mean.interval->low, 1);
  EXPECT_GE(mean.interval->high, 1);
  EXPECT_NEAR(Part(study, "false", "", 0).fit->mean, 1, .35);
}

TEST(SpreadTest, EmptyRun) {
  TestRun run({kProblem}, 3);
  const SpreadStudy study = Study(run);
  EXPECT_TRUE(study.rounds.empty());
  EXPECT_EQ(study.fixation[0].lines, 0);
  EXPECT_EQ(SpreadTables(study).size(), 6);
}

}  // namespace
}  // namespace hearsay
