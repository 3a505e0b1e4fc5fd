// hearsay sweep: runs a plan over a grid of values, and lists what came of it in one table.
#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lineage/run_measures.h"
#include "rounds/engine.h"
#include "rounds/plan.h"
#include "tools/command.h"
#include "tools/interrupt.h"
#include "tools/kb_access.h"
#include "tools/output.h"
#include "tools/plan_flags.h"
#include "tools/progress.h"
#include "tools/run_words.h"

namespace hearsay {
namespace {

constexpr int kMaxThreads = 1024;

// One field and the values it is to take.
struct Axis {
  std::string field;
  std::vector<std::string> values;
};

// "topology=relay/pool:4,best".
absl::StatusOr<Axis> ParseAxis(const std::string& text) {
  const std::vector<std::string> parts = absl::StrSplit(text, absl::MaxSplits('=', 1));
  if (parts.size() != 2 || parts[0].empty() || parts[1].empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--vary: '", text, "' is not FIELD=VALUE/VALUE"));
  }
  return Axis{parts[0], absl::StrSplit(parts[1], '/')};
}

// One point of the grid.
struct GridCell {
  std::vector<std::string> values;  // one an axis
  Plan plan;
};

// The last axis varies fastest.
absl::StatusOr<std::vector<GridCell>> MakeGrid(const Plan& base, const std::vector<Axis>& axes) {
  std::vector<GridCell> grid = {{{}, base}};
  for (const Axis& axis : axes) {
    std::vector<GridCell> finer;
    for (const GridCell& cell : grid) {
      for (const std::string& value : axis.values) {
        GridCell next = cell;
        next.values.push_back(value);
        absl::Status status = SetPlanField(axis.field, value, &next.plan);
        if (!status.ok()) {
          return absl::InvalidArgumentError(
              absl::StrCat("--vary ", axis.field, "=", value, ": ", status.message()));
        }
        if (next.plan.retain() != "all") {
          return absl::InvalidArgumentError(
              absl::StrCat("a sweep measures all rounds, which retention ", next.plan.retain(),
                           " does not keep"));
        }
        finer.push_back(std::move(next));
        if (finer.size() >= static_cast<size_t>(kMaxRuns)) {
          return absl::InvalidArgumentError(
              absl::StrCat("--vary: more than the ", kMaxRuns - 1, " runs that a kb can hold"));
        }
      }
    }
    grid = std::move(finer);
  }
  return grid;
}

class SweepCommand : public Command {
 public:
  void Declare(ArgParser& args) override;
  absl::StatusOr<ExitCode> Run(Console& console) override;

 private:
  absl::StatusOr<std::vector<GridCell>> Grid();
  absl::StatusOr<RunRecord> RunCell(const GridCell& cell, Store* store,
                                    const std::atomic<bool>& stop, Console& console) const;

