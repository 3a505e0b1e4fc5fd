#include "lineage/ancestry_index.h"

#include <algorithm>
#include <bit>
#include <future>
#include <string>
#include <thread>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "kb/codec.h"

namespace hearsay {

// --- ListOffsets ---

ListOffsets::ListOffsets(absl::Span<const uint32_t> lengths) {
  size_t bits = lengths.size();
  for (uint32_t length : lengths) bits += length;
  bits_.assign(bits / 64 + 1, 0);
  starts_.reserve(lengths.size() / kStride + 1);
  size_t at = 0;
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (i % kStride == 0) starts_.push_back(static_cast<uint32_t>(at));
    at += lengths[i];
    bits_[at / 64] |= uint64_t{1} << at % 64;
    ++at;
  }
}

std::pair<uint32_t, uint32_t> ListOffsets::operator[](size_t i) const {
  const uint32_t start = starts_[i / kStride];
  size_t word = start / 64;
  uint64_t ones = bits_[word] & (~uint64_t{0} << start % 64);
  // Passes over the ends of `count` lists and returns the bit of the next end.
  const auto next_end = [&](int count) {
    for (int here; (here = std::popcount(ones)) <= count; count -= here) ones = bits_[++word];
    for (; count > 0; --count) ones &= ones - 1;
    const auto bit = static_cast<uint32_t>(word * 64 + std::countr_zero(ones));
    ones &= ones - 1;
    return bit;
  };
  const int before = static_cast<int>(i % kStride);
  const uint32_t begin = before == 0 ? start : next_end(before - 1) + 1;
  const uint32_t end = next_end(0);
  const auto ends = static_cast<uint32_t>(i);  // bits before that are no items
  return {begin - ends, end - ends};
}

// --- AncestrySection ---

namespace {

uint8_t MarkOf(const NewClaim& made) {
  return static_cast<uint8_t>((static_cast<int>(made.claim.label()) & 15) |
                              (static_cast<int>(made.change) & 7) << 4 |
                              static_cast<int>(made.claim.hedged()) << 7);
}

// Makes room for `more` at the rate at which rounds have filled the vector so far: doubling would
// take up to twice of what it needs, of gigabytes.
template <typename Value>
void MakeRoom(std::vector<Value>& values, size_t more, int rounds_done, int rounds) {
  const size_t needed = values.size() + more;
  if (needed <= values.capacity()) return;
  const double share = static_cast<double>(std::max(rounds - rounds_done, 1)) / (rounds_done + 1);
  const auto guess = static_cast<size_t>(static_cast<double>(needed) * (1.02 + share));
  values.reserve(std::min(std::max(guess, needed + needed / 16), 4 * needed));
}

}  // namespace

absl::StatusOr<RowIndex> AncestrySection::Resolve(AttemptId reader, ClaimId parent) const {
  const RowIndex row = Find(parent);
  if (row != kNoRow) return row;
  return absl::DataLossError(
      absl::StrCat(Format(reader), ": refers to ", Format(parent), ", which nobody has written"));
}

absl::Status AncestrySection::Add(const AttemptBlock& block, int rounds) {
  const AttemptId first = block.first;
  const size_t ordinal = static_cast<size_t>(first.round()) * lanes_ + first.lane();
  if (first.run() != run_ || first.problem() != problem_ || ordinal + 1 < new_begin_.size() ||
      first.lane() + block.size() > lanes_) {
    return absl::DataLossError(
        absl::StrCat(Format(first), ": is outside the lanes of its run or not in key order"));
  }
  if (!block.has_claims()) {
    return absl::DataLossError(
        absl::StrCat(Format(first), ": recorded without claims in a run that has them"));
  }
  constexpr size_t kMostRows = INT32_MAX - 1;
  if (block.new_claims.size() > kMostRows - parents_.size()) {
    return absl::ResourceExhaustedError(
        absl::StrCat(Format(first), ": an index takes at most ", kMostRows, " claims a problem"));
  }
  MakeRoom(parents_, block.new_claims.size(), first.round(), rounds);
  MakeRoom(marks_, block.new_claims.size(), first.round(), rounds);
  MakeRoom(pairs_, block.new_claims.size(), first.round(), rounds);
  if (new_begin_.capacity() < static_cast<size_t>(rounds) * lanes_ + 1) {
    new_begin_.reserve(static_cast<size_t>(rounds) * lanes_ + 1);
  }
  new_begin_.resize(ordinal + 1, static_cast<uint32_t>(parents_.size()));
  for (int i = 0; i < block.size(); ++i) {
    for (const NewClaim& made : block.new_claims_of(i)) {
      std::array<RowIndex, 2> rows = {kNoRow, kNoRow};
      for (int p = 0; p < 2; ++p) {
        if (made.parents[p].none()) continue;
        const absl::StatusOr<RowIndex> row = Resolve(block.id(i), made.parents[p]);
        if (!row.ok()) return row.status();
        rows[p] = *row;
      }
      if (rows[0] == kNoRow || rows[0] == rows[1]) std::swap(rows[0], rows[1]);
      if (rows[0] == rows[1]) rows[1] = kNoRow;
      marks_.push_back(MarkOf(made));
      if (rows[1] == kNoRow) {
        parents_.push_back(rows[0]);
      } else {
        parents_.push_back(static_cast<RowIndex>(-2 - static_cast<int64_t>(pairs_.size())));
        pairs_.push_back(rows);
      }
    }
    new_begin_.push_back(static_cast<uint32_t>(parents_.size()));
  }
  return absl::OkStatus();
}

