// A device that is the host: it runs what a GPU would, thread by thread, in the host's memory.
//
// It is as awkward as a device may be: memory begins as rubbish, and what is put into a queue
// happens no sooner than the queue is waited for.
#ifndef HEARSAY_TESTS_EXECUTOR_TWIN_DEVICE_TESTING_H_
#define HEARSAY_TESTS_EXECUTOR_TWIN_DEVICE_TESTING_H_

#include <cstdint>
#include <limits>
#include <memory>

#include "executor/device.h"

namespace hearsay {

std::unique_ptr<Device> NewTwinDevice(int64_t memory_bytes = std::numeric_limits<int64_t>::max() /
                                                             2);

}  // namespace hearsay

#endif  // HEARSAY_TESTS_EXECUTOR_TWIN_DEVICE_TESTING_H_
