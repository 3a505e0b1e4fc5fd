#include "kb/packing.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "kb/bytes.h"

namespace hearsay {
namespace {

enum Mode : uint32_t { kPlain = 0, kConstant = 1, kHuffman = 2 };

constexpr int kMaxLength = 11;  // of a code, in bits: the decoder's table then fits the first cache
constexpr uint32_t kCodeSpace = 1u << kMaxLength;

struct Symbol {
  uint8_t byte;
  uint8_t length;  // bits
  uint32_t count;
};

// The symbols of a column, ascending; those from `size` on are not set.
struct Alphabet {
  std::array<Symbol, 256> symbols;
  int size = 0;
};

Alphabet Count(absl::string_view column) {
  // Two tables, since a run of one byte would wait for its own counter.
  uint32_t counts[2][256] = {};
  const uint8_t* p = reinterpret_cast<const uint8_t*>(column.data());
  size_t i = 0;
  for (; i + 2 <= column.size(); i += 2) {
    ++counts[0][p[i]];
    ++counts[1][p[i + 1]];
  }
  if (i < column.size()) ++counts[0][p[i]];
  for (int byte = 0; byte < 256; ++byte) counts[0][byte] += counts[1][byte];
  Alphabet alphabet;
  for (int byte = 0; byte < 256; ++byte) {
    const uint32_t count = counts[0][byte];
    if (count > 0) alphabet.symbols[alphabet.size++] = {static_cast<uint8_t>(byte), 0, count};
  }
  return alphabet;
}

// Huffman's lengths for ascending counts, by Moffat and Katajainen's method in place: `a` holds the
// counts before and the lengths after. REQUIRES: n >= 2.
void HuffmanLengths(uint32_t* a, int n) {
  a[0] += a[1];
  int root = 0, leaf = 2;
  for (int next = 1; next < n - 1; ++next) {
    for (int k = 0; k < 2; ++k) {
      uint32_t weight;
      if (leaf >= n || (root < next && a[root] < a[leaf])) {
        weight = a[root];
        a[root++] = static_cast<uint32_t>(next);
      } else {
        weight = a[leaf++];
      }
      a[next] = k == 0 ? weight : a[next] + weight;
    }
  }
  a[n - 2] = 0;
  for (int next = n - 3; next >= 0; --next) a[next] = a[a[next]] + 1;
  int available = 1, used = 0, next = n - 1;
  uint32_t depth = 0;
  root = n - 2;
  while (available > 0) {
    while (root >= 0 && a[root] == depth) {
      ++used;
      --root;
    }
    while (available > used) {
      a[next--] = depth;
      --available;
    }
    available = 2 * used;
    ++depth;
    used = 0;
  }
}

// Sets the lengths, none above kMaxLength, so that they fill the code space exactly.
void SetLengths(Alphabet* alphabet) {
  const int n = alphabet->size;
  // Counts and the index of their symbol in one number sort fastest.
  std::array<uint32_t, 256> order;
  for (int i = 0; i < n; ++i) order[i] = alphabet->symbols[i].count << 8 | static_cast<uint32_t>(i);
  std::sort(order.begin(), order.begin() + n);
  std::array<uint32_t, 256> lengths;
  for (int i = 0; i < n; ++i) lengths[i] = order[i] >> 8;
  HuffmanLengths(lengths.data(), n);
  uint32_t space = 0;
  for (int i = 0; i < n; ++i) {
    lengths[i] = std::min<uint32_t>(lengths[i], kMaxLength);
    space += kCodeSpace >> lengths[i];
  }
  // Cutting lengths took too much space: the rarest codes that can grow give it back.
  for (int i = 0; space > kCodeSpace; i = (i + 1) % n) {
    if (lengths[i] == kMaxLength) continue;
    space -= kCodeSpace >> ++lengths[i];
  }
  // And what that left over goes to the most frequent ones it fits.
  for (int i = n - 1; i >= 0 && space < kCodeSpace; --i) {
    while (lengths[i] > 1 && space + (kCodeSpace >> lengths[i]) <= kCodeSpace) {
      space += kCodeSpace >> lengths[i]--;
    }
  }
  for (int i = 0; i < n; ++i) {
    alphabet->symbols[order[i] & 0xff].length = static_cast<uint8_t>(lengths[i]);
  }
}

uint32_t Reversed(uint32_t code, int length) {
  code = (code & 0x5555) << 1 | (code >> 1 & 0x5555);
  code = (code & 0x3333) << 2 | (code >> 2 & 0x3333);
  code = (code & 0x0f0f) << 4 | (code >> 4 & 0x0f0f);
  code = (code & 0x00ff) << 8 | code >> 8;
  return code >> (16 - length);
}

// Canonical codes, by length and then by byte, to be read lowest bit first.
template <typename Visit>
void EachCode(const Alphabet& alphabet, const Visit& visit) {
  uint32_t next[kMaxLength + 2] = {};
  for (int i = 0; i < alphabet.size; ++i) ++next[alphabet.symbols[i].length + 1];
  for (int length = 1; length <= kMaxLength; ++length) {
    next[length] = (next[length] + (length > 1 ? next[length - 1] : 0)) << 1;
  }
  for (int i = 0; i < alphabet.size; ++i) {
    const int length = alphabet.symbols[i].length;
    visit(alphabet.symbols[i], Reversed(next[length]++, length));
  }
}

int LongestCode(const Alphabet& alphabet) {
  int longest = 0;
  for (int i = 0; i < alphabet.size; ++i) {
    longest = std::max<int>(longest, alphabet.symbols[i].length);
  }
  return longest;
}

void PutAlphabet(const Alphabet& alphabet, ByteWriter* out) {
  out->Byte(static_cast<uint32_t>(alphabet.size - 1));
  int expected = 0;
  for (int i = 0; i < alphabet.size; ++i) {
    out->Byte(static_cast<uint32_t>(alphabet.symbols[i].byte - expected));
    expected = alphabet.symbols[i].byte + 1;
  }
  for (int i = 0; i < alphabet.size; i += 2) {
    const uint32_t next = i + 1 < alphabet.size ? alphabet.symbols[i + 1].length : 0u;
    out->Byte(alphabet.symbols[i].length | next << 4);
  }
}

bool TakeAlphabet(ByteReader* in, Alphabet* alphabet) {
  alphabet->size = static_cast<int>(in->Byte()) + 1;
  int expected = 0;
  for (int i = 0; i < alphabet->size; ++i) {
    const int byte = expected + static_cast<int>(in->Byte());
    if (byte > 255) return false;
    alphabet->symbols[i].byte = static_cast<uint8_t>(byte);
    expected = byte + 1;
  }
  uint32_t space = 0;
  for (int i = 0; i < alphabet->size; i += 2) {
    const uint32_t pair = in->Byte();
    alphabet->symbols[i].length = pair & 15;
    if (i + 1 < alphabet->size) alphabet->symbols[i + 1].length = static_cast<uint8_t>(pair >> 4);
  }
  for (int i = 0; i < alphabet->size; ++i) {
    const int length = alphabet->symbols[i].length;
    if (length < 1 || length > kMaxLength) return false;
    space += kCodeSpace >> length;
  }
  return in->ok() && space == kCodeSpace;
}

// The column's bits. REQUIRES: `out` has room for them and eight bytes more.
void PutBits(absl::string_view column, const Alphabet& alphabet, ByteWriter* out) {
  std::array<uint32_t, 256> codes;  // code << 4 | length
  EachCode(alphabet, [&](const Symbol& symbol, uint32_t code) {
    codes[symbol.byte] = code << 4 | symbol.length;
  });
  // Four codes and the seven bits that may be left over fit 64 bits, so that no test is needed
  // between.
  static_assert(4 * kMaxLength + 7 <= 64);
  uint64_t bits = 0;
  int held = 0;
  const auto add = [&](char c) {
    const uint32_t code = codes[static_cast<uint8_t>(c)];
    bits |= static_cast<uint64_t>(code >> 4) << held;
    held += static_cast<int>(code & 15);
  };
  const auto flush = [&] {
    out->Overlapping64(bits, held / 8);
    bits >>= held & ~7;
    held &= 7;
  };
  size_t i = 0;
  for (; i + 4 <= column.size(); i += 4) {
    for (size_t k = 0; k < 4; ++k) add(column[i + k]);
    flush();
  }
  for (; i < column.size(); ++i) add(column[i]);
  flush();
  if (held > 0) out->Byte(static_cast<uint32_t>(bits));
}

bool TakeBits(absl::string_view packed, const Alphabet& alphabet, size_t size, char* column) {
  std::array<uint16_t, kCodeSpace> table;  // byte << 4 | length, by the next bits
  const int longest = LongestCode(alphabet);
  const uint32_t mask = (1u << longest) - 1;
  EachCode(alphabet, [&](const Symbol& symbol, uint32_t code) {
    const uint16_t entry = static_cast<uint16_t>(symbol.byte << 4 | symbol.length);
    for (uint32_t i = code; i <= mask; i += 1u << symbol.length) table[i] = entry;
  });
  const uint8_t* at = reinterpret_cast<const uint8_t*>(packed.data());
  const uint8_t* const end = at + packed.size();
  uint64_t bits = 0;
  int held = 0;
  size_t i = 0;
  const auto take = [&] {
    const uint16_t entry = table[bits & mask];
    const int length = entry & 15;
    column[i++] = static_cast<char>(entry >> 4);
    bits >>= length;
    held -= length;
  };
  // Far from the end, 56 bits are topped up at once and hold five codes.
  static_assert(5 * kMaxLength <= 56);
  while (i + 5 <= size && end - at >= 8) {
    uint64_t word;
    memcpy(&word, at, 8);
    bits |= word << held;
    at += (63 - held) >> 3;
    held |= 56;
    for (int k = 0; k < 5; ++k) take();
    // What was shifted in beyond the bytes counted comes again with the next word.
    bits &= (uint64_t{1} << held) - 1;
  }
  while (i < size) {
    for (; held <= 56 && at < end; held += 8) bits |= static_cast<uint64_t>(*at++) << held;
    if (held < (table[bits & mask] & 15)) return false;
    take();
  }
  // Less than a byte is left over, and it is zero: one column has one spelling.
  return at == end && held < 8 && bits == 0;
}

size_t PackedBits(const Alphabet& alphabet) {
  size_t bits = 0;
  for (int i = 0; i < alphabet.size; ++i) {
    bits += size_t{alphabet.symbols[i].count} * alphabet.symbols[i].length;
  }
  return bits;
}

void PutColumn(absl::string_view column, ByteWriter* out) {
  const uint32_t size = static_cast<uint32_t>(column.size());
  if (size == 0) {
    out->Varint(kPlain);
    return;
  }
  if (column.substr(1) == column.substr(0, size - 1)) {  // all bytes alike
    out->Varint(size << 2 | kConstant);
    out->Byte(static_cast<uint8_t>(column[0]));
    return;
  }
  Alphabet alphabet = Count(column);
  SetLengths(&alphabet);
  const size_t bit_bytes = (PackedBits(alphabet) + 7) / 8;
  const size_t alphabet_bytes = 1 + alphabet.size + (alphabet.size + 1) / 2;
  if (alphabet_bytes + bit_bytes + 3 >= column.size()) {
    out->Varint(size << 2 | kPlain);
    out->Bytes(column);
    return;
  }
  out->Varint(size << 2 | kHuffman);
  PutAlphabet(alphabet, out);
  out->Varint(static_cast<uint32_t>(bit_bytes));
  PutBits(column, alphabet, out);
}

bool TakeColumn(ByteReader* in, std::string* bytes) {
  const uint32_t head = in->Varint();
  const size_t size = head >> 2;
  if (!in->ok() || size > kMaxUnpackedBytes - bytes->size()) return false;
  const size_t begin = bytes->size();
  switch (head & 3) {
    case kPlain: {
      const uint8_t* plain = in->Bytes(size);
      if (plain == nullptr) return false;
      bytes->append(reinterpret_cast<const char*>(plain), size);
      return true;
    }
    case kConstant:
      bytes->append(size, static_cast<char>(in->Byte()));
      return in->ok();
    case kHuffman: {
      Alphabet alphabet;
      if (!TakeAlphabet(in, &alphabet)) return false;
      const size_t bit_bytes = in->Varint();
      const uint8_t* bits = in->Bytes(bit_bytes);
      if (bits == nullptr) return false;
      bytes->resize(begin + size);
      return TakeBits({reinterpret_cast<const char*>(bits), bit_bytes}, alphabet, size,
                      bytes->data() + begin);
    }
    default:
      return false;
  }
}

}  // namespace

std::string Pack(absl::string_view bytes, absl::Span<const size_t> ends) {
  // Never more than plain: each column adds its head, and bits are written in words of four bytes.
  ByteWriter out(bytes.size() + ends.size() * kMaxVarintBytes + 8);
  size_t begin = 0;
  for (const size_t end : ends) {
    PutColumn(bytes.substr(begin, end - begin), &out);
    begin = end;
  }
  return std::string(out.bytes());
}

bool Unpack(absl::string_view packed, std::string* bytes) {
  ByteReader in(packed);
  bytes->clear();
  bytes->reserve(std::min(3 * packed.size() + 4096, kMaxUnpackedBytes));
  while (in.left() > 0) {
    if (!TakeColumn(&in, bytes)) return false;
  }
  return in.ok();
}

}  // namespace hearsay
