#include "rounds/counterfactual.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "executor/lane.h"
#include "executor/ranking.h"
#include "rounds/setup.h"
#include "tasks/scoring.h"
#include "tests/executor/toy_run.h"
#include "tests/rounds/rounds_testing.h"

namespace hearsay {
namespace {

using ::testing::HasSubstr;

class CounterfactualTest : public KbTest {};

// All problems of a run, lane after lane from round 0, in memory: the slow twin.
struct TwinRound {
  std::vector<Outcome> outcomes;   // [slot * lanes + lane]
  std::vector<WrittenNote> notes;  // likewise
};

// `strike`, where it is not none, is done to the notes of its round as soon as it is over.
std::vector<TwinRound> RunTwin(const Plan& plan, ClaimId strike, StruckPlace place,
                               std::vector<Outcome>* baselines) {
  auto setup = PrepareRun(plan, 1);
  EXPECT_TRUE(setup.ok()) << setup.status();
  RunTables& run = (*setup)->tables;
  baselines->clear();
  for (int slot = 0; slot < run.problem_count; ++slot) {
    for (int lane = 0; lane < run.lanes; ++lane) {
      for (int a = 0; a < run.agent_slots(); ++a) {
        const int agent = run.agents_rotate ? a : run.AgentOf(0, lane);
        for (const Dsl dsl : {Dsl::kCute, Dsl::kTirx}) {
          baselines->push_back(RunSolo(run, slot, lane, agent, dsl));
        }
      }
    }
  }
  run.baselines = baselines->data();
  std::vector<TwinRound> rounds;
  std::vector<Retractions> retractions(run.problem_count);
  for (int round = 0; round < plan.rounds(); ++round) {
    TwinRound before = rounds.empty() ? TwinRound() : rounds.back();
    Ranker ranker;
    if (round > 0) ranker.Rank(run, before.outcomes, retractions);
    std::vector<Retractions> refuted(run.problem_count);
    TwinRound now;
    for (int slot = 0; slot < run.problem_count; ++slot) {
      for (int lane = 0; lane < run.lanes; ++lane) {
        LaneTrace trace;
        NoObserver observer;
        AttemptMemory memory;
        RunLane<NoPace>(run, ranker.ranking(), {before.outcomes.data(), before.notes.data()}, round,
                        slot, lane, &now.outcomes.emplace_back(), &now.notes.emplace_back(), &trace,
                        &observer, &memory);
        AddRefuted(now.outcomes.back(), trace.intake, &refuted[slot]);
      }
    }
    retractions = refuted;
    if (!strike.none() && strike.attempt().round() == round) {
      int slot = 0;
      while ((*setup)->problems[slot] != strike.attempt().problem()) ++slot;
      WrittenNote& note = now.notes[slot * run.lanes + strike.attempt().lane()];
      int left = strike.place();  // new claims still to be passed over
      int at = 0;
      for (; note.change[at] == Change::kCopied || left > 0; ++at) {
        left -= note.change[at] != Change::kCopied;
      }
      if (place == StruckPlace::kBlank) {
        note.claims[at] = kBlankClaim;
      } else {
        for (int i = at; i + 1 < note.size; ++i) note.claims[i] = note.claims[i + 1];
        --note.size;
      }
    }
    rounds.push_back(now);
  }
  return rounds;
}

// What a round of the twin comes to on the lanes from `base` on.
CounterfactualMeasures MeasuresOf(const RunTables& run, const std::vector<Outcome>& baselines,
                                  const TwinRound& twin, int round, int slot, Claim claim) {
  CounterfactualMeasures measures;
  double log_ratios = 0;
  for (int lane = 0; lane < run.lanes; ++lane) {
    const int at = slot * run.lanes + lane;
    const Outcome& outcome = twin.outcomes[at];
    const int agent = run.agents_rotate ? outcome.agent : 0;
    const Outcome& solo =
        baselines[(at * run.agent_slots() + agent) * kDslCount + static_cast<int>(outcome.dsl)];
    measures.passed += outcome.passed;
    measures.submissions += outcome.submissions;
    log_ratios += std::log2(ComparisonRatio(solo, outcome));
    std::set<int> closures, saying;
    for (int c = 0; c < twin.notes[at].size; ++c) {
      const Claim held = twin.notes[at].claims[c];
      if (held.label() == Label::kUnsupportedClosure) closures.insert(c);
      if (held.subject() == claim.subject() && held.stance() == claim.stance()) saying.insert(c);
    }
    measures.notes_with_closure += !closures.empty();
    measures.notes_saying_it += !saying.empty();
  }
  if (round > 0) measures.lift_doublings = log_ratios / run.lanes;
  return measures;
}

void ExpectEqual(const CounterfactualMeasures& a, const CounterfactualMeasures& b) {
  EXPECT_EQ(a.passed, b.passed);
  EXPECT_EQ(a.submissions, b.submissions);
  EXPECT_EQ(a.notes_with_closure, b.notes_with_closure);
  EXPECT_EQ(a.notes_saying_it, b.notes_saying_it);
  EXPECT_NEAR(a.lift_doublings, b.lift_doublings, 1e-9);
}

// The first claims of attempts here and there.
std::vector<ClaimId> SomeClaims(const Store& store, const RunRecord& run) {
  std::vector<ClaimId> claims;
  for (int round = 0; round < run.rounds(); round += 2) {
    for (const int problem : run.problems()) {
      for (int lane = round; lane < run.lanes(); lane += 4) {
        const AttemptId author = AttemptId::Of(run.run(), round, problem, lane);
        const auto block = store.BlockOf(author);
        EXPECT_TRUE(block.ok()) << block.status();
        const int count = static_cast<int>(block->new_claims_of(lane).size());
        if (count > 0) claims.push_back(ClaimId::Of(author, count / 2));
      }
    }
  }
  EXPECT_GE(claims.size(), 6u);
  return claims;
}

TEST_F(CounterfactualTest, EqualsAWholeRunInMemoryWithTheClaimStruck) {
  const auto store = OpenKb("kb");
  const std::vector<std::string> variants = {
      "topology: 'relay' policies { name: 'ttl' strength: 3 }",
      "topology: 'fanout:2' agent_schedule: 'rotate' policies { name: 'standing_gate' strength: 1 "
      "}",
      "topology: 'pool:3,standing' policies { name: 'retract' strength: 1 }",
      "topology: 'pool:2,best' dsl_schedule: 'random' policies { name: 'evidence_only' strength: 1 "
      "}",
  };
  int64_t changed_in_all = 0;
  for (const std::string& variant : variants) {
    const Plan plan = PlanOf("problems: 'p05,p33,p71' lanes: 7 rounds: 7 " + variant);
    const RunRecord run = Execute(plan, store.get());
    std::vector<Outcome> baselines;
    const auto recorded = RunTwin(plan, ClaimId(), StruckPlace::kBlank, &baselines);
    const auto setup = PrepareRun(plan, 1);
    ASSERT_TRUE(setup.ok());
    const RunTables& tables = (*setup)->tables;
    for (const ClaimId claim : SomeClaims(*store, run)) {
      for (const StruckPlace place : {StruckPlace::kBlank, StruckPlace::kClosed}) {
        SCOPED_TRACE(variant + " without " + Format(claim));
        CounterfactualOptions options;
        options.place = place;
        options.most_changed = 1000;
        const auto answer = RunWithout(*store, claim, options);
        ASSERT_TRUE(answer.ok()) << answer.status();
        const auto without = RunTwin(plan, claim, place, &baselines);
        const Claim says = store->FindClaim(claim)->claim;
        const int birth = claim.attempt().round();
        int first_changed_lane = -1, first_changed_round = -1;
        ASSERT_EQ(static_cast<int>(answer->rounds.size()), plan.rounds() - birth);
        for (int round = 0; round < plan.rounds(); ++round) {
          for (int slot = 0; slot < tables.problem_count; ++slot) {
            if (round >= birth && tables.problem_index[slot] == claim.attempt().problem()) {
              const CounterfactualRound& row = answer->rounds[round - birth];
              EXPECT_EQ(row.round, round);
              ExpectEqual(row.recorded,
                          MeasuresOf(tables, baselines, recorded[round], round, slot, says));
              ExpectEqual(row.without,
                          MeasuresOf(tables, baselines, without[round], round, slot, says));
              int results = 0;
              for (int at = slot * tables.lanes; at < (slot + 1) * tables.lanes; ++at) {
                const Outcome& a = recorded[round].outcomes[at];
                const Outcome& b = without[round].outcomes[at];
                const bool result = a.passed != b.passed || a.speed_lg != b.speed_lg;
                results += result;
                if (result && first_changed_round < 0) {
                  first_changed_round = round;
                  first_changed_lane = at % tables.lanes;
                }
              }
              EXPECT_EQ(row.changed[static_cast<int>(AttemptChange::kResult)], results);
              changed_in_all += results;
              continue;
            }
            // Before the birth, and on any other problem, nothing is another.
            for (int at = slot * tables.lanes; at < (slot + 1) * tables.lanes; ++at) {
              EXPECT_EQ(recorded[round].outcomes[at], without[round].outcomes[at]);
            }
          }
        }
        const ChangedAttempt* first = nullptr;
        for (const ChangedAttempt& attempt : answer->changed) {
          if (attempt.change == AttemptChange::kResult && first == nullptr) first = &attempt;
        }
        EXPECT_EQ(static_cast<int64_t>(answer->changed.size()), answer->changed_count());
        ASSERT_EQ(first == nullptr, first_changed_round < 0);
        if (first == nullptr) continue;
        EXPECT_EQ(first->id.round(), first_changed_round);
        EXPECT_EQ(first->id.lane(), first_changed_lane);
      }
    }
  }
  EXPECT_GT(changed_in_all, 100);
}

TEST_F(CounterfactualTest, WithoutAClaimThatNobodyReadNothingChanges) {
  const auto store = OpenKb("kb");
  // Of 8 lanes the notes of 0 to 2 are read.
  const RunRecord run =
      Execute(PlanOf("problems: 'p21' lanes: 8 rounds: 4 topology: 'fanout:3'"), store.get());
  int asked = 0;
  for (int round = 0; round < 4; ++round) {
    for (int lane = round == 3 ? 0 : 3; lane < 8; ++lane) {
      const AttemptId author = AttemptId::Of(run.run(), round, run.problems(0), lane);
      const auto block = store->BlockOf(author);
      ASSERT_TRUE(block.ok());
      for (size_t place = 0; place < block->new_claims_of(lane).size(); ++place) {
        const auto answer = RunWithout(*store, ClaimId::Of(author, static_cast<int>(place)), {});
        ASSERT_TRUE(answer.ok()) << answer.status();
        EXPECT_EQ(answer->changed_count(), 0);
        EXPECT_TRUE(answer->changed.empty());
        int64_t carriers = 0;
        for (const CounterfactualRound& row : answer->rounds) {
          carriers += row.carriers;
          if (row.round == round) continue;  // its author's note lacks it
          ExpectEqual(row.recorded, row.without);
        }
        EXPECT_EQ(carriers, 1);
        ++asked;
      }
    }
  }
  EXPECT_GT(asked, 30);
}

// Whoever reads an empty line at the end of a note does and writes what it would without the line.
TEST_F(CounterfactualTest, AnEmptyLineSaysNothing) {
  ToyWorld world({{0, 300}, {0, 200, -400, 900}, {0, -100, 500}}, 12);
  world.Break(2, 2, Status::kIncorrect);
  AgentProfile agent = FlawlessAgent();
  agent.skill[0] = agent.skill[1] = 16;
  agent.verifying = agent.closing_failed = agent.closing_untried = kCertain / 2;
  agent.asserting = agent.asking = agent.describing = agent.generalising = kCertain / 2;
  agent.note_capacity = kMaxNoteClaims;
  ToyRun run(world.world(), 1, 1, {agent});
  int handed_on = 0;
  for (int lane = 0; lane < 500; ++lane) {
    const Draws draws(7, Stream::kAttempt, 1, 0, lane);
    Intake intake;
    for (int i = 0; i < lane % 5; ++i) {
      const Stance stance = static_cast<Stance>(1 + (lane + i) % 4);
      intake.claims[i] = Claim().WithKnob(1).WithValue(i).WithStance(stance).WithConfidence(9);
      intake.origin[i][0] = static_cast<uint8_t>(i);
      intake.origin[i][1] = kNoOrigin;
    }
    intake.size = static_cast<uint8_t>(lane % 5);
    Intake blank = intake;
    blank.claims[blank.size] = kBlankClaim;
    blank.origin[blank.size][0] = blank.size;
    blank.origin[blank.size][1] = kNoOrigin;
    ++blank.size;
    intake.Pad();
    blank.Pad();
    Outcome outcome, with_blank;
    WrittenNote note, note_with_blank;
    NoObserver observer;
    RunAttempt(run.worlds[0], run.priors[0], run.biases[0], Dsl::kTirx, agent, Policies(), 1,
               intake, draws, &outcome, &note, &observer);
    RunAttempt(run.worlds[0], run.priors[0], run.biases[0], Dsl::kTirx, agent, Policies(), 1, blank,
               draws, &with_blank, &note_with_blank, &observer);
    with_blank.adopted &= intake.slots();
    with_blank.intake_size = outcome.intake_size;
    std::vector<uint64_t> says, says_with_blank;
    for (int c = 0; c < note.size; ++c) says.push_back(note.claims[c].bits);
    for (int c = 0; c < note_with_blank.size; ++c) {
      if (note_with_blank.claims[c] == kBlankClaim) {
        EXPECT_EQ(note_with_blank.change[c], Change::kCopied);
        ++handed_on;
      } else {
        says_with_blank.push_back(note_with_blank.claims[c].bits);
      }
    }
    with_blank.note_size = outcome.note_size;
    EXPECT_EQ(outcome, with_blank);
    EXPECT_EQ(says, says_with_blank);
  }
  EXPECT_EQ(handed_on, 500);
}

TEST_F(CounterfactualTest, RefusesWhatItCannotAnswer) {
  const auto store = OpenKb("kb");
  const RunRecord run = Execute(PlanOf("problems: 'p01' lanes: 4 rounds: 3"), store.get());
  Execute(PlanOf("problems: 'p01' lanes: 4 rounds: 3 record: 'summary'"), store.get());
  const auto ask = [&](const char* claim) {
    return RunWithout(*store, *ParseClaimId(claim), {}).status();
  };
  EXPECT_EQ(ask("R7:r0.p01.l0#1").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ask("R1:r0.p02.l0#1").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ask("R1:r0.p01.l0#32").code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(ask("R2:r0.p01.l0#1").message()), HasSubstr("without claims"));
  // A run whose record tells of another seed than it was made with.
  RunRecord other = run;
  Plan plan = PlanOf("problems: 'p01' lanes: 4 rounds: 3 seed: 2");
  other.set_plan_text(plan.ShortDebugString());
  ASSERT_TRUE(store->PutRun(other).ok());
  const auto block = store->BlockOf(AttemptId::Of(1, 0, 0, 0));
  ASSERT_TRUE(block.ok());
  ASSERT_GT(block->new_claims_of(0).size(), 0u);
  const absl::Status status = ask("R1:r0.p01.l0#1");
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("round 1 of R1 has another digest on p01"));
}

}  // namespace
}  // namespace hearsay
