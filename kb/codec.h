// Keys and values of the store. The only file that knows how they are laid out in bytes.
#ifndef HEARSAY_KB_CODEC_H_
#define HEARSAY_KB_CODEC_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kb/block.h"
#include "kb/ids.h"

namespace hearsay {

// Keys sort as their coordinates do: big-endian run, round, problem, first lane.
std::string BlockKey(AttemptId first);
absl::StatusOr<AttemptId> ParseBlockKey(absl::string_view key);
std::string RoundKey(int run, int round);
std::string RunKey(int run);
std::string BaselineKey(int run, int problem);
std::string TextKey(int number);
// The last coordinate in a key.
int LastNumberOf(const std::string& key);

// Encoding is a pure function of the block; may be called from any thread.
// REQUIRES: 1 to kBlockLanes attempts, each with at most 255 sources, kMaxIntake entries,
// kMaxNewClaims new claims and a note of 255; every claim in notes, intake and parents is of this
// run and problem, and parents[0] of an intake entry is one. What an attempt may hold by the rules
// of docs/data-model.md is less; what breaks them is kept as it is, for the integrity check to
// name.
std::string EncodeBlock(const AttemptBlock& block);
// Errors: kDataLoss saying what does not fit. Never reads past the bytes, whatever they are.
absl::StatusOr<AttemptBlock> DecodeBlock(AttemptId first, absl::string_view bytes);
// The same in half of the time, with that alone which tells of ancestry: sources, intake, notes,
// changes and parents; of a claim label, stance, DSL, support, against, hedge and confidence, and
// whether it is general; of an outcome the DSL and which claims were adopted, confirmed or refuted.
absl::StatusOr<AttemptBlock> DecodeLineage(AttemptId first, absl::string_view bytes);
// Its sources alone, with as many offsets as ever.
absl::StatusOr<AttemptBlock> DecodeSources(AttemptId first, absl::string_view bytes);

// REQUIRES: at least one outcome, 1 to 256 agent slots.
std::string EncodeBaselines(const BaselineBlock& baselines);
absl::StatusOr<BaselineBlock> DecodeBaselines(absl::string_view bytes);

}  // namespace hearsay

#endif  // HEARSAY_KB_CODEC_H_
