// Landscapes: for every (problem, DSL) on one kind of hardware the run time of each design point.
#ifndef HEARSAY_TASKS_LANDSCAPE_H_
#define HEARSAY_TASKS_LANDSCAPE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tasks/claim.h"
#include "tasks/design_space.h"
#include "tasks/world.h"

namespace hearsay {

// Where the times of a landscape come from.
enum class LandscapeSource : uint8_t { kModelled = 0, kMeasured = 1, kImported = 2 };

// One landscape. Immutable once built; may be read from any thread.
class Landscape {
 public:
  // Derives the tables of World from the entries.
  // REQUIRES: entries.size() == space.point_count(); entries[0] is speed 0.
  Landscape(const DesignSpace& space, Dsl dsl, LandscapeSource source, std::vector<Entry> entries,
            const uint8_t difficulty[kMaxKnobs][kMaxValues]);
  Landscape(const Landscape&) = delete;
  Landscape& operator=(const Landscape&) = delete;

  // Valid as long as this landscape.
  const World& world() const { return world_; }
  Dsl dsl() const { return dsl_; }
  LandscapeSource source() const { return source_; }
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  Dsl dsl_;
  LandscapeSource source_;
  std::vector<Entry> entries_;
  World world_;
};

// All landscapes on one kind of hardware, each modelled when first asked for.
// Thread safe. Landscapes live as long as the atlas.
class Atlas {
 public:
  // `hardware` is a name in tasks/data/hardware.textproto, such as "h200".
  // Errors: kInvalidArgument naming the hardware and what there is.
  static absl::StatusOr<std::unique_ptr<Atlas>> Create(absl::string_view hardware);
  virtual ~Atlas() = default;

  // REQUIRES: 0 <= problem_index < ProblemCount().
  virtual const Landscape& Get(int problem_index, Dsl dsl) = 0;
  // Models all of `problem_indexes`, in both DSLs, with `threads` threads.
  // REQUIRES: threads >= 1.
  virtual void Prepare(const std::vector<int>& problem_indexes, int threads) = 0;
  // A digest of the landscapes of `problem_indexes` in both DSLs (shape, entries, difficulty), in
  // any order. The same on every machine; two runs on one digest ran in the same world.
  virtual uint64_t Digest(const std::vector<int>& problem_indexes) = 0;
};

}  // namespace hearsay

#endif  // HEARSAY_TASKS_LANDSCAPE_H_
