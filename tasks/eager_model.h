// What eager PyTorch takes for the stages of a problem: the time all speeds are relative to.
#ifndef HEARSAY_TASKS_EAGER_MODEL_H_
#define HEARSAY_TASKS_EAGER_MODEL_H_

#include <vector>

#include "tasks/problem.pb.h"

namespace hearsay {

// Time of two activities of which the shorter is hidden behind the longer except for `exposed` of
// it: longer + exposed * shorter. Units of the arguments.
double Overlapped(double a, double b, double exposed);

// Share of the shorter of launching and running that shows; likewise of memory and computation.
inline constexpr double kExposedLaunch = 0.3;
inline constexpr double kExposedMemory = 0.15;

// Seconds of the host waiting for the device in this stage: the problem's synchronisations, spread
// over the stages inside loops (over all where there is no loop) by launches.
double SyncSeconds(const ProblemSpec& problem, const HardwareSpec& hardware, int stage);

// Seconds of one stage left in eager, synchronisations included. More than 0.
double EagerStageSeconds(const ProblemSpec& problem, const HardwareSpec& hardware, int stage);

}  // namespace hearsay

#endif  // HEARSAY_TASKS_EAGER_MODEL_H_
