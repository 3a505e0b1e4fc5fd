// One test for each requirement of docs/data-model.md: a kb that breaks just that, and the
// integrity check that names it. Requirement 1, the schema version, is checked on opening: see
// StoreOpen in store_test.cc.
#include "kb/check.h"

#include <filesystem>
#include <functional>
#include <set>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kb/codec.h"
#include "rocksdb/db.h"
#include "tests/kb/kb_testing.h"

namespace hearsay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Describe(const CheckReport& report) {
  std::string text;
  for (const Finding& finding : report.findings) {
    absl::StrAppend(&text, finding.requirement, " ", finding.where, ": ", finding.problem, "\n");
  }
  return text;
}

std::set<int> Requirements(const CheckReport& report) {
  std::set<int> numbers;
  for (const Finding& finding : report.findings) numbers.insert(finding.requirement);
  return numbers;
}

class CheckTest : public ::testing::Test {
 protected:
  CheckTest() { contents_ = RandomContents(17, {.lanes = 40, .rounds = 4}); }

  CheckReport Check() {
    absl::StatusOr<std::unique_ptr<Store>> store = Store::Open(dir_.Sub("kb"), Store::Mode::kWrite);
    EXPECT_TRUE(store.ok()) << store.status();
    const absl::Status written = WriteContents(contents_, store->get());
    EXPECT_TRUE(written.ok()) << written;
    if (extra_) extra_(store->get());
    absl::StatusOr<CheckReport> report = CheckStore(**store, 1000);
    EXPECT_TRUE(report.ok()) << report.status();
    return report.ok() ? *report : CheckReport{};
  }

  // Digests, counts and receivers are made to agree with what was changed, so that nothing but the
  // requirement itself is broken.
  void ExpectOnly(int requirement, const std::string& where, const std::string& problem,
                  bool summarise = true) {
    if (summarise) Summarise(&contents_);
    const CheckReport report = Check();
    EXPECT_THAT(Requirements(report), ElementsAre(requirement)) << Describe(report);
    ASSERT_FALSE(report.findings.empty());
    EXPECT_EQ(report.findings[0].where, where) << Describe(report);
    EXPECT_THAT(report.findings[0].problem, HasSubstr(problem)) << Describe(report);
  }

  AttemptBlock& block(int round) { return contents_.blocks[round][0]; }
  // The first attempt of a round's first block that `fits`.
  int Find(int round, const std::function<bool(const AttemptBlock&, int)>& fits) {
    for (int i = 0; i < block(round).size(); ++i) {
      if (fits(block(round), i)) return i;
    }
    ADD_FAILURE() << "no attempt fits";
    return 0;
  }
  // One that read a note and has a new claim of this change.
  int FindChange(int round, Change change, int* place) {
    return Find(round, [&](const AttemptBlock& b, int i) {
      for (size_t c = 0; c < b.new_claims_of(i).size(); ++c) {
        if (b.new_claims_of(i)[c].change == change) {
          *place = static_cast<int>(c);
          return true;
        }
      }
      return false;
    });
  }
  NewClaim& new_claim(int round, int i, int place) {
    return block(round).new_claims[block(round).new_begin[i] + place];
  }

  TempDir dir_;
  KbContents contents_;
  std::function<void(Store*)> extra_;
};

TEST_F(CheckTest, AHealthyKbHasNoFindings) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    KbShape shape;
    shape.topology = seed % 2 == 0 ? TestTopology::kRelay : TestTopology::kPool;
    shape.lanes = seed % 3 == 0 ? kBlockLanes + 44 : 17;
    shape.claims_recorded = seed % 5 != 0;
    TempDir dir;
    absl::StatusOr<std::unique_ptr<Store>> store = Store::Open(dir.Sub("kb"), Store::Mode::kWrite);
    ASSERT_TRUE(store.ok()) << store.status();
    ASSERT_TRUE(WriteContents(RandomContents(seed, shape), store->get()).ok());
    const absl::StatusOr<CheckReport> report = CheckStore(**store, 10);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_THAT(report->findings, IsEmpty()) << "seed " << seed << "\n" << Describe(*report);
    EXPECT_EQ(report->runs, 1);
    EXPECT_EQ(report->rounds, 5);
    EXPECT_EQ(report->attempts, int64_t{5} * 2 * shape.lanes);
  }
}

