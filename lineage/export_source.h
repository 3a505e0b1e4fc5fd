// What all formats of an export read: the attempts of a run in order, their links, and the fields
// of nodes and links.
//
// One thread at a time.
#ifndef HEARSAY_LINEAGE_EXPORT_SOURCE_H_
#define HEARSAY_LINEAGE_EXPORT_SOURCE_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "lineage/export.h"
#include "lineage/table.h"

namespace hearsay {

enum class FieldType : uint8_t { kText, kInteger, kReal, kBoolean };  // kBoolean: Integer 0 or 1

struct ExportField {
  const char* name;
  FieldType type;
};
absl::Span<const ExportField> NodeFields();
absl::Span<const ExportField> LinkFields();
// A value for each field, missing where the field says nothing about this node or link.
using ExportRow = std::vector<Cell>;

// One link, ids in words.
struct ExportLink {
  LinkKind kind;
  AttemptId by{};                   // the attempt that read, wrote, copied, tested or changed
  AttemptId source{};               // kSource
  ClaimId claim{};                  // from; kWrote: to
  ClaimId made{};                   // kChanged: to
  Change change = Change::kCopied;  // kWrote, kChanged
  int16_t cost_lg = 0;              // kAdopted: of the closure that cost the attempt most

  std::string From() const;
  std::string To() const;
};
// "source", "wrote", "copied", "adopted", "confirmed", "refuted" or the name of the change.
absl::string_view NameOf(const ExportLink& link);

class ExportSource {
 public:
  ExportSource(const Store& store, RunRecord run, Atlas& atlas, const ExportFilter& filter)
      : store_(store), run_(std::move(run)), atlas_(atlas), filter_(filter) {}

  const RunRecord& run() const { return run_; }
  const ExportFilter& filter() const { return filter_; }
  // The records of the committed rounds that the filter asks for, ascending.
  absl::StatusOr<std::vector<RoundRecord>> Rounds() const;

  // Visits the attempts of one round, or of all that the filter asks for, in key order; stops at
  // the first error.
  using Visit = std::function<absl::Status(const AttemptBlock& block, int i)>;
  absl::Status VisitRound(int round, const Visit& visit) const;
  absl::Status VisitAll(const Visit& visit) const;

  // The links that end at attempt i of the block or were made by it, in one fixed order. Adds to
  // `left_out` what the filter leaves out.
  absl::StatusOr<absl::Span<const ExportLink>> LinksOf(const AttemptBlock& block, int i,
                                                       int64_t& left_out);

  // Valid until the next call.
  const ExportRow& AttemptRow(const AttemptBlock& block, int i);
  // Of the new claim at `place` of attempt i.
  const ExportRow& ClaimRow(const AttemptBlock& block, int i, int place);
  const ExportRow& LinkRow(const ExportLink& link);

 private:
  bool Wanted(AttemptId attempt) const { return attempt.round() >= filter_.first_round; }
  void AddLink(const ExportLink& link, int64_t& left_out);
  void StartRow(AttemptId attempt, const Outcome& outcome, const char* kind);

  const Store& store_;
  const RunRecord run_;
  Atlas& atlas_;
  const ExportFilter filter_;
  std::vector<ExportLink> links_;
  ExportRow row_;
};

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_EXPORT_SOURCE_H_
