#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "kb/skill.h"
#include "kb/skill_format.h"
#include "tasks/problems.h"
#include "tasks/words.h"

namespace hearsay {
namespace {

constexpr size_t kMaxName = 64;
constexpr size_t kMaxDescription = 1024;

absl::Status At(int line, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("line ", line, ": ", what));
}

absl::Status At(int line, const absl::Status& status) { return At(line, status.message()); }

struct Scalar {
  std::string text;
  int line = 0;
};

struct FrontMatter {
  std::map<std::string, Scalar> keys;
  std::map<std::string, Scalar> metadata;
  size_t lines = 0;  // with both fences
};

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = absl::ascii_tolower(static_cast<unsigned char>(c));
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Undoes Quoted(). `text` is what stands between the quotes.
absl::StatusOr<std::string> Unquoted(absl::string_view text, int line) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') return At(line, "a quote inside a quoted text needs a \\ before it");
    if (text[i] != '\\') {
      plain.push_back(text[i]);
      continue;
    }
    const char escape = i + 1 < text.size() ? text[++i] : '\0';
    if (escape == '"' || escape == '\\') {
      plain.push_back(escape);
    } else if (escape == 'n') {
      plain.push_back('\n');
    } else if (escape == 't') {
      plain.push_back('\t');
    } else if (escape == 'x' && i + 2 < text.size() && HexDigit(text[i + 1]) >= 0 &&
               HexDigit(text[i + 2]) >= 0) {
      plain.push_back(static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2])));
      i += 2;
    } else {
      return At(line,
                "an escape in a quoted text is unknown; \\\", \\\\, \\n, \\t and \\x41 are known");
    }
  }
  return plain;
}

// A scalar on one line: plain, "double-quoted" or 'single-quoted'.
absl::StatusOr<std::string> ParseScalar(absl::string_view text, int line) {
  text = absl::StripAsciiWhitespace(text);
  if (text.empty()) return std::string();
  const char quote = text[0];
  if (quote == '"' || quote == '\'') {
    if (text.size() < 2 || text.back() != quote) return At(line, "a quoted text does not end");
    const absl::string_view inner = text.substr(1, text.size() - 2);
    if (quote == '"') return Unquoted(inner, line);
    return std::string(inner);
  }
  if (absl::StrContains("|>[{&*!%@`", absl::string_view(&quote, 1))) {
    return At(line, absl::StrCat("only plain and quoted texts on one line are read here, not '",
                                 text, "'"));
  }
  return std::string(text);
}

absl::StatusOr<FrontMatter> ParseFrontMatter(const std::vector<absl::string_view>& lines) {
  FrontMatter front;
  if (lines.empty() || lines[0] != "---") return At(1, "a SKILL.md begins with a line '---'");
  bool in_metadata = false;
  for (size_t i = 1; i < lines.size(); ++i) {
    const int number = static_cast<int>(i) + 1;
    const absl::string_view line = lines[i];
    if (line == "---") {
      front.lines = i + 1;
      return front;
    }
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    const bool indented = line[0] == ' ';
    if (line[0] == '\t' || (indented && !in_metadata)) {
      return At(number, absl::StrCat("'", line, "' is indented, but under no 'metadata:'"));
    }
    const size_t colon = line.find(':');
    if (colon == absl::string_view::npos || (colon + 1 < line.size() && line[colon + 1] != ' ')) {
      return At(number, absl::StrCat("'", line, "' is not of the form 'key: value'"));
    }
    const std::string key(absl::StripAsciiWhitespace(line.substr(0, colon)));
    absl::StatusOr<std::string> value = ParseScalar(line.substr(colon + 1), number);
    if (!value.ok()) return value.status();
    if (!indented) {
      in_metadata = key == "metadata";
      if (in_metadata && !value->empty()) {
        return At(number, "the entries of 'metadata:' stand below it, indented");
      }
    }
    auto& map = indented ? front.metadata : front.keys;
    if (!map.emplace(key, Scalar{*std::move(value), number}).second) {
      return At(number, absl::StrCat("'", key, "' is there twice"));
    }
  }
  return At(static_cast<int>(lines.size()), "the front matter does not end with a line '---'");
}

bool IsSkillName(absl::string_view name) {
  if (name.empty() || name.size() > kMaxName) return false;
  if (name.front() == '-' || name.back() == '-' || absl::StrContains(name, "--")) return false;
  return std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-';
  });
}