TEST_F(CheckTest, CountsFindingsItDoesNotShow) {
  for (Outcome& outcome : block(1).outcomes) outcome.agent = 77;
  Summarise(&contents_);
  absl::StatusOr<std::unique_ptr<Store>> store = Store::Open(dir_.Sub("kb"), Store::Mode::kWrite);
  ASSERT_TRUE(store.ok() && WriteContents(contents_, store->get()).ok());
  const absl::StatusOr<CheckReport> report = CheckStore(**store, 3);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->findings.size(), 3u);
  EXPECT_EQ(report->finding_count, 40);
}

TEST_F(CheckTest, Requirement2RunRecords) {
  extra_ = [](Store* store) {
    RunRecord run;
    run.set_run(2);
    run.set_lanes(1);
    run.set_rounds(1);
    run.add_agents("careful");
    run.add_problems(5);
    run.add_problems(3);
    ASSERT_TRUE(store->PutRun(run).ok());
  };
  ExpectOnly(2, "R2", "problem index 3 does not ascend");
}

TEST_F(CheckTest, Requirement3Rounds) {
  contents_.run.set_rounds(5);
  ExpectOnly(3, "R1", "it is complete with 4 of 5 rounds");
}

TEST_F(CheckTest, Requirement3RoundsPlanned) {
  contents_.run.set_rounds(3);
  ExpectOnly(3, "R1", "4 rounds are committed, 3 planned");
}

TEST_F(CheckTest, Requirement4CoverageMissing) {
  // All but the last block of the last round, which nobody reads.
  contents_.blocks[3].pop_back();
  ExpectOnly(4, "R1:r3.p71.l0", "its block is missing");
}

TEST_F(CheckTest, Requirement4CoverageShort) {
  AttemptBlock& last = contents_.blocks[3].back();
  last.outcomes.pop_back();
  last.sources.resize(last.source_begin[39]);
  last.notes.resize(last.note_begin[39]);
  last.new_claims.resize(last.new_begin[39]);
  last.intake.resize(last.intake_begin[39]);
  for (auto* begin : {&last.source_begin, &last.note_begin, &last.new_begin, &last.intake_begin}) {
    begin->pop_back();
  }
  ExpectOnly(4, "R1:r3.p71.l0", "its block holds 39 lanes, not 40");
}

TEST_F(CheckTest, Requirement5OutcomesInRange) {
  struct Break {
    std::function<void(Outcome*)> change;
    const char* problem;
  };
  const Break breaks[] = {
      {[](Outcome* o) { o->agent = 3; }, "agent 3 is none of the run's 3"},
      {[](Outcome* o) { o->submissions = 11; }, "11 submissions are more than 10"},
      {[](Outcome* o) { o->failures = o->submissions + 1; }, "submissions failed"},
      {[](Outcome* o) { o->bugs = o->failures + 1; }, "bugs in"},
      {[](Outcome* o) { o->passed = 1 - o->passed; }, "passed is"},
      {[](Outcome* o) { o->passed = 2; }, "neither 0 nor 1"},
      {[](Outcome* o) { o->dsl = static_cast<Dsl>(2); }, "the DSL is unknown"},
      {[](Outcome* o) { o->following = static_cast<Following>(3); }, "followed is unknown"},
      {[](Outcome* o) { o->events = 64; }, "an event is unknown"},
      {[](Outcome* o) { o->adopted = 1u << 31; }, "a mask names claims beyond"},
      {[](Outcome* o) { o->costly_slot = 30; }, "the costliest closure is slot 30"},
      {[](Outcome* o) { ++o->note_size; }, "the outcome counts"},
  };
  const KbContents healthy = contents_;
  for (const Break& b : breaks) {
    contents_ = healthy;
    std::filesystem::remove_all(dir_.Sub("kb"));
    b.change(&block(1).outcomes[4]);
    ExpectOnly(5, "R1:r1.p01.l4", b.problem);
  }
}

