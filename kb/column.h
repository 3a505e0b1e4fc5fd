// Columns of a block as bytes: each by itself, run-length coded, compressed by ZSTD, or as it is,
// whichever is shortest. docs/formats.md has the grammar. Private to kb/'s codec.
//
// A column of its own has frequencies of its own, which ZSTD codes far better than those of many
// columns mixed; and encoding runs on the threads of the executor, where RocksDB would compress on
// its own few.
#ifndef HEARSAY_KB_COLUMN_H_
#define HEARSAY_KB_COLUMN_H_

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "kb/bytes.h"

namespace hearsay {

// What a column may hold at most, so that damaged bytes cannot ask for more. No block has a longer
// one: 1,024 notes of 255 claims, spelt out, take three quarters of it.
inline constexpr size_t kMaxColumnBytes = size_t{1} << 22;

class ColumnWriter {
 public:
  // For the columns of a block of so many attempts.
  explicit ColumnWriter(size_t attempts);
  // REQUIRES: at most kMaxColumnBytes.
  void Add(absl::string_view column);
  void Add(const ByteWriter& column) { Add(column.bytes()); }
  std::string Take() { return std::move(out_); }

 private:
  const size_t least_to_compress_;
  std::string out_;
};

class ColumnReader {
 public:
  explicit ColumnReader(absl::string_view bytes) : in_(bytes) {}

  // The next column, which lives as long as the reader. Empty, and ok() false, where there is none.
  absl::string_view Next();
  // The next column, of exactly `size` bytes; else nullptr, and ok() false.
  const uint8_t* Next(size_t size);
  // Passes over the next column, whatever it holds.
  void Skip();
  bool ok() const { return ok_; }
  bool done() const { return ok_ && in_.done(); }

 private:
  absl::string_view Fail();

  ByteReader in_;
  std::deque<std::string> unpacked_;
  bool ok_ = true;
};

// Numbers 0 to n - 1 in an order that puts like next to like: by one key after the other, as they
// become known, and as they were among equals. Both sides of the codec do the same.
class Grouping {
 public:
  explicit Grouping(size_t count);
  absl::Span<const uint32_t> order() const { return order_; }

  // Sets the bytes to split by: `key(i)` of each number i. Returns them in the order so far; valid
  // until the next call.
  template <typename Key>
  absl::string_view SetKeys(const Key& key) {
    for (size_t i = 0; i < order_.size(); ++i) keys_[i] = static_cast<uint8_t>(key(order_[i]));
    return {reinterpret_cast<const char*>(keys_.data()), keys_.size()};
  }
  // The same, from bytes in the order so far.
  void SetOrderedKeys(const uint8_t* keys) { std::copy_n(keys, keys_.size(), keys_.begin()); }
  // Splits every group by the bytes that were last set.
  void Split();

 private:
  struct Group {
    uint32_t begin, end;  // in order_
  };
  // Sorts a group by keys_, stably, and adds what it falls into to next_.
  void SplitSmall(Group group);
  void SplitLarge(Group group);
  void AddGroup(uint32_t begin, uint32_t end) {
    if (end - begin > 1) next_.push_back({begin, end});
  }

  std::vector<uint32_t> order_;
  std::vector<uint8_t> keys_;         // of order_, in its order
  std::vector<Group> groups_, next_;  // those of two and more: others are in their place for good
  std::vector<uint32_t> sorted_;
};

}  // namespace hearsay

#endif  // HEARSAY_KB_COLUMN_H_