  KbFlag kb_;
  PlanFlags plan_;
  OutputFlags output_;
  std::vector<std::string> vary_;
  std::vector<Axis> axes_;
  int64_t threads_ = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  bool quiet_ = false;
};

void SweepCommand::Declare(ArgParser& args) {
  plan_.Declare(args);
  args.AddRepeated(
      "--vary", "FIELD=A/B",
      "Values for a field of the plan, as its flag takes them; policy takes none as well", &vary_);
  kb_.Declare(args);
  args.AddNumber("--threads", "Of the CPU executor (all)", 1, kMaxThreads, &threads_);
  args.AddSwitch("--quiet", "No progress", &quiet_);
  output_.Declare(args);
}

absl::StatusOr<std::vector<GridCell>> SweepCommand::Grid() {
  const absl::StatusOr<Plan> base = plan_.Make();
  if (!base.ok()) return base.status();
  if (vary_.empty()) return absl::InvalidArgumentError("needs --vary FIELD=VALUE/VALUE");
  for (const std::string& text : vary_) {
    absl::StatusOr<Axis> axis = ParseAxis(text);
    if (!axis.ok()) return axis.status();
    for (const Axis& other : axes_) {
      if (other.field == axis->field) {
        return absl::InvalidArgumentError(absl::StrCat("--vary ", axis->field, ": is given twice"));
      }
    }
    if (plan_.Gives(axis->field)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--vary ", axis->field, " and --", axis->field, " exclude each other"));
    }
    axes_.push_back(*std::move(axis));
  }
  return MakeGrid(*base, axes_);
}

// The run of this plan: as it is, gone on with, or new.
absl::StatusOr<RunRecord> SweepCommand::RunCell(const GridCell& cell, Store* store,
                                                const std::atomic<bool>& stop,
                                                Console& console) const {
  const std::string text = FormatPlan(cell.plan);
  const absl::StatusOr<std::vector<RunRecord>> runs = store->Runs();
  if (!runs.ok()) return runs.status();
  const auto found = std::find_if(runs->begin(), runs->end(),
                                  [&](const RunRecord& run) { return run.plan_text() == text; });
  if (found != runs->end() && found->state() == RunRecord::COMPLETE) return *found;
  ProgressLine line(&console, quiet_);
  RunOptions options;
  options.threads = static_cast<int>(threads_);
  options.stop = &stop;
  options.progress = [&](const RunProgress& progress) { line.Update(progress); };
  absl::StatusOr<RunRecord> record = found == runs->end() ? ExecutePlan(cell.plan, options, store)
                                                          : ResumeRun(found->run(), options, store);
  line.Finish();
  return record;
}

absl::StatusOr<ExitCode> SweepCommand::Run(Console& console) {
  const absl::StatusOr<std::vector<GridCell>> grid = Grid();
  if (!grid.ok()) return grid.status();
  const std::atomic<bool>& stop = StopOnSignal();
  const auto store = kb_.Open(Store::Mode::kWrite);
  if (!store.ok()) return store.status();
  Table table;
  table.title = absl::StrCat("Sweep of ", grid->size(), " runs");
  for (const Axis& axis : axes_) table.columns.push_back(axis.field);
  table.columns.insert(table.columns.end(), {"run", "digest"});
  for (const std::string& name : RunMeasureNames()) AppendEstimateColumns(name, &table.columns);
  for (const GridCell& cell : *grid) {
    const absl::StatusOr<RunRecord> run = RunCell(cell, store->get(), stop, console);
    if (!run.ok()) return run.status();
    if (run->state() != RunRecord::COMPLETE) {
      return absl::CancelledError(absl::StrCat("interrupted after ", table.rows.size(), " of ",
                                               grid->size(),
                                               " runs; the same command goes on from there"));
    }
    const auto atlas = Atlas::Create(run->hardware());
    if (!atlas.ok()) return absl::DataLossError(atlas.status().message());
    const absl::StatusOr<ClusterSums> sums = MeasureRun(**store, *run, 0, **atlas);
    if (!sums.ok()) return sums.status();
    const auto rounds = (*store)->Rounds(run->run());
    if (!rounds.ok()) return rounds.status();
    std::vector<Cell> row;
    for (const std::string& value : cell.values) row.push_back(Text(value));
    row.push_back(Text(FormatRun(run->run())));
    row.push_back(rounds->empty() ? Missing() : Text(FormatDigest(rounds->back().digest())));
    for (const Estimate& estimate : RunEstimates(*sums)) AppendEstimate(estimate, &row);
    table.rows.push_back(std::move(row));
  }
  table.notes = {
      "dGM, T, H: as in study transfer, over all rounds. In the last tenth of the rounds: notes "
      "and "
      "decisions under a false closure, true and false claims a note. submissions: an attempt",
      "95% percentile intervals of a bootstrap over problems, or lanes where there is one problem"};
  const absl::Status printed = output_.Print({table}, console);
  if (!printed.ok()) return printed;
  return ExitCode::kOk;
}

}  // namespace

std::unique_ptr<Command> NewSweepCommand() { return std::make_unique<SweepCommand>(); }

}  // namespace hearsay
