// What questions say of a run that dropped rounds: lineages are those of the run that kept all, or
// say where they end; what counts every attempt refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <set>

#include "absl/strings/str_cat.h"
#include "kb/store.h"
#include "lineage/ancestry.h"
#include "lineage/ancestry_index.h"
#include "lineage/walk.h"
#include "tasks/landscape.h"
#include "tests/tools/tools_testing.h"

namespace hearsay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kPlan[] =
    "run --quiet --problems p09,p71 --lanes 8 --rounds 24 --topology pool:3,uniform";

class RetentionWordsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    sandbox_ = new Sandbox;
    ASSERT_EQ(sandbox_->Run(absl::StrCat(kPlan, " --kb all")).code, 0);
    for (const char* retain : {"last:4", "every:5", "ancestral"}) {
      const Ended ended =
          sandbox_->Run(absl::StrCat(kPlan, " --kb ", retain, " --retain ", retain));
      ASSERT_EQ(ended.code, 0) << ended.err;
    }
  }
  static void TearDownTestSuite() { delete sandbox_; }

  static std::unique_ptr<Store> Open(const std::string& kb) {
    auto store = Store::Open(sandbox_->path(kb), Store::Mode::kRead);
    EXPECT_TRUE(store.ok()) << store.status();
    return *std::move(store);
  }

  static Sandbox* sandbox_;
};

Sandbox* RetentionWordsTest::sandbox_ = nullptr;

// Of every claim that is left.
TEST_F(RetentionWordsTest, LineagesAreThoseOfTheRunThatKeptAll) {
  const auto atlas = Atlas::Create("h200");
  ASSERT_TRUE(atlas.ok());
  const std::unique_ptr<Store> all = Open("all");
  const auto whole = ClaimTable::Load(*all, 1, **atlas);
  ASSERT_TRUE(whole.ok()) << whole.status();
  for (const std::string kb : {"last:4", "every:5", "ancestral"}) {
    const std::unique_ptr<Store> store = Open(kb);
    const auto folded = ClaimTable::Load(*store, 1, **atlas);
    ASSERT_TRUE(folded.ok()) << folded.status();
    const ClaimTable &a = **whole, &b = **folded;
    EXPECT_LT(b.size(), a.size() / 2) << kb;
    EXPECT_EQ(b.round_count(), 24);
    int cut = 0;
    for (RowIndex i = 0; i < b.size(); ++i) {
      const ClaimVersion x = DescribeVersion(a, a.Find(b.row(i).id)), y = DescribeVersion(b, i);
      SCOPED_TRACE(absl::StrCat(kb, " ", Format(y.id)));
      ASSERT_EQ(b.Find(y.id), i);
      EXPECT_EQ(y.claim, x.claim);
      EXPECT_EQ(y.change, x.change);
      EXPECT_EQ(std::set(y.parents.begin(), y.parents.end()),
                std::set(x.parents.begin(), x.parents.end()));
      EXPECT_EQ(y.agent, x.agent);
      EXPECT_EQ(y.first_round, x.first_round);
      EXPECT_EQ(y.last_round, x.last_round);
      EXPECT_EQ(y.carriers, x.carriers);
      EXPECT_EQ(y.adopted, x.adopted);
      EXPECT_EQ(y.confirmed, x.confirmed);
      EXPECT_EQ(y.refuted, x.refuted);
      EXPECT_EQ(y.alive, x.alive);
      const auto p = Ancestry(a, y.id), q = Ancestry(b, y.id);
      ASSERT_TRUE(p.ok() && q.ok());
      cut += !q->cut.empty();
      if (q->cut.empty()) {
        EXPECT_EQ(q->version_count, p->version_count);
        EXPECT_EQ(q->births, p->births);
        EXPECT_EQ(q->hedges_dropped, p->hedges_dropped);
        EXPECT_EQ(q->first_unsupported, p->first_unsupported);
        EXPECT_EQ(q->carriers, p->carriers);
        EXPECT_EQ(q->confirmed, p->confirmed);
        EXPECT_EQ(q->refuted, p->refuted);
      } else {
        EXPECT_LT(q->version_count, p->version_count);
      }
      if (HasFailure()) return;
    }
    EXPECT_EQ(cut > 0, kb != "ancestral");
  }
}

