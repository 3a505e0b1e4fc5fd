// Packing of byte columns by how often each byte occurs in them. Private to kb/'s codec.
//
// Every column has a Huffman code of its own, which is what a general compressor behind the store
// cannot give: it sees all columns of a block as one text. docs/formats.md has the grammar.
#ifndef HEARSAY_KB_PACKING_H_
#define HEARSAY_KB_PACKING_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace hearsay {

// Unpacked bytes of one group of columns at most, so that no damaged size is ever allocated. Blocks
// within the limits of kb/block.h stay far below.
inline constexpr size_t kMaxUnpackedBytes = size_t{1} << 20;

// Packs `bytes`, cut into columns that end at `ends` (ascending, the last one at bytes.size()).
// REQUIRES: bytes.size() <= kMaxUnpackedBytes.
std::string Pack(absl::string_view bytes, absl::Span<const size_t> ends);

// The columns, one behind the other. False where `packed` holds none.
bool Unpack(absl::string_view packed, std::string* bytes);

}  // namespace hearsay

#endif  // HEARSAY_KB_PACKING_H_
