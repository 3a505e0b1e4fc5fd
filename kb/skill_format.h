// What rendering and parsing of SKILL.md agree on. Private to kb/.
#ifndef HEARSAY_KB_SKILL_FORMAT_H_
#define HEARSAY_KB_SKILL_FORMAT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace hearsay {

// A claim's part for programs is a comment, which Markdown does not show.
inline constexpr char kClaimOpen[] = "<!-- claim ";
inline constexpr char kClaimClose[] = " -->";
// Stands for the id of a claim that came from outside.
inline constexpr char kNoClaimId[] = "none";

// A text as a double-quoted YAML scalar.
std::string Quoted(absl::string_view text);

}  // namespace hearsay

#endif  // HEARSAY_KB_SKILL_FORMAT_H_
