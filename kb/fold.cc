#include "kb/fold.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "kb/kept_claims.h"
#include "tasks/thread_pool.h"

namespace hearsay {
namespace {

// The rounds of a run, seen from its last.
struct FoldPlan {
  std::vector<int> drop;   // whole until now, ascending
  std::vector<int> first;  // whole rounds that follow one that is not
  std::vector<bool> whole;
};

FoldPlan MakePlan(const std::vector<RoundRecord>& rounds, const Retention& retention) {
  FoldPlan plan;
  const int last = static_cast<int>(rounds.size()) - 1;
  for (int round = 0; round <= last; ++round) {
    plan.whole.push_back(retention.Whole(round, last));
    if (!plan.whole[round] && !rounds[round].dropped()) plan.drop.push_back(round);
    if (plan.whole[round] && round > 0 && !plan.whole[round - 1]) plan.first.push_back(round);
  }
  return plan;
}

// The claims of one problem on their way from what was kept to what will be.
class ProblemFold {
 public:
  // `store` and `plan` must outlive it.
  ProblemFold(const Store& store, int run, int problem, const FoldPlan& plan,
              std::vector<KeptClaim> kept)
      : store_(store), run_(run), problem_(problem), plan_(plan), claims_(std::move(kept)) {
    for (size_t i = 0; i < claims_.size(); ++i) index_[claims_[i].id.value] = i;
  }

  absl::StatusOr<std::vector<KeptClaim>> Run(const Retention& retention) {
    for (const int round : plan_.drop) {
      if (absl::Status s = Visit(round, &ProblemFold::Drop); !s.ok()) return s;
    }
    wanted_.assign(claims_.size(), false);
    // What a whole round refers to was read in it or in the whole rounds just before, back to the
    // first of them.
    for (const int round : plan_.first) {
      if (absl::Status s = Visit(round, &ProblemFold::WantReferences); !s.ok()) return s;
    }
    for (const ClaimId pin : retention.pins) {
      const AttemptId author = pin.attempt();
      if (author.problem() != problem_) continue;
      Want(ClaimId::Of(AttemptId::Of(run_, author.round(), problem_, author.lane()), pin.place()));
    }
    if (retention.kind == Retention::Kind::kAncestral) WantAncestors();
    std::vector<KeptClaim> kept;
    for (size_t i = 0; i < claims_.size(); ++i) {
      if (wanted_[i] || plan_.whole[claims_[i].id.attempt().round()]) kept.push_back(claims_[i]);
    }
    std::sort(kept.begin(), kept.end(),
              [](const KeptClaim& a, const KeptClaim& b) { return a.id < b.id; });
    return kept;
  }

 private:
  absl::Status Visit(int round, absl::Status (ProblemFold::*add)(const AttemptBlock&)) {
    absl::Status status;
    status.Update(store_.ScanRound(run_, round, problem_, [&](const AttemptBlock& block) {
      status = (this->*add)(block);
      return status.ok();
    }));
    return status;
  }

  KeptClaim& Add(ClaimId id) {
    index_[id.value] = claims_.size();
    KeptClaim& claim = claims_.emplace_back();
    claim.id = id;
    claim.last_round = id.attempt().round();
    return claim;
  }

  // Of a claim whose round stays whole only the counts are kept. Errors: kDataLoss.
  absl::StatusOr<KeptClaim*> Find(ClaimId id, AttemptId reader) {
    const auto found = index_.find(id.value);
    if (found != index_.end()) return &claims_[found->second];
    const int round = id.attempt().round();
    if (round < reader.round() && plan_.whole[round]) return &Add(id);
    return absl::DataLossError(
        absl::StrCat(Format(reader), ": refers to ", Format(id), ", which was not kept"));
  }

