// Study "published": figures that a benchmark of language models reported, beside the same figures
// of runs of the simulator. Nothing is fitted to them; lineage/data/published.csv says whose they
// are.
#ifndef HEARSAY_LINEAGE_PUBLISHED_H_
#define HEARSAY_LINEAGE_PUBLISHED_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lineage/grouped.h"
#include "lineage/table.h"
#include "lineage/transfer.h"

namespace hearsay {

// A line of the data.
struct PublishedFigure {
  std::string figure;
  double low = 0, high = 0;
  std::optional<int> theirs, of;  // how many of their models or cells lay within; nullopt: not said
  std::string meaning;
};

// Errors: kInvalidArgument naming `source`, the line and what is wrong with it.
absl::StatusOr<std::vector<PublishedFigure>> ParsePublished(absl::string_view text,
                                                            absl::string_view source);

// What the figures are computed of, all of the same runs.
struct PublishedInputs {
  const TransferStudy& transfer;
  const std::vector<GroupStudy>& content;
  const std::vector<GroupStudy>& attribution;
  const std::vector<GroupStudy>& propagation;
};

// One of our cells, agents or the whole.
struct OurFigure {
  std::string of;     // "steady cute->tirx", "steady", "all"
  Estimate estimate;  // without an interval where it is made of several estimates
};

// kNotFound where there is no such figure.
absl::StatusOr<std::vector<OurFigure>> ComputeFigure(absl::string_view figure,
                                                     const PublishedInputs& inputs);

// For the command: each figure with how many lie within the range, then all of them one by one.
absl::StatusOr<std::vector<Table>> PublishedTables(const PublishedInputs& inputs);

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_PUBLISHED_H_
