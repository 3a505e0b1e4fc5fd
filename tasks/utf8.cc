#include "tasks/utf8.h"

namespace hearsay {
namespace {

bool Between(unsigned char byte, int low, int high) { return byte >= low && byte <= high; }

}  // namespace

size_t LeadingCodePoint(absl::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [text](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t size = Between(first, 0xc2, 0xdf)   ? 2
                      : Between(first, 0xe0, 0xef) ? 3
                      : Between(first, 0xf0, 0xf4) ? 4
                                                   : 0;
  if (size == 0 || text.size() < size) return 0;
  // The second byte rules out what is too long, surrogates, and what lies past U+10FFFF.
  const int low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const int high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (!Between(byte(1), low, high)) return 0;
  for (size_t i = 2; i < size; ++i) {
    if (!Between(byte(i), 0x80, 0xbf)) return 0;
  }
  return size;
}

size_t EndOfUtf8(absl::string_view text) {
  size_t end = 0;
  while (end < text.size()) {
    const size_t size = LeadingCodePoint(text.substr(end));
    if (size == 0) break;
    end += size;
  }
  return end;
}

}  // namespace hearsay