void AncestrySection::Link(int rounds) {
  rounds_ = rounds;
  new_begin_.resize(static_cast<size_t>(rounds) * lanes_ + 1,
                    static_cast<uint32_t>(parents_.size()));
  pairs_.shrink_to_fit();
  parents_.shrink_to_fit();
  marks_.shrink_to_fit();
  std::vector<uint32_t> counts(parents_.size());
  for (RowIndex i = 0; i < size(); ++i) {
    for (const RowIndex parent : parents(i)) ++counts[parent];
  }
  child_begin_ = ListOffsets(counts);
  uint32_t total = 0;
  for (uint32_t& count : counts) {
    total += count;
    count = total - count;
  }
  children_ = std::vector<RowIndex>(total);
  for (RowIndex i = 0; i < size(); ++i) {
    for (const RowIndex parent : parents(i)) children_[counts[parent]++] = i;
  }
}

RowIndex AncestrySection::Find(ClaimId id) const {
  const AttemptId attempt = id.attempt();
  if (id.none() || attempt.run() != run_ || attempt.problem() != problem_ ||
      attempt.lane() >= lanes_) {
    return kNoRow;
  }
  const size_t ordinal = static_cast<size_t>(attempt.round()) * lanes_ + attempt.lane();
  if (ordinal + 1 >= new_begin_.size()) return kNoRow;
  const uint32_t row = new_begin_[ordinal] + static_cast<uint32_t>(id.place());
  // In the place of a claim that was not kept stands a copy.
  const bool there =
      row < new_begin_[ordinal + 1] && change(static_cast<RowIndex>(row)) != Change::kCopied;
  return there ? static_cast<RowIndex>(row) : kNoRow;
}

absl::StatusOr<RowIndex> AncestrySection::FindOrError(ClaimId id) const {
  const RowIndex row = Find(id);
  if (row != kNoRow) return row;
  return absl::NotFoundError(absl::StrCat("no claim ", Format(id), ": R", run_, " has ", size(),
                                          " claims in ", rounds_, " rounds of this problem"));
}

ClaimId AncestrySection::IdOf(RowIndex i) const {
  // The last attempt that begins at or before the row; those that wrote nothing begin where the
  // next one does.
  const auto after =
      std::upper_bound(new_begin_.begin(), new_begin_.end(), static_cast<uint32_t>(i));
  const auto ordinal = static_cast<size_t>(after - new_begin_.begin()) - 1;
  const auto lanes = static_cast<size_t>(lanes_);
  return ClaimId::Of(AttemptId::Of(run_, static_cast<int>(ordinal / lanes), problem_,
                                   static_cast<int>(ordinal % lanes)),
                     i - static_cast<int>(new_begin_[ordinal]));
}

size_t AncestrySection::size_bytes() const {
  return new_begin_.capacity() * 4 + parents_.capacity() * 4 + pairs_.capacity() * 8 +
         marks_.capacity() + children_.capacity() * 4 + child_begin_.size_bytes();
}

// --- AncestryIndex ---

