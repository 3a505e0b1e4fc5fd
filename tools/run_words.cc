#include "tools/run_words.h"

#include <time.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace hearsay {

std::string FormatRun(int run) { return absl::StrCat("R", run); }

std::string FormatDigest(uint64_t digest) { return absl::StrFormat("%016x", digest); }

std::string FormatTime(int64_t unix_seconds) {
  const time_t seconds = unix_seconds;
  struct tm parts = {};
  char text[32] = "";
  if (gmtime_r(&seconds, &parts) != nullptr) {
    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  }
  return text;
}

const char* StateWord(RunRecord::State state) {
  switch (state) {
    case RunRecord::COMPLETE:
      return "complete";
    case RunRecord::INTERRUPTED:
      return "interrupted";
    default:
      return "running";
  }
}

}  // namespace hearsay