TEST_F(RetentionWordsTest, TheIndexHasTheSameRows) {
  const auto atlas = Atlas::Create("h200");
  ASSERT_TRUE(atlas.ok());
  for (const std::string kb : {"last:4", "every:5", "ancestral"}) {
    const std::unique_ptr<Store> store = Open(kb);
    for (const int problem : {-1, 70}) {
      AncestryIndex index({.run = 1, .problem = problem});
      const absl::Status extended = index.Extend(*store, 2);
      ASSERT_TRUE(extended.ok()) << extended;
      const AncestrySection* const section = index.Section(1, 70);
      ASSERT_NE(section, nullptr);
      const auto table = ClaimTable::Load(*store, 1, **atlas, 70);
      ASSERT_TRUE(table.ok());
      Walker of_table(**table);
      Walker of_index(*section);
      for (RowIndex i = 0; i < (*table)->size(); ++i) {
        const ClaimId id = (*table)->row(i).id;
        const RowIndex row = section->Find(id);
        ASSERT_NE(row, kNoRow) << Format(id);
        EXPECT_EQ(section->IdOf(row), id);
        std::set<ClaimId> a, b;
        for (const Reached& r : of_table.Ancestors(i)) a.insert((*table)->row(r.row).id);
        for (const Reached& r : of_index.Ancestors(row)) b.insert(section->IdOf(r.row));
        EXPECT_EQ(a, b) << Format(id);
      }
    }
  }
  // What was not kept is not found.
  const auto all = Open("all"), left = Open("ancestral");
  AncestryIndex index;
  ASSERT_TRUE(index.Extend(*left, 1).ok());
  const auto whole = ClaimTable::Load(*all, 1, **atlas, 70);
  const auto folded = ClaimTable::Load(*left, 1, **atlas, 70);
  ASSERT_TRUE(whole.ok() && folded.ok());
  for (const ClaimRow& row : (*whole)->rows()) {
    EXPECT_EQ(index.Section(1, 70)->Find(row.id) == kNoRow, (*folded)->Find(row.id) == kNoRow);
  }
}

TEST_F(RetentionWordsTest, ResultsDoNotDependOnRetention) {
  for (const char* kb : {"last:4", "every:5", "ancestral"}) {
    const Ended compared = sandbox_->Run(absl::StrCat("compare 1 1 --kb all --kb-b ", kb));
    EXPECT_EQ(compared.code, 0) << compared.err;
    const Ended checked = sandbox_->Run(absl::StrCat("check --kb ", kb));
    EXPECT_EQ(checked.code, 0) << checked.out;
  }
}

TEST_F(RetentionWordsTest, RunsThatDifferInADroppedRoundAreToldApart) {
  ASSERT_EQ(sandbox_->Run(absl::StrCat(kPlan, " --kb other --seed 2")).code, 0);
  const Ended compared = sandbox_->Run("compare 1 1 --kb other --kb-b last:4");
  EXPECT_EQ(compared.code, 3);
  EXPECT_THAT(absl::StrCat(compared.out, compared.err),
              AllOf(HasSubstr("round 0, p09"),
                    HasSubstr("the lane is not known, since R1 did not keep this round")));
}

TEST_F(RetentionWordsTest, AKilledRunGoesOnToTheSameClaims) {
  const std::string plan =
      "run --problems p09,p71 --lanes 8 --rounds 300 --topology pool:3,uniform --retain ancestral";
  const std::string claims = "claims --limit 0 --sort id --format csv --kb ";
  ASSERT_EQ(sandbox_->Run(absl::StrCat(plan, " --kb long")).code, 0);
  const Ended expected = sandbox_->Run(absl::StrCat(claims, "long"));
  int killed = 0;
  for (const int rounds : {3, 120}) {
    const std::string kb = absl::StrCat("killed", rounds);
    const pid_t pid = sandbox_->Start(absl::StrCat(plan, " --kb ", kb));
    AwaitRounds(sandbox_->path(kb), rounds, pid);
    kill(pid, SIGKILL);
    killed += sandbox_->Wait(pid).code == 128 + SIGKILL;
    EXPECT_EQ(sandbox_->Run(absl::StrCat("check --kb ", kb)).code, 0);
    const Ended resumed = sandbox_->Run(absl::StrCat("run --resume --quiet --kb ", kb));
    const Ended found = sandbox_->Run(absl::StrCat(claims, kb));
    EXPECT_TRUE(found.out == expected.out) << rounds << " " << resumed.err;
    EXPECT_EQ(sandbox_->Run(absl::StrCat("check --kb ", kb)).code, 0);
  }
  EXPECT_GT(killed, 0);
}