TEST_F(CheckTest, Requirement5BlocksDecode) {
  Summarise(&contents_);
  absl::StatusOr<std::unique_ptr<Store>> store = Store::Open(dir_.Sub("kb"), Store::Mode::kWrite);
  ASSERT_TRUE(store.ok());
  ASSERT_TRUE((*store)->PutRun(contents_.run).ok());
  std::vector<EncodedBlock> blocks = EncodeRound(contents_, 0);
  blocks[0].attempts.resize(blocks[0].attempts.size() / 2);
  ASSERT_TRUE((*store)->CommitRound(contents_.rounds[0], blocks).ok());
  const absl::StatusOr<CheckReport> report = CheckStore(**store, 1000);
  ASSERT_TRUE(report.ok()) << report.status();
  bool named = false;
  for (const Finding& finding : report->findings) {
    named |= finding.requirement == 5 && finding.where == "R1:r0.p01.l0";
    EXPECT_NE(finding.where, "R1:r0.p71.l0") << "the block behind it is sound";
  }
  EXPECT_TRUE(named) << Describe(*report);
}

TEST_F(CheckTest, Requirement6Sources) {
  block(2).sources[block(2).source_begin[7]] = 40;
  // What was read from lane 7 is now unfounded as well: take a lane that read nothing of it.
  Summarise(&contents_);
  const CheckReport report = Check();
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings[0].requirement, 6) << Describe(report);
  EXPECT_EQ(report.findings[0].where, "R1:r2.p01.l7");
  EXPECT_THAT(report.findings[0].problem, HasSubstr("its source, lane 40, is none"));
}

TEST_F(CheckTest, Requirement6SourcesInRoundZero) {
  AttemptBlock& first = block(0);
  first.sources.push_back(3);
  for (size_t i = 10; i < first.source_begin.size(); ++i) first.source_begin[i] = 1;
  ExpectOnly(6, "R1:r0.p01.l9", "it is in round 0 and has a source");
}

TEST_F(CheckTest, Requirement6Reception) {
  block(1).outcomes[0].reception = Reception::kSolo;
  const int i = Find(1, [](const AttemptBlock& b, int k) { return b.intake_of(k).empty(); });
  block(1).outcomes[0].reception = Reception::kConditioned;
  block(1).outcomes[i].reception = Reception::kSolo;
  ExpectOnly(6, Format(block(1).id(i)), "it is solo");
}

TEST_F(CheckTest, Requirement7NotesHoldWhatWasRead) {
  // In the last round, so that no later note rests on it.
  const int i = Find(3, [](const AttemptBlock& b, int k) {
    return b.outcomes[k].reception == Reception::kConditioned && !b.note_of(k).empty() &&
           b.note_of(k)[0].attempt() != b.id(k);
  });
  // A claim that exists, of another lane that this one did not read.
  const int other =
      Find(2, [&](const AttemptBlock& b, int k) { return k != i && !b.new_claims_of(k).empty(); });
  block(3).notes[block(3).note_begin[i]] = ClaimId::Of(block(2).id(other), 0);
  Summarise(&contents_);
  const CheckReport report = Check();
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings[0].requirement, 7) << Describe(report);
  EXPECT_EQ(report.findings[0].where, Format(block(3).id(i)));
  EXPECT_THAT(report.findings[0].problem, HasSubstr("which no source of it held"));
}

TEST_F(CheckTest, Requirement7NotesHoldNoUnwrittenClaim) {
  const int i = Find(3, [](const AttemptBlock& b, int k) {
    return !b.note_of(k).empty() && b.note_of(k)[0].attempt() != b.id(k);
  });
  block(3).notes[block(3).note_begin[i]] = ClaimId::Of(block(3).id(i), 31);
  ExpectOnly(7, Format(block(3).id(i)), "which it did not write");
}

TEST_F(CheckTest, Requirement8ClaimFields) {
  const KbContents healthy = contents_;
  int place = 0;
  const int i = FindChange(3, Change::kBorn, &place);
  struct Break {
    std::function<Claim(Claim)> change;
    const char* problem;
  };
  const Break breaks[] = {
      {[](Claim c) { return c.WithLabel(static_cast<Label>(11)); }, "its label is unknown"},
      {[](Claim c) { return c.WithStance(static_cast<Stance>(5)); }, "its stance is unknown"},
      {[](Claim c) { return c.WithKnob(8); }, "its knob 8 is none"},
      {[](Claim c) { return c.WithValue(9); }, "its value 9 is none"},
      {[](Claim c) { return c.WithKnob(kNoSubject); }, "it has a value, but no knob"},
      {[](Claim c) { return c.WithValue(kNoSubject).WithStance(Stance::kUse); },
       "it advises on no value"},
      {[](Claim c) { return c.WithStampRound(4); }, "tested in a later round"},
      {[](Claim c) { return Claim{c.bits | uint64_t{1} << 63}; }, "bits without a meaning"},
  };
  for (const Break& b : breaks) {
    contents_ = healthy;
    std::filesystem::remove_all(dir_.Sub("kb"));
    Claim& claim = new_claim(3, i, place).claim;
    claim = b.change(claim);
    ExpectOnly(8, Format(ClaimId::Of(block(3).id(i), place)), b.problem);
  }
}

