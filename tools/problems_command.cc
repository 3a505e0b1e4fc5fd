// hearsay problems: the problems, one of them, or what their landscapes look like.
#include <algorithm>
#include <numeric>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "kb/ids.h"
#include "tasks/design_space.h"
#include "tasks/landscape_check.h"
#include "tasks/problems.h"
#include "tasks/scoring.h"
#include "tasks/words.h"
#include "tools/command.h"
#include "tools/output.h"
#include "tools/run_words.h"

namespace hearsay {
namespace {

using Tables = absl::StatusOr<std::vector<Table>>;

class ProblemsCommand : public Command {
 public:
  void Declare(ArgParser& args) override {
    args.AddWord("ACTION", "list, show or check", &action_);
    args.AddOptionalWord("PROBLEM", "For show: an id such as p71", &problem_);
    args.AddText("--hardware", "WORD", "For show and check: h200 or b200 (h200)", &hardware_);
    output_.Declare(args);
  }
  absl::StatusOr<ExitCode> Run(Console& console) override;

 private:
  std::string action_;
  std::optional<std::string> problem_, hardware_;
  OutputFlags output_;
};

Table ListProblems() {
  Table table;
  table.title = "Problems";
  table.columns = {"problem", "family", "dtype", "model", "stages", "knobs", "points", "name"};
  for (int i = 0; i < ProblemCount(); ++i) {
    const ProblemSpec& problem = Problems()[static_cast<size_t>(i)];
    const DesignSpace& space = DesignSpaceOf(i);
    table.rows.push_back({Text(problem.id()), Text(problem.family()), Text(problem.dtype()),
                          Text(problem.model()), Integer(problem.stages_size()),
                          Integer(static_cast<int64_t>(space.knobs.size())),
                          Integer(space.point_count()), Text(problem.name())});
  }
  return table;
}

// The best passing point of a landscape; the first of equals.
int BestPoint(const Landscape& landscape) {
  int best = 0;
  for (int point = 0; point < landscape.world().point_count; ++point) {
    const Entry entry = landscape.entries()[static_cast<size_t>(point)];
    if (entry.ok() &&
        entry.speed_lg() > landscape.entries()[static_cast<size_t>(best)].speed_lg()) {
      best = point;
    }
  }
  return best;
}

Table ProblemFacts(int index, const std::string& hardware, Atlas& atlas) {
  const ProblemSpec& problem = Problems()[static_cast<size_t>(index)];
  FactTable facts(absl::StrCat("Problem ", problem.id()));
  facts.Add("name", Text(problem.name()));
  facts.Add("family", Text(problem.family()));
  facts.Add("model", Text(problem.model()));
  facts.Add("dtype", Text(problem.dtype()));
  facts.Add("dims",
            Text(absl::StrJoin(problem.dims(), " ", [](std::string* out, const DimSpec& dim) {
              absl::StrAppend(out, dim.name(), "=", dim.size());
            })));
  facts.Add("points", Integer(DesignSpaceOf(index).point_count()));
  for (int d = 0; d < kDslCount; ++d) {
    const Dsl dsl = static_cast<Dsl>(d);
    const Landscape& landscape = atlas.Get(index, dsl);
    const int best = BestPoint(landscape);
    const std::string where = absl::StrCat(hardware, "_", std::string(Name(dsl)));
    facts.Add(absl::StrCat("best_speedup_", where), Real(SpeedupOf(landscape.world().best_lg)));
    facts.Add(absl::StrCat("best_design_", where), Text(DesignSpaceOf(index).Describe(best)));
  }
  return facts.Take();
}

Table KnobTable(int index) {
  Table table;
  table.title = "Design knobs";
  table.columns = {"knob", "kind", "values"};
  for (const Knob& knob : DesignSpaceOf(index).knobs) {
    table.rows.push_back(
        {Text(knob.name), Word(Name(knob.kind)), Text(absl::StrJoin(knob.values, " "))});
  }
  return table;
}

Table StageTable(int index) {
  Table table;
  table.title = "Stages";
  table.columns = {"stage", "flops", "bytes", "eager_launches", "serial_steps", "rewrite", "op"};
  int number = 0;
  for (const StageSpec& stage : Problems()[static_cast<size_t>(index)].stages()) {
    table.rows.push_back({Integer(++number), Integer(stage.flops()), Integer(stage.bytes()),
                          Integer(stage.eager_launches()), Integer(stage.serial_steps()),
                          stage.rewrite().empty() ? Missing() : Text(stage.rewrite()),
                          Text(stage.op())});
  }
  return table;
}

Table FamilyTable(const LandscapeReport& report, const std::string& hardware) {
  Table table;
  table.title = absl::StrCat("Landscapes on ", hardware);
  table.columns = {"family",      "dsl",           "problems", "least_best",
                   "median_best", "greatest_best", "points",   "eager_plateau"};
  for (int s = 0; s < kStatusCount; ++s) {
    table.columns.emplace_back(Name(static_cast<Status>(s)));
  }
  for (const FamilySummary& family : report.families) {
    std::vector<Cell> row = {Text(family.family),
                             Word(Name(family.dsl)),
                             Integer(family.problem_count),
                             Real(SpeedupOf(family.least_best_lg)),
                             Real(SpeedupOf(family.median_best_lg)),
                             Real(SpeedupOf(family.greatest_best_lg)),
                             Integer(family.point_count),
                             Integer(family.plateau_count)};
    for (const int64_t count : family.status_counts) row.push_back(Integer(count));
    table.rows.push_back(std::move(row));
  }
  table.notes = {"best: speedup over eager of the best design; the rest counts design points"};
  return table;
}

Table DegenerateTable(const LandscapeReport& report) {
  Table table;
  table.title = "Degenerate landscapes";
  table.columns = {"problem", "dsl", "reason"};
  for (const DegenerateLandscape& landscape : report.degenerate) {
    table.rows.push_back({Text(FormatProblem(landscape.problem_index)), Word(Name(landscape.dsl)),
                          Text(landscape.reason)});
  }
  return table;
}

absl::StatusOr<ExitCode> ProblemsCommand::Run(Console& console) {
  const std::vector<std::string> actions = {"list", "show", "check"};
  if (std::find(actions.begin(), actions.end(), action_) == actions.end()) {
    return UnknownWord("action", action_, actions);
  }
  if ((action_ == "show") != problem_.has_value()) {
    return absl::InvalidArgumentError(
        action_ == "show" ? "problems show needs a problem, such as p71"
                          : absl::StrCat("problems ", action_, " takes no problem, but '",
                                         *problem_, "' is given"));
  }
  if (action_ == "list" && hardware_.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("problems list takes no --hardware, but '", *hardware_, "' is given"));
  }
  const std::string hardware = hardware_.value_or("h200");
  const auto atlas = Atlas::Create(hardware);
  if (!atlas.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--hardware: ", atlas.status().message()));
  }
  std::vector<Table> tables;
  ExitCode code = ExitCode::kOk;
  if (action_ == "list") {
    tables = {ListProblems()};
  } else if (action_ == "show") {
    const absl::StatusOr<int> index = ParseProblemId(*problem_);
    if (!index.ok()) return index.status();
    tables = {ProblemFacts(*index, hardware, **atlas), KnobTable(*index), StageTable(*index)};
  } else {
    std::vector<int> all(static_cast<size_t>(ProblemCount()));
    std::iota(all.begin(), all.end(), 0);
    (*atlas)->Prepare(all, std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
    const LandscapeReport report = CheckLandscapes(**atlas, all);
    tables = {FamilyTable(report, hardware), DegenerateTable(report)};
    if (!report.degenerate.empty()) code = ExitCode::kFailure;
  }
  const absl::Status printed = output_.Print(tables, console);
  if (!printed.ok()) return printed;
  return code;
}

}  // namespace

std::unique_ptr<Command> NewProblemsCommand() { return std::make_unique<ProblemsCommand>(); }

}  // namespace hearsay
