#include "kb/column.h"

#define ZSTD_STATIC_LINKING_ONLY  // frames without magic numbers
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>

namespace hearsay {
namespace {

enum Mode : uint32_t { kPlain = 0, kRun = 1, kZstd = 2 };

// Levels above gain a hundredth and take up to five times as long. What repeats in a few bytes is
// chance: looking for long repeats only is quicker and leaves more to the frequencies.
constexpr int kLevel = 1;
constexpr int kLeastMatchBytes = 7;
// Below this ZSTD's own header costs more than it gains. Blocks of few attempts are compressed by
// RocksDB, many together, which for columns of less than the second number takes fewer bytes and
// a tenth of the time.
constexpr size_t kLeastToCompress = 24;
constexpr size_t kFewAttempts = 128;
constexpr size_t kLeastOfFewToCompress = 256;

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

// One a thread: making one costs more than compressing a column.
ZSTD_CCtx* Compressor() {
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeContext> context = [] {
    std::unique_ptr<ZSTD_CCtx, FreeContext> made(ZSTD_createCCtx());
    ZSTD_CCtx_setParameter(made.get(), ZSTD_c_compressionLevel, kLevel);
    ZSTD_CCtx_setParameter(made.get(), ZSTD_c_minMatch, kLeastMatchBytes);
    ZSTD_CCtx_setParameter(made.get(), ZSTD_c_format, ZSTD_f_zstd1_magicless);
    ZSTD_CCtx_setParameter(made.get(), ZSTD_c_contentSizeFlag, 0);
    return made;
  }();
  return context.get();
}

ZSTD_DCtx* Decompressor() {
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> context = [] {
    std::unique_ptr<ZSTD_DCtx, FreeContext> made(ZSTD_createDCtx());
    ZSTD_DCtx_setParameter(made.get(), ZSTD_d_format, ZSTD_f_zstd1_magicless);
    return made;
  }();
  return context.get();
}

void PutHead(std::string* out, size_t size, Mode mode) {
  ByteWriter head(kMaxVarintBytes);
  head.Varint(static_cast<uint32_t>(size) << 2 | mode);
  out->append(head.bytes().data(), head.size());
}

}  // namespace

ColumnWriter::ColumnWriter(size_t attempts)
    : least_to_compress_(attempts < kFewAttempts ? kLeastOfFewToCompress : kLeastToCompress) {}

void ColumnWriter::Add(absl::string_view column) {
  if (column.size() > 1 && column.find_first_not_of(column[0]) == column.npos) {
    PutHead(&out_, column.size(), kRun);
    out_.push_back(column[0]);
    return;
  }
  if (column.size() >= least_to_compress_) {
    thread_local std::string packed;
    packed.resize(ZSTD_compressBound(column.size()));
    const size_t size =
        ZSTD_compress2(Compressor(), packed.data(), packed.size(), column.data(), column.size());
    if (ZSTD_isError(size) == 0 && size + 2 < column.size()) {
      PutHead(&out_, column.size(), kZstd);
      ByteWriter length(kMaxVarintBytes);
      length.Varint(static_cast<uint32_t>(size));
      out_.append(length.bytes().data(), length.size()).append(packed.data(), size);
      return;
    }
  }
  PutHead(&out_, column.size(), kPlain);
  out_.append(column.data(), column.size());
}

absl::string_view ColumnReader::Fail() {
  ok_ = false;
  return {};
}

absl::string_view ColumnReader::Next() {
  const uint32_t head = in_.Varint();
  const size_t size = head >> 2;
  const uint32_t mode = head & 3;
  if (!in_.ok() || size > kMaxColumnBytes) return Fail();
  if (mode == kPlain) {
    const uint8_t* bytes = in_.Bytes(size);
    if (bytes == nullptr) return Fail();
    return {reinterpret_cast<const char*>(bytes), size};
  }
  std::string& column = unpacked_.emplace_back();
  if (mode == kRun) {
    column.assign(size, static_cast<char>(in_.Byte()));
    return in_.ok() ? absl::string_view(column) : Fail();
  }
  const size_t packed_size = in_.Varint();
  const uint8_t* packed = in_.Bytes(packed_size);
  if (mode != kZstd || packed == nullptr) return Fail();
  column.resize(size);
  const size_t got = ZSTD_decompressDCtx(Decompressor(), column.data(), size, packed, packed_size);
  return got == size ? absl::string_view(column) : Fail();
}

void ColumnReader::Skip() {
  const uint32_t head = in_.Varint();
  const uint32_t mode = head & 3;
  const size_t size = mode == kPlain ? head >> 2 : mode == kRun ? 1 : in_.Varint();
  if (mode > kZstd || in_.Bytes(size) == nullptr) Fail();
}

const uint8_t* ColumnReader::Next(size_t size) {
  const absl::string_view column = Next();
  if (ok_ && column.size() == size) return reinterpret_cast<const uint8_t*>(column.data());
  Fail();
  return nullptr;
}

Grouping::Grouping(size_t count) : order_(count), keys_(count), sorted_(count) {
  std::iota(order_.begin(), order_.end(), 0);
  if (count > 1) groups_.push_back({0, static_cast<uint32_t>(count)});
}

void Grouping::SplitSmall(Group group) {
  const auto [begin, end] = group;
  for (uint32_t i = begin + 1; i < end; ++i) {
    const uint32_t moving = order_[i];
    const uint8_t key = keys_[i];
    uint32_t to = i;
    for (; to > begin && keys_[to - 1] > key; --to) {
      order_[to] = order_[to - 1];
      keys_[to] = keys_[to - 1];
    }
    order_[to] = moving;
    keys_[to] = key;
  }
  uint32_t first = begin;
  for (uint32_t i = begin + 1; i < end; ++i) {
    if (keys_[i] == keys_[i - 1]) continue;
    AddGroup(first, i);
    first = i;
  }
  AddGroup(first, end);
}

void Grouping::SplitLarge(Group group) {
  const auto [begin, end] = group;
  // Keys of a group are few and near each other.
  const auto [low, high] = std::minmax_element(keys_.begin() + begin, keys_.begin() + end);
  const int least = *low, most = *high;
  uint32_t counts[256];
  std::fill(counts + least, counts + most + 1, 0);
  for (uint32_t i = begin; i < end; ++i) ++counts[keys_[i]];
  uint32_t at = begin;
  for (int key = least; key <= most; ++key) {
    AddGroup(at, at + counts[key]);
    at += counts[key];
    counts[key] = at - counts[key];
  }
  for (uint32_t i = begin; i < end; ++i) sorted_[counts[keys_[i]]++] = order_[i];
  std::copy(sorted_.begin() + begin, sorted_.begin() + end, order_.begin() + begin);
}

void Grouping::Split() {
  constexpr uint32_t kSmall = 24;  // below, 256 counters cost more than moving a few numbers
  next_.clear();
  for (const Group group : groups_) {
    const auto [begin, end] = group;
    if (memcmp(&keys_[begin], &keys_[begin + 1], end - begin - 1) == 0) {
      next_.push_back(group);  // all equal
    } else if (end - begin <= kSmall) {
      SplitSmall(group);
    } else {
      SplitLarge(group);
    }
  }
  groups_.swap(next_);
}

}  // namespace hearsay
