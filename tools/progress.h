// How far a run has come, on standard error: a line that is rewritten on a terminal, else a plain
// line every few seconds.
//
// One thread at a time.
#ifndef HEARSAY_TOOLS_PROGRESS_H_
#define HEARSAY_TOOLS_PROGRESS_H_

#include <chrono>
#include <string>

#include "rounds/engine.h"
#include "tools/console.h"

namespace hearsay {

// "950/s", "12.3 k/s", "4.05 M/s".
std::string FormatRate(double per_second);
// "8 s", "3 min 20 s", "2 h 5 min".
std::string FormatDuration(double seconds);
// "R1: round 5 of 20, 12,300 attempts/s, 8 s left"; without rate and time left before any attempt.
std::string FormatProgress(const RunProgress& progress, double elapsed_seconds);

class ProgressLine {
 public:
  ProgressLine(Console* console, bool quiet);
  void Update(const RunProgress& progress);
  // Clears the live line, so that messages start on an empty one.
  void Finish();
  double elapsed_seconds() const;

 private:
  using Clock = std::chrono::steady_clock;

  Console& console_;
  const bool quiet_;
  const bool live_;
  const Clock::time_point start_;
  Clock::time_point next_;  // nothing is printed before
  bool shown_ = false;
};

}  // namespace hearsay

#endif  // HEARSAY_TOOLS_PROGRESS_H_
