// Reading and checking a run, round by round, on many threads.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "kb/codec.h"
#include "kb/retention.h"
#include "kb/round_check.h"

namespace hearsay {

RunCheck::RunCheck(const Store& store, const RunRecord& run, ThreadPool* pool)
    : store_(store), run_(run), pool_(*pool) {
  for (const int problem : run.problems()) problems_.emplace_back(store, run, problem);
}

void ProblemCheck::CheckKept(absl::Span<const RoundRecord> records, bool closed,
                             Findings* findings) {
  dropped_.clear();
  for (const RoundRecord& record : records) dropped_.push_back(record.dropped());
  absl::StatusOr<std::vector<KeptClaim>> kept = store_.KeptClaims(run_.run(), problem_);
  if (!kept.ok()) {
    findings->Add(17, absl::StrCat("R", run_.run(), ":", FormatProblem(problem_)),
                  kept.status().message());
    return;
  }
  kept_ = *std::move(kept);
  for (const KeptClaim& claim : kept_) {
    if (!WasDropped(claim.id)) continue;  // counts only, of a claim whose round is whole
    const std::string fault = ClaimFault(claim.made.claim, claim.id.attempt().round());
    if (!fault.empty()) findings->Add(8, Format(claim.id), fault);
    for (const ClaimId parent : claim.made.parents) {
      if (!closed || parent.none() || FindKept(kept_, parent) != nullptr) continue;
      findings->Add(17, Format(claim.id), absl::StrCat("its parent ", Format(parent), " is lost"));
    }
  }
}

bool ProblemCheck::WasDropped(ClaimId id) const {
  const auto round = static_cast<size_t>(id.attempt().round());
  return round < dropped_.size() && dropped_[round];
}

void RunCheck::ForEachProblem(
    Findings* findings, const std::function<void(size_t slot, Findings* findings)>& body) const {
  std::vector<CheckReport> reports(problems_.size());
  pool_.For(static_cast<int>(problems_.size()), [&](int slot) {
    Findings of_problem(findings->max(), reports[slot]);
    body(static_cast<size_t>(slot), &of_problem);
  });
  for (const CheckReport& report : reports) findings->Add(report);
}

std::vector<ProblemBlocks> RunCheck::ReadRound(int round, Findings* findings) const {
  std::vector<ProblemBlocks> blocks(problems_.size());
  std::vector<std::vector<std::pair<AttemptId, std::string>>> encoded(problems_.size());
  const absl::Status scanned =
      store_.ScanEncoded(run_.run(), round, [&](AttemptId first, absl::string_view bytes) {
        const auto slot =
            std::lower_bound(run_.problems().begin(), run_.problems().end(), first.problem());
        if (slot == run_.problems().end() || *slot != first.problem()) {
          findings->Add(4, Format(first), "no block of its run starts there");
        } else {
          encoded[slot - run_.problems().begin()].emplace_back(first, bytes);
        }
        return true;
      });
  const auto add = [&](size_t slot, AttemptId first, absl::StatusOr<AttemptBlock> block,
                       Findings* of_problem) {
    if (block.ok()) {
      blocks[slot].push_back(*std::move(block));
    } else if (!absl::IsNotFound(block.status())) {
      of_problem->Add(5, Format(first), block.status().message());
    }
  };
  ForEachProblem(findings, [&](size_t slot, Findings* of_problem) {
    if (scanned.ok()) {
      for (const auto& [first, bytes] : encoded[slot]) {
        add(slot, first, DecodeBlock(first, bytes), of_problem);
      }
      return;
    }
    // A scan ends at the first damage. One by one, the blocks behind it can still be looked at.
    for (int lane = 0; lane < run_.lanes(); lane += kBlockLanes) {
      const AttemptId first =
          AttemptId::Of(run_.run(), round, run_.problems(static_cast<int>(slot)), lane);
      add(slot, first, store_.BlockOf(first), of_problem);
    }
  });
  return blocks;
}

void RunCheck::CheckKept(absl::Span<const RoundRecord> records, Findings* findings) {
  const absl::StatusOr<Retention> retention = ParseRetention(run_.retain());
  const bool closed = retention.ok() && retention->kind == Retention::Kind::kAncestral;
  ForEachProblem(findings, [&](size_t slot, Findings* of_problem) {
    problems_[slot].CheckKept(records, closed, of_problem);
  });
  std::vector<int64_t> counts(records.size());
  std::vector<uint64_t> digests(records.size());
  for (const ProblemCheck& problem : problems_) {
    for (const KeptClaim& claim : problem.kept()) {
      const size_t round = static_cast<size_t>(claim.id.attempt().round());
      if (round >= records.size()) {
        findings->Add(17, Format(claim.id), "it is kept of a round that has no record");
        continue;
      }
      ++counts[round];
      digests[round] += KeptDigest(claim);
    }
  }
  for (size_t r = 0; r < records.size(); ++r) {
    const std::string where = absl::StrCat("R", run_.run(), ":r", r);
    if (counts[r] != records[r].kept_claims()) {
      findings->Add(17, where,
                    absl::StrCat("its record counts ", records[r].kept_claims(),
                                 " kept claims, there are ", counts[r]));
    } else if (digests[r] != records[r].kept_digest()) {
      findings->Add(17, where, "its kept claims have another digest than its record says");
    }
  }
}

void RunCheck::Check(const RoundRecord& record, Findings* findings, CheckReport* report) {
  std::vector<ProblemBlocks> blocks = ReadRound(record.round(), findings);
  for (const ProblemBlocks& of_problem : blocks) {
    for (const AttemptBlock& block : of_problem) {
      report->attempts += block.size();
      report->claims += static_cast<int64_t>(block.new_claims.size());
    }
  }
  ++report->rounds;
  if (record.dropped()) {
    for (const ProblemBlocks& of_problem : blocks) {
      for (const AttemptBlock& block : of_problem) {
        findings->Add(17, Format(block.first), "it is there, though its round was dropped");
      }
    }
    for (ProblemCheck& problem : problems_) problem.PassOver();
    CheckDigests(record, findings);
    return;
  }
  std::vector<ProblemCheck::Totals> totals(problems_.size());
  ForEachProblem(findings, [&](size_t slot, Findings* of_problem) {
    totals[slot] = problems_[slot].Check(record.round(), std::move(blocks[slot]), of_problem);
  });
  CheckTotals(record, totals, findings);
}

void RunCheck::CheckEnd(int rounds, Findings* findings) {
  if (rounds == kMaxRounds) return;
  // Blocks past the last record would belong to a round that was not committed whole.
  const absl::Status scanned =
      store_.ScanEncoded(run_.run(), rounds, [&](AttemptId first, absl::string_view) {
        findings->Add(4, Format(first), "it belongs to a round that has no record");
        return false;
      });
  if (!scanned.ok()) {
    findings->Add(5, absl::StrCat("R", run_.run(), ":r", rounds), scanned.message());
  }
}

void RunCheck::CheckDigests(const RoundRecord& record, Findings* findings) const {
  const std::string where = absl::StrCat("R", record.run(), ":r", record.round());
  if (record.problem_digests_size() != run_.problems_size()) {
    findings->Add(11, where,
                  absl::StrCat(record.problem_digests_size(), " digests for ", run_.problems_size(),
                               " problems"));
  }
  uint64_t sum = 0;
  for (const uint64_t digest : record.problem_digests()) sum += digest;
  if (sum != record.digest()) {
    findings->Add(11, where, "its digest is not the sum of its problems' digests");
  }
}

void RunCheck::CheckTotals(const RoundRecord& record, absl::Span<const ProblemCheck::Totals> totals,
                           Findings* findings) const {
  const std::string where = absl::StrCat("R", record.run(), ":r", record.round());
  ProblemCheck::Totals all;
  for (const ProblemCheck::Totals& of_problem : totals) {
    all.attempts += of_problem.attempts;
    all.passed += of_problem.passed;
    all.claims_born += of_problem.claims_born;
    all.notes_with_closure += of_problem.notes_with_closure;
    all.whole = all.whole && of_problem.whole;
  }
  const bool whole = all.whole && run_.claims_recorded();
  CheckDigests(record, findings);
  if (whole && record.problem_digests_size() == run_.problems_size()) {
    for (int p = 0; p < run_.problems_size(); ++p) {
      if (totals[p].digest == record.problem_digests(p)) continue;
      findings->Add(11, absl::StrCat(where, ".", FormatProblem(run_.problems(p))),
                    "its attempts have another digest than its record says");
    }
  }
  const auto count = [&](absl::string_view what, int64_t stored, int64_t found) {
    if (stored == found) return;
    findings->Add(15, where,
                  absl::StrCat("its record counts ", stored, " ", what, ", there are ", found));
  };
  count("attempts", record.attempts(), all.attempts);
  count("passed", record.passed(), all.passed);
  if (!whole) return;
  count("claims born", record.claims_born(), all.claims_born);
  count("notes with an unsupported closure", record.notes_with_closure(), all.notes_with_closure);
}

}  // namespace hearsay
