#include "tools/files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <memory>
#include <utility>

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

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const File file(fopen(path.c_str(), "rb"));
  if (file == nullptr) return Failed("read", path);
  std::string content;
  char buffer[size_t{1} << 16];
  size_t count;
  while ((count = fread(buffer, 1, sizeof(buffer), file.get())) > 0) {
    content.append(buffer, count);
    if (content.size() > kMaxTextBytes) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", path, "' has more than ", kMaxTextBytes >> 20, " MiB"));
    }
  }
  if (ferror(file.get()) != 0) return Failed("read", path);
  return content;
}

FileWriter::FileWriter(std::string path, std::string beside, FILE* file)
    : path_(std::move(path)), beside_(std::move(beside)), file_(file) {}

absl::StatusOr<std::unique_ptr<FileWriter>> FileWriter::Create(const std::string& path) {
  // A device such as /dev/null is written, not replaced.
  const std::string beside = IsDeviceOrPipe(path) ? path : path + ".part";
  FILE* const file = fopen(beside.c_str(), "wb");
  if (file == nullptr) return Failed("write", path);
  return std::unique_ptr<FileWriter>(new FileWriter(path, beside, file));
}

FileWriter::~FileWriter() {
  if (file_ != nullptr) fclose(file_);
  if (!committed_ && beside_ != path_) remove(beside_.c_str());
}

absl::Status FileWriter::Write(absl::string_view bytes) {
  if (fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) return Failed("write", path_);
  return absl::OkStatus();
}

absl::Status FileWriter::Commit() {
  FILE* const file = file_;
  file_ = nullptr;
  if (fclose(file) != 0) return Failed("write", path_);
  if (beside_ != path_ && rename(beside_.c_str(), path_.c_str()) != 0) {
    return Failed("write", path_);
  }
  committed_ = true;
  return absl::OkStatus();
}

absl::Status WriteFile(const std::string& path, absl::string_view content) {
  const absl::StatusOr<std::unique_ptr<FileWriter>> file = FileWriter::Create(path);
  if (!file.ok()) return file.status();
  const absl::Status written = (*file)->Write(content);
  return written.ok() ? (*file)->Commit() : written;
}

}  // namespace hearsay
