// The names of the enumerations, as they stand in files, flags and output.
#ifndef HEARSAY_TASKS_WORDS_H_
#define HEARSAY_TASKS_WORDS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tasks/claim.h"
#include "tasks/truth.h"
#include "tasks/world.h"

namespace hearsay {

absl::string_view Name(Dsl dsl);        // "cute", "tirx"
absl::string_view Name(Label label);    // "unsupported_closure" ...
absl::string_view Name(Stance stance);  // "use", "infeasible", "not_worth_it", "open", "fact"
absl::string_view Name(Change change);  // "born", "copied", "hedge_lost" ...
absl::string_view Name(Truth truth);    // "true", "false", "open"
absl::string_view Name(Status status);  // "ok", "compile_error" ...
absl::string_view Name(KnobKind kind);  // "move", "fuse", "rewrite" ...

// Errors of all: kInvalidArgument naming the word and the nearest known one.
absl::StatusOr<Dsl> ParseDsl(absl::string_view word);
absl::StatusOr<Label> ParseLabel(absl::string_view word);
absl::StatusOr<Stance> ParseStance(absl::string_view word);
absl::StatusOr<Change> ParseChange(absl::string_view word);

// The word of `known` nearest to `word` by edit distance, or "" where none is near (more than a
// third of its letters away, at least 2 allowed).
std::string NearestWord(absl::string_view word, const std::vector<std::string>& known);

// "unknown <what> 'word'; did you mean 'nearest'?" or, where nothing is near, "...; known: a, b,
// c".
absl::Status UnknownWord(absl::string_view what, absl::string_view word,
                         const std::vector<std::string>& known);

}  // namespace hearsay

#endif  // HEARSAY_TASKS_WORDS_H_
