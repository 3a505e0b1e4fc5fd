// hearsay claims: the claims of a run, filtered and sorted.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lineage/filter.h"
#include "tasks/problems.h"
#include "tasks/words.h"
#include "tools/command.h"
#include "tools/kb_access.h"
#include "tools/output.h"
#include "tools/run_words.h"

namespace hearsay {
namespace {

class ClaimsCommand : public Command {
 public:
  void Declare(ArgParser& args) override;
  absl::StatusOr<ExitCode> Run(Console& console) override;

 private:
  absl::StatusOr<ClaimFilter> Filter() const;

  KbFlag kb_;
  RunFlag run_;
  OutputFlags output_;
  std::vector<std::string> labels_, stances_, changes_;
  std::optional<std::string> problems_, dsl_, text_;
  bool true_ = false, false_ = false, open_ = false, alive_ = false;
  int64_t min_carriers_ = 0, born_from_ = 0, born_to_ = kMaxRounds, limit_ = 20;
  std::string sort_ = "carriers";
};

void ClaimsCommand::Declare(ArgParser& args) {
  kb_.Declare(args);
  run_.Declare(args);
  args.AddList("--label", "L", "Of these labels, such as unsupported_closure", &labels_);
  args.AddList("--stance", "S", "Of these stances, such as infeasible,not_worth_it", &stances_);
  args.AddList("--change", "C", "Made by these changes, such as hedge_lost", &changes_);
  args.AddSwitch("--true", "True in the DSL they were made in", &true_);
  args.AddSwitch("--false", "False in it", &false_);
  args.AddSwitch("--open", "Neither", &open_);
  args.AddText("--problem", "LIST", "On these problems, such as p71 or a family", &problems_);
  args.AddText("--dsl", "DSL", "Made in cute or tirx", &dsl_);
  args.AddText("--text", "WORDS", "Saying this, such as 'tile=128' or 'cannot work'", &text_);
  args.AddNumber("--min-carriers", "In so many notes or more", 0, INT32_MAX, &min_carriers_);
  args.AddNumber("--born-from", "Born in this round or later", 0, kMaxRounds, &born_from_);
  args.AddNumber("--born-to", "Born in this round or before", 0, kMaxRounds, &born_to_);
  args.AddSwitch("--alive", "Carried in the last round", &alive_);
  args.AddChoice("--sort", {"carriers", "lifetime", "id"}, "Order (carriers)", &sort_);
  args.AddNumber("--limit", "At most so many, 0 for all (20)", 0, INT32_MAX, &limit_);
  output_.Declare(args);
}

// Parses each of `words` by `parse`, on behalf of `flag`.
template <typename Value>
absl::Status ParseAll(const char* flag, const std::vector<std::string>& words,
                      absl::StatusOr<Value> (*parse)(absl::string_view),
                      std::vector<Value>* values) {
  for (const std::string& word : words) {
    const absl::StatusOr<Value> value = parse(word);
    if (!value.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(flag, ": ", value.status().message()));
    }
    values->push_back(*value);
  }
  return absl::OkStatus();
}

absl::StatusOr<ClaimFilter> ClaimsCommand::Filter() const {
  ClaimFilter filter;
  absl::Status status = ParseAll("--label", labels_, ParseLabel, &filter.labels);
  if (status.ok()) status = ParseAll("--stance", stances_, ParseStance, &filter.stances);
  if (status.ok()) status = ParseAll("--change", changes_, ParseChange, &filter.changes);
  if (!status.ok()) return status;
  if (true_) filter.truths.push_back(Truth::kTrue);
  if (false_) filter.truths.push_back(Truth::kFalse);
  if (open_) filter.truths.push_back(Truth::kOpen);
  if (problems_.has_value()) {
    auto problems = ParseProblemSelection(*problems_);
    if (!problems.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--problem: ", problems.status().message()));
    }
    filter.problems = *std::move(problems);
  }
  if (dsl_.has_value()) {
    const absl::StatusOr<Dsl> dsl = ParseDsl(*dsl_);
    if (!dsl.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--dsl: ", dsl.status().message()));
    }
    filter.dsl = *dsl;
  }
  if (text_.has_value()) {
    if (text_->empty()) return absl::InvalidArgumentError("--text: '' is said by every claim");
    filter.text = *text_;
  }
  if (born_from_ > born_to_) {
    return absl::InvalidArgumentError(
        absl::StrCat("--born-from ", born_from_, " is after --born-to ", born_to_));
  }
  filter.min_carriers = static_cast<int>(min_carriers_);
  filter.born_from = static_cast<int>(born_from_);
  filter.born_to = static_cast<int>(born_to_);
  filter.alive_at_end = alive_;
  if (sort_ == "lifetime") filter.order = ClaimOrder::kLifetime;
  if (sort_ == "id") filter.order = ClaimOrder::kId;
  filter.limit = limit_;
  return filter;
}

absl::StatusOr<ExitCode> ClaimsCommand::Run(Console& console) {
  const absl::StatusOr<ClaimFilter> filter = Filter();
  if (!filter.ok()) return filter.status();
  const auto store = kb_.Open(Store::Mode::kRead);
  if (!store.ok()) return store.status();
  const absl::StatusOr<RunRecord> run = run_.Find(**store);
  if (!run.ok()) return run.status();
  const auto lacked = [&](int problem) { return !CheckHasProblem(*run, problem).ok(); };
  if (problems_.has_value() &&
      std::all_of(filter->problems.begin(), filter->problems.end(), lacked)) {
    return absl::NotFoundError(
        absl::StrCat("run ", FormatRun(run->run()), " has no problem '", *problems_, "'"));
  }
  const auto atlas = AtlasOf(*run);
  if (!atlas.ok()) return atlas.status();
  const absl::StatusOr<FoundClaims> found = FindClaims(**store, run->run(), **atlas, *filter);
  if (!found.ok()) return found.status();
  const absl::Status printed = output_.Print({ClaimsTable(run->run(), *found)}, console);
  if (!printed.ok()) return printed;
  return ExitCode::kOk;
}

}  // namespace

std::unique_ptr<Command> NewClaimsCommand() { return std::make_unique<ClaimsCommand>(); }

}  // namespace hearsay
