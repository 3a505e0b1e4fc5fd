// A plan from a file and from flags, which override the file's fields.
#ifndef HEARSAY_TOOLS_PLAN_FLAGS_H_
#define HEARSAY_TOOLS_PLAN_FLAGS_H_

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "rounds/plan.pb.h"
#include "tools/args.h"

namespace hearsay {

class PlanFlags {
 public:
  void Declare(ArgParser& args);
  // The first of the plan's words and flags that was given, or "".
  std::string FirstGiven() const;
  // Whether the flag of this field, as SetPlanField names it, was given.
  bool Gives(const std::string& field) const;
  // The complete plan. Errors: kInvalidArgument naming file, line and column, or the flag;
  // kUnavailable if the file cannot be read.
  absl::StatusOr<Plan> Make() const;

 private:
  std::optional<std::string> file_;
  std::deque<std::optional<std::string>> texts_;  // in the order of kPlanFlags; never moved
  std::vector<std::string> agents_;
  std::vector<std::string> policies_;
  std::vector<std::string> pins_;
};

// Sets one field of a complete plan by the name of its flag without the dashes: "topology", or
// "agents" with names between commas, or "policy" with what is to be in force: "none" or policies
// between commas. Completes the plan again. Errors: kInvalidArgument naming field and value.
absl::Status SetPlanField(const std::string& field, const std::string& value, Plan* plan);

}  // namespace hearsay

#endif  // HEARSAY_TOOLS_PLAN_FLAGS_H_
