// A run as a graph for other programs: attempts and claims are its nodes, and what passed between
// them its links. docs/formats.md, "Exports", names every field.
//
// An export streams: it reads block by block and holds one at a time, so that a run of any size
// takes the memory of its largest block. Formats that want all nodes before all links, or records
// of one kind together, cost a scan for each part instead of memory.
#ifndef HEARSAY_LINEAGE_EXPORT_H_
#define HEARSAY_LINEAGE_EXPORT_H_

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kb/store.h"
#include "tasks/landscape.h"

namespace hearsay {

enum class ExportFormat { kGraphMl, kCytoscape, kProvJson, kCsv };

struct ExportFilter {
  std::vector<int> problems;  // indexes; empty: all of the run
  // The first and last round. A link to something before the first round is left out and counted.
  int first_round = 0;
  int last_round = kMaxRounds;
};

// What a link says; it points the way that information went.
enum class LinkKind : uint8_t {
  kSource = 0,     // attempt -> attempt that was to read its note
  kWrote = 1,      // attempt -> claim that it was the first to write
  kCopied = 2,     // claim -> attempt whose note hands it on unchanged
  kAdopted = 3,    // claim -> attempt that believed it
  kConfirmed = 4,  // claim -> attempt whose submissions bore it out
  kRefuted = 5,    // claim -> attempt whose submissions refuted it
  kChanged = 6,    // claim -> claim made of it; the change says how
};
inline constexpr int kLinkKindCount = 7;

struct ExportCounts {
  int64_t attempts = 0;
  int64_t claims = 0;
  std::array<int64_t, kLinkKindCount> links{};
  int64_t left_out = 0;  // links from before the first round
  int64_t total_links() const {
    int64_t total = 0;
    for (int64_t count : links) total += count;
    return total;
  }
};

// Receives the bytes of a file in order, in pieces of some hundred KiB. An error ends the export.
using ExportSink = std::function<absl::Status(absl::string_view)>;

// Exports run `run` to `sink`; `links` receives the table of links in kCsv, where `sink` receives
// that of nodes, and is not called otherwise. A run recorded without claims has attempts and
// sources only. Errors: those of the store and of the sinks; kInvalidArgument if the rounds are
// none; kNotFound if the run has no such problem, or does not reach the first round; kDataLoss
// naming the attempt that acted on claims it has not read. REQUIRES: `atlas` is of the run's
// hardware.
absl::StatusOr<ExportCounts> ExportRun(const Store& store, int run, Atlas& atlas,
                                       ExportFormat format, const ExportFilter& filter,
                                       const ExportSink& sink, const ExportSink& links);

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_EXPORT_H_
