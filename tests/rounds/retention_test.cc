// Runs that drop rounds as they go keep exactly what a plain walk over a run that kept everything
// finds, whenever they were folded and wherever they were killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "kb/codec.h"
#include "kb/fold.h"
#include "kb/store_internal.h"
#include "rocksdb/env.h"
#include "rounds/engine.h"
#include "rounds/plan.h"
#include "tests/kb/faulty_disk.h"
#include "tests/rounds/rounds_testing.h"

namespace hearsay {
namespace {

using ::testing::HasSubstr;

constexpr size_t kNever = size_t{1} << 40;  // to ingest

// All that a run keeps, in words that a test can print.
std::map<std::string, std::string> Contents(const Store& store, int run) {
  std::map<std::string, std::string> contents;
  const auto rounds = store.Rounds(run);
  EXPECT_TRUE(rounds.ok()) << rounds.status();
  for (const RoundRecord& round : *rounds) {
    contents[absl::StrCat("round ", round.round())] = round.DebugString();
    const absl::Status scanned =
        store.ScanEncoded(run, round.round(), [&](AttemptId first, absl::string_view bytes) {
          contents[absl::StrCat("block ", Format(first))] = std::string(bytes);
          const auto receivers = store.Receivers(first);
          contents[absl::StrCat("receivers ", Format(first))] =
              receivers.ok() ? absl::StrJoin(*receivers, ",") : "dropped";
          return true;
        });
    EXPECT_TRUE(scanned.ok()) << scanned;
  }
  const auto record = store.Run(run);
  EXPECT_TRUE(record.ok());
  for (const int problem : record->problems()) {
    const auto kept = store.KeptClaims(run, problem);
    EXPECT_TRUE(kept.ok()) << kept.status();
    for (const KeptBlock& block : ChangedBlocks({}, *kept)) {
      contents[absl::StrCat("kept ", Format(block.first))] = block.claims;
    }
  }
  return contents;
}

// The slow twin: walks over every attempt of a run that kept all.
class Walk {
 public:
  explicit Walk(const Store& all) {
    const absl::Status scanned = all.ScanRun(1, [&](const AttemptBlock& block) {
      for (int i = 0; i < block.size(); ++i) {
        int place = 0;
        for (const NewClaim& made : block.new_claims_of(i)) {
          const ClaimId id = ClaimId::Of(block.id(i), place++);
          claims_[id] = {id, made, block.outcomes[i].agent, id.attempt().round(), 0, 0, 0, 0};
        }
      }
      last_ = std::max(last_, block.first.round());
      blocks_.push_back(block);
      return true;
    });
    EXPECT_TRUE(scanned.ok()) << scanned;
  }

  // The kept claims of a problem, ascending.
  std::vector<KeptClaim> Kept(const Retention& retention, int problem) const {
    std::map<ClaimId, KeptClaim> claims = claims_;
    std::set<ClaimId> wanted, tallied;
    for (const AttemptBlock& block : blocks_) {
      const bool whole = retention.Whole(block.first.round(), last_);
      for (int i = 0; i < block.size(); ++i) {
        if (whole) {
          Refer(block, i, &wanted);
        } else {
          Count(block, i, &claims, &tallied);
        }
      }
    }
    for (const ClaimId pin : retention.pins) wanted.insert(pin);
    if (retention.kind == Retention::Kind::kAncestral) {
      std::vector<ClaimId> open(wanted.begin(), wanted.end());
      while (!open.empty()) {
        const ClaimId id = open.back();
        open.pop_back();
        for (const ClaimId parent : claims.at(id).made.parents) {
          if (!parent.none() && wanted.insert(parent).second) open.push_back(parent);
        }
      }
    }
    std::vector<KeptClaim> kept;
    for (auto& [id, claim] : claims) {
      if (id.attempt().problem() != problem) continue;
      if (!retention.Whole(id.attempt().round(), last_)) {
        if (wanted.contains(id)) kept.push_back(claim);
      } else if (tallied.contains(id)) {
        claim.made = NewClaim();
        claim.agent = 0;
        kept.push_back(claim);
      }
    }
    return kept;
  }

 private:
  static void Refer(const AttemptBlock& block, int i, std::set<ClaimId>* wanted) {
    const auto add = [&](ClaimId id) {
      if (!id.none()) wanted->insert(id);
    };
    for (const ClaimId id : block.note_of(i)) add(id);
    for (const IntakeEntry& entry : block.intake_of(i)) {
      for (const ClaimId id : entry.parents) add(id);
    }
    for (const NewClaim& made : block.new_claims_of(i)) {
      for (const ClaimId id : made.parents) add(id);
    }
  }