namespace {

// The blocks of one round, as they are stored.
using EncodedRound = std::vector<std::pair<AttemptId, std::string>>;

absl::StatusOr<EncodedRound> ReadRound(const Store& store, int run, int round) {
  EncodedRound blocks;
  const absl::Status scanned =
      store.ScanEncoded(run, round, [&](AttemptId first, absl::string_view bytes) {
        blocks.emplace_back(first, bytes);
        return true;
      });
  if (!scanned.ok()) return scanned;
  return blocks;
}

// Calls `work(t)` on each of `threads` threads; the first error, by number of the thread.
absl::Status OnThreads(int threads, const std::function<absl::Status(int)>& work) {
  std::vector<absl::Status> statuses(threads);
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) {
    others.emplace_back([&, t] { statuses[t] = work(t); });
  }
  statuses[0] = work(0);
  for (std::thread& other : others) other.join();
  for (const absl::Status& status : statuses) {
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status AncestryIndex::Extend(const Store& store, int threads) {
  const absl::StatusOr<std::vector<RunRecord>> records = store.Runs();
  if (!records.ok()) return records.status();
  std::map<int, IndexedRun> gone = std::move(runs_);
  runs_.clear();
  for (const RunRecord& record : *records) {
    if ((scope_.run != 0 && record.run() != scope_.run) || !record.claims_recorded()) continue;
    if (auto before = gone.extract(record.run())) runs_.insert(std::move(before));
    const absl::Status status = ExtendRun(store, record, std::max(threads, 1));
    if (!status.ok()) {
      runs_.erase(record.run());
      return status;
    }
  }
  return absl::OkStatus();
}

absl::Status AncestryIndex::ExtendRun(const Store& store, const RunRecord& record, int threads) {
  absl::StatusOr<std::vector<RoundRecord>> rounds = store.Rounds(record.run());
  if (!rounds.ok()) return rounds.status();
  Extension more{record, *std::move(rounds), {}};
  const int count = static_cast<int>(more.rounds.size());
  const int dropped =
      static_cast<int>(std::count_if(more.rounds.begin(), more.rounds.end(),
                                     [](const RoundRecord& round) { return round.dropped(); }));
  const auto stale = [&](const IndexedRun& run) {
    return run.rounds > count || run.dropped != dropped ||
           (run.rounds > 0 && run.digest != more.rounds[run.rounds - 1].digest());
  };
  IndexedRun& run = runs_[record.run()];
  if (stale(run)) run = IndexedRun();
  if (run.sections.empty()) {
    for (const int problem : record.problems()) {
      if (scope_.problem >= 0 && problem != scope_.problem) continue;
      run.sections.emplace(std::piecewise_construct, std::forward_as_tuple(problem),
                           std::forward_as_tuple(record.run(), problem, record.lanes()));
    }
  }
  const bool grown = run.rounds < count;
  for (auto& [problem, section] : run.sections) {
    if (!grown || dropped == 0) break;
    absl::StatusOr<std::vector<KeptClaim>> kept = store.KeptClaims(record.run(), problem);
    if (!kept.ok()) return kept.status();
    more.kept[problem] = *std::move(kept);
  }
  const absl::Status added =
      scope_.problem < 0 ? AddRounds(store, more, threads, &run) : AddOneProblem(store, more, &run);
  if (!added.ok()) return added;
  run.rounds = count;
  run.dropped = dropped;
  if (count > 0) run.digest = more.rounds.back().digest();
  if (!grown && count > 0) return absl::OkStatus();
  std::vector<AncestrySection*> sections;
  for (auto& [problem, section] : run.sections) sections.push_back(&section);
  return OnThreads(threads, [&](int t) {
    for (size_t s = t; s < sections.size(); s += static_cast<size_t>(threads)) {
      sections[s]->Link(count);
    }
    return absl::OkStatus();
  });
}

namespace {

// As a block in which every lane up to the last has as many new claims as its last kept one's place
// says. In the places between stand copies, which no attempt is the first to write.
AttemptBlock BlockOfKept(absl::Span<const KeptClaim> kept,
                         const std::function<bool(ClaimId)>& is_there) {
  AttemptBlock block;
  const AttemptId last = kept.back().id.attempt();
  block.first = AttemptId::Of(last.run(), last.round(), last.problem(), 0);
  size_t next = 0;
  for (int lane = 0; lane <= last.lane(); ++lane) {
    for (int place = 0; next < kept.size() && kept[next].id.attempt().lane() == lane; ++place) {
      NewClaim& made = block.new_claims.emplace_back();
      made.change = Change::kCopied;
      if (kept[next].id.place() != place) continue;
      made = kept[next++].made;
      for (ClaimId& parent : made.parents) {
        if (!parent.none() && !is_there(parent)) parent = ClaimId();
      }
    }
    block.new_begin.push_back(static_cast<uint32_t>(block.new_claims.size()));
  }
  block.note_begin.assign(block.new_begin.size(), 0);
  block.outcomes.resize(block.new_begin.size() - 1);
  return block;
}

}  // namespace

absl::Status AncestryIndex::AddKept(const Extension& more, int round, AncestrySection* section) {
  const std::vector<KeptClaim>& all = more.kept.at(section->problem());
  const auto from = [&](int first_round) {
    return std::lower_bound(
        all.begin(), all.end(), first_round,
        [](const KeptClaim& claim, int wanted) { return claim.id.attempt().round() < wanted; });
  };
  const auto begin = from(round), end = from(round + 1);
  if (begin == end) return absl::OkStatus();
  const auto is_there = [&](ClaimId id) {
    return FindKept(all, id) != nullptr || !more.rounds[id.attempt().round()].dropped();
  };
  return section->Add(
      BlockOfKept(absl::MakeSpan(&*begin, static_cast<size_t>(end - begin)), is_there),
      static_cast<int>(more.rounds.size()));
}

absl::Status AncestryIndex::AddRounds(const Store& store, const Extension& more, int threads,
                                      IndexedRun* run) {
  const int count = static_cast<int>(more.rounds.size());
  const auto read = [&](int round) { return ReadRound(store, more.record.run(), round); };
  // The next round is read while this one is decoded, each problem by one thread.
  std::future<absl::StatusOr<EncodedRound>> next;
  for (int round = run->rounds; round < count; ++round) {
    const absl::StatusOr<EncodedRound> blocks = next.valid() ? next.get() : read(round);
    if (!blocks.ok()) return blocks.status();
    if (round + 1 < count) next = std::async(std::launch::async, read, round + 1);
    for (auto& [problem, section] : run->sections) {
      if (!more.rounds[round].dropped()) break;
      if (absl::Status s = AddKept(more, round, &section); !s.ok()) return s;
    }
    const absl::Status added = OnThreads(threads, [&](int t) -> absl::Status {
      for (const auto& [first, bytes] : *blocks) {
        if (first.problem() % threads != t) continue;
        const auto section = run->sections.find(first.problem());
        if (section == run->sections.end()) {
          return absl::DataLossError(
              absl::StrCat(Format(first), ": is of a problem that its run does not have"));
        }
        const absl::StatusOr<AttemptBlock> block = DecodeLineage(first, bytes);
        if (!block.ok()) return block.status();
        const absl::Status status = section->second.Add(*block, count);
        if (!status.ok()) return status;
      }
      return absl::OkStatus();
    });
    if (!added.ok()) return added;
  }
  return absl::OkStatus();
}

absl::Status AncestryIndex::AddOneProblem(const Store& store, const Extension& more,
                                          IndexedRun* run) {
  const int count = static_cast<int>(more.rounds.size());
  for (auto& [problem, section] : run->sections) {
    absl::Status status;
    for (int round = run->rounds; round < count && status.ok(); ++round) {
      if (more.rounds[round].dropped()) {
        status = AddKept(more, round, &section);
        continue;
      }
      const absl::Status scanned =
          store.ScanRound(more.record.run(), round, problem, [&](const AttemptBlock& block) {
            status = section.Add(block, count);
            return status.ok();
          });
      status.Update(scanned);
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

const AncestrySection* AncestryIndex::Section(int run, int problem) const {
  const auto found = runs_.find(run);
  if (found == runs_.end()) return nullptr;
  const auto section = found->second.sections.find(problem);
  return section == found->second.sections.end() ? nullptr : &section->second;
}

int64_t AncestryIndex::claim_count() const {
  int64_t count = 0;
  for (const auto& [number, run] : runs_) {
    for (const auto& [problem, section] : run.sections) count += section.size();
  }
  return count;
}

size_t AncestryIndex::size_bytes() const {
  size_t bytes = 0;
  for (const auto& [number, run] : runs_) {
    for (const auto& [problem, section] : run.sections) bytes += section.size_bytes();
  }
  return bytes;
}

}  // namespace hearsay
