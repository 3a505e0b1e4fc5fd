// Writing and reading columns of small numbers. Private to kb/'s codec.
//
// A varint holds seven bits a byte, lowest first, as protobuf's do. A zigzag number maps 0, -1, 1,
// -2 ... to 0, 1, 2, 3 ...
#ifndef HEARSAY_KB_BYTES_H_
#define HEARSAY_KB_BYTES_H_

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>

#include "absl/strings/string_view.h"

namespace hearsay {

inline constexpr uint32_t ZigZag(int32_t v) {
  return static_cast<uint32_t>(v) << 1 ^ static_cast<uint32_t>(v >> 31);
}
inline constexpr int32_t UnZigZag(uint32_t v) {
  return static_cast<int32_t>(v >> 1 ^ (~(v & 1) + 1));
}

static_assert(std::endian::native == std::endian::little, "words are written as they stand");

inline constexpr size_t kMaxVarintBytes = 5;

// Appends to a buffer whose greatest size is known beforehand, so that no write needs a test.
// REQUIRES: no more bytes are written than the capacity says.
class ByteWriter {
 public:
  explicit ByteWriter(size_t capacity)
      : buffer_(std::make_unique_for_overwrite<uint8_t[]>(capacity)), at_(buffer_.get()) {}

  void Byte(uint32_t v) { *at_++ = static_cast<uint8_t>(v); }
  void Varint(uint32_t v) {
    while (v >= 0x80) {
      *at_++ = static_cast<uint8_t>(v | 0x80);
      v >>= 7;
    }
    *at_++ = static_cast<uint8_t>(v);
  }
  void Bytes(absl::string_view v) {
    memcpy(at_, v.data(), v.size());
    at_ += v.size();
  }
  size_t size() const { return static_cast<size_t>(at_ - buffer_.get()); }
  absl::string_view bytes() const { return {reinterpret_cast<const char*>(buffer_.get()), size()}; }

 private:
  std::unique_ptr<uint8_t[]> buffer_;
  uint8_t* at_;
};

// Reads what a ByteWriter wrote. A read past the end or of a number greater than it may be gives 0
// and leaves ok() false for good, so that a loop can be checked once at its end.
class ByteReader {
 public:
  explicit ByteReader(absl::string_view bytes)
      : at_(reinterpret_cast<const uint8_t*>(bytes.data())), end_(at_ + bytes.size()) {}

  uint32_t Byte() {
    if (at_ == end_) return Fail();
    return *at_++;
  }
  uint32_t Varint(uint32_t max = UINT32_MAX) {
    if (at_ != end_ && *at_ < 0x80) {
      const uint32_t v = *at_++;
      return v <= max ? v : Fail();
    }
    uint64_t v = 0;
    for (int shift = 0; shift < 35 && at_ != end_; shift += 7) {
      const uint8_t byte = *at_++;
      v |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return v <= max ? static_cast<uint32_t>(v) : Fail();
    }
    return Fail();
  }
  // The next `count` bytes, or nullptr where there are fewer.
  const uint8_t* Bytes(size_t count) {
    if (left() < count) {
      Fail();
      return nullptr;
    }
    at_ += count;
    return at_ - count;
  }
  size_t left() const { return static_cast<size_t>(end_ - at_); }
  bool ok() const { return ok_; }
  // All was read, and nothing was wrong.
  bool done() const { return ok_ && at_ == end_; }

 private:
  uint32_t Fail() {
    ok_ = false;
    at_ = end_;
    return 0;
  }

  const uint8_t* at_;
  const uint8_t* end_;
  bool ok_ = true;
};

}  // namespace hearsay

#endif  // HEARSAY_KB_BYTES_H_