  static void Count(const AttemptBlock& block, int i, std::map<ClaimId, KeptClaim>* claims,
                    std::set<ClaimId>* tallied) {
    const Outcome& outcome = block.outcomes[i];
    for (const ClaimId id : block.note_of(i)) {
      KeptClaim& claim = claims->at(id);
      ++claim.carriers;
      claim.last_round = std::max(claim.last_round, block.first.round());
      tallied->insert(id);
    }
    for (size_t slot = 0; slot < block.intake_of(i).size(); ++slot) {
      const auto& parents = block.intake_of(i)[slot].parents;
      for (const ClaimId id : std::set<ClaimId>{parents[0], parents[1]}) {
        if (id.none()) continue;
        KeptClaim& claim = claims->at(id);
        claim.adopted += outcome.adopted >> slot & 1;
        claim.confirmed += outcome.confirmed >> slot & 1;
        claim.refuted += outcome.refuted >> slot & 1;
        if (((outcome.adopted | outcome.confirmed | outcome.refuted) >> slot & 1) != 0) {
          tallied->insert(id);
        }
      }
    }
  }

  std::map<ClaimId, KeptClaim> claims_;
  std::vector<AttemptBlock> blocks_;
  int last_ = 0;
};

class RetentionTest : public KbTest {
 protected:
  // Into a kb on a disk that syncs nothing, which makes many small runs quick.
  std::unique_ptr<Store> Run(const std::string& name, const Plan& plan, int rounds_to_fold) {
    auto opened = OpenWithEnv((dir_ / name).string(), Store::Mode::kWrite, {}, env_.get());
    EXPECT_TRUE(opened.ok()) << opened.status();
    std::unique_ptr<Store> store = *std::move(opened);
    RunOptions options;
    options.rounds_to_fold = rounds_to_fold;
    const auto run = ExecutePlan(plan, options, store.get());
    EXPECT_TRUE(run.ok()) << run.status();
    return store;
  }

  const std::unique_ptr<rocksdb::Env> env_ =
      rocksdb::NewCompositeEnv(std::make_shared<FaultyDisk>());

  // REQUIRES: problems p09 and p71, more than 2 lanes.
  static void ExpectKeeps(const Retention& retention, const std::string& words, const Store& all,
                          const Walk& walk, const Store& store) {
    EXPECT_EQ(Digests(store, 1), Digests(all, 1));
    const int last = static_cast<int>(Digests(all, 1).size()) - 1;
    for (const int problem : {8, 70}) {
      const auto kept = store.KeptClaims(1, problem);
      ASSERT_TRUE(kept.ok()) << kept.status();
      EXPECT_TRUE(*kept == walk.Kept(retention, problem));
      EXPECT_EQ(kept->empty(), words == "every:1");
    }
    const auto whole = Contents(all, 1);
    for (const auto& [name, bytes] : Contents(store, 1)) {
      if (!name.starts_with("block")) continue;
      EXPECT_EQ(bytes, whole.at(name)) << name;
    }
    for (int round = 0; round <= last; ++round) {
      const AttemptId attempt = AttemptId::Of(1, round, 70, 2);
      const auto block = store.BlockOf(attempt);
      EXPECT_EQ(block.ok(), retention.Whole(round, last));
      if (block.ok()) {
        EXPECT_TRUE(store.Note(attempt).ok());
        EXPECT_TRUE(store.NotesOfRound(1, round, 70).ok());
        continue;
      }
      EXPECT_EQ(block.status().code(), absl::StatusCode::kNotFound);
      EXPECT_THAT(std::string(block.status().message()),
                  HasSubstr(absl::StrCat("did not keep attempt ", Format(attempt),
                                         ": R1 was made with --retain ", words)));
    }
    ExpectHealthy(store);
  }

