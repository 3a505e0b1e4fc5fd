// Which bytes are text. Texts come from files, plans and arguments, and protobuf reads back no
// string that is not UTF-8: what is stored unasked could make a kb unreadable.
#ifndef HEARSAY_TASKS_UTF8_H_
#define HEARSAY_TASKS_UTF8_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace hearsay {

// Bytes of the code point that `text` begins with, 1 to 4, or 0 where it begins with none: it is
// empty, or not well-formed UTF-8 (The Unicode Standard 15.0, table 3-7).
size_t LeadingCodePoint(absl::string_view text);

// Where UTF-8 ends: the index of the first byte that belongs to no code point, or text.size().
size_t EndOfUtf8(absl::string_view text);

}  // namespace hearsay

#endif  // HEARSAY_TASKS_UTF8_H_