absl::Status CheckKeys(const FrontMatter& front) {
  for (const auto& [key, scalar] : front.keys) {
    if (key != "name" && key != "description" && key != "license" && key != "metadata" &&
        key != "compatibility" && key != "allowed-tools") {
      return At(scalar.line, UnknownWord("key", key,
                                         {"name", "description", "license", "compatibility",
                                          "metadata", "allowed-tools"}));
    }
  }
  const auto name = front.keys.find("name");
  if (name == front.keys.end()) return At(1, "the front matter has no 'name'");
  if (!IsSkillName(name->second.text)) {
    return At(name->second.line,
              absl::StrCat("the name '", name->second.text, "' is not 1 to ", kMaxName,
                           " lowercase letters, digits and single hyphens between them"));
  }
  const auto description = front.keys.find("description");
  if (description == front.keys.end()) return At(1, "the front matter has no 'description'");
  const size_t length = description->second.text.size();
  if (length == 0 || length > kMaxDescription) {
    return At(description->second.line, absl::StrCat("the description has ", length,
                                                     " characters, not 1 to ", kMaxDescription));
  }
  return absl::OkStatus();
}

absl::StatusOr<SkillNote> ParseMetadata(const FrontMatter& front) {
  SkillNote note;
  const auto find = [&](const char* key) -> const Scalar* {
    const auto at = front.metadata.find(key);
    return at == front.metadata.end() ? nullptr : &at->second;
  };
  const Scalar* problem = find("problem");
  const Scalar* dsl = find("dsl");
  if (problem == nullptr || dsl == nullptr) {
    return At(1,
              absl::StrCat("the metadata has no '", problem == nullptr ? "problem" : "dsl", "'"));
  }
  const absl::StatusOr<int> index = ParseProblemId(problem->text);
  if (!index.ok()) return At(problem->line, index.status());
  note.problem = *index;
  const absl::StatusOr<Dsl> parsed_dsl = ParseDsl(dsl->text);
  if (!parsed_dsl.ok()) return At(dsl->line, parsed_dsl.status());
  note.dsl = *parsed_dsl;
  if (const Scalar* agent = find("agent"); agent != nullptr) note.agent = agent->text;
  if (const Scalar* attempt = find("attempt"); attempt != nullptr) {
    const absl::StatusOr<AttemptId> id = ParseAttemptId(attempt->text);
    if (!id.ok()) return At(attempt->line, id.status());
    note.attempt = *id;
  }
  if (const Scalar* sources = find("sources"); sources != nullptr) {
    for (const absl::string_view text : absl::StrSplit(sources->text, ' ', absl::SkipEmpty())) {
      const absl::StatusOr<AttemptId> id = ParseAttemptId(text);
      if (!id.ok()) return At(sources->line, id.status());
      note.sources.push_back(*id);
    }
  }
  return note;
}

// The fields of a claim's comment, each of them once.
class Fields {
 public:
  static absl::StatusOr<Fields> Parse(absl::string_view text, int line) {
    Fields fields;
    fields.line_ = line;
    for (const absl::string_view field : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
      const std::pair<absl::string_view, absl::string_view> pair =
          absl::StrSplit(field, absl::MaxSplits('=', 1));
      if (!fields.values_.emplace(pair.first, pair.second).second) {
        return At(line, absl::StrCat("the claim's '", pair.first, "' is there twice"));
      }
    }
    return fields;
  }

  absl::StatusOr<std::string> Take(const std::string& name) {
    const auto at = values_.find(name);
    if (at == values_.end()) return At(line_, absl::StrCat("the claim has no '", name, "'"));
    std::string value = std::move(at->second);
    values_.erase(at);
    return value;
  }
  absl::StatusOr<int> TakeNumber(const std::string& name, int low, int high) {
    const absl::StatusOr<std::string> text = Take(name);
    if (!text.ok()) return text.status();
    int number;
    if (!absl::SimpleAtoi(*text, &number) || number < low || number > high) {
      return At(line_,
                absl::StrCat("the claim's ", name, " '", *text, "' is not ", low, " to ", high));
    }
    return number;
  }
  absl::Status Finish() const {
    if (values_.empty()) return absl::OkStatus();
    return At(line_, absl::StrCat("a claim has no field '", values_.begin()->first, "'"));
  }

 private:
  int line_ = 0;
  std::map<std::string, std::string> values_;
};

struct SlottedClaim {
  int slot = 0;
  int line = 0;
  NotedClaim noted;
};

