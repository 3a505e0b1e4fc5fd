// Files that users name on the command line.
#ifndef HEARSAY_TOOLS_FILES_H_
#define HEARSAY_TOOLS_FILES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hearsay {

// Errors: kUnavailable naming the file and the reason.
absl::StatusOr<std::string> ReadFile(const std::string& path);

// Replaces the file, or leaves it as it was. Errors: kUnavailable naming the file and the reason.
absl::Status WriteFile(const std::string& path, absl::string_view content);

}  // namespace hearsay

#endif  // HEARSAY_TOOLS_FILES_H_
