// hearsay plan: prints the complete plan that `hearsay run` would execute.
#include "rounds/plan.h"
#include "tools/command.h"
#include "tools/plan_flags.h"

namespace hearsay {
namespace {

class PlanCommand : public Command {
 public:
  void Declare(ArgParser& args) override { plan_.Declare(args); }

  absl::StatusOr<ExitCode> Run(Console& console) override {
    const absl::StatusOr<Plan> plan = plan_.Make();
    if (!plan.ok()) return plan.status();
    console.Out(FormatPlan(*plan));
    return ExitCode::kOk;
  }

 private:
  PlanFlags plan_;
};

}  // namespace

std::unique_ptr<Command> NewPlanCommand() { return std::make_unique<PlanCommand>(); }

}  // namespace hearsay