TEST_F(CheckTest, Requirement8ClaimsStandInANote) {
  const int i = Find(3, [](const AttemptBlock& b, int k) {
    return !b.new_claims_of(k).empty() && b.note_of(k).back().attempt() == b.id(k);
  });
  const ClaimId gone = block(3).note_of(i).back();
  block(3).notes.erase(block(3).notes.begin() + block(3).note_begin[i + 1] - 1);
  for (size_t k = i + 1; k < block(3).note_begin.size(); ++k) --block(3).note_begin[k];
  --block(3).outcomes[i].note_size;
  Summarise(&contents_);
  const CheckReport report = Check();
  bool named = false;
  for (const Finding& finding : report.findings) {
    named |= finding.requirement == 8 && finding.where == Format(gone);
  }
  EXPECT_TRUE(named) << Describe(report);
}

TEST_F(CheckTest, Requirement9Parents) {
  int place = 0;
  const KbContents healthy = contents_;
  int i = FindChange(3, Change::kHedgeLost, &place);
  const std::string where = Format(ClaimId::Of(block(3).id(i), place));
  struct Break {
    std::function<void(NewClaim*)> change;
    const char* problem;
  };
  const ClaimId own = ClaimId::Of(block(3).id(i), 0);
  const ClaimId unread = ClaimId::Of(AttemptId::Of(1, 0, 0, i == 0 ? 1 : 0), 31);
  const Break breaks[] = {
      {[](NewClaim* c) { c->change = Change::kBorn; }, "it was born, yet has a parent"},
      {[](NewClaim* c) { c->change = Change::kMerged; }, "merged from 1 parents, not 2"},
      {[](NewClaim* c) { c->change = Change::kCopied; }, "its change is unknown"},
      {[](NewClaim* c) { c->change = static_cast<Change>(9); }, "its change is unknown"},
      {[](NewClaim* c) { c->parents[0] = {}; }, "it was changed, yet has no parent"},
      {[&](NewClaim* c) { c->parents[0] = own; }, "is no older"},
      {[&](NewClaim* c) { c->parents[0] = unread; }, "stood in no note it read"},
  };
  for (const Break& b : breaks) {
    contents_ = healthy;
    std::filesystem::remove_all(dir_.Sub("kb"));
    b.change(&new_claim(3, i, place));
    ExpectOnly(9, where, b.problem);
  }
}

TEST_F(CheckTest, Requirement10Intake) {
  const int i = Find(3, [](const AttemptBlock& b, int k) {
    // An entry that was dropped: nothing else rests on it.
    if (b.intake_of(k).empty()) return false;
    const ClaimId id = b.intake_of(k)[0].parents[0];
    for (const ClaimId held : b.note_of(k)) {
      if (held == id) return false;
    }
    for (const NewClaim& claim : b.new_claims_of(k)) {
      if (claim.parents[0] == id) return false;
    }
    return true;
  });
  block(3).intake[block(3).intake_begin[i]].parents[0] =
      ClaimId::Of(AttemptId::Of(1, 0, 0, i == 0 ? 1 : 0), 31);
  ExpectOnly(10, Format(block(3).id(i)), "which no source of it held");
}

TEST_F(CheckTest, Requirement11DigestOfAProblem) {
  contents_.rounds[2].set_problem_digests(1, contents_.rounds[2].problem_digests(1) ^ 1);
  contents_.rounds[2].set_digest(contents_.rounds[2].problem_digests(0) +
                                 contents_.rounds[2].problem_digests(1));
  ExpectOnly(11, "R1:r2.p71", "another digest", false);
}

