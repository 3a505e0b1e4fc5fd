#include "tests/lineage/lineage_testing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "kb/codec.h"

namespace hearsay {
namespace {

absl::Status NotHere() { return absl::UnimplementedError("not a part of this test"); }

Outcome OutcomeOf(const TestAttempt& attempt) {
  Outcome outcome = attempt.outcome;
  outcome.intake_size = static_cast<uint8_t>(attempt.intake.size());
  outcome.note_size = static_cast<uint8_t>(attempt.note.size());
  return outcome;
}

}  // namespace

TinyAtlas::TinyAtlas() {
  space_.knobs = {{KnobKind::kMove, "move", {"none", "all"}},
                  {KnobKind::kTile, "tile", {"16", "32", "64", "128"}}};
  space_.strides = {1, 2};
  constexpr int kNever = -1;
  constexpr int kTileSpeedLg[kDslCount][4] = {{1024, 2048, kNever, 3072},
                                              {1024, 1536, 2560, kNever}};
  const uint8_t difficulty[kMaxKnobs][kMaxValues] = {};
  for (int d = 0; d < kDslCount; ++d) {
    std::vector<Entry> entries;
    for (int point = 0; point < 8; ++point) {
      const int lg = kTileSpeedLg[d][point / 2];
      const bool moved = point % 2 == 1;
      entries.push_back(lg == kNever ? Entry::Failure(Status::kCompileError)
                                     : Entry::Speed(moved ? lg : 0));
    }
    landscapes_[d] = std::make_unique<Landscape>(space_, static_cast<Dsl>(d),
                                                 LandscapeSource::kImported, entries, difficulty);
  }
}

const Landscape& TinyAtlas::Get(int problem_index, Dsl dsl) {
  ++asked_;
  return *landscapes_[static_cast<int>(dsl)];
}

Claim Closure(int tile, Dsl dsl, Stance stance) {
  return Claim{}
      .WithKnob(kTileKnob)
      .WithValue(tile)
      .WithLabel(Label::kUnsupportedClosure)
      .WithStance(stance)
      .WithDsl(dsl);
}

Claim Advice(int tile, Dsl dsl) {
  return Closure(tile, dsl, Stance::kUse).WithLabel(Label::kMeasuredGain);
}

TestRun::TestRun(std::vector<int> problems, int lanes) {
  record.set_run(kTestRun);
  for (int problem : problems) record.add_problems(problem);
  record.set_lanes(lanes);
  record.add_agents("ada");
  record.add_agents("bob");
  record.set_claims_recorded(true);
}

TestAttempt& TestRun::At(int round, int problem, int lane) {
  CommitUpTo(round + 1);
  return attempts_[AttemptId::Of(kTestRun, round, problem, lane)];
}

ClaimId TestRun::Make(int round, int problem, int lane, Claim claim, Change change, ClaimId parent,
                      ClaimId other) {
  TestAttempt& attempt = At(round, problem, lane);
  const ClaimId id = ClaimId::Of(AttemptId::Of(kTestRun, round, problem, lane),
                                 static_cast<int>(attempt.made.size()));
  attempt.made.push_back({claim, change, {parent, other}});
  attempt.note.push_back(id);
  return id;
}

void TestRun::Carry(int round, int problem, int lane, ClaimId claim) {
  At(round, problem, lane).note.push_back(claim);
}

uint32_t TestRun::Read(int round, int problem, int lane, ClaimId claim, ClaimId other) {
  TestAttempt& attempt = At(round, problem, lane);
  attempt.intake.push_back({{claim, other}});
  return uint32_t{1} << (attempt.intake.size() - 1);
}

void TestRun::CommitUpTo(int rounds) { rounds_ = std::max(rounds_, rounds); }

AttemptBlock TestRun::Block(int round, int problem, int first_lane) const {
  AttemptBlock block;
  block.first = AttemptId::Of(kTestRun, round, problem, first_lane);
  const int end = std::min(first_lane + kBlockLanes, record.lanes());
  static const TestAttempt kNothing;
  for (int lane = first_lane; lane < end; ++lane) {
    const auto found = attempts_.find(AttemptId::Of(kTestRun, round, problem, lane));
    const TestAttempt& attempt = found == attempts_.end() ? kNothing : found->second;
    block.outcomes.push_back(OutcomeOf(attempt));
    block.sources.insert(block.sources.end(), attempt.sources.begin(), attempt.sources.end());
    block.source_begin.push_back(static_cast<uint32_t>(block.sources.size()));
    if (!record.claims_recorded()) continue;
    block.notes.insert(block.notes.end(), attempt.note.begin(), attempt.note.end());
    block.note_begin.push_back(static_cast<uint32_t>(block.notes.size()));
    block.new_claims.insert(block.new_claims.end(), attempt.made.begin(), attempt.made.end());
    block.new_begin.push_back(static_cast<uint32_t>(block.new_claims.size()));
    block.intake.insert(block.intake.end(), attempt.intake.begin(), attempt.intake.end());
    block.intake_begin.push_back(static_cast<uint32_t>(block.intake.size()));
  }
  return block;
}

absl::StatusOr<std::vector<RunRecord>> TestRun::Runs() const { return std::vector{record}; }

absl::StatusOr<RunRecord> TestRun::Run(int run) const {
  if (run != kTestRun) return absl::NotFoundError("no such run");
  return record;
}

absl::StatusOr<std::vector<RoundRecord>> TestRun::Rounds(int run) const {
  std::vector<RoundRecord> rounds(rounds_);
  for (int round = 0; round < rounds_; ++round) {
    rounds[round].set_run(kTestRun);
    rounds[round].set_round(round);
    rounds[round].set_digest(round_digest);
  }
  return rounds;
}

absl::StatusOr<BaselineBlock> TestRun::Baselines(int run, int problem) const {
  const auto found = baselines.find(problem);
  if (found == baselines.end()) return absl::NotFoundError("no baselines");
  return found->second;
}

absl::Status TestRun::ScanRun(int run,
                              const std::function<bool(const AttemptBlock&)>& visit) const {
  bool more = true;
  for (int round = 0; round < rounds_ && more; ++round) {
    absl::Status status = ScanRound(run, round, -1, [&](const AttemptBlock& block) {
      more = visit(block);
      return more;
    });
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status TestRun::ScanRound(int run, int round, int problem,
                                const std::function<bool(const AttemptBlock&)>& visit) const {
  for (int index : record.problems()) {
    if (problem >= 0 && index != problem) continue;
    for (int lane = 0; lane < record.lanes(); lane += kBlockLanes) {
      if (!visit(Block(round, index, lane))) return absl::OkStatus();
    }
  }
  return absl::OkStatus();
}

absl::Status TestRun::ScanEncoded(
    int run, int round, const std::function<bool(AttemptId, absl::string_view)>& visit) const {
  return ScanRound(run, round, -1, [&](const AttemptBlock& block) {
    return visit(block.first, EncodeBlock(block));
  });
}

absl::StatusOr<int> TestRun::NextRun() const { return NotHere(); }
absl::Status TestRun::PutRun(const RunRecord&) { return NotHere(); }
absl::Status TestRun::CommitRound(const RoundRecord&, const std::vector<EncodedBlock>&) {
  return NotHere();
}
absl::Status TestRun::CommitFold(int, const Fold&) { return NotHere(); }
absl::Status TestRun::Compact(int) { return NotHere(); }
absl::StatusOr<std::vector<KeptClaim>> TestRun::KeptClaims(int, int) const {
  return std::vector<KeptClaim>();
}
absl::Status TestRun::Sync() { return NotHere(); }
absl::Status TestRun::Flush() { return NotHere(); }
absl::StatusOr<StoreSizes> TestRun::Sizes() const { return NotHere(); }
absl::Status TestRun::PutBaselines(int, int, const BaselineBlock&) { return NotHere(); }
absl::StatusOr<AttemptBlock> TestRun::BlockOf(AttemptId) const { return NotHere(); }
absl::StatusOr<NewClaim> TestRun::FindClaim(ClaimId) const { return NotHere(); }
absl::StatusOr<std::vector<NotedClaim>> TestRun::Note(AttemptId) const { return NotHere(); }
absl::StatusOr<std::vector<uint32_t>> TestRun::Receivers(AttemptId) const { return NotHere(); }
absl::StatusOr<int> TestRun::PutText(const TextRecord&) { return NotHere(); }
absl::StatusOr<TextRecord> TestRun::Text(int) const { return NotHere(); }
absl::StatusOr<std::vector<TextRecord>> TestRun::Texts() const { return NotHere(); }

std::unique_ptr<ClaimTable> LoadTable(const TestRun& run, Atlas& atlas, int problem) {
  absl::StatusOr<std::unique_ptr<ClaimTable>> table =
      ClaimTable::Load(run, kTestRun, atlas, problem);
  if (!table.ok()) {
    ADD_FAILURE() << table.status();
    return nullptr;
  }
  return *std::move(table);
}

std::unique_ptr<TestRun> RandomRun(uint64_t seed, int rounds, int lanes) {
  std::mt19937_64 random(seed);
  const auto below = [&](int bound) { return static_cast<int>(random() % bound); };
  const std::vector<int> problems = {4, 70};
  auto run = std::make_unique<TestRun>(problems, lanes);
  // What each claim says, so that a change keeps its subject.
  std::map<ClaimId, Claim> said;
  for (int round = 0; round < rounds; ++round) {
    for (int problem : problems) {
      for (int lane = 0; lane < lanes; ++lane) {
        TestAttempt& attempt = run->At(round, problem, lane);
        attempt.outcome.agent = static_cast<uint8_t>(below(2));
        attempt.outcome.dsl = static_cast<Dsl>(below(2));
        // The notes of up to two sources, in one list.
        std::vector<ClaimId> offered;
        for (int s = below(3); round > 0 && s > 0; --s) {
          const int source = below(lanes);
          const std::vector<ClaimId> note = run->At(round - 1, problem, source).note;
          offered.insert(offered.end(), note.begin(), note.end());
        }
        std::sort(offered.begin(), offered.end());
        offered.erase(std::unique(offered.begin(), offered.end()), offered.end());
        for (ClaimId claim : offered) {
          if (attempt.intake.size() >= 20) break;
          const uint32_t bit = run->Read(round, problem, lane, claim);
          if (below(3) == 0) attempt.outcome.adopted |= bit;
          if (below(5) == 0) attempt.outcome.confirmed |= bit;
          if (below(5) == 0) attempt.outcome.refuted |= bit;
          const Claim before = said[claim];
          switch (below(6)) {
            case 0:
            case 1:
            case 2:
              run->Carry(round, problem, lane, claim);
              break;
            case 3: {
              const Claim now = before.WithHedged(false).WithConfidence(below(16));
              said[run->Make(round, problem, lane, now, Change::kHedgeLost, claim)] = now;
              break;
            }
            case 4: {
              const ClaimId other = offered[below(static_cast<int>(offered.size()))];
              const Claim now = before.WithStance(static_cast<Stance>(below(kStanceCount)));
              said[run->Make(round, problem, lane, now, Change::kMerged, claim, other)] = now;
              break;
            }
            default:
              break;
          }
        }
        if (below(3) == 0) {
          const Claim born = Closure(below(4), attempt.outcome.dsl,
                                     below(2) == 0 ? Stance::kInfeasible : Stance::kNotWorthIt)
                                 .WithHedged(below(2) == 0)
                                 .WithLabel(static_cast<Label>(below(kLabelCount)));
          said[run->Make(round, problem, lane, born)] = born;
        }
      }
    }
  }
  return run;
}

Outcome Passed(int speed_lg) {
  Outcome outcome;
  outcome.passed = 1;
  outcome.speed_lg = static_cast<int16_t>(speed_lg);
  return outcome;
}

}  // namespace hearsay
