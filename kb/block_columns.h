// The columns of a block as bytes; docs/formats.md has their grammar. Private to kb/codec.cc.
//
// Every column holds one small number for each attempt, claim or reference, one field after the
// other, so that like stands next to like and the store's compression finds it. Fields in their
// usual range take one byte; a field out of range (a damaged block that the integrity check must be
// able to show) takes more, but nothing is lost.
//
// Put functions are pure. Take functions return false where the bytes do not hold what they should.
#ifndef HEARSAY_KB_BLOCK_COLUMNS_H_
#define HEARSAY_KB_BLOCK_COLUMNS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "kb/block.h"

namespace hearsay {

// `note_begin` and `intake_begin` are the offsets of block.h, or nullptr where no claims are
// recorded: then the sizes stand in the outcomes alone.
std::string PutOutcomes(absl::Span<const Outcome> outcomes, const uint32_t* note_begin,
                        const uint32_t* intake_begin);
bool TakeOutcomes(absl::string_view bytes, absl::Span<Outcome> outcomes, const uint32_t* note_begin,
                  const uint32_t* intake_begin);

std::string PutSources(const AttemptBlock& block);
bool TakeSources(absl::string_view bytes, int count, AttemptBlock* block);

std::string PutIntake(const AttemptBlock& block);
bool TakeIntake(absl::string_view bytes, int count, AttemptBlock* block);

// Parents are written as places in the intake, which therefore comes first.
std::string PutNewClaims(const AttemptBlock& block);
bool TakeNewClaims(absl::string_view bytes, int count, AttemptBlock* block);

// A note is written as what was kept of the intake and which new claims were added.
std::string PutNotes(const AttemptBlock& block);
bool TakeNotes(absl::string_view bytes, int count, AttemptBlock* block);

}  // namespace hearsay

#endif  // HEARSAY_KB_BLOCK_COLUMNS_H_
