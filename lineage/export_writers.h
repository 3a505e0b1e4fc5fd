// The formats of an export, each a walk over one source.
#ifndef HEARSAY_LINEAGE_EXPORT_WRITERS_H_
#define HEARSAY_LINEAGE_EXPORT_WRITERS_H_

#include <string>
#include <utility>

#include "lineage/export_source.h"

namespace hearsay {

// Text on its way to a sink, handed on in pieces.
class ExportText {
 public:
  explicit ExportText(ExportSink sink) : sink_(std::move(sink)) {}
  // To be appended to.
  std::string& text() { return text_; }
  // Hands on what there is, if it is enough.
  absl::Status Step() { return text_.size() < kPieceBytes ? absl::OkStatus() : Finish(); }
  absl::Status Finish() {
    const absl::Status status = text_.empty() ? absl::OkStatus() : sink_(text_);
    text_.clear();
    return status;
  }

 private:
  static constexpr size_t kPieceBytes = size_t{1} << 18;
  ExportSink sink_;
  std::string text_;
};

absl::StatusOr<ExportCounts> WriteGraphMl(ExportSource& source, const ExportSink& sink);
absl::StatusOr<ExportCounts> WriteCytoscape(ExportSource& source, const ExportSink& sink);
absl::StatusOr<ExportCounts> WriteCsv(ExportSource& source, const ExportSink& nodes,
                                      const ExportSink& links);
absl::StatusOr<ExportCounts> WriteProvJson(ExportSource& source, const ExportSink& sink);

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_EXPORT_WRITERS_H_
