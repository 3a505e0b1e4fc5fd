#include "tools/files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <memory>

#include "absl/strings/str_cat.h"

namespace hearsay {
namespace {

struct Closer {
  void operator()(FILE* file) const { fclose(file); }
};
using File = std::unique_ptr<FILE, Closer>;

absl::Status Failed(const char* what, const std::string& path) {
  return absl::UnavailableError(absl::StrCat("cannot ", what, " '", path, "': ", strerror(errno)));
}

bool IsDeviceOrPipe(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
}

// `name` stands for the file in errors.
absl::Status WriteInPlace(const std::string& path, absl::string_view content,
                          const std::string& name) {
  FILE* const file = fopen(path.c_str(), "wb");
  if (file == nullptr) return Failed("write", name);
  const bool written = fwrite(content.data(), 1, content.size(), file) == content.size();
  if (fclose(file) != 0 || !written) return Failed("write", name);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const File file(fopen(path.c_str(), "rb"));
  if (file == nullptr) return Failed("read", path);
  std::string content;
  char buffer[size_t{1} << 16];
  size_t count;
  while ((count = fread(buffer, 1, sizeof(buffer), file.get())) > 0) content.append(buffer, count);
  if (ferror(file.get()) != 0) return Failed("read", path);
  return content;
}

absl::Status WriteFile(const std::string& path, absl::string_view content) {
  // A device such as /dev/null is written, not replaced.
  if (IsDeviceOrPipe(path)) return WriteInPlace(path, content, path);
  const std::string beside = path + ".part";
  absl::Status status = WriteInPlace(beside, content, path);
  if (status.ok() && rename(beside.c_str(), path.c_str()) != 0) status = Failed("write", path);
  if (!status.ok()) remove(beside.c_str());
  return status;
}

}  // namespace hearsay
