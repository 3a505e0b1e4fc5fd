// The text of lineage/data/published.csv, built into the library.
#ifndef HEARSAY_LINEAGE_DATA_EMBEDDED_H_
#define HEARSAY_LINEAGE_DATA_EMBEDDED_H_

namespace hearsay {

extern const char kPublishedText[];

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_DATA_EMBEDDED_H_