TEST_F(CheckTest, Requirement11DigestOfARound) {
  contents_.rounds[2].set_digest(contents_.rounds[2].digest() + 1);
  ExpectOnly(11, "R1:r2", "not the sum", false);
}

TEST_F(CheckTest, Requirement11SeesEveryPartOfAnAttempt) {
  const KbContents healthy = contents_;
  int place = 0;
  const int i = FindChange(3, Change::kHedgeLost, &place);
  const std::function<void()> changes[] = {
      [&] { ++block(3).outcomes[i].seconds; },
      [&] { new_claim(3, i, place).claim = new_claim(3, i, place).claim.WithConfidence(15); },
      [&] { new_claim(3, i, place).change = Change::kGeneralised; },
  };
  for (const auto& change : changes) {
    contents_ = healthy;
    std::filesystem::remove_all(dir_.Sub("kb"));
    change();
    ExpectOnly(11, "R1:r3.p01", "another digest", false);
  }
}

TEST_F(CheckTest, Requirement13Baselines) {
  contents_.baselines[1].outcomes.pop_back();
  ExpectOnly(13, "R1:p71", "79 baselines of 1 agents a lane, not 80 of 1");
}

TEST_F(CheckTest, Requirement13BaselinesThere) {
  contents_.baselines.pop_back();
  ExpectOnly(13, "R1:p71", "has no baselines of run R1, problem p71");
}

TEST_F(CheckTest, Requirement13BaselinesInRange) {
  contents_.baselines[0].outcomes[8].submissions = 12;
  ExpectOnly(13, "R1:p01", "12 submissions are more than 10");
}

TEST_F(CheckTest, Requirement15Counts) {
  contents_.rounds[1].set_claims_born(3);
  ExpectOnly(15, "R1:r1", "its record counts 3 claims born", false);
}

// Puts an entry past the store, as a program of another mind might.
void PutRaw(const std::string& kb, const std::string& family, const std::string& key,
            const std::string& value) {
  std::vector<std::string> names;
  ASSERT_TRUE(rocksdb::DB::ListColumnFamilies({}, kb, &names).ok());
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (const std::string& name : names) families.emplace_back(name, rocksdb::ColumnFamilyOptions());
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* db = nullptr;
  ASSERT_TRUE(rocksdb::DB::Open({}, kb, families, &handles, &db).ok());
  for (rocksdb::ColumnFamilyHandle* handle : handles) {
    if (handle->GetName() == family) {
      ASSERT_TRUE(db->Put(rocksdb::WriteOptions(), handle, key, value).ok());
    }
    ASSERT_TRUE(db->DestroyColumnFamilyHandle(handle).ok());
  }
  delete db;
}

TEST_F(CheckTest, Requirement14Texts) {
  extra_ = [](Store* store) { ASSERT_TRUE(store->PutText(TextRecord()).ok()); };
  EXPECT_THAT(Check().findings, IsEmpty());
  TextRecord text;
  text.set_number(5);
  PutRaw(dir_.Sub("kb"), "texts", TextKey(2), text.SerializeAsString());
  absl::StatusOr<std::unique_ptr<Store>> store = Store::Open(dir_.Sub("kb"), Store::Mode::kRead);
  ASSERT_TRUE(store.ok()) << store.status();
  const absl::StatusOr<CheckReport> report = CheckStore(**store, 10);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_THAT(Requirements(*report), ElementsAre(14)) << Describe(*report);
  EXPECT_EQ(report->findings[0].where, "text 2");
}

TEST_F(CheckTest, Requirement4NoBlockOfAnUnrecordedRound) {
  EXPECT_THAT(Check().findings, IsEmpty());
  AttemptBlock stray = block(3);
  stray.first = AttemptId::Of(1, 4, 0, 0);
  PutRaw(dir_.Sub("kb"), "attempts", BlockKey(stray.first), EncodeBlock(stray));
  absl::StatusOr<std::unique_ptr<Store>> store = Store::Open(dir_.Sub("kb"), Store::Mode::kRead);
  ASSERT_TRUE(store.ok()) << store.status();
  const absl::StatusOr<CheckReport> report = CheckStore(**store, 10);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_THAT(Requirements(*report), ElementsAre(4)) << Describe(*report);
}

}  // namespace
}  // namespace hearsay
