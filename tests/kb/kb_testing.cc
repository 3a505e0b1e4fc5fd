#include "tests/kb/kb_testing.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "kb/codec.h"
#include "tasks/digest.h"

namespace hearsay {

TempDir::TempDir() {
  std::string name = testing::TempDir() + "/hearsay_kb_XXXXXX";
  if (mkdtemp(name.data()) == nullptr) std::abort();
  path_ = name;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

bool operator==(const NewClaim& a, const NewClaim& b) {
  return a.claim == b.claim && a.change == b.change && a.parents[0] == b.parents[0] &&
         a.parents[1] == b.parents[1];
}

bool operator==(const IntakeEntry& a, const IntakeEntry& b) {
  return a.parents[0] == b.parents[0] && a.parents[1] == b.parents[1];
}

bool operator==(const AttemptBlock& a, const AttemptBlock& b) {
  return a.first == b.first && a.outcomes == b.outcomes && a.source_begin == b.source_begin &&
         a.sources == b.sources && a.note_begin == b.note_begin && a.notes == b.notes &&
         a.new_begin == b.new_begin && a.new_claims == b.new_claims &&
         a.intake_begin == b.intake_begin && a.intake == b.intake;
}

namespace {

constexpr int kTestAgents = 3;

// A claim with its provenance, as the next round reads it.
struct Held {
  ClaimId id;
  Claim claim;
};

Claim RandomClaim(TestRandom* random, int round, Dsl dsl) {
  struct Kind {
    Label label;
    Stance stance;
  };
  constexpr Kind kKinds[] = {{Label::kMeasuredGain, Stance::kUse},
                             {Label::kMeasuredLoss, Stance::kNotWorthIt},
                             {Label::kVerifiedReformulation, Stance::kUse},
                             {Label::kUnsupportedClosure, Stance::kInfeasible},
                             {Label::kUnverifiedAssertion, Stance::kUse},
                             {Label::kOpenQuestion, Stance::kOpen},
                             {Label::kUnsupportedClosure, Stance::kNotWorthIt}};
  const Kind kind = kKinds[random->Below(7)];
  const int support = random->Below(4);
  return Claim()
      .WithKnob(random->Below(2))
      .WithValue(random->Below(2))
      .WithLabel(kind.label)
      .WithStance(kind.stance)
      .WithDsl(dsl)
      .WithHedged(random->OneIn(2))
      .WithConfidence(3 + random->Below(10))
      .WithEffectEighths(random->Below(40) - 10)
      .WithSupport(support)
      .WithAgainst(random->Below(2))
      .WithStampRound(round);
}

Outcome RandomOutcome(TestRandom* random, int round, int agent) {
  Outcome o;
  o.submissions = static_cast<uint8_t>(1 + random->Below(10));
  o.passed = random->Below(10) < 7;
  o.failures = static_cast<uint8_t>(o.passed ? random->Below(o.submissions) : o.submissions);
  o.bugs = static_cast<uint8_t>(random->Below(o.failures + 1));
  if (o.passed) {
    o.speed_lg = static_cast<int16_t>(random->Below(4000) - 200);
    o.point = static_cast<uint16_t>(random->Below(4096));
  }
  o.seconds = static_cast<uint16_t>(300 + random->Below(2101));
  o.events = static_cast<uint8_t>(random->Below(64));
  o.agent = static_cast<uint8_t>(agent);
  o.dsl = static_cast<Dsl>(round % 2);
  return o;
}

// One attempt being made.
struct Draft {
  Outcome outcome;
  std::vector<uint32_t> sources;
  std::vector<IntakeEntry> intake;
  std::vector<NewClaim> fresh;
  std::vector<ClaimId> note;
};

void AddBorn(TestRandom* random, AttemptId id, int count, Draft* draft) {
  for (int c = 0; c < count && draft->note.size() < kMaxNoteClaims; ++c) {
    draft->note.push_back(ClaimId::Of(id, static_cast<int>(draft->fresh.size())));
    draft->fresh.push_back(
        {RandomClaim(random, id.round(), draft->outcome.dsl), Change::kBorn, {}});
  }
}

// Reads what the sources hold: one entry a claim, some pairs on one subject merged.
std::vector<Claim> TakeIn(TestRandom* random, const std::vector<const std::vector<Held>*>& notes,
                          Draft* draft) {
  std::vector<Claim> read;
  for (const std::vector<Held>* note : notes) {
    for (const Held& held : *note) {
      if (draft->intake.size() == kMaxNoteClaims) return read;
      const auto same = [&](const IntakeEntry& entry) {
        return entry.parents[0] == held.id || entry.parents[1] == held.id;
      };
      if (std::any_of(draft->intake.begin(), draft->intake.end(), same)) continue;
      IntakeEntry* partner = nullptr;
      for (size_t e = 0; e < read.size(); ++e) {
        if (notes.size() > 1 && read[e].subject() == held.claim.subject() &&
            draft->intake[e].parents[1].none() && random->OneIn(2)) {
          partner = &draft->intake[e];
        }
      }
      if (partner != nullptr) {
        partner->parents[1] = held.id;
        continue;
      }
      draft->intake.push_back({{held.id, {}}});
      read.push_back(held.claim);
    }
  }
  return read;
}

// Copies, changes and drops what was read.
void PassOn(TestRandom* random, AttemptId id, const std::vector<Claim>& read, Draft* draft) {
  std::vector<NewClaim> changed;
  for (size_t e = 0; e < read.size(); ++e) {
    const IntakeEntry& entry = draft->intake[e];
    const int fate = random->Below(10);
    if (draft->note.size() + changed.size() >= 14) break;
    if (fate < 3) continue;
    if (!entry.parents[1].none()) {
      changed.push_back(
          {read[e].WithSupport(15), Change::kMerged, {entry.parents[0], entry.parents[1]}});
    } else if (fate < 8) {
      draft->note.push_back(entry.parents[0]);
    } else if (fate == 8) {
      changed.push_back({read[e].WithHedged(false), Change::kHedgeLost, {entry.parents[0], {}}});
    } else {
      changed.push_back(
          {read[e].WithStampRound(id.round()), Change::kStrengthened, {entry.parents[0], {}}});
    }
  }
  for (const NewClaim& claim : changed) {
    draft->note.push_back(ClaimId::Of(id, static_cast<int>(draft->fresh.size())));
    draft->fresh.push_back(claim);
  }
}

void Append(const Draft& draft, bool claims, AttemptBlock* block) {
  Outcome o = draft.outcome;
  o.intake_size = static_cast<uint8_t>(draft.intake.size());
  o.note_size = static_cast<uint8_t>(draft.note.size());
  block->outcomes.push_back(o);
  const auto append = [](const auto& from, auto* to, std::vector<uint32_t>* begin) {
    to->insert(to->end(), from.begin(), from.end());
    begin->push_back(static_cast<uint32_t>(to->size()));
  };
  append(draft.sources, &block->sources, &block->source_begin);
  if (!claims) return;
  append(draft.note, &block->notes, &block->note_begin);
  append(draft.fresh, &block->new_claims, &block->new_begin);
  append(draft.intake, &block->intake, &block->intake_begin);
}

// The notes of one problem's lanes in one round, claims resolved.
using Notes = std::vector<std::vector<Held>>;

Draft DraftAttempt(TestRandom* random, const KbShape& shape, AttemptId id, const Notes& before) {
  Draft draft;
  draft.outcome = RandomOutcome(random, id.round(), id.lane() % kTestAgents);
  if (id.round() == 0) {
    AddBorn(random, id, random->Below(7), &draft);
    return draft;
  }
  draft.sources = {static_cast<uint32_t>(id.lane())};
  while (shape.topology == TestTopology::kPool && draft.sources.size() < 3) {
    const uint32_t lane = static_cast<uint32_t>(random->Below(shape.lanes));
    if (std::find(draft.sources.begin(), draft.sources.end(), lane) == draft.sources.end()) {
      draft.sources.push_back(lane);
    }
    if (static_cast<int>(draft.sources.size()) == shape.lanes) break;
  }
  std::vector<const std::vector<Held>*> notes;
  size_t held = 0;
  for (const uint32_t lane : draft.sources) {
    notes.push_back(&before[lane]);
    held += before[lane].size();
  }
  if (held == 0 || random->OneIn(25)) {
    draft.outcome.reception = held == 0 ? Reception::kSkipped : Reception::kGated;
    AddBorn(random, id, 1 + random->Below(4), &draft);
    return draft;
  }
  draft.outcome.reception = Reception::kConditioned;
  draft.outcome.following = static_cast<Following>(random->Below(3));
  const std::vector<Claim> read = TakeIn(random, notes, &draft);
  const uint32_t all = static_cast<uint32_t>((uint64_t{1} << draft.intake.size()) - 1);
  draft.outcome.adopted = static_cast<uint32_t>(random->Bits()) & all;
  draft.outcome.confirmed = draft.outcome.adopted & static_cast<uint32_t>(random->Bits());
  draft.outcome.refuted = all & ~draft.outcome.confirmed & static_cast<uint32_t>(random->Bits());
  PassOn(random, id, read, &draft);
  AddBorn(random, id, random->Below(4), &draft);
  return draft;
}

BaselineBlock RandomBaselines(TestRandom* random, int lanes) {
  BaselineBlock baselines;
  for (int i = 0; i < lanes * kDslCount; ++i) {
    baselines.outcomes.push_back(RandomOutcome(random, i % 2, i / kDslCount % kTestAgents));
  }
  return baselines;
}

}  // namespace

KbContents RandomContents(uint64_t seed, const KbShape& shape) {
  TestRandom random(seed);
  KbContents contents;
  RunRecord& run = contents.run;
  run.set_run(shape.run);
  run.set_seed(seed);
  for (const int problem : shape.problems) run.add_problems(problem);
  for (const char* agent : {"careful", "bold", "hasty"}) run.add_agents(agent);
  run.set_lanes(shape.lanes);
  run.set_rounds(shape.rounds);
  run.set_hardware("h200");
  run.set_claims_recorded(shape.claims_recorded);
  run.set_software("hearsay test");
  run.set_state(RunRecord::COMPLETE);
  run.set_topology(shape.topology == TestTopology::kRelay ? "relay" : "pool:3,uniform");
  for (size_t p = 0; p < shape.problems.size(); ++p) {
    contents.baselines.push_back(RandomBaselines(&random, shape.lanes));
  }
  std::vector<Notes> before(shape.problems.size());
  for (int round = 0; round < shape.rounds; ++round) {
    std::vector<AttemptBlock>& blocks = contents.blocks.emplace_back();
    RoundRecord& record = contents.rounds.emplace_back();
    record.set_run(shape.run);
    record.set_round(round);
    std::vector<Notes> after(shape.problems.size());
    for (size_t p = 0; p < shape.problems.size(); ++p) {
      for (int lane = 0; lane < shape.lanes; ++lane) {
        const AttemptId id = AttemptId::Of(shape.run, round, shape.problems[p], lane);
        if (lane % kBlockLanes == 0) blocks.emplace_back().first = id;
        const Draft draft = DraftAttempt(&random, shape, id, before[p]);
        Append(draft, shape.claims_recorded, &blocks.back());
        std::vector<Held>& note = after[p].emplace_back();
        for (const ClaimId claim : draft.note) {
          if (claim.attempt() == id) {
            note.push_back({claim, draft.fresh[claim.place()].claim});
            continue;
          }
          for (const uint32_t source : draft.sources) {
            const std::vector<Held>& held = before[p][source];
            const auto at = std::find_if(held.begin(), held.end(),
                                         [&](const Held& h) { return h.id == claim; });
            if (at == held.end()) continue;
            note.push_back(*at);
            break;
          }
        }
      }
    }
    before = std::move(after);
  }
  Summarise(&contents);
  return contents;
}

std::vector<std::vector<std::vector<uint32_t>>> ReceiversOf(const KbContents& contents, int round) {
  std::vector<std::vector<std::vector<uint32_t>>> receivers;
  for (const AttemptBlock& block : contents.blocks[round]) {
    std::vector<std::vector<uint32_t>>& lanes = receivers.emplace_back(block.size());
    if (round + 1 >= static_cast<int>(contents.blocks.size())) continue;
    for (const AttemptBlock& reader : contents.blocks[round + 1]) {
      if (reader.first.problem() != block.first.problem()) continue;
      for (int i = 0; i < reader.size(); ++i) {
        for (const uint32_t source : reader.sources_of(i)) {
          const int at = static_cast<int>(source) - block.first.lane();
          if (at < 0 || at >= block.size()) continue;
          lanes[at].push_back(static_cast<uint32_t>(reader.id(i).lane()));
        }
      }
    }
  }
  return receivers;
}

void Summarise(KbContents* contents) {
  // Claims as they are in the contents, by id: all rounds' new claims, in order.
  std::vector<Held> all;
  for (const std::vector<AttemptBlock>& blocks : contents->blocks) {
    for (const AttemptBlock& block : blocks) {
      for (int i = 0; block.has_claims() && i < block.size(); ++i) {
        for (size_t c = 0; c < block.new_claims_of(i).size(); ++c) {
          all.push_back(
              {ClaimId::Of(block.id(i), static_cast<int>(c)), block.new_claims_of(i)[c].claim});
        }
      }
    }
  }
  const auto claim_of = [&](ClaimId id) {
    const auto at = std::lower_bound(all.begin(), all.end(), id,
                                     [](const Held& held, ClaimId x) { return held.id < x; });
    return at != all.end() && at->id == id ? at->claim : Claim{};
  };
  contents->receivers.clear();
  for (size_t round = 0; round < contents->blocks.size(); ++round) {
    RoundRecord& record = contents->rounds[round];
    std::vector<uint64_t> digests(contents->run.problems_size());
    int64_t attempts = 0, passed = 0, born = 0, closures = 0;
    for (const AttemptBlock& block : contents->blocks[round]) {
      const auto& problems = contents->run.problems();
      const auto p = std::find(problems.begin(), problems.end(), block.first.problem());
      for (int i = 0; i < block.size(); ++i) {
        AttemptDigest digest(static_cast<uint32_t>(round),
                             static_cast<uint32_t>(block.first.problem()),
                             static_cast<uint32_t>(block.id(i).lane()));
        digest.Add(block.outcomes[i]);
        digest.Add(block.sources_of(i).size());
        for (const uint32_t source : block.sources_of(i)) digest.Add(uint64_t{source});
        bool closure = false;
        if (block.has_claims()) {
          for (const ClaimId id : block.note_of(i)) {
            const bool fresh = id.attempt() == block.id(i);
            const Claim claim = claim_of(id);
            const bool known =
                fresh && id.place() < static_cast<int>(block.new_claims_of(i).size());
            digest.Add(claim, known ? block.new_claims_of(i)[id.place()].change : Change::kCopied);
            closure |= claim.label() == Label::kUnsupportedClosure;
          }
          born += static_cast<int64_t>(block.new_claims_of(i).size());
        }
        if (p != problems.end()) digests[p - problems.begin()] += digest.Finish();
        ++attempts;
        passed += block.outcomes[i].passed;
        closures += closure;
      }
    }
    record.clear_problem_digests();
    uint64_t sum = 0;
    for (const uint64_t digest : digests) {
      record.add_problem_digests(digest);
      sum += digest;
    }
    record.set_digest(sum);
    record.set_attempts(attempts);
    record.set_passed(passed);
    record.set_claims_born(born);
    record.set_notes_with_closure(closures);
    contents->receivers.push_back(ReceiversOf(*contents, static_cast<int>(round)));
  }
}

std::vector<EncodedBlock> EncodeRound(const KbContents& contents, int round) {
  std::vector<EncodedBlock> encoded;
  for (size_t b = 0; b < contents.blocks[round].size(); ++b) {
    const AttemptBlock& block = contents.blocks[round][b];
    EncodedBlock& out = encoded.emplace_back();
    out.first = block.first;
    out.attempts = EncodeBlock(block);
  }
  return encoded;
}

absl::Status WriteContents(const KbContents& contents, Store* store) {
  if (absl::Status s = store->PutRun(contents.run); !s.ok()) return s;
  for (size_t p = 0; p < contents.baselines.size(); ++p) {
    absl::Status s = store->PutBaselines(
        contents.run.run(), contents.run.problems(static_cast<int>(p)), contents.baselines[p]);
    if (!s.ok()) return s;
  }
  for (size_t round = 0; round < contents.rounds.size(); ++round) {
    absl::Status s =
        store->CommitRound(contents.rounds[round], EncodeRound(contents, static_cast<int>(round)));
    if (!s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status BuildRandomKb(const std::string& path, uint64_t seed, int lanes, int rounds,
                           TestTopology topology) {
  absl::StatusOr<std::unique_ptr<Store>> store = Store::Open(path, Store::Mode::kWrite);
  if (!store.ok()) return store.status();
  KbShape shape;
  shape.lanes = lanes;
  shape.rounds = rounds;
  shape.topology = topology;
  return WriteContents(RandomContents(seed, shape), store->get());
}

AttemptBlock RandomBlock(TestRandom* random, AttemptId first, int lanes, bool claims) {
  AttemptBlock block;
  block.first = first;
  const auto any_claim = [&] {
    // Near and far: most of the last rounds, some of any.
    const int round = random->OneIn(4) ? random->Below(kMaxRounds)
                                       : std::max(0, first.round() - 1 - random->Below(20));
    const int lane = random->OneIn(3) ? random->Below(kMaxLanes) : first.lane();
    return ClaimId::Of(AttemptId::Of(first.run(), round, first.problem(), lane),
                       random->Below(kMaxNewClaims));
  };
  for (int i = 0; i < lanes; ++i) {
    Draft draft;
    const uint64_t words[4] = {random->Bits(), random->Bits(), random->Bits(), random->Bits()};
    if (random->OneIn(3)) {
      memcpy(&draft.outcome, words, sizeof(words));
    } else {
      draft.outcome = RandomOutcome(random, first.round(), 1);
    }
    for (int s = random->Below(kMaxSources + 1); s > 0; --s) {
      draft.sources.push_back(static_cast<uint32_t>(random->Below(kMaxLanes)));
    }
    const bool full = random->OneIn(10);
    for (int e = full ? kMaxIntake : random->Below(kMaxNoteClaims + 1); e > 0; --e) {
      draft.intake.push_back({{any_claim(), random->OneIn(4) ? any_claim() : ClaimId{}}});
    }
    for (int c = full ? kMaxNewClaims : random->Below(7); c > 0; --c) {
      NewClaim claim{{random->Bits()}, static_cast<Change>(random->Below(256)), {}};
      if (random->OneIn(3)) {
        claim.parents[0] = any_claim();
        if (random->OneIn(2)) claim.parents[1] = any_claim();
      } else if (random->OneIn(2) && !draft.intake.empty()) {
        const IntakeEntry& entry =
            draft.intake[random->Below(static_cast<int>(draft.intake.size()))];
        claim.parents[0] = entry.parents[0];
        claim.parents[1] = entry.parents[1];
      }
      draft.fresh.push_back(claim);
    }
    // The two usual orders of a note, and any other.
    const int form = random->Below(3);
    const auto add_new = [&] {
      for (size_t c = 0; c < draft.fresh.size(); ++c) {
        draft.note.push_back(ClaimId::Of(block.id(i), static_cast<int>(c)));
      }
    };
    if (form == 1) add_new();
    for (const IntakeEntry& entry : draft.intake) {
      if (entry.parents[1].none() && random->OneIn(2)) draft.note.push_back(entry.parents[0]);
    }
    if (form == 0) add_new();
    if (form == 2) {
      add_new();
      for (int k = random->Below(3); k > 0; --k) draft.note.push_back(any_claim());
      for (size_t k = draft.note.size(); k > 1; --k) {
        std::swap(draft.note[k - 1], draft.note[random->Below(static_cast<int>(k))]);
      }
    }
    const Outcome sizes_as_drawn = draft.outcome;
    Append(draft, claims, &block);
    if (random->OneIn(5)) block.outcomes.back().note_size = sizes_as_drawn.note_size;
    if (random->OneIn(5)) block.outcomes.back().intake_size = sizes_as_drawn.intake_size;
  }
  return block;
}

}  // namespace hearsay
