// The columns of a block as bytes; docs/formats.md has their grammar. Private to kb/codec.cc.
//
// Every column holds one small number for each attempt, claim or reference, one field after the
// other, and in an order that puts like next to like. Fields in their usual range take one byte; a
// field out of range (a damaged block that the integrity check must be able to show) takes more,
// but nothing is lost.
//
// Put functions are pure. Take functions return false where the bytes do not hold what they should.
// The groups stand on each other in the order in which they are declared.
#ifndef HEARSAY_KB_BLOCK_COLUMNS_H_
#define HEARSAY_KB_BLOCK_COLUMNS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "kb/block.h"
#include "kb/bytes.h"

namespace hearsay {

std::string PutSources(const AttemptBlock& block);
bool TakeSources(absl::string_view bytes, int count, AttemptBlock* block);

std::string PutIntake(const AttemptBlock& block);
bool TakeIntake(absl::string_view bytes, int count, AttemptBlock* block);

// `note_begin` and `intake_begin` are the offsets of block.h, or nullptr where no claims are
// recorded: then the sizes stand in the outcomes alone.
std::string PutOutcomes(absl::Span<const Outcome> outcomes, const uint32_t* note_begin,
                        const uint32_t* intake_begin);
// Leaves Outcome::note_size short of the note's length, which AddNoteSizes adds.
bool TakeOutcomes(absl::string_view bytes, absl::Span<Outcome> outcomes,
                  const uint32_t* intake_begin);
// The DSL and the masks over the intake; leaves all else.
bool TakeLineageOfOutcomes(absl::string_view bytes, absl::Span<Outcome> outcomes,
                           const uint32_t* intake_begin);
void AddNoteSizes(AttemptBlock* block);

// How the claims an attempt was the first to write came about, as its note tells.
enum class Origin : uint8_t { kTested = 0, kBornFirst = 1, kRetold = 2, kBornLast = 3, kSpelt = 4 };

// A note is written as what was made of the intake and how many claims were born. Fills in the
// places and parents of new claims, but not what they say. `origins` gets one for each new claim.
std::string PutNotes(const AttemptBlock& block, std::vector<Origin>* origins);
bool TakeNotes(absl::string_view bytes, int count, AttemptBlock* block,
               std::vector<Origin>* origins);

// What the new claims say.
std::string PutNewClaims(const AttemptBlock& block, const std::vector<Origin>& origins);
bool TakeNewClaims(absl::string_view bytes, const std::vector<Origin>& origins,
                   AttemptBlock* block);
// The first columns alone: change, label, stance, DSL, evidence, hedge and confidence.
bool TakeLineageOfNewClaims(absl::string_view bytes, const std::vector<Origin>& origins,
                            AttemptBlock* block);

// How a claim stands to the attempt that refers to it, on its own, where no column gives it
// shorter.
void PutRef(ByteWriter* out, AttemptId base, ClaimId id);
bool TakeRef(ByteReader* in, AttemptId base, ClaimId* id);
inline constexpr size_t kRefBytes = 2 * kMaxVarintBytes;  // at most

}  // namespace hearsay

#endif  // HEARSAY_KB_BLOCK_COLUMNS_H_
