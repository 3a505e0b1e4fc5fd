#include "rounds/recorder.h"

#include <utility>

#include "kb/codec.h"

namespace hearsay {

static_assert(kChunkLanes == kBlockLanes, "a chunk becomes one block");

Recorder::Recorder(const RunSetup& setup, int run, bool with_claims)
    : setup_(setup),
      run_(run),
      with_claims_(with_claims),
      chunks_a_problem_((setup.tables.lanes + kChunkLanes - 1) / kChunkLanes) {
  const size_t chunk_count = setup.problems.size() * static_cast<size_t>(chunks_a_problem_);
  encoded_.resize(chunk_count);
  counts_.resize(chunk_count);
  if (with_claims) {
    const size_t lanes = setup.problems.size() * static_cast<size_t>(setup.tables.lanes);
    ids_.resize(lanes * kMaxNoteClaims);
    next_ids_.resize(lanes * kMaxNoteClaims);
  }
}

void Recorder::Restore(std::vector<ClaimId> ids) { ids_ = std::move(ids); }

void Recorder::Begin(int round) { round_ = round; }

void Recorder::Chunk(int chunk_index, const LaneChunk& chunk) {
  counts_[chunk_index] = ChunkCounts();
  // One a thread and not one a chunk: what was just filled is still in the cache when it is
  // encoded.
  thread_local AttemptBlock block;
  FillBlock(chunk, &block, &counts_[chunk_index]);
  encoded_[chunk_index].first = block.first;
  encoded_[chunk_index].attempts = EncodeBlock(block);
}

void Recorder::FillBlock(const LaneChunk& chunk, AttemptBlock* filled, ChunkCounts* counts) {
  AttemptBlock& block = *filled;
  block.Clear();
  const int problem = setup_.problems[chunk.slot];
  block.first = AttemptId::Of(run_, round_, problem, chunk.first_lane);
  block.outcomes.assign(chunk.outcomes, chunk.outcomes + chunk.count);
  block.source_begin.reserve(chunk.count + 1);
  for (int i = 0; i < chunk.count; ++i) {
    const LaneTrace& trace = chunk.traces[i];
    const WrittenNote& note = chunk.notes[i];
    block.sources.insert(block.sources.end(), trace.sources, trace.sources + trace.source_count);
    block.source_begin.push_back(static_cast<uint32_t>(block.sources.size()));
    counts->passed += chunk.outcomes[i].passed;
    bool has_closure = false;
    for (int c = 0; c < note.size; ++c) {
      counts->claims_born += note.change[c] != Change::kCopied;
      has_closure |= note.claims[c].label() == Label::kUnsupportedClosure;
    }
    counts->notes_with_closure += has_closure;
    if (!with_claims_) continue;
    const int64_t lane_index =
        static_cast<int64_t>(chunk.slot) * setup_.tables.lanes + chunk.first_lane + i;
    AddClaims(lane_index, block.id(i), chunk.slot, trace, note, &block);
  }
}

void Recorder::AddClaims(int64_t lane_index, AttemptId attempt, int slot, const LaneTrace& trace,
                         const WrittenNote& note, AttemptBlock* block) {
  // The id of the claim that stood at `origin` (see Intake::origin) in the notes of the round
  // before.
  const auto id_at = [&](uint8_t origin) {
    if (origin == kNoOrigin) return ClaimId();
    const uint32_t source = trace.sources[trace.passed_on[origin >> 5]];
    return ids_[(static_cast<int64_t>(slot) * setup_.tables.lanes + source) * kMaxNoteClaims +
                (origin & 31)];
  };
  const Intake& intake = trace.intake;
  const size_t intake_first = block->intake.size(), note_first = block->notes.size();
  block->intake.resize(intake_first + intake.size);
  IntakeEntry* const entries = block->intake.data() + intake_first;
  for (int i = 0; i < intake.size; ++i) {
    entries[i] = {{id_at(intake.origin[i][0]), id_at(intake.origin[i][1])}};
  }
  block->intake_begin.push_back(static_cast<uint32_t>(block->intake.size()));

  block->notes.resize(note_first + note.size);
  ClaimId* const ids = &next_ids_[lane_index * kMaxNoteClaims];
  int place = 0;
  for (int c = 0; c < note.size; ++c) {
    ClaimId id;
    const IntakeEntry from = note.parent[c] == kNoOrigin ? IntakeEntry() : entries[note.parent[c]];
    if (note.change[c] == Change::kCopied) {
      id = from.parents[0];
    } else {
      id = ClaimId::Of(attempt, place++);
      block->new_claims.push_back(
          {note.claims[c], note.change[c], {from.parents[0], from.parents[1]}});
    }
    ids[c] = block->notes[note_first + c] = id;
  }
  block->note_begin.push_back(static_cast<uint32_t>(block->notes.size()));
  block->new_begin.push_back(static_cast<uint32_t>(block->new_claims.size()));
}

RecordedRound Recorder::End(const std::vector<uint64_t>& problem_digests) {
  RecordedRound round;
  round.blocks = std::move(encoded_);
  encoded_ = std::vector<EncodedBlock>(counts_.size());
  RoundRecord& record = round.record;
  record.set_run(run_);
  record.set_round(round_);
  uint64_t digest = 0;
  for (uint64_t problem_digest : problem_digests) {
    record.add_problem_digests(problem_digest);
    digest += problem_digest;
  }
  record.set_digest(digest);
  record.set_attempts(static_cast<int64_t>(setup_.problems.size()) * setup_.tables.lanes);
  for (const ChunkCounts& counts : counts_) {
    record.set_passed(record.passed() + counts.passed);
    record.set_claims_born(record.claims_born() + counts.claims_born);
    record.set_notes_with_closure(record.notes_with_closure() + counts.notes_with_closure);
  }
  ids_.swap(next_ids_);
  return round;
}

}  // namespace hearsay
