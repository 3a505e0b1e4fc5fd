// Worlds in which the truth is known on paper, each drawn 500 times: the intervals that the studies
// print must hold it in 92% to 98% of them. Seeds are fixed, so a test passes always or never.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "lineage/clustered.h"
#include "lineage/persistence.h"
#include "lineage/spread.h"
#include "lineage/transfer.h"
#include "tests/lineage/lineage_testing.h"

namespace hearsay {
namespace {

constexpr int kWorlds = 500;
constexpr BootstrapOptions kFewReplicates = {.replicates = 300};

class Coverage {
 public:
  explicit Coverage(std::string what) : what_(std::move(what)) {}
  ~Coverage() {
    EXPECT_EQ(worlds_, kWorlds) << what_;
    EXPECT_GE(covered_, kWorlds * 92 / 100) << what_;
    EXPECT_LE(covered_, kWorlds * 98 / 100) << what_;
  }
  Coverage(const Coverage&) = delete;
  Coverage& operator=(const Coverage&) = delete;

  void Add(const Interval& interval, double truth) {
    ++worlds_;
    covered_ += interval.low <= truth && truth <= interval.high;
  }
  void Add(const std::optional<Interval>& interval, double truth) {
    ASSERT_TRUE(interval.has_value()) << what_;
    Add(*interval, truth);
  }
  // A limit that is missing lies at infinity.
  void Add(std::optional<double> low, std::optional<double> high, double truth) {
    Add(Interval{low.value_or(HUGE_VAL), high.value_or(HUGE_VAL)}, truth);
  }

 private:
  const std::string what_;
  int worlds_ = 0;
  int covered_ = 0;
};

class Random {
 public:
  explicit Random(uint64_t seed) : bits_(seed * 7919 + 11) {}
  double Uniform() { return static_cast<double>(bits_() >> 11) * 0x1p-53; }
  bool Chance(double chance) { return Uniform() < chance; }
  int Below(int bound) { return static_cast<int>(bits_() % bound); }
  double Normal() {
    return std::sqrt(-2 * std::log(1 - Uniform())) * std::cos(2 * M_PI * Uniform());
  }

