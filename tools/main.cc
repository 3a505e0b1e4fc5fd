// The hearsay command: finds the subcommand, parses its arguments, runs it, and turns an error into
// one sentence and an exit code.
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tasks/words.h"
#include "tools/args.h"
#include "tools/command.h"
#include "tools/console.h"
#include "tools/exit_codes.h"

namespace hearsay {
namespace {

std::string Overview() {
  std::string text =
      "hearsay simulates what becomes of a knowledge base when agents hand their notes on.\n\n"
      "Usage: hearsay COMMAND [ARGUMENTS]\n\nCommands:\n";
  for (const CommandEntry& command : Commands()) {
    absl::StrAppendFormat(&text, "  %-12s %s\n", command.name, command.summary);
  }
  absl::StrAppend(&text,
                  "\n'hearsay COMMAND --help' explains a command; 'hearsay --version' prints the "
                  "version.\nExit codes: 0 ok, 1 failure, 2 usage, 3 mismatch, 130 interrupted.\n");
  return text;
}

const CommandEntry* Find(const std::string& name) {
  for (const CommandEntry& command : Commands()) {
    if (name == command.name) return &command;
  }
  return nullptr;
}

absl::Status Unknown(const std::string& word) {
  if (word[0] == '-') return UnknownWord("flag", word, {"--help", "--version"});
  std::vector<std::string> known{"help"};
  for (const CommandEntry& command : Commands()) known.push_back(command.name);
  return UnknownWord("command", word, known);
}

absl::StatusOr<ExitCode> Dispatch(std::vector<std::string> words, Console& console) {
  if (words.empty()) {
    console.Err(Overview());
    return ExitCode::kUsage;
  }
  if (words[0] == "--version") {
    console.Out("hearsay " HEARSAY_VERSION "\n");
    return ExitCode::kOk;
  }
  const bool wants_help = words[0] == "--help" || words[0] == "-h" || words[0] == "help";
  if (wants_help && (words.size() == 1 || words[1] == "help")) {
    console.Out(Overview());
    return ExitCode::kOk;
  }
  if (wants_help) words = {words[1], "--help"};
  const CommandEntry* const entry = Find(words[0]);
  if (entry == nullptr) return Unknown(words[0]);
  const std::unique_ptr<Command> command = entry->make();
  ArgParser args(absl::StrCat("hearsay ", entry->name), entry->summary, entry->examples);
  command->Declare(args);
  const absl::StatusOr<ArgParser::Parsed> parsed = args.Parse({words.begin() + 1, words.end()});
  if (!parsed.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(entry->name, ": ", parsed.status().message()));
  }
  if (*parsed == ArgParser::Parsed::kHelp) {
    console.Out(args.Help());
    return ExitCode::kOk;
  }
  return command->Run(console);
}

int Main(int argc, char** argv) {
  Console console;
  absl::StatusOr<ExitCode> code = ExitCode::kOk;
  // Libraries below us throw where memory runs out; nothing of ours does.
  try {
    code = Dispatch({argv + 1, argv + argc}, console);
  } catch (const std::bad_alloc&) {
    code = absl::ResourceExhaustedError("out of memory; try fewer lanes or problems");
  } catch (const std::exception& error) {
    code = absl::InternalError(absl::StrCat("internal error: ", error.what()));
  }
  if (code.ok()) {
    const absl::Status written = console.Finish();
    if (!written.ok()) code = written;
  }
  if (!code.ok()) {
    console.Say(code.status().message());
    return static_cast<int>(ExitCodeOf(code.status()));
  }
  return static_cast<int>(*code);
}

}  // namespace
}  // namespace hearsay

int main(int argc, char** argv) { return hearsay::Main(argc, argv); }
