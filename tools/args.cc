#include "tools/args.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>
#include <functional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tasks/words.h"

namespace hearsay {

absl::StatusOr<int64_t> ParseWholeNumber(absl::string_view text, int64_t low, int64_t high) {
  int64_t number = 0;
  if (!absl::SimpleAtoi(text, &number) || number < low || number > high) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' is not a whole number from ", low, " to ", high));
  }
  return number;
}

struct ArgParser::Impl {
  // What CLI11 collects, as text, and what turns it into the caller's value.
  struct Item {
    std::string name;
    std::string help;
    bool required = false;
    bool repeats = false;
    std::vector<std::string> texts;
    std::function<absl::Status(const std::vector<std::string>&)> set;
  };

  CLI::App app;
  std::deque<Item> items;  // CLI11 keeps pointers to the texts
  std::vector<std::string> flags{"--help"};

  Item& Add(const std::string& name, const std::string& meta, const std::string& help) {
    Item& item = items.emplace_back();
    item.name = name;
    item.help = help;
    const bool flag = absl::StartsWith(name, "--") || absl::StartsWith(name, "-");
    CLI::Option* const option = app.add_option(name, item.texts, help);
    option->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    option->type_name(meta);
    option->expected(1);
    if (flag) {
      // "-o,--output" has two names, of which the long one stands in messages.
      const std::vector<std::string> names = absl::StrSplit(name, ',');
      flags.insert(flags.end(), names.begin(), names.end());
      item.name = names.back();
    }
    return item;
  }

  absl::Status CheckExtras() const {
    for (const std::string& word : app.remaining()) {
      if (word.size() > 1 && word[0] == '-') {
        const std::string flag = word.substr(0, word.find('='));
        return UnknownWord("flag", flag, flags);
      }
    }
    if (!app.remaining().empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("unexpected argument '", app.remaining().front(), "'"));
    }
    return absl::OkStatus();
  }
};

ArgParser::ArgParser(const std::string& command, const std::string& summary,
                     const std::string& examples)
    : impl_(std::make_unique<Impl>()) {
  CLI::App& app = impl_->app;
  app.name(command);
  app.description(absl::StrCat(summary, "\n"));
  app.footer(absl::StrCat("\nExamples:\n", examples));
  app.allow_extras();
  app.get_formatter()->column_width(34);
  app.set_help_flag("-h,--help", "Print this and exit");
}

ArgParser::~ArgParser() = default;

void ArgParser::AddWord(const std::string& name, const std::string& help, std::string* value) {
  Impl::Item& item = impl_->Add(name, "", help);
  item.required = true;
  item.set = [value](const std::vector<std::string>& texts) {
    *value = texts.front();
    return absl::OkStatus();
  };
}

void ArgParser::AddOptionalWord(const std::string& name, const std::string& help,
                                std::optional<std::string>* value) {
  impl_->Add(name, "", help).set = [value](const std::vector<std::string>& texts) {
    *value = texts.front();
    return absl::OkStatus();
  };
}

void ArgParser::AddText(const std::string& flag, const std::string& meta, const std::string& help,
                        std::optional<std::string>* value) {
  impl_->Add(flag, meta, help).set = [value](const std::vector<std::string>& texts) {
    *value = texts.front();
    return absl::OkStatus();
  };
}

void ArgParser::AddList(const std::string& flag, const std::string& meta, const std::string& help,
                        std::vector<std::string>* values) {
  Impl::Item& item = impl_->Add(flag, meta, help);
  item.repeats = true;
  item.set = [values](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      for (absl::string_view part : absl::StrSplit(text, ',')) values->emplace_back(part);
    }
    return absl::OkStatus();
  };
}

void ArgParser::AddRepeated(const std::string& flag, const std::string& meta,
                            const std::string& help, std::vector<std::string>* values) {
  Impl::Item& item = impl_->Add(flag, meta, help);
  item.repeats = true;
  item.set = [values](const std::vector<std::string>& texts) {
    *values = texts;
    return absl::OkStatus();
  };
}

void ArgParser::AddNumber(const std::string& flag, const std::string& help, int64_t low,
                          int64_t high, int64_t* value) {
  impl_->Add(flag, "N", help).set = [=](const std::vector<std::string>& texts) {
    const absl::StatusOr<int64_t> number = ParseWholeNumber(texts.front(), low, high);
    if (!number.ok()) return number.status();
    *value = *number;
    return absl::OkStatus();
  };
}

void ArgParser::AddChoice(const std::string& flag, const std::vector<std::string>& choices,
                          const std::string& help, std::string* value) {
  const std::string meta = absl::StrJoin(choices, "|");
  impl_->Add(flag, meta, help).set = [=](const std::vector<std::string>& texts) {
    if (std::find(choices.begin(), choices.end(), texts.front()) == choices.end()) {
      return UnknownWord("value", texts.front(), choices);
    }
    *value = texts.front();
    return absl::OkStatus();
  };
}

void ArgParser::AddSwitch(const std::string& flag, const std::string& help, bool* value) {
  impl_->app.add_flag(flag, *value, help);
  for (absl::string_view name : absl::StrSplit(flag, ',')) impl_->flags.emplace_back(name);
}

absl::StatusOr<ArgParser::Parsed> ArgParser::Parse(std::vector<std::string> words) {
  const std::string last = words.empty() ? "" : words.back();
  const std::vector<std::string> given = words;
  std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
  try {
    impl_->app.parse(words);
  } catch (const CLI::CallForHelp&) {
    return Parsed::kHelp;
  } catch (const CLI::ArgumentMismatch&) {
    return absl::InvalidArgumentError(absl::StrCat(last, " needs a value"));
  } catch (const CLI::ParseError& error) {
    return absl::InvalidArgumentError(error.what());
  }
  absl::Status status = impl_->CheckExtras();
  if (!status.ok()) return status;
  for (const Impl::Item& item : impl_->items) {
    if (item.texts.empty()) {
      if (!item.required) continue;
      return absl::InvalidArgumentError(absl::StrCat("needs ", item.name, ": ", item.help));
    }
    if (item.texts.size() > 1 && !item.repeats) {
      return absl::InvalidArgumentError(absl::StrCat(item.name, " is given twice"));
    }
    for (const std::string& text : item.texts) {
      // "--flag=--text" means it.
      if (absl::StartsWith(text, "--") &&
          std::count(given.begin(), given.end(), absl::StrCat(item.name, "=", text)) == 0) {
        return absl::InvalidArgumentError(
            absl::StrCat(item.name, " needs a value, but '", text, "' follows"));
      }
    }
    status = item.set(item.texts);
    if (!status.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(item.name, ": ", status.message()));
    }
  }
  return Parsed::kReady;
}

std::string ArgParser::Help() const { return impl_->app.help(); }

}  // namespace hearsay
