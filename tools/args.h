// The arguments of one subcommand: declared, parsed, explained. CLI11 does the parsing and is
// included in args.cc alone; this header adds what its errors lack: one sentence that names flag
// and value, and the nearest known flag.
//
// Pointers given to the Add functions must outlive the parser and are written by Parse.
#ifndef HEARSAY_TOOLS_ARGS_H_
#define HEARSAY_TOOLS_ARGS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hearsay {

// Errors: kInvalidArgument naming the text and the range.
absl::StatusOr<int64_t> ParseWholeNumber(absl::string_view text, int64_t low, int64_t high);

class ArgParser {
 public:
  // `command` is the whole of it, as in "hearsay run"; `examples` stands at the end of the help.
  ArgParser(const std::string& command, const std::string& summary, const std::string& examples);
  ~ArgParser();
  ArgParser(const ArgParser&) = delete;
  ArgParser& operator=(const ArgParser&) = delete;

  // Words without a flag, in the order in which they are declared.
  void AddWord(const std::string& name, const std::string& help, std::string* value);
  void AddOptionalWord(const std::string& name, const std::string& help,
                       std::optional<std::string>* value);
  // "--flag VALUE", at most once.
  void AddText(const std::string& flag, const std::string& meta, const std::string& help,
               std::optional<std::string>* value);
  // "--flag A,B" as often as wanted; split at commas.
  void AddList(const std::string& flag, const std::string& meta, const std::string& help,
               std::vector<std::string>* values);
  // The same, each as it stands.
  void AddRepeated(const std::string& flag, const std::string& meta, const std::string& help,
                   std::vector<std::string>* values);
  void AddNumber(const std::string& flag, const std::string& help, int64_t low, int64_t high,
                 int64_t* value);
  // One of `choices`; `*value` holds the default.
  void AddChoice(const std::string& flag, const std::vector<std::string>& choices,
                 const std::string& help, std::string* value);
  void AddSwitch(const std::string& flag, const std::string& help, bool* value);

  enum class Parsed { kReady, kHelp };
  // Errors: kInvalidArgument.
  absl::StatusOr<Parsed> Parse(std::vector<std::string> words);

  std::string Help() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hearsay

#endif  // HEARSAY_TOOLS_ARGS_H_