  absl::Status Drop(const AttemptBlock& block) {
    for (int i = 0; i < block.size(); ++i) {
      int place = 0;
      for (const NewClaim& made : block.new_claims_of(i)) {
        KeptClaim& claim = Add(ClaimId::Of(block.id(i), place++));
        claim.made = made;
        claim.agent = block.outcomes[i].agent;
      }
      for (const ClaimId id : block.note_of(i)) {
        const absl::StatusOr<KeptClaim*> claim = Find(id, block.id(i));
        if (!claim.ok()) return claim.status();
        ++(*claim)->carriers;
        (*claim)->last_round = std::max((*claim)->last_round, block.first.round());
      }
      if (absl::Status s = CountDeeds(block, i); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  absl::Status CountDeeds(const AttemptBlock& block, int i) {
    const Outcome& outcome = block.outcomes[i];
    uint32_t bit = 1;
    for (const IntakeEntry& entry : block.intake_of(i)) {
      const bool touched = ((outcome.adopted | outcome.confirmed | outcome.refuted) & bit) != 0;
      // One claim merged with itself is one claim.
      const int parents = entry.parents[1].none() || entry.parents[1] == entry.parents[0] ? 1 : 2;
      for (int p = 0; touched && p < parents; ++p) {
        const absl::StatusOr<KeptClaim*> claim = Find(entry.parents[p], block.id(i));
        if (!claim.ok()) return claim.status();
        (*claim)->adopted += (outcome.adopted & bit) != 0;
        (*claim)->confirmed += (outcome.confirmed & bit) != 0;
        (*claim)->refuted += (outcome.refuted & bit) != 0;
      }
      bit <<= 1;
    }
    return absl::OkStatus();
  }

  void Want(ClaimId id) {
    const auto found = index_.find(id.value);
    if (found != index_.end()) wanted_[found->second] = true;
  }

  absl::Status WantReferences(const AttemptBlock& block) {
    for (const ClaimId id : block.notes) Want(id);
    for (const IntakeEntry& entry : block.intake) {
      for (const ClaimId id : entry.parents) Want(id);
    }
    for (const NewClaim& made : block.new_claims) {
      for (const ClaimId id : made.parents) Want(id);
    }
    return absl::OkStatus();
  }

  // Parents are older than what was made of them, and so stand before it.
  void WantAncestors() {
    for (size_t i = claims_.size(); i-- > 0;) {
      if (!wanted_[i]) continue;
      for (const ClaimId parent : claims_[i].made.parents) Want(parent);
    }
  }

  const Store& store_;
  const int run_, problem_;
  const FoldPlan& plan_;
  std::vector<KeptClaim> claims_;  // by id, but for those of whole rounds, which are last
  absl::flat_hash_map<uint64_t, size_t> index_;
  std::vector<bool> wanted_;
};

using Claims = absl::Span<const KeptClaim>;

// The claims of the block that begins with claims[begin], which is one of `claims`.
Claims BlockFrom(Claims claims, size_t begin) {
  const AttemptId first = FirstOfBlock(claims[begin].id.attempt());
  size_t end = begin;
  while (end < claims.size() && FirstOfBlock(claims[end].id.attempt()) == first) ++end;
  return claims.subspan(begin, end - begin);
}

}  // namespace

std::vector<KeptBlock> ChangedBlocks(Claims before, Claims after) {
  std::vector<KeptBlock> changes;
  const auto first_of = [](Claims claims) {
    return claims.empty() ? AttemptId{UINT64_MAX} : FirstOfBlock(claims[0].id.attempt());
  };
  for (size_t b = 0, a = 0; b < before.size() || a < after.size();) {
    const Claims was = b < before.size() ? BlockFrom(before, b) : Claims();
    const Claims is = a < after.size() ? BlockFrom(after, a) : Claims();
    const AttemptId first = std::min(first_of(was), first_of(is));
    const bool had = first_of(was) == first, has = first_of(is) == first;
    if (!had || !has || was != is) {
      changes.push_back({first, has ? EncodeKept(is) : std::string()});
    }
    b += had ? was.size() : 0;
    a += has ? is.size() : 0;
  }
  return changes;
}

namespace {

struct FoldedProblem {
  absl::Status status;
  std::vector<KeptBlock> blocks;  // to be replaced
  std::vector<int64_t> counts;    // [round] of what is kept
  std::vector<uint64_t> digests;
};

absl::Status FoldProblem(const Store& store, int run, int problem, const FoldPlan& plan,
                         const Retention& retention, FoldedProblem* folded) {
  const absl::StatusOr<std::vector<KeptClaim>> before = store.KeptClaims(run, problem);
  if (!before.ok()) return before.status();
  if (!before->empty() &&
      before->back().id.attempt().round() >= static_cast<int>(plan.whole.size())) {
    return absl::DataLossError(
        absl::StrCat(Format(before->back().id), ": it is kept of a round that has no record"));
  }
  const auto after = ProblemFold(store, run, problem, plan, *before).Run(retention);
  if (!after.ok()) return after.status();
  folded->counts.resize(plan.whole.size());
  folded->digests.resize(plan.whole.size());
  for (const KeptClaim& claim : *after) {
    const int round = claim.id.attempt().round();
    ++folded->counts[round];
    folded->digests[round] += KeptDigest(claim);
  }
  folded->blocks = ChangedBlocks(*before, *after);
  return absl::OkStatus();
}

}  // namespace

absl::Status FoldRun(int run, const Retention& retention, int threads, Store* store) {
  const absl::StatusOr<RunRecord> record = store->Run(run);
  if (!record.ok()) return record.status();
  absl::StatusOr<std::vector<RoundRecord>> rounds = store->Rounds(run);
  if (!rounds.ok()) return rounds.status();
  const FoldPlan plan = MakePlan(*rounds, retention);
  if (plan.drop.empty()) return absl::OkStatus();
  std::vector<FoldedProblem> problems(record->problems_size());
  ThreadPool(threads).For(record->problems_size(), [&](int slot) {
    problems[slot].status =
        FoldProblem(*store, run, record->problems(slot), plan, retention, &problems[slot]);
  });
  Fold fold;
  fold.drop = plan.drop;
  std::vector<RoundRecord> changed = *rounds;
  for (size_t r = 0; r < changed.size(); ++r) {
    changed[r].set_dropped(!plan.whole[r]);
    changed[r].set_kept_claims(0);
    changed[r].set_kept_digest(0);
  }
  for (FoldedProblem& problem : problems) {
    if (!problem.status.ok()) return problem.status;
    for (size_t r = 0; r < changed.size(); ++r) {
      changed[r].set_kept_claims(changed[r].kept_claims() + problem.counts[r]);
      changed[r].set_kept_digest(changed[r].kept_digest() + problem.digests[r]);
    }
    std::move(problem.blocks.begin(), problem.blocks.end(), std::back_inserter(fold.claims));
  }
  for (size_t r = 0; r < changed.size(); ++r) {
    const RoundRecord& was = (*rounds)[r];
    const RoundRecord& is = changed[r];
    if (is.dropped() != was.dropped() || is.kept_claims() != was.kept_claims() ||
        is.kept_digest() != was.kept_digest()) {
      fold.rounds.push_back(is);
    }
  }
  return store->CommitFold(run, fold);
}

}  // namespace hearsay
