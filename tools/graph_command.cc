// hearsay graph: how a claim spread, drawn.
#include "absl/strings/str_cat.h"
#include "lineage/graph.h"
#include "tools/claim_subject.h"
#include "tools/command.h"
#include "tools/files.h"
#include "tools/kb_access.h"

namespace hearsay {
namespace {

class GraphCommand : public Command {
 public:
  void Declare(ArgParser& args) override;
  absl::StatusOr<ExitCode> Run(Console& console) override;

 private:
  absl::StatusOr<GraphFormat> Format() const;
  absl::Status Check() const;

  ClaimSubject subject_{ClaimSubject::Version::kFirst};
  KbFlag kb_;
  std::optional<std::string> format_, output_, link_;
  int64_t up_ = GraphOptions().depth_up;
  int64_t down_ = GraphOptions().depth_down;
  int64_t max_nodes_ = GraphOptions().max_nodes;
};

void GraphCommand::Declare(ArgParser& args) {
  subject_.Declare(args);
  kb_.Declare(args);
  args.AddNumber("--up", "Generations towards birth (64)", 0, kMaxRounds, &up_);
  args.AddNumber("--down", "Generations towards the last round (64)", 0, kMaxRounds, &down_);
  args.AddNumber("--max-nodes", "Versions to draw, the nearest (400)", 1, kMaxGraphNodes,
                 &max_nodes_);
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

absl::Status GraphCommand::Check() const {
  if (link_.has_value()) {
    const absl::Status link = ExpandLink(*link_, ClaimId()).status();
    if (!link.ok()) return absl::InvalidArgumentError(absl::StrCat("--link: ", link.message()));
  }
  return subject_.Check();
}

absl::StatusOr<ExitCode> GraphCommand::Run(Console& console) {
  const absl::StatusOr<GraphFormat> format = Format();
  if (!format.ok()) return format.status();
  const absl::Status sensible = Check();
  if (!sensible.ok()) return sensible;
  const auto store = kb_.Open(Store::Mode::kRead);
  if (!store.ok()) return store.status();
  const absl::StatusOr<ClaimSubject::Found> subject = subject_.Find(**store);
  if (!subject.ok()) return subject.status();
  GraphOptions options;
  options.depth_up = static_cast<int>(up_);
  options.depth_down = static_cast<int>(down_);
  options.max_nodes = static_cast<int>(max_nodes_);
  const absl::StatusOr<GraphModel> model =
      PropagationGraph(*subject->claims.table, subject->claim, options);
  if (!model.ok()) return model.status();
  const absl::StatusOr<std::string> drawing = RenderGraph(*model, *format, {link_.value_or("")});
  if (!drawing.ok()) return drawing.status();
  if (!output_.has_value()) {
    console.Out(*drawing);
    return ExitCode::kOk;
  }
  const absl::Status written = WriteFile(*output_, *drawing);
  if (!written.ok()) return written;
  console.Say(absl::StrCat("wrote ", *output_, ": ", hearsay::Format(subject->claim), ", ",
                           model->CutWords()));
  return ExitCode::kOk;
}

}  // namespace

std::unique_ptr<Command> NewGraphCommand() { return std::make_unique<GraphCommand>(); }

}  // namespace hearsay