absl::Status ParseNumbers(Fields* fields, SlottedClaim* out) {
  struct Number {
    const char* name;
    int low, high;
    Claim (Claim::*with)(int) const;
  };
  constexpr Number kNumbers[] = {
      {"knob", 0, 15, &Claim::WithKnob},
      {"value", 0, 15, &Claim::WithValue},
      {"confidence", 0, 15, &Claim::WithConfidence},
      {"effect", -128, 127, &Claim::WithEffectEighths},
      {"support", 0, 15, &Claim::WithSupport},
      {"against", 0, 15, &Claim::WithAgainst},
      {"stamp", 0, kMaxRounds - 1, &Claim::WithStampRound},
  };
  Claim& claim = out->noted.claim;
  for (const Number& number : kNumbers) {
    const absl::StatusOr<int> value = fields->TakeNumber(number.name, number.low, number.high);
    if (!value.ok()) return value.status();
    claim = (claim.*number.with)(*value);
  }
  const absl::StatusOr<int> general = fields->TakeNumber("general", 0, 1);
  if (!general.ok()) return general.status();
  const absl::StatusOr<int> hedged = fields->TakeNumber("hedged", 0, 1);
  if (!hedged.ok()) return hedged.status();
  claim = claim.WithGeneral(*general != 0).WithHedged(*hedged != 0);
  const absl::StatusOr<int> slot = fields->TakeNumber("slot", 0, kMaxNoteClaims - 1);
  if (!slot.ok()) return slot.status();
  out->slot = *slot;
  return absl::OkStatus();
}

// `text` is what stands in the comment after its opening words.
absl::StatusOr<SlottedClaim> ParseClaim(absl::string_view text, int line) {
  SlottedClaim out;
  out.line = line;
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits(' ', 1));
  if (parts.first != kNoClaimId) {
    const absl::StatusOr<ClaimId> id = ParseClaimId(parts.first);
    if (!id.ok()) return At(line, id.status());
    out.noted.id = *id;
  }
  absl::StatusOr<Fields> fields = Fields::Parse(parts.second, line);
  if (!fields.ok()) return fields.status();
  if (absl::Status s = ParseNumbers(&*fields, &out); !s.ok()) return s;
  const absl::StatusOr<std::string> label_word = fields->Take("label");
  if (!label_word.ok()) return label_word.status();
  const absl::StatusOr<Label> label = ParseLabel(*label_word);
  if (!label.ok()) return At(line, label.status());
  const absl::StatusOr<std::string> stance_word = fields->Take("stance");
  if (!stance_word.ok()) return stance_word.status();
  const absl::StatusOr<Stance> stance = ParseStance(*stance_word);
  if (!stance.ok()) return At(line, stance.status());
  const absl::StatusOr<std::string> dsl_word = fields->Take("dsl");
  if (!dsl_word.ok()) return dsl_word.status();
  const absl::StatusOr<Dsl> dsl = ParseDsl(*dsl_word);
  if (!dsl.ok()) return At(line, dsl.status());
  if (absl::Status s = fields->Finish(); !s.ok()) return s;
  out.noted.claim = out.noted.claim.WithLabel(*label).WithStance(*stance).WithDsl(*dsl);
  return out;
}

}  // namespace

absl::StatusOr<SkillNote> ParseSkill(absl::string_view text) {
  std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  for (absl::string_view& line : lines) absl::ConsumeSuffix(&line, "\r");
  const absl::StatusOr<FrontMatter> front = ParseFrontMatter(lines);
  if (!front.ok()) return front.status();
  if (absl::Status s = CheckKeys(*front); !s.ok()) return s;
  absl::StatusOr<SkillNote> note = ParseMetadata(*front);
  if (!note.ok()) return note;
  std::vector<SlottedClaim> claims;
  for (size_t i = front->lines; i < lines.size(); ++i) {
    const size_t open = lines[i].find(kClaimOpen);
    if (open == absl::string_view::npos) continue;
    const int number = static_cast<int>(i) + 1;
    absl::string_view rest = lines[i].substr(open + sizeof(kClaimOpen) - 1);
    const size_t close = rest.find(kClaimClose);
    if (close == absl::string_view::npos) return At(number, "the claim's comment does not end");
    absl::StatusOr<SlottedClaim> claim = ParseClaim(rest.substr(0, close), number);
    if (!claim.ok()) return claim.status();
    claims.push_back(*claim);
  }
  // The note's own order is not that of the headings.
  std::stable_sort(claims.begin(), claims.end(),
                   [](const SlottedClaim& a, const SlottedClaim& b) { return a.slot < b.slot; });
  for (size_t c = 0; c < claims.size(); ++c) {
    if (c > 0 && claims[c].slot == claims[c - 1].slot) {
      return At(claims[c].line,
                absl::StrCat("slot ", claims[c].slot, " is taken by line ", claims[c - 1].line));
    }
    note->claims.push_back(claims[c].noted);
  }
  return note;
}

}  // namespace hearsay
