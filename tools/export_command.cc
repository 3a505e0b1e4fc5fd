// hearsay export: a whole run as a graph, for other programs.
#include <sys/stat.h>

#include <atomic>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lineage/export.h"
#include "tasks/problems.h"
#include "tools/command.h"
#include "tools/files.h"
#include "tools/interrupt.h"
#include "tools/kb_access.h"
#include "tools/run_words.h"

namespace hearsay {
namespace {

struct FormatName {
  const char* name;
  const char* ending;  // of files
  ExportFormat format;
};

constexpr FormatName kFormats[] = {
    {"graphml", ".graphml", ExportFormat::kGraphMl},
    {"cytoscape", ".cyjs", ExportFormat::kCytoscape},
    {"prov-json", ".prov.json", ExportFormat::kProvJson},
    {"csv", "/", ExportFormat::kCsv},
};

class ExportCommand : public Command {
 public:
  void Declare(ArgParser& args) override;
  absl::StatusOr<ExitCode> Run(Console& console) override;

 private:
  absl::StatusOr<ExportFormat> Format() const;
  absl::StatusOr<ExportFilter> Filter() const;
  // Hands on to `write` until somebody asks to stop.
  ExportSink Until(ExportSink write) const;
  // Everything to standard output, or to the files that -o says.
  absl::StatusOr<ExportCounts> ToOutput(const Store& store, int run, Atlas& atlas,
                                        Console& console) const;
  absl::StatusOr<ExportCounts> ToFile(const Store& store, int run, Atlas& atlas) const;
  absl::StatusOr<ExportCounts> ToTables(const Store& store, int run, Atlas& atlas) const;

