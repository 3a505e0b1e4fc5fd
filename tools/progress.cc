#include "tools/progress.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace hearsay {
namespace {

constexpr std::chrono::milliseconds kLiveInterval{100};
constexpr std::chrono::seconds kPlainInterval{5};

}  // namespace

std::string FormatRate(double per_second) {
  if (per_second >= 1e6) return absl::StrFormat("%.3g M/s", per_second / 1e6);
  if (per_second >= 1e3) return absl::StrFormat("%.3g k/s", per_second / 1e3);
  return absl::StrFormat("%.3g/s", per_second);
}

std::string FormatDuration(double seconds) {
  const auto whole = static_cast<int64_t>(std::ceil(seconds));
  if (whole < 60) return absl::StrCat(whole, " s");
  if (whole < 3600) return absl::StrCat(whole / 60, " min ", whole % 60, " s");
  return absl::StrCat(whole / 3600, " h ", whole % 3600 / 60, " min");
}

std::string FormatProgress(const RunProgress& progress, double elapsed_seconds) {
  std::string text =
      absl::StrCat("R", progress.run, ": round ", progress.rounds_done, " of ", progress.rounds);
  if (progress.attempts_done > 0 && elapsed_seconds > 0) {
    const double rate = static_cast<double>(progress.attempts_done) / elapsed_seconds;
    const auto left = static_cast<double>(progress.attempts - progress.attempts_done);
    absl::StrAppend(&text, ", ", FormatRate(rate), ", ", FormatDuration(left / rate), " left");
  }
  return text;
}

ProgressLine::ProgressLine(Console* console, bool quiet)
    : console_(*console),
      quiet_(quiet),
      live_(console->err_is_terminal()),
      start_(Clock::now()),
      next_(live_ ? start_ : start_ + kPlainInterval) {}

double ProgressLine::elapsed_seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void ProgressLine::Update(const RunProgress& progress) {
  const Clock::time_point now = Clock::now();
  if (quiet_ || now < next_) return;
  const std::string text = FormatProgress(progress, elapsed_seconds());
  if (live_) {
    console_.Err(absl::StrCat("\r", text, "\x1b[K"));
    shown_ = true;
    next_ = now + kLiveInterval;
  } else {
    console_.Say(text);
    next_ = now + kPlainInterval;
  }
}

void ProgressLine::Finish() {
  if (shown_) console_.Err("\r\x1b[K");
  shown_ = false;
}

}  // namespace hearsay