 private:
  std::mt19937_64 bits_;
};

std::vector<int> FirstProblems(int count) {
  std::vector<int> problems(count);
  for (int p = 0; p < count; ++p) problems[p] = p;
  return problems;
}

// --- relays ---

// A closure starts in every lane and is handed on with a chance that may differ by problem; where
// `births`, an empty lane starts another with chance 0.3. All notes hold a piece of advice, too.
struct Relay {
  int problems, lanes, rounds;
  double keep[2];  // each of half of the problems, drawn
  bool births = false;
};

void Fill(const Relay& relay, Random& random, TestRun* run) {
  for (int p = 0; p < relay.problems; ++p) {
    const double keep = relay.keep[random.Below(2)];
    for (int lane = 0; lane < relay.lanes; ++lane) {
      run->Make(0, p, lane, Advice(1));
      ClaimId carried = run->Make(0, p, lane, Closure(3));
      bool carries = true;
      for (int round = 1; round < relay.rounds; ++round) {
        run->Make(round, p, lane, Advice(1));
        TestAttempt& attempt = run->At(round, p, lane);
        attempt.sources = {static_cast<uint32_t>(lane)};
        attempt.outcome.reception = Reception::kConditioned;
        carries = carries && random.Chance(keep);
        if (carries) {
          run->Carry(round, p, lane, carried);
        } else if (relay.births && random.Chance(0.3)) {
          carried = run->Make(round, p, lane, Closure(3));
          carries = true;
        }
      }
    }
  }
}

double RelaySurvival(const Relay& relay, int time) {
  return (std::pow(relay.keep[0], time) + std::pow(relay.keep[1], time)) / 2;
}

// Log-linear between rounds, as the studies define it.
double RelayHalfLife(const Relay& relay) {
  for (int time = 1;; ++time) {
    const double after = RelaySurvival(relay, time);
    if (after > 0.5) continue;
    const double before = RelaySurvival(relay, time - 1);
    return time - 1 + std::log(2 * before) / std::log(before / after);
  }
}

const PersistenceGroup& Group(const PersistenceStudy& study, const std::string& kind,
                              const std::string& name) {
  for (const PersistenceGroup& group : study.groups) {
    if (group.kind == kind && group.name == name && group.truth == "false") return group;
  }
  ADD_FAILURE() << kind << " " << name;
  return study.groups.front();
}

// The last step at or before `time`.
const SurvivalStep& StepAt(const SurvivalCurve& curve, double time) {
  size_t at = 0;
  while (at + 1 < curve.steps.size() && curve.steps[at + 1].time <= time) ++at;
  return curve.steps[at];
}

void CoverSurvival(const Relay& relay, const std::string& name) {
  Coverage loglog(name + ", log(-log S)"), plain(name + ", plain"), log(name + ", log");
  Coverage early(name + ", S1"), half_life(name + ", half-life"), hazard(name + ", hazard");
  for (int world = 0; world < kWorlds; ++world) {
    Random random(world);
    TestRun run(FirstProblems(relay.problems), relay.lanes);
    Fill(relay, random, &run);
    TinyAtlas atlas;
    const auto table = LoadTable(run, atlas);
    const PersistenceStudy study = StudyPersistence(*table);
    const PersistenceGroup& group = Group(study, "all", "all");
    const SurvivalStep& step = StepAt(group.curve, 4);
    const double truth = RelaySurvival(relay, 4);
    loglog.Add(step.interval, truth);
    plain.Add(step.plain, truth);
    log.Add(step.log, truth);
    early.Add(group.curve.IntervalAt(1), RelaySurvival(relay, 1));
    half_life.Add(group.curve.HalfLifeLow(), group.curve.HalfLifeHigh(), RelayHalfLife(relay));
    hazard.Add(group.hazards[0].interval, 1 - RelaySurvival(relay, 1));
  }
}

TEST(CoverageTest, SurvivalOfIndependentLines) {
  CoverSurvival({.problems = 40, .lanes = 4, .rounds = 7, .keep = {.8, .8}}, "alike");
}

TEST(CoverageTest, SurvivalOfLinesThatShareAProblem) {
  CoverSurvival({.problems = 40, .lanes = 5, .rounds = 7, .keep = {.65, .95}}, "clustered");
}

TEST(CoverageTest, SurvivalByLanesOfOneProblem) {
  CoverSurvival({.problems = 1, .lanes = 60, .rounds = 7, .keep = {.8, .8}}, "lanes");
}

TEST(CoverageTest, GreenwoodWithoutClusters) {
  Coverage loglog("log(-log S)"), plain("plain"), log("log"), half_life("half-life");
  for (int world = 0; world < kWorlds; ++world) {
    Random random(world);
    std::vector<Lifetime> lifetimes;
    for (int i = 0; i < 200; ++i) {
      double time = 1;
      while (random.Chance(.85)) ++time;
      // A fifth of them are only looked at from age 2 on; all are lost sight of at a random age.
      const double entry = random.Chance(.2) ? 2 : -1;
      const double lost = 3 + random.Below(12);
      if (time > entry) lifetimes.push_back({std::min(time, lost), time <= lost, entry});
    }
    const SurvivalCurve curve = KaplanMeier(lifetimes);
    const double truth = std::pow(.85, 6);
    loglog.Add(StepAt(curve, 6).interval, truth);
    plain.Add(StepAt(curve, 6).plain, truth);
    log.Add(StepAt(curve, 6).log, truth);
    half_life.Add(curve.HalfLifeLow(), curve.HalfLifeHigh(), std::log(2) / -std::log(.85));
  }
}

TEST(CoverageTest, LateEntryInTheSecondHalfOfARun) {
  Coverage early("first half"), late("second half");
  const Relay relay = {.problems = 30, .lanes = 4, .rounds = 10, .keep = {.8, .8}, .births = true};
  for (int world = 0; world < kWorlds; ++world) {
    Random random(world);
    TestRun run(FirstProblems(relay.problems), relay.lanes);
    Fill(relay, random, &run);
    TinyAtlas atlas;
    const auto table = LoadTable(run, atlas);
    const PersistenceStudy study = StudyPersistence(*table);
    early.Add(Group(study, "period", "rounds 0-4").curve.IntervalAt(3), std::pow(.8, 3));
    late.Add(Group(study, "period", "rounds 5-9").curve.IntervalAt(3), std::pow(.8, 3));
  }
}

TEST(CoverageTest, LogRankRejectsAsOftenAsItSays) {
  // What is held is no parameter but the hypothesis that both groups end at one rate.
  Coverage alone("independent"), clustered("clustered");
  for (int world = 0; world < kWorlds; ++world) {
    for (Coverage* const coverage : {&alone, &clustered}) {
      Random random(world);
      std::vector<std::vector<Lifetime>> groups(2);
      for (int cluster = 0; cluster < 40; ++cluster) {
        const double keep = coverage == &alone ? .8 : random.Chance(.5) ? .6 : .9;
        const bool mixed = random.Chance(.5);
        const int group = random.Below(2);
        for (int i = 0; i < 5; ++i) {
          double time = 1;
          while (time < 15 && random.Chance(keep)) ++time;
          groups[mixed ? random.Below(2) : group].push_back(
              {.time = time, .ended = time < 15, .cluster = coverage == &alone ? -1 : cluster});
        }
      }
      coverage->Add(Interval{0.05, 1}, LogRankTest(groups)->p);
    }
  }
}

// --- how closures spread ---

const Reproduction& FalseReproduction(const SpreadStudy& study) {
  for (const Reproduction& part : study.reproduction) {
    if (part.truth == "false" && part.agent.empty() && part.generation_from < 0) return part;
  }
  ADD_FAILURE();
  return study.reproduction.front();
}

const BurdenRound& RoundOf(const SpreadStudy& study, int round) {
  for (const BurdenRound& burden : study.rounds) {
    if (burden.round == round && burden.agent.empty()) return burden;
  }
  ADD_FAILURE() << round;
  return study.rounds.front();
}

SpreadStudy Spread(const TestRun& run, const BootstrapOptions& options = kFewReplicates) {
  TinyAtlas atlas;
  const auto table = LoadTable(run, atlas);
  absl::StatusOr<SpreadStudy> study = StudySpread(run, *table, options);
  EXPECT_TRUE(study.ok()) << study.status();
  return *std::move(study);
}

void CoverRelaySpread(const Relay& relay, const std::string& name) {
  Coverage reproduction(name + ", R"), notes(name + ", notes"), trend(name + ", trend");
  double carriers = 0;
  double children = 0;
  for (int round = 0; round + 1 < relay.rounds; ++round) {
    carriers += RelaySurvival(relay, round);
    children += RelaySurvival(relay, round + 1);
  }
  for (int world = 0; world < kWorlds; ++world) {
    Random random(world);
    TestRun run(FirstProblems(relay.problems), relay.lanes);
    Fill(relay, random, &run);
    const SpreadStudy study = Spread(run);
    reproduction.Add(FalseReproduction(study).mean.interval, children / carriers);
    notes.Add(RoundOf(study, 2).notes_under.interval, RelaySurvival(relay, 2));
    trend.Add(study.trends[0].notes_points.interval,
              100 * (RelaySurvival(relay, relay.rounds - 1) - RelaySurvival(relay, 1)));
  }
}

TEST(CoverageTest, SpreadInARelayByProblems) {
  CoverRelaySpread({.problems = 40, .lanes = 3, .rounds = 4, .keep = {.6, .9}}, "problems");
}

TEST(CoverageTest, SpreadInARelayByLanes) {
  CoverRelaySpread({.problems = 1, .lanes = 40, .rounds = 4, .keep = {.7, .7}}, "lanes");
}

TEST(CoverageTest, NeutralPool) {
  // Each lane copies the note of a lane drawn at random. Two closures that start together in one of
  // three lanes, or in two, share their fate: they are fixed with the frequency at the start, and a
  // carrier leaves one copy on average.
  constexpr int kProblems = 50, kLanes = 3, kRounds = 14;
  Coverage fixation("fixation"), reproduction("R");
  for (int world = 0; world < kWorlds; ++world) {
    Random random(world);
    TestRun run(FirstProblems(kProblems), kLanes);
    for (int p = 0; p < kProblems; ++p) {
      const ClaimId claims[] = {run.Make(0, p, 0, Closure(3)), run.Make(0, p, 0, Closure(1))};
      std::vector<bool> carries = {true, random.Chance(.5), false};
      if (carries[1]) {
        for (ClaimId claim : claims) run.Carry(0, p, 1, claim);
      }
      for (int round = 1; round < kRounds; ++round) {
        std::vector<bool> next(kLanes);
        for (int lane = 0; lane < kLanes; ++lane) {
          const auto source = static_cast<uint32_t>(random.Below(kLanes));
          run.At(round, p, lane).sources = {source};
          next[lane] = carries[source];
          if (!next[lane]) continue;
          for (ClaimId claim : claims) run.Carry(round, p, lane, claim);
        }
        carries = next;
      }
    }
    const SpreadStudy study = Spread(run, {.replicates = 200});
    fixation.Add(study.fixation[2].fixed_interval, .5);
    reproduction.Add(FalseReproduction(study).mean.interval, 1);
  }
}

// --- transfer ---

TEST(CoverageTest, TransferByProblems) {
  // Half of the problems, drawn: helped with chance .6 and harmed with .1; else .2 and .4.
  constexpr int kProblems = 40, kLanes = 4;
  Coverage helped("T"), harmed("H"), lift("dGM");
  for (int world = 0; world < kWorlds; ++world) {
    Random random(world);
    TestRun run(FirstProblems(kProblems), kLanes);
    for (int p = 0; p < kProblems; ++p) {
      const bool good = random.Chance(.5);
      run.baselines[p].outcomes.assign(kLanes * kDslCount, Passed(2048));
      for (int lane = 0; lane < kLanes; ++lane) {
        run.At(0, p, lane).outcome = Passed(2048);
        const double draw = random.Uniform();
        const int gain = draw < (good ? .6 : .2) ? 1024 : draw < (good ? .7 : .6) ? -1024 : 0;
        TestAttempt& attempt = run.At(1, p, lane);
        attempt.outcome = Passed(2048 + gain);
        attempt.outcome.reception = Reception::kConditioned;
        attempt.sources = {static_cast<uint32_t>(lane)};
      }
    }
    const absl::StatusOr<TransferStudy> study =
        StudyTransfer(run, run.record, {.scoring = {}, .bootstrap = kFewReplicates});
    ASSERT_TRUE(study.ok()) << study.status();
    const TransferGroup& all = study->groups[0];
    helped.Add(all.helped, .4);
    harmed.Add(all.harmed, .25);
    lift.Add(all.lift, std::exp2(.4 - .25) - 1);
  }
}

// Ratios, lifts, differences in points and paired changes, as all other studies make them, over as
// few clusters as the smallest family has problems.
TEST(CoverageTest, StatisticsOfClusterSums) {
  enum { kCount, kHits, kLog, kOther, kFields };
  const std::vector<SumStatistic> statistics = {RatioOf(kHits, kCount), LiftOf(kLog, kCount),
                                                PointsBetween(kOther, kCount, kHits, kCount)};
  for (const int clusters : {8, 20, 74}) {
    const std::string name = std::to_string(clusters) + " clusters, ";
    Coverage ratio(name + "ratio"), lift(name + "lift"), points(name + "paired points");
    for (int world = 0; world < kWorlds; ++world) {
      Random random(world);
      ClusterSums sums(clusters, kFields);
      for (int c = 0; c < clusters; ++c) {
        const double level = .3 + .4 * random.Uniform();
        const double shift = .2 * random.Normal();
        for (int i = 0; i < 20; ++i) {
          const double luck = random.Uniform();
          sums.Add(c, kCount, 1);
          sums.Add(c, kHits, luck < level);
          sums.Add(c, kOther, luck < level - .1);  // the same luck, a policy that costs 10 points
          sums.Add(c, kLog, .1 + shift + .3 * random.Normal());
        }
      }
      const std::vector<Estimate> estimates = sums.Estimates(statistics, kFewReplicates);
      ratio.Add(estimates[0].interval, .5);
      lift.Add(estimates[1].interval, std::exp(.1) - 1);
      points.Add(estimates[2].interval, -10);
    }
  }
}

TEST(CoverageTest, WilsonAndItsClusteredForm) {
  Coverage wilson("Wilson"), clustered("clustered");
  for (int world = 0; world < kWorlds; ++world) {
    Random random(world);
    double count = 0;
    for (int i = 0; i < 150; ++i) count += random.Chance(.12);
    wilson.Add(WilsonInterval(count, 150), .12);
    std::vector<ClusterShare> clusters(30);
    for (ClusterShare& cluster : clusters) {
      const double chance = random.Chance(.5) ? .05 : .25;
      cluster.of = 10;
      for (int i = 0; i < 10; ++i) cluster.count += random.Chance(chance);
    }
    clustered.Add(ClusteredInterval(clusters), .15);
  }
}

}  // namespace
}  // namespace hearsay
