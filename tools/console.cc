#include "tools/console.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace hearsay {
namespace {

bool TakesColour(int fd) {
  const char* no_colour = getenv("NO_COLOR");
  const char* term = getenv("TERM");
  return isatty(fd) == 1 && (no_colour == nullptr || *no_colour == '\0') &&
         (term == nullptr || strcmp(term, "dumb") != 0);
}

// Gives a number to each standard stream that we were started without. Otherwise the next file that
// is opened, one of the kb's, would get it, and what is meant for people would be written into it.
// Opened the wrong way round, so that using it fails as before.
void HoldStandardStreams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    // The lowest number that is free, which is this one. Without /dev/null nothing can be done.
    const int opened = open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened != fd) return;
  }
}

// Returns 0 or the errno of the write that failed.
int WriteAll(int fd, absl::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

}  // namespace

Console::Console()
    : out_takes_colour_(TakesColour(STDOUT_FILENO)), err_is_terminal_(isatty(STDERR_FILENO) == 1) {
  signal(SIGPIPE, SIG_IGN);
  HoldStandardStreams();
}

void Console::Out(absl::string_view text) {
  if (out_errno_ == 0) out_errno_ = WriteAll(STDOUT_FILENO, text);
}

void Console::Say(absl::string_view sentence) {
  Err(absl::StrCat("hearsay: ", absl::StrReplaceAll(sentence, {{"\r", ""}, {"\n", " "}}), "\n"));
}

// Where standard error is gone there is nobody left to tell.
void Console::Err(absl::string_view text) { WriteAll(STDERR_FILENO, text); }

absl::Status Console::Finish() const {
  if (out_errno_ == 0 || out_errno_ == EPIPE) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("standard output cannot be written: ", strerror(out_errno_)));
}

}  // namespace hearsay
