#include "tools/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include "tools/exit_codes.h"

namespace hearsay {
namespace {

std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free, "the handler may touch nothing that locks");

void OnSignal(int) {
  if (stop.exchange(true)) _exit(static_cast<int>(ExitCode::kInterrupted));
}

}  // namespace

const std::atomic<bool>& StopOnSignal() {
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return stop;
}

}  // namespace hearsay
