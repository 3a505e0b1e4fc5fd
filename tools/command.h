// A subcommand: declares its arguments, then runs with them.
#ifndef HEARSAY_TOOLS_COMMAND_H_
#define HEARSAY_TOOLS_COMMAND_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tools/args.h"
#include "tools/console.h"
#include "tools/exit_codes.h"

namespace hearsay {

class Command {
 public:
  virtual ~Command() = default;
  virtual void Declare(ArgParser& args) = 0;
  // Errors end the process as ExitCodeOf() says, with their message as the last line.
  virtual absl::StatusOr<ExitCode> Run(Console& console) = 0;
};

struct CommandEntry {
  const char* name;
  const char* summary;   // one line
  const char* examples;  // lines of the help
  std::unique_ptr<Command> (*make)();
};

// All subcommands, in the order of the help.
absl::Span<const CommandEntry> Commands();

// One file each.
std::unique_ptr<Command> NewRunCommand();
std::unique_ptr<Command> NewPlanCommand();
std::unique_ptr<Command> NewRunsCommand();
std::unique_ptr<Command> NewAttemptCommand();
std::unique_ptr<Command> NewNoteCommand();
std::unique_ptr<Command> NewClaimsCommand();
std::unique_ptr<Command> NewAncestryCommand();
std::unique_ptr<Command> NewDescendantsCommand();
std::unique_ptr<Command> NewCounterfactualCommand();
std::unique_ptr<Command> NewGraphCommand();
std::unique_ptr<Command> NewExportCommand();
std::unique_ptr<Command> NewStudyCommand();
std::unique_ptr<Command> NewReportCommand();
std::unique_ptr<Command> NewSweepCommand();
std::unique_ptr<Command> NewProblemsCommand();
std::unique_ptr<Command> NewAgentsCommand();
std::unique_ptr<Command> NewCheckCommand();
std::unique_ptr<Command> NewKbCommand();
std::unique_ptr<Command> NewCompareCommand();

}  // namespace hearsay

#endif  // HEARSAY_TOOLS_COMMAND_H_
