// What most commands begin with: a kb, a run of it, its claims.
#ifndef HEARSAY_TOOLS_KB_ACCESS_H_
#define HEARSAY_TOOLS_KB_ACCESS_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kb/store.h"
#include "lineage/claim_table.h"
#include "lineage/run_set.h"
#include "tasks/landscape.h"
#include "tools/args.h"

namespace hearsay {

class KbFlag {
 public:
  void Declare(ArgParser& args);
  std::string path() const { return path_.value_or("hearsay.kb"); }
  absl::StatusOr<std::unique_ptr<Store>> Open(Store::Mode mode) const;

 private:
  std::optional<std::string> path_;
};

// "3" or "R3". Errors: kInvalidArgument.
absl::StatusOr<int> ParseRun(absl::string_view text);

// The run of that name, or the latest. Errors: kInvalidArgument; kNotFound where there is none.
absl::StatusOr<RunRecord> FindRun(const Store& store, const std::optional<std::string>& text);

// Errors: kNotFound where the run does not have the problem with this index.
absl::Status CheckHasProblem(const RunRecord& run, int problem);

class RunFlag {
 public:
  void Declare(ArgParser& args);
  bool given() const { return text_.has_value(); }
  // The run asked for, or the latest. Errors: kNotFound where there is none.
  absl::StatusOr<RunRecord> Find(const Store& store) const;
  // The run of an id, which --run may repeat but not contradict. Errors: kInvalidArgument.
  absl::Status CheckAgainst(int run) const;

 private:
  std::optional<std::string> text_;
};

// "3", "1,3,5", "R2-R6", "all", or the latest: runs that are studied together. Errors:
// kInvalidArgument, also where they cannot be pooled; kNotFound where there is none.
absl::StatusOr<RunSet> FindRuns(const Store& store, const std::optional<std::string>& text);

// --run with such a list.
class RunsFlag {
 public:
  void Declare(ArgParser& args);
  absl::StatusOr<RunSet> Find(const Store& store) const;

 private:
  std::optional<std::string> text_;
};

// The landscapes of a run.
absl::StatusOr<std::unique_ptr<Atlas>> AtlasOf(const RunRecord& run);

// The claims of a run with the landscapes that say whether they are true.
struct RunClaims {
  std::unique_ptr<Atlas> atlas;
  std::unique_ptr<ClaimTable> table;  // borrows the atlas
};

// Visits the claims of each of the runs, in their order, with two tables in memory at most. Errors:
// those of LoadClaims and of `visit`.
absl::Status VisitClaims(const Store& store, const RunSet& runs,
                         const std::function<absl::Status(const ClaimTable&)>& visit);

// Only of the problem with this index, where it is not negative.
absl::StatusOr<RunClaims> LoadClaims(const Store& store, const RunRecord& run, int problem);

}  // namespace hearsay

#endif  // HEARSAY_TOOLS_KB_ACCESS_H_
