// hearsay graph: how a claim spread, drawn.
#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lineage/graph.h"
#include "lineage/harm.h"
#include "tasks/utf8.h"
#include "tools/claim_subject.h"
#include "tools/command.h"
#include "tools/files.h"
#include "tools/kb_access.h"
#include "tools/run_words.h"

namespace hearsay {
namespace {

constexpr int kMostHarmful = 100;
constexpr size_t kMostHarmWords = 12;  // closures that the head of a drawing tells about

class GraphCommand : public Command {
 public:
  void Declare(ArgParser& args) override;
  absl::StatusOr<ExitCode> Run(Console& console) override;

 private:
  absl::StatusOr<GraphFormat> Format() const;
  absl::Status Check(GraphFormat format) const;
  absl::StatusOr<GraphModel> Model(const Store& store) const;
  absl::StatusOr<GraphModel> OfProblem(const Store& store, const RunRecord& run, int problem) const;
  absl::StatusOr<GraphModel> OfHarmful(const Store& store, const RunRecord& run, int problem) const;

  ClaimSubject subject_{ClaimSubject::Version::kFirst};
  KbFlag kb_;
  std::optional<std::string> format_, output_, link_;
  std::string collapse_ = "large";
  int64_t up_ = -1;  // not given, as is the next
  int64_t down_ = -1;
  int64_t max_nodes_ = GraphOptions().max_nodes;
  int64_t harmful_ = 0;
  GraphOptions options_;
};

void GraphCommand::Declare(ArgParser& args) {
  subject_.Declare(args, "Without a claim: all claims of this problem");
  args.AddNumber("--harmful", "The N closures that cost most, of the run or of --problem", 1,
                 kMostHarmful, &harmful_);
  kb_.Declare(args);
  args.AddNumber("--up", "Generations towards birth (64)", 0, kMaxRounds, &up_);
  args.AddNumber("--down", "Generations towards the last round (64)", 0, kMaxRounds, &down_);
  args.AddNumber("--max-nodes", "Versions to draw, those of the most carried lines (100)", 1,
                 kMaxGraphNodes, &max_nodes_);
  args.AddChoice(
      "--collapse", {"large", "always", "never"},
      "Chains into arrows, like siblings into stacks: in graphs of more than 40 versions "
      "(large)",
      &collapse_);
  args.AddText("--format", "svg|png|pdf|dot", "Of the drawing (by the name of the file, else dot)",
               &format_);
  args.AddText("--link", "URL",
               "Where versions link to, as in 'notes/{attempt}.md' (the version they came from)",
               &link_);
  args.AddText("-o,--output", "FILE", "Where to write it (standard output)", &output_);
}

// "svg" of "closure.svg"; empty where the name has no ending.
std::string EndingOf(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  const size_t dot = name.rfind('.');
  return dot == std::string::npos || dot == 0 ? "" : name.substr(dot + 1);
}

absl::StatusOr<GraphFormat> GraphCommand::Format() const {
  const std::string ending = output_.has_value() ? EndingOf(*output_) : "";
  const std::string word = format_.value_or(ending.empty() || ending == "gv" ? "dot" : ending);
  if (word == "dot") return GraphFormat::kDot;
  if (word == "svg") return GraphFormat::kSvg;
  if (word == "png") return GraphFormat::kPng;
  if (word == "pdf") return GraphFormat::kPdf;
  return absl::InvalidArgumentError(
      format_.has_value()
          ? absl::StrCat("--format: unknown value '", word, "'; known: svg, png, pdf, dot")
          : absl::StrCat("-o ", *output_, ": no drawing has the ending '.", word,
                         "'; name one of svg, png, pdf and dot by --format"));
}

absl::Status GraphCommand::Check(GraphFormat format) const {
  if (link_.has_value()) {
    if (EndOfUtf8(*link_) < link_->size()) {
      return absl::InvalidArgumentError(absl::StrCat("--link: '", *link_, "' is not UTF-8"));
    }
    const absl::Status link = ExpandLink(*link_, ClaimId()).status();
    if (!link.ok()) return absl::InvalidArgumentError(absl::StrCat("--link: ", link.message()));
    if (format == GraphFormat::kPng) {
      return absl::InvalidArgumentError(
          absl::StrCat("--link ", *link_, ": a PNG holds no links; SVG, PDF and DOT do"));
    }
  }
  const bool whole_problem = subject_.names_problem() && !subject_.names_claim() && harmful_ == 0;
  if (whole_problem && (up_ >= 0 || down_ >= 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat(up_ >= 0 ? "--up" : "--down",
                     " counts from a claim, but --problem draws all claims of one"));
  }
  if (harmful_ > 0 && subject_.names_claim()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--harmful ", harmful_, " chooses claims, but one is given"));
  }
  return subject_.Check();
}

absl::StatusOr<GraphModel> GraphCommand::OfProblem(const Store& store, const RunRecord& run,
                                                   int problem) const {
  const absl::StatusOr<RunClaims> claims = LoadClaims(store, run, problem);
  if (!claims.ok()) return claims.status();
  return ProblemGraph(*claims->table, options_);
}

// "R1:r0.p11.l4#6: 12.5 doublings lost by 7 attempts; move=all: cannot work"
std::string HarmWords(const ClaimTable& table, const HarmfulLine& line) {
  const std::string words = DescribeVersion(table, table.Find(line.root)).words;
  return absl::StrFormat("%s: %.1f doublings lost by %d %s; %s", Format(line.root), line.doublings,
                         line.attempts, line.attempts == 1 ? "attempt" : "attempts",
                         words.substr(0, words.find(" (")));
}

absl::StatusOr<GraphModel> GraphCommand::OfHarmful(const Store& store, const RunRecord& run,
                                                   int problem) const {
  const auto atlas = Atlas::Create(run.hardware());
  if (!atlas.ok()) return absl::DataLossError(atlas.status().message());
  const absl::Status whole = store.RequireWhole(run.run());
  if (!whole.ok()) return whole;
  const auto lines =
      MostHarmfulLinesOfRun(store, run.run(), **atlas, problem, static_cast<int>(harmful_));
  if (!lines.ok()) return lines.status();
  if (lines->empty()) {
    return absl::NotFoundError(
        absl::StrCat("run ", FormatRun(run.run()), " has no closure that cost anybody anything",
                     problem < 0 ? "" : absl::StrCat(" on ", FormatProblem(problem))));
  }
  // Claims of one problem may be related, those of two are not.
  std::map<int, std::vector<HarmfulLine>> by_problem;
  for (const HarmfulLine& line : *lines) by_problem[line.root.attempt().problem()].push_back(line);
  std::vector<GraphModel> graphs;
  std::map<ClaimId, std::string> words;
  for (const auto& [index, of_problem] : by_problem) {
    const auto table = ClaimTable::Load(store, run.run(), **atlas, index);
    if (!table.ok()) return table.status();
    std::vector<RowIndex> focus;
    for (const HarmfulLine& line : of_problem) {
      focus.push_back((*table)->Find(line.root));
      words[line.root] = HarmWords(**table, line);
    }
    GraphOptions share = options_;
    share.max_nodes =
        std::max<int>(1, static_cast<int>(options_.max_nodes * of_problem.size() / lines->size()));
    absl::StatusOr<GraphModel> graph = PropagationGraph(**table, focus, share);
    if (!graph.ok()) return graph;
    graphs.push_back(*std::move(graph));
  }
  GraphModel model = JoinGraphs(std::move(graphs));
  model.title =
      absl::StrCat("Run R", run.run(), ": the ",
                   lines->size() == 1 ? "most harmful closure"
                                      : absl::StrCat(lines->size(), " most harmful closures"),
                   problem < 0 ? "" : absl::StrCat(" on ", FormatProblem(problem)));
  for (const HarmfulLine& line : *lines) {
    if (model.notes.size() == kMostHarmWords) break;
    model.notes.push_back(words[line.root]);
  }
  if (lines->size() > kMostHarmWords) {
    model.notes.push_back(absl::StrCat("and ", lines->size() - kMostHarmWords, " more"));
  }
  return model;
}

absl::StatusOr<GraphModel> GraphCommand::Model(const Store& store) const {
  if (harmful_ > 0 || (subject_.names_problem() && !subject_.names_claim())) {
    const absl::StatusOr<RunRecord> run = subject_.Run(store);
    if (!run.ok()) return run.status();
    const absl::StatusOr<int> problem = subject_.Problem();
    if (!problem.ok()) return problem.status();
    const absl::Status has = *problem < 0 ? absl::OkStatus() : CheckHasProblem(*run, *problem);
    if (!has.ok()) return has;
    return harmful_ > 0 ? OfHarmful(store, *run, *problem) : OfProblem(store, *run, *problem);
  }
  const absl::StatusOr<ClaimSubject::Found> subject = subject_.Find(store);
  if (!subject.ok()) return subject.status();
  return PropagationGraph(*subject->claims.table, subject->claim, options_);
}

absl::StatusOr<ExitCode> GraphCommand::Run(Console& console) {
  const absl::StatusOr<GraphFormat> format = Format();
  if (!format.ok()) return format.status();
  const absl::Status sensible = Check(*format);
  if (!sensible.ok()) return sensible;
  const auto store = kb_.Open(Store::Mode::kRead);
  if (!store.ok()) return store.status();
  if (up_ >= 0) options_.depth_up = static_cast<int>(up_);
  if (down_ >= 0) options_.depth_down = static_cast<int>(down_);
  options_.max_nodes = static_cast<int>(max_nodes_);
  options_.collapse = collapse_ == "always"  ? Collapse::kAlways
                      : collapse_ == "never" ? Collapse::kNever
                                             : Collapse::kLarge;
  const absl::StatusOr<GraphModel> model = Model(**store);
  if (!model.ok()) return model.status();
  const absl::StatusOr<std::string> drawing = RenderGraph(*model, *format, {link_.value_or("")});
  if (!drawing.ok()) return drawing.status();
  if (!output_.has_value()) {
    console.Out(*drawing);
    return ExitCode::kOk;
  }
  const absl::Status written = WriteFile(*output_, *drawing);
  if (!written.ok()) return written;
  console.Say(absl::StrCat("wrote ", *output_, ": ", model->title, ", ", model->CutWords()));
  return ExitCode::kOk;
}

}  // namespace

std::unique_ptr<Command> NewGraphCommand() { return std::make_unique<GraphCommand>(); }

}  // namespace hearsay
