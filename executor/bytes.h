// Words of eight bytes, one a knob, worked on as a whole: no loop, no branch.
#ifndef HEARSAY_EXECUTOR_BYTES_H_
#define HEARSAY_EXECUTOR_BYTES_H_

#include <cstdint>
#include <cstring>

#include "tasks/host_device.h"

namespace hearsay {

// 1 in every byte; times x it is x in every byte.
inline constexpr uint64_t kEachByte = 0x0101010101010101u;

// Byte k is the k-th of eight.
HEARSAY_HD inline uint64_t WordOfBytes(const uint8_t* eight) {
  uint64_t bytes;
  memcpy(&bytes, eight, sizeof(bytes));  // little endian on every device we know
  return bytes;
}

HEARSAY_HD constexpr int SumOfBytes(uint64_t bytes) {
  constexpr uint64_t kEven = 0x00ff00ff00ff00ffu;
  const uint64_t pairs = (bytes & kEven) + (bytes >> 8 & kEven);
  return static_cast<int>(pairs * 0x0001000100010001u >> 48);
}

// 0xff in place of every byte that is not 0.
HEARSAY_HD constexpr uint64_t NonzeroBytes(uint64_t bytes) {
  constexpr uint64_t kLow = kEachByte * 0x7f;
  const uint64_t tops = (((bytes & kLow) + kLow) | bytes) & ~kLow;
  return (tops >> 7) * 0xff;
}

// Bit k for byte k. REQUIRES: every byte is 0 or 0xff.
HEARSAY_HD constexpr uint32_t BitsOfBytes(uint64_t bytes) {
  return static_cast<uint32_t>((bytes & kEachByte) * 0x0102040810204080u >> 56);
}

// 2^b in place of every byte b. REQUIRES: every byte is below 8.
HEARSAY_HD constexpr uint64_t PowersOfBytes(uint64_t bytes) {
  uint64_t powers = kEachByte;
  powers += powers & (bytes & kEachByte) * 0xff;
  powers += (powers & (bytes >> 1 & kEachByte) * 0xff) * 3;
  powers += (powers & (bytes >> 2 & kEachByte) * 0xff) * 15;
  return powers;
}

}  // namespace hearsay

#endif  // HEARSAY_EXECUTOR_BYTES_H_