TEST_F(RetentionWordsTest, WhatNeedsEveryAttemptRefuses) {
  for (const char* line : {"study transfer", "study persistence", "study policies", "report",
                           "export R1", "graph --harmful 3 --problem p71", "export R1 --to 3"}) {
    const Ended ended = sandbox_->Run(absl::StrCat(line, " --kb last:4"));
    EXPECT_EQ(ended.code, 1) << line;
    EXPECT_EQ(ended.out, "") << line;
    EXPECT_THAT(ended.err, AllOf(HasSubstr("this needs the attempts of "),
                                 HasSubstr("were dropped: it was made with --retain last:4")));
    EXPECT_EQ(CountLines(ended.err), 1) << ended.err;
  }
  // Of whole rounds they tell.
  EXPECT_EQ(sandbox_->Run("export R1 --from 20 --kb last:4").code, 0);
  EXPECT_EQ(sandbox_->Run("counterfactual R1:r21.p71.l0#1 --kb last:4").code, 0);
  EXPECT_EQ(sandbox_->Run("attempt R1:r22.p71.l0 --kb last:4").code, 0);
}

TEST_F(RetentionWordsTest, WhatWasDroppedIsSaid) {
  const auto run = [&](const std::string& line) { return sandbox_->Run(line); };
  EXPECT_THAT(run("attempt R1:r2.p71.l0 --kb last:4").err,
              HasSubstr("did not keep attempt R1:r2.p71.l0: R1 was made with --retain last:4"));
  EXPECT_THAT(run("note R1:r2.p71.l0 --kb ancestral").err, HasSubstr("did not keep"));
  EXPECT_THAT(run("attempt R1:r20.p71.l0 --kb last:4").out,
              HasSubstr("not possible: the round before was dropped"));
  EXPECT_THAT(run("attempt R1:r10.p71.l0 --kb every:5").out,
              HasSubstr("not kept: the next round was dropped"));
  const Ended lost = run("ancestry R1:r1.p71.l0#30 --kb ancestral");
  EXPECT_EQ(lost.code, 1);
  EXPECT_THAT(lost.err, AllOf(HasSubstr("was not kept, if it was written"),
                              HasSubstr("--retain ancestral, which dropped the attempts of 23 of "
                                        "24 rounds")));
  EXPECT_THAT(run("ancestry --problem p71 --kb ancestral").out,
              AllOf(HasSubstr("--retain ancestral, which dropped"), Not(HasSubstr("cut_at"))));
  EXPECT_THAT(run("claims --kb every:5").out, HasSubstr("--retain every:5, which dropped"));
  EXPECT_THAT(run("graph --problem p71 --kb every:5").out, HasSubstr("--retain every:5"));
  EXPECT_THAT(run("runs --kb every:5 --format csv").out, HasSubstr(",every:5,"));
  EXPECT_THAT(run("kb stat --kb ancestral").out, HasSubstr("of these attempts were dropped"));
  EXPECT_THAT(run("counterfactual R1:r2.p71.l0#1 --kb last:4").err, HasSubstr("was not kept"));
}

TEST(RetentionFlags, RefuseWhatMakesNoSense) {
  const struct {
    const char* flags;
    const char* error;
  } cases[] = {
      {"--retain last:0", "--retain: retention 'last:0': '0' is not a whole number from 1 to"},
      {"--retain every:x", "--retain: retention 'every:x': 'x' is not a whole number from 1 to"},
      {"--retain evry:3", "--retain: unknown retention 'evry:3'; did you mean 'every:N'?"},
      {"--retain last", "--retain: unknown retention 'last'"},
      {"--retain last:2 --record summary", "retention last:2 is about claims"},
      {"--pin r1.p71.l0#1", "--pin: pin 'r1.p71.l0#1' is of use with retention ancestral only"},
      {"--retain ancestral --pin r1.p71.l0", "--pin: pin 'r1.p71.l0' is no claim; one is written"},
      {"--retain ancestral --pin r1.p71.l4#1", "names no claim of the plan's rounds"},
      {"--retain ancestral --pin r3.p71.l0#1", "names no claim of the plan's rounds"},
      {"--retain ancestral --pin r1.p02.l0#1", "names no claim of the plan's rounds"},
      {"--retain ancestral --pin r1.p71.l0#32", "pin 'r1.p71.l0#32': R1:r1.p71.l0 wrote no such"},
  };
  for (const auto& one : cases) {
    const Sandbox sandbox;
    const Ended ended = sandbox.Run(absl::StrCat("run --quiet ", kTinyPlan, " ", one.flags));
    EXPECT_EQ(ended.code, 2) << one.flags;
    EXPECT_THAT(ended.err, HasSubstr(one.error)) << one.flags;
    EXPECT_EQ(CountLines(ended.err), 1) << ended.err;
  }
  const Sandbox sandbox;
  const Ended sweep = sandbox.Run("sweep --problems p71 --lanes 2 --rounds 3 --vary retain=last:1");
  EXPECT_EQ(sweep.code, 2);
  EXPECT_THAT(sweep.err, HasSubstr("a sweep measures all rounds"));
}

}  // namespace
}  // namespace hearsay