  static Plan With(Plan plan, const std::string& retain, const std::vector<std::string>& pins) {
    plan.set_retain(retain);
    for (const std::string& pin : pins) plan.add_pins(pin);
    const absl::Status complete = CompletePlan(&plan);
    EXPECT_TRUE(complete.ok()) << complete;
    return plan;
  }
};

struct FoldCase {
  std::string retain;
  std::vector<std::string> pins;
  int rounds_to_fold;
};

TEST_F(RetentionTest, KeepsWhatAPlainWalkFinds) {
  const FoldCase cases[] = {{"last:1", {}, 1},    {"last:4", {}, 3},
                            {"every:1", {}, 1},   {"every:4", {}, 2},
                            {"every:4", {}, 100}, {"ancestral", {}, 1},
                            {"ancestral", {}, 5}, {"ancestral", {"r2.p71.l3#1", "r0.p09.l6#1"}, 3}};
  int number = 0;
  for (const std::string topology :
       {"relay", "fanout:2", "pool:3,uniform", "pool:2,best", "pool:4,standing"}) {
    const std::string policies =
        number % 2 == 0 ? "" : "policies { name: 'retract' strength: 0.9 }";
    const Plan plan = PlanOf(absl::StrCat("problems: 'p09,p71' lanes: 7 rounds: 14 topology: '",
                                          topology, "' seed: ", ++number, " ", policies));
    const std::unique_ptr<Store> all = Run(absl::StrCat("all", number), plan, 1);
    const Walk walk(*all);
    for (const FoldCase& one : cases) {
      const std::string words = absl::StrCat(number, one.retain, one.rounds_to_fold);
      SCOPED_TRACE(absl::StrCat(topology, " ", policies, " ", words));
      const Plan with = With(plan, one.retain, one.pins);
      const std::unique_ptr<Store> store = Run(words, with, one.rounds_to_fold);
      ExpectKeeps(*RetentionOf(with), one.retain, *all, walk, *store);
      if (HasFailure()) return;
    }
  }
}

TEST_F(RetentionTest, FoldsOverTheBordersOfBlocks) {
  const Plan plan = PlanOf("problems: 'p71' lanes: 1030 rounds: 5 topology: 'pool:3,uniform'");
  const std::unique_ptr<Store> all = Run("all", plan, 1);
  const Walk walk(*all);
  for (const std::string retain : {"last:2", "every:2", "ancestral"}) {
    const Plan with = With(plan, retain, {});
    const std::unique_ptr<Store> store = Run(retain, with, 2);
    const auto kept = store->KeptClaims(1, 70);
    ASSERT_TRUE(kept.ok()) << kept.status();
    EXPECT_TRUE(*kept == walk.Kept(*RetentionOf(with), 70)) << retain;
    EXPECT_GT(kept->size(), 1000u);
    ExpectHealthy(*store);
  }
}

TEST_F(RetentionTest, AnotherRunOfTheKbIsLeftAlone) {
  const Plan plan = PlanOf("problems: 'p09,p71' lanes: 5 rounds: 6");
  const std::unique_ptr<Store> store = OpenKb("kb");
  Execute(plan, store.get());
  const auto before = Contents(*store, 1);
  Execute(With(plan, "ancestral", {}), store.get());
  Execute(plan, store.get());
  EXPECT_EQ(Contents(*store, 1), before);
  EXPECT_EQ(Digests(*store, 2), Digests(*store, 1));
  EXPECT_EQ(Contents(*store, 3).size(), before.size());
  ExpectHealthy(*store);
}

int64_t BytesIn(const std::filesystem::path& directory) {
  int64_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    std::error_code gone;  // since it was listed
    const auto size = std::filesystem::file_size(entry.path(), gone);
    if (!gone && entry.is_regular_file()) bytes += static_cast<int64_t>(size);
  }
  return bytes;
}

TEST_F(RetentionTest, GivesTheDiskBack) {
  const Plan plan = PlanOf("problems: 'p09,p71' lanes: 400 rounds: 60");
  for (const size_t threshold : {size_t{0}, kNever}) {
    int64_t end[2], most[2] = {0, 0};
    for (const bool folded : {false, true}) {
      const std::filesystem::path kb = dir_ / absl::StrCat(threshold, folded);
      const auto store = OpenWithEnv(kb.string(), Store::Mode::kWrite,
                                     {.ingest_threshold_bytes = threshold}, env_.get());
      ASSERT_TRUE(store.ok()) << store.status();
      RunOptions options;
      options.rounds_to_fold = 5;
      options.progress = [&](const RunProgress&) {
        most[folded] = std::max(most[folded], BytesIn(kb));
      };
      const auto run =
          ExecutePlan(With(plan, folded ? "last:4" : "all", {}), options, store->get());
      ASSERT_TRUE(run.ok()) << run.status();
      end[folded] = BytesIn(kb);
    }
    // 4 of 60 rounds in the end, with what the log leaves; on the way 7 more, and those in flight.
    EXPECT_LT(end[1], end[0] / 4);
    EXPECT_LT(most[1], most[0] / 2);
  }
}

TEST_F(RetentionTest, APinOfNoClaimStopsTheRun) {
  const Plan plan =
      PlanOf("problems: 'p71' lanes: 2 rounds: 6 retain: 'ancestral' pins: 'r2.p71.l1#32'");
  const std::unique_ptr<Store> store = OpenKb("kb");
  const auto run = ExecutePlan(plan, RunOptions(), store.get());
  EXPECT_EQ(run.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(run.status().message(), "pin 'r2.p71.l1#32': R1:r2.p71.l1 wrote no such claim");
  EXPECT_EQ(ResumeRun(1, RunOptions(), store.get()).status(), run.status());
}

struct FaultCase {
  std::string name, retain;
  size_t ingest_threshold_bytes;
  FaultyDisk::Fault fault;
};

class RetentionFaultTest : public KbTest, public ::testing::WithParamInterface<FaultCase> {};

INSTANTIATE_TEST_SUITE_P(
    All, RetentionFaultTest,
    ::testing::Values(FaultCase{"LastIngested", "last:2", 0, FaultyDisk::Fault::kDead},
                      FaultCase{"EveryLogged", "every:3", kNever, FaultyDisk::Fault::kDead},
                      FaultCase{"AncestralIngested", "ancestral", 0, FaultyDisk::Fault::kDead},
                      FaultCase{"AncestralLogged", "ancestral", kNever, FaultyDisk::Fault::kDead},
                      FaultCase{"FullLast", "last:2", 0, FaultyDisk::Fault::kFull},
                      FaultCase{"FullAncestral", "ancestral", kNever, FaultyDisk::Fault::kFull}),
    [](const auto& info) { return info.param.name; });

TEST_P(RetentionFaultTest, StoppedAtAnyWriteResumesToTheSameContents) {
  const Plan plan = PlanOf(
      absl::StrCat("problems: 'p09,p71' lanes: 4 rounds: 6 topology: 'pool:2,best' retain: '",
                   GetParam().retain, "'"));
  StoreOptions store_options;
  store_options.ingest_threshold_bytes = GetParam().ingest_threshold_bytes;
  RunOptions options;
  options.rounds_to_fold = 2;
  std::map<std::string, std::string> expected;
  int64_t writes = 0;
  int folded_when_stopped = 0;
  for (int64_t nth = INT64_MAX; nth == INT64_MAX || nth <= writes; nth += 1 + nth / 4) {
    const std::string kb = (dir_ / absl::StrCat("kb", nth)).string();
    SCOPED_TRACE(absl::StrCat("stopped at write ", nth));
    const auto disk = std::make_shared<FaultyDisk>();
    const std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(disk);
    disk->FailAt(GetParam().fault, nth);
    {
      const auto store = OpenWithEnv(kb, Store::Mode::kWrite, store_options, env.get());
      ASSERT_TRUE(store.ok() || nth < INT64_MAX);
      if (store.ok()) ExecutePlan(plan, options, store->get()).IgnoreError();
      if (nth == INT64_MAX) {  // the run left alone
        expected = Contents(**store, 1);
        ASSERT_GT(expected.size(), 10u);
        writes = disk->changes();
        nth = 0;
        continue;
      }
    }
    const std::unique_ptr<rocksdb::Env> sound =
        rocksdb::NewCompositeEnv(std::make_shared<FaultyDisk>());
    const auto store = OpenWithEnv(kb, Store::Mode::kWrite, store_options, sound.get());
    ASSERT_TRUE(store.ok()) << store.status();
    const auto run = (*store)->Run(1);
    if (!run.ok()) {
      ASSERT_TRUE(ExecutePlan(plan, options, store->get()).ok());
    } else if (run->state() != RunRecord::COMPLETE) {
      ExpectHealthy(**store);
      const auto rounds = (*store)->Rounds(1);
      ASSERT_TRUE(rounds.ok());
      folded_when_stopped += !rounds->empty() && rounds->front().dropped();
      const auto resumed = ResumeRun(1, options, store->get());
      ASSERT_TRUE(resumed.ok()) << resumed.status();
    }
    EXPECT_EQ(Contents(**store, 1), expected);
    ExpectHealthy(**store);
    if (HasFailure()) return;
  }
  EXPECT_GT(writes, 40);
  // every:3 never drops round 0.
  EXPECT_EQ(folded_when_stopped > 0, GetParam().retain != "every:3");
}

}  // namespace
}  // namespace hearsay
