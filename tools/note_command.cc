// hearsay note: prints a note, or keeps one from outside.
#include <algorithm>
#include <chrono>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "kb/skill.h"
#include "tasks/utf8.h"
#include "tools/command.h"
#include "tools/files.h"
#include "tools/kb_access.h"

namespace hearsay {
namespace {

// Numbers of texts from outside are written T1, T2 ...
constexpr char kTextPrefix[] = "T";

class NoteCommand : public Command {
 public:
  void Declare(ArgParser& args) override {
    args.AddOptionalWord("ID", "Attempt such as R1:r3.p71.l0, or text from outside such as T1",
                         &id_);
    args.AddText("--add", "FILE", "Keep this file as a note from outside", &add_);
    kb_.Declare(args);
  }
  absl::StatusOr<ExitCode> Run(Console& console) override;

 private:
  absl::StatusOr<ExitCode> Add(Console& console) const;
  absl::StatusOr<ExitCode> PrintText(int number, Console& console) const;
  absl::StatusOr<ExitCode> PrintNote(AttemptId attempt, Console& console) const;

  std::optional<std::string> id_, add_;
  KbFlag kb_;
};

// The name in the front matter, or that of the file.
std::string NameOf(absl::string_view text, const std::string& path) {
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  if (absl::StripSuffix(lines.front(), "\r") == "---") {
    for (size_t i = 1; i < lines.size() && !absl::StartsWith(lines[i], "---"); ++i) {
      absl::string_view line = lines[i];
      if (!absl::ConsumePrefix(&line, "name:")) continue;
      line = absl::StripAsciiWhitespace(line);
      return std::string(absl::StripSuffix(absl::StripPrefix(line, "\""), "\""));
    }
  }
  return path.substr(path.rfind('/') + 1);
}

// Errors: kInvalidArgument naming the file, and the line where it is no text.
absl::Status CheckText(absl::string_view text, const std::string& path) {
  if (EndOfUtf8(path) < path.size()) {
    return absl::InvalidArgumentError(absl::StrCat("--add: the name '", path, "' is not UTF-8"));
  }
  if (text.empty()) return absl::InvalidArgumentError(absl::StrCat("--add: '", path, "' is empty"));
  const size_t end = EndOfUtf8(text);
  if (end == text.size()) return absl::OkStatus();
  const auto lines = std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(end), '\n');
  return absl::InvalidArgumentError(
      absl::StrCat("--add: '", path, "' line ", lines + 1, " is not UTF-8: byte ",
                   absl::Hex(static_cast<unsigned char>(text[end]), absl::kZeroPad2)));
}

absl::StatusOr<ExitCode> NoteCommand::Add(Console& console) const {
  const absl::StatusOr<std::string> text = ReadFile(*add_);
  if (!text.ok()) return text.status();
  const absl::Status is_text = CheckText(*text, *add_);
  if (!is_text.ok()) return is_text;
  const auto store = kb_.Open(Store::Mode::kWrite);
  if (!store.ok()) return store.status();
  TextRecord record;
  record.set_name(NameOf(*text, *add_));
  record.set_origin(*add_);
  record.set_text(*text);
  record.set_added_unix_seconds(std::chrono::duration_cast<std::chrono::seconds>(
                                    std::chrono::system_clock::now().time_since_epoch())
                                    .count());
  const absl::StatusOr<int> number = (*store)->PutText(record);
  if (!number.ok()) return number.status();
  console.Out(absl::StrCat(kTextPrefix, *number, "\n"));
  return ExitCode::kOk;
}

absl::StatusOr<ExitCode> NoteCommand::PrintText(int number, Console& console) const {
  const auto store = kb_.Open(Store::Mode::kRead);
  if (!store.ok()) return store.status();
  const absl::StatusOr<TextRecord> text = (*store)->Text(number);
  if (absl::IsNotFound(text.status())) {
    return absl::NotFoundError(
        absl::StrCat("kb '", kb_.path(), "' has no text ", kTextPrefix, number));
  }
  if (!text.ok()) return text.status();
  console.Out(text->text());
  return ExitCode::kOk;
}

absl::StatusOr<ExitCode> NoteCommand::PrintNote(AttemptId attempt, Console& console) const {
  const auto store = kb_.Open(Store::Mode::kRead);
  if (!store.ok()) return store.status();
  const absl::StatusOr<RunRecord> run = (*store)->Run(attempt.run());
  if (!run.ok()) return run.status();
  const absl::StatusOr<AttemptBlock> block = (*store)->BlockOf(attempt);
  if (!block.ok()) return block.status();
  absl::StatusOr<std::vector<NotedClaim>> claims = (*store)->Note(attempt);
  if (!claims.ok()) return claims.status();
  const int index = attempt.lane() - block->first.lane();
  const Outcome& outcome = block->outcomes[static_cast<size_t>(index)];
  SkillNote note;
  note.attempt = attempt;
  note.problem = attempt.problem();
  note.dsl = outcome.dsl;
  if (outcome.agent < run->agents_size()) note.agent = run->agents(outcome.agent);
  for (const uint32_t lane : block->sources_of(index)) {
    note.sources.push_back(AttemptId::Of(attempt.run(), attempt.round() - 1, attempt.problem(),
                                         static_cast<int>(lane)));
  }
  note.claims = *std::move(claims);
  console.Out(RenderSkill(note));
  return ExitCode::kOk;
}

absl::StatusOr<ExitCode> NoteCommand::Run(Console& console) {
  if (id_.has_value() == add_.has_value()) {
    return absl::InvalidArgumentError(
        id_.has_value()
            ? absl::StrCat("note: --add '", *add_, "' and the id '", *id_, "' exclude each other")
            : "note: needs an ID, or --add FILE");
  }
  if (add_.has_value()) return Add(console);
  absl::string_view number = *id_;
  if (absl::ConsumePrefix(&number, kTextPrefix)) {
    const absl::StatusOr<int64_t> text = ParseWholeNumber(number, 1, INT32_MAX);
    if (!text.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", *id_, "' is no text from outside; one is written like T1"));
    }
    return PrintText(static_cast<int>(*text), console);
  }
  const absl::StatusOr<AttemptId> attempt = ParseAttemptId(*id_);
  if (!attempt.ok()) return attempt.status();
  return PrintNote(*attempt, console);
}

}  // namespace

std::unique_ptr<Command> NewNoteCommand() { return std::make_unique<NoteCommand>(); }

}  // namespace hearsay
