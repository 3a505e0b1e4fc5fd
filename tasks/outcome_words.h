// Outcomes in words, field by field.
#ifndef HEARSAY_TASKS_OUTCOME_WORDS_H_
#define HEARSAY_TASKS_OUTCOME_WORDS_H_

#include <cstdint>
#include <string>

#include "tasks/outcome.h"

namespace hearsay {

const char* Name(Reception reception);
const char* Name(Following following);

// "truncated own_bug", or "" where nothing happened.
std::string EventWords(uint8_t events);

// "3.2x", "failed".
std::string SpeedWords(const Outcome& outcome);

// The first field in which the two differ, as "speed_lg is 12, not 20", or "".
std::string FirstDifference(const Outcome& a, const Outcome& b);

}  // namespace hearsay

#endif  // HEARSAY_TASKS_OUTCOME_WORDS_H_
