// Runs, digests and times as they stand in output.
#ifndef HEARSAY_TOOLS_RUN_WORDS_H_
#define HEARSAY_TOOLS_RUN_WORDS_H_

#include <cstdint>
#include <string>

#include "kb/kb.pb.h"

namespace hearsay {

std::string FormatRun(int run);                 // "R3"
std::string FormatDigest(uint64_t digest);      // 16 hexadecimal digits
std::string FormatTime(int64_t unix_seconds);   // "2026-03-01T12:00:00Z"
const char* StateWord(RunRecord::State state);  // "complete", "interrupted", "running"

}  // namespace hearsay

#endif  // HEARSAY_TOOLS_RUN_WORDS_H_
