// What most commands begin with: a kb, a run of it, its claims.
#ifndef HEARSAY_TOOLS_KB_ACCESS_H_
#define HEARSAY_TOOLS_KB_ACCESS_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kb/store.h"
#include "lineage/claim_table.h"
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

// The landscapes of a run.
absl::StatusOr<std::unique_ptr<Atlas>> AtlasOf(const RunRecord& run);

// The claims of a run with the landscapes that say whether they are true.
struct RunClaims {
  std::unique_ptr<Atlas> atlas;
  std::unique_ptr<ClaimTable> table;  // borrows the atlas
};

// Only of the problem with this index, where it is not negative.
absl::StatusOr<RunClaims> LoadClaims(const Store& store, const RunRecord& run, int problem);

}  // namespace hearsay

#endif  // HEARSAY_TOOLS_KB_ACCESS_H_
