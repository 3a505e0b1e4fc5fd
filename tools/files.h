// Files that users name on the command line.
#ifndef HEARSAY_TOOLS_FILES_H_
#define HEARSAY_TOOLS_FILES_H_

#include <stdio.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hearsay {

// Of a plan or a note. What goes on for ever, as some devices do, is no such thing, and protobuf
// stores nothing of 2 GiB.
inline constexpr size_t kMaxTextBytes = size_t{64} << 20;

// Errors: kUnavailable naming the file and the reason, kInvalidArgument for one past the limit.
absl::StatusOr<std::string> ReadFile(const std::string& path);

// A file written piece by piece, which takes the place of what had its name only when it is whole.
// Errors of all: kUnavailable naming the file and the reason.
class FileWriter {
 public:
  static absl::StatusOr<std::unique_ptr<FileWriter>> Create(const std::string& path);
  // Leaves the file as it was, unless Commit() succeeded.
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  absl::Status Write(absl::string_view bytes);
  // At most once, the last call.
  absl::Status Commit();

 private:
  FileWriter(std::string path, std::string beside, FILE* file);

  const std::string path_;
  const std::string beside_;  // where it grows; path_ itself for a device or pipe
  FILE* file_;                // nullptr once it is closed
  bool committed_ = false;
};

// Replaces the file, or leaves it as it was. Errors: kUnavailable naming the file and the reason.
absl::Status WriteFile(const std::string& path, absl::string_view content);

}  // namespace hearsay

#endif  // HEARSAY_TOOLS_FILES_H_