  std::optional<std::string> run_, format_name_, output_, problems_;
  int64_t from_ = 0, to_ = kMaxRounds;
  KbFlag kb_;
  ExportFormat format_ = ExportFormat::kGraphMl;
  ExportFilter filter_;
  const std::atomic<bool>* stop_ = nullptr;
};

void ExportCommand::Declare(ArgParser& args) {
  args.AddOptionalWord("RUN", "A run such as R1 (the latest)", &run_);
  kb_.Declare(args);
  args.AddText("--format", "graphml|cytoscape|prov-json|csv",
               "Of the file (by its name: .graphml, .cyjs, .prov.json, DIR/; else graphml)",
               &format_name_);
  args.AddText("-o,--output", "FILE",
               "Where to write it (standard output); for csv a directory, to hold nodes.csv and "
               "edges.csv",
               &output_);
  args.AddText("--problem", "LIST", "Only these problems, such as p71 or a family", &problems_);
  args.AddNumber("--from", "Only this round and later", 0, kMaxRounds, &from_);
  args.AddNumber("--to", "Only this round and before", 0, kMaxRounds, &to_);
}

absl::StatusOr<ExportFormat> ExportCommand::Format() const {
  for (const FormatName& one : kFormats) {
    if (format_name_.has_value() ? *format_name_ == one.name
                                 : output_.has_value() && absl::EndsWith(*output_, one.ending)) {
      return one.format;
    }
  }
  if (format_name_.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat("--format: unknown value '", *format_name_,
                                                   "'; known: graphml, cytoscape, prov-json, csv"));
  }
  if (!output_.has_value()) return ExportFormat::kGraphMl;
  return absl::InvalidArgumentError(
      absl::StrCat("-o ", *output_,
                   ": its name does not tell the format; name one of graphml, "
                   "cytoscape, prov-json and csv by --format"));
}

absl::StatusOr<ExportFilter> ExportCommand::Filter() const {
  ExportFilter filter;
  if (problems_.has_value()) {
    auto problems = ParseProblemSelection(*problems_);
    if (!problems.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--problem: ", problems.status().message()));
    }
    filter.problems = *std::move(problems);
  }
  if (from_ > to_) {
    return absl::InvalidArgumentError(absl::StrCat("--from ", from_, " is after --to ", to_));
  }
  filter.first_round = static_cast<int>(from_);
  filter.last_round = static_cast<int>(to_);
  return filter;
}

ExportSink ExportCommand::Until(ExportSink write) const {
  return [this, write = std::move(write)](absl::string_view bytes) {
    return stop_->load() ? absl::AbortedError("interrupted; no file was written") : write(bytes);
  };
}

absl::StatusOr<ExportCounts> ExportCommand::ToOutput(const Store& store, int run, Atlas& atlas,
                                                     Console& console) const {
  const auto write = [&](absl::string_view bytes) -> absl::Status {
    console.Out(bytes);
    return console.out_is_closed() ? absl::CancelledError() : absl::OkStatus();
  };
  absl::StatusOr<ExportCounts> counts =
      ExportRun(store, run, atlas, format_, filter_, Until(write), nullptr);
  // Whether the reader has had enough or the disk is full is for the console to say.
  if (absl::IsCancelled(counts.status())) return ExportCounts();
  return counts;
}

absl::StatusOr<ExportCounts> ExportCommand::ToFile(const Store& store, int run,
                                                   Atlas& atlas) const {
  const auto file = FileWriter::Create(*output_);
  if (!file.ok()) return file.status();
  const absl::StatusOr<ExportCounts> counts =
      ExportRun(store, run, atlas, format_, filter_,
                Until([&](absl::string_view bytes) { return (*file)->Write(bytes); }), nullptr);
  if (!counts.ok()) return counts;
  const absl::Status committed = (*file)->Commit();
  if (!committed.ok()) return committed;
  return counts;
}

absl::StatusOr<ExportCounts> ExportCommand::ToTables(const Store& store, int run,
                                                     Atlas& atlas) const {
  // That it may be there already is fine; whether it can be written in shows at once.
  mkdir(output_->c_str(), 0777);
  const auto nodes = FileWriter::Create(absl::StrCat(*output_, "/nodes.csv"));
  if (!nodes.ok()) return nodes.status();
  const auto edges = FileWriter::Create(absl::StrCat(*output_, "/edges.csv"));
  if (!edges.ok()) return edges.status();
  const absl::StatusOr<ExportCounts> counts =
      ExportRun(store, run, atlas, format_, filter_,
                Until([&](absl::string_view bytes) { return (*nodes)->Write(bytes); }),
                Until([&](absl::string_view bytes) { return (*edges)->Write(bytes); }));
  if (!counts.ok()) return counts;
  for (FileWriter* file : {nodes->get(), edges->get()}) {
    const absl::Status committed = file->Commit();
    if (!committed.ok()) return committed;
  }
  return counts;
}

absl::StatusOr<ExitCode> ExportCommand::Run(Console& console) {
  const absl::StatusOr<ExportFormat> format = Format();
  if (!format.ok()) return format.status();
  format_ = *format;
  const absl::StatusOr<ExportFilter> filter = Filter();
  if (!filter.ok()) return filter.status();
  filter_ = *filter;
  if (format_ == ExportFormat::kCsv && !output_.has_value()) {
    return absl::InvalidArgumentError("csv is two tables: name a directory for them by -o");
  }
  const auto store = kb_.Open(Store::Mode::kRead);
  if (!store.ok()) return store.status();
  const absl::StatusOr<RunRecord> run = FindRun(**store, run_);
  if (!run.ok()) return run.status();
  const auto atlas = Atlas::Create(run->hardware());
  if (!atlas.ok()) return absl::DataLossError(atlas.status().message());
  stop_ = &StopOnSignal();
  const absl::StatusOr<ExportCounts> counts =
      !output_.has_value()            ? ToOutput(**store, run->run(), **atlas, console)
      : format_ == ExportFormat::kCsv ? ToTables(**store, run->run(), **atlas)
                                      : ToFile(**store, run->run(), **atlas);
  if (absl::IsAborted(counts.status())) {
    console.Say(counts.status().message());
    return ExitCode::kInterrupted;
  }
  if (!counts.ok()) return counts.status();
  if (!run->claims_recorded()) {
    console.Say(absl::StrCat("run ", FormatRun(run->run()),
                             " was recorded without claims: attempts and sources only"));
  }
  if (counts->left_out > 0) {
    console.Say(absl::StrCat("left out ", counts->left_out, " links from rounds before ", from_));
  }
  if (output_.has_value()) {
    console.Say(absl::StrCat("wrote ", *output_, ": ", counts->attempts, " attempts, ",
                             counts->claims, " claims, ", counts->total_links(), " links"));
  }
  return ExitCode::kOk;
}

}  // namespace

std::unique_ptr<Command> NewExportCommand() { return std::make_unique<ExportCommand>(); }

}  // namespace hearsay
