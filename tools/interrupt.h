// Ctrl-C and SIGTERM: the first asks for a stop at the next good place (after the round in flight,
// after the piece of a file), the second ends at once.
#ifndef HEARSAY_TOOLS_INTERRUPT_H_
#define HEARSAY_TOOLS_INTERRUPT_H_

#include <atomic>

namespace hearsay {

// Installs the handlers and returns the flag that the first signal sets. Lives as long as the
// process.
const std::atomic<bool>& StopOnSignal();

}  // namespace hearsay

#endif  // HEARSAY_TOOLS_INTERRUPT_H_
