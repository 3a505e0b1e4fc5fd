#include "lineage/content.h"

#include <utility>

#include "tasks/words.h"

namespace hearsay {
namespace {

// The claim of the intake whose label the reader saw: where two were merged, the first won.
absl::StatusOr<RowIndex> FirstParent(const ClaimTable& table, const IntakeEntry& entry) {
  return table.FindOrError(entry.parents[0]);
}

bool IsUnverified(Claim claim) {
  return claim.label() == Label::kUnverifiedAssertion ||
         claim.label() == Label::kUnsupportedClosure;
}

// Whether the new note holds `claim`, or one made of it, still unverified.
bool WrittenOn(const Comparison& comparison, const ClaimTable& table, ClaimId claim) {
  const AttemptBlock& block = *comparison.block;
  for (ClaimId id : block.note_of(comparison.index)) {
    if (id == claim) return true;
  }
  for (const NewClaim& made : block.new_claims_of(comparison.index)) {
    if ((made.parents[0] == claim || made.parents[1] == claim) && IsUnverified(made.claim)) {
      return true;
    }
  }
  return false;
}

std::vector<std::string> LabelNames() {
  std::vector<std::string> labels;
  for (int label = 0; label < kLabelCount; ++label) {
    labels.emplace_back(Name(static_cast<Label>(label)));
  }
  return labels;
}

// Fields of content.
enum { kNotes, kHarmful, kHarmfulWith, kHelpful, kHelpfulWith, kWith, kContentFields };
// Of propagation: five for each effect, that of `e` at e * kPerEffect.
enum { kAll, kReceiving, kWriting, kReceived, kWritten, kPerEffect };

}  // namespace

ContentCount::ContentCount(const RunSet& runs, const InfluenceOptions& options)
    : runs_(runs), options_(options), sums_(runs, LabelNames(), kContentFields) {}

absl::Status ContentCount::Add(const Store& store, const ClaimTable& table) {
  const auto count = [&](const Comparison& comparison) -> absl::Status {
    if (!comparison.read_a_note()) return absl::OkStatus();
    bool has[kLabelCount] = {};
    for (const IntakeEntry& entry : comparison.block->intake_of(comparison.index)) {
      const absl::StatusOr<RowIndex> row = FirstParent(table, entry);
      if (!row.ok()) return row.status();
      has[static_cast<int>(table.row(*row).claim.label())] = true;
    }
    const bool harmful = comparison.effect == Effect::kHarmed;
    const bool helpful = comparison.effect == Effect::kHelped;
    for (int label = 0; label < kLabelCount; ++label) {
      sums_.Add(comparison, label,
                {1, double(harmful), double(harmful && has[label]), double(helpful),
                 double(helpful && has[label]), double(has[label])});
    }
    return absl::OkStatus();
  };
  return VisitComparisonsOfRun(store, runs_, runs_.PlaceOf(table.run().run()), options_.scoring,
                               count);
}

std::vector<GroupStudy> ContentCount::Finish() const {
  GroupStudy study =
      sums_.Study("Content of harmful and helpful notes", "label", "notes",
                  {{"all", RatioOf(kWith, kNotes)},
                   {"harmful", RatioOf(kHarmfulWith, kHarmful)},
                   {"helpful", RatioOf(kHelpfulWith, kHelpful)},
                   {"points", PointsBetween(kHarmfulWith, kHarmful, kHelpfulWith, kHelpful)}},
                  options_.bootstrap);
  study.notes.insert(
      study.notes.begin(),
      "share of notes, as read after merging, that hold a claim of the label; harmful, "
      "helpful: by what came of the reader; points: harmful less helpful, in points");
  return {std::move(study)};
}

PropagationCount::PropagationCount(const RunSet& runs, const InfluenceOptions& options)
    : runs_(runs), options_(options), sums_(runs, {""}, 3 * kPerEffect) {}

absl::Status PropagationCount::Add(const Store& store, const ClaimTable& table) {
  const auto count = [&](const Comparison& comparison) -> absl::Status {
    if (!comparison.read_a_note()) return absl::OkStatus();
    double received = 0;
    double written = 0;
    for (const IntakeEntry& entry : comparison.block->intake_of(comparison.index)) {
      const absl::StatusOr<RowIndex> row = FirstParent(table, entry);
      if (!row.ok()) return row.status();
      if (!IsUnverified(table.row(*row).claim)) continue;
      ++received;
      written += WrittenOn(comparison, table, entry.parents[0]);
    }
    double amounts[3 * kPerEffect] = {};
    double* const of_effect = amounts + static_cast<int>(comparison.effect) * kPerEffect;
    of_effect[kAll] = 1;
    of_effect[kReceiving] = received > 0;
    of_effect[kWriting] = written > 0;
    of_effect[kReceived] = received;
    of_effect[kWritten] = written;
    sums_.Add(comparison, 0, amounts);
    return absl::OkStatus();
  };
  return VisitComparisonsOfRun(store, runs_, runs_.PlaceOf(table.run().run()), options_.scoring,
                               count);
}

std::vector<GroupStudy> PropagationCount::Finish() const {
  // Field 0 counts the harmed.
  static_assert(static_cast<int>(Effect::kHarmed) == 0);
  const int harmed = 0;
  const int helped = static_cast<int>(Effect::kHelped) * kPerEffect;
  GroupStudy study =
      sums_.Study("Unverified claims received and written on", "", "harmed",
                  {{"harmed_received", RatioOf(harmed + kReceiving, harmed + kAll)},
                   {"helped_received", RatioOf(helped + kReceiving, helped + kAll)},
                   {"harmed_written", RatioOf(harmed + kWriting, harmed + kReceiving)},
                   {"helped_written", RatioOf(helped + kWriting, helped + kReceiving)},
                   {"written_points", PointsBetween(harmed + kWriting, harmed + kReceiving,
                                                    helped + kWriting, helped + kReceiving)},
                   {"harmed_claims", RatioOf(harmed + kWritten, harmed + kReceived)},
                   {"helped_claims", RatioOf(helped + kWritten, helped + kReceived)}},
                  options_.bootstrap);
  study.notes.insert(
      study.notes.begin(),
      {"unverified: unverified assertions and unsupported closures. received: share of attempts "
       "whose note had one; written: share of those that wrote one on as such, and points harmed "
       "less helped; claims: share of such claims that were written on",
       "harmed: how many comparisons were harmed"});
  return {std::move(study)};
}

}  // namespace hearsay
