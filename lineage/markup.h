// Text and numbers as they may stand in the formats that leave hearsay: JSON, CSV, XML and HTML.
#ifndef HEARSAY_LINEAGE_MARKUP_H_
#define HEARSAY_LINEAGE_MARKUP_H_

#include <string>

#include "absl/strings/string_view.h"

namespace hearsay {

// The shortest digits that read back as the same number: "0.1", "1e+30", "nan".
std::string ShortestReal(double number);

// A string of JSON, quotes included. Bytes that are not UTF-8, as paths may have, become U+FFFD.
std::string JsonString(absl::string_view text);

// A field of RFC 4180: in quotes where it has to be.
std::string CsvField(absl::string_view text);

// For text and quoted attributes of XML and HTML. Control characters become spaces: XML has no
// place for them, not even escaped.
std::string EscapeMarkup(absl::string_view text);

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_MARKUP_H_
