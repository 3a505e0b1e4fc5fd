// hearsay graph: how a claim spread, drawn.
#include "absl/strings/match.h"
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

  ClaimSubject subject_{ClaimSubject::Version::kFirst};
  KbFlag kb_;
  std::optional<std::string> format_, output_;
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
  args.AddText("--format", "dot|svg", "Of the drawing (by the name of the file, else dot)",
               &format_);
  args.AddText("-o,--output", "FILE", "Where to write it (standard output)", &output_);
}

absl::StatusOr<GraphFormat> GraphCommand::Format() const {
  const bool svg_file = output_.has_value() && absl::EndsWith(*output_, ".svg");
  const std::string word = format_.value_or(svg_file ? "svg" : "dot");
  if (word == "dot") return GraphFormat::kDot;
  if (word == "svg") return GraphFormat::kSvg;
  return absl::InvalidArgumentError(
      absl::StrCat("--format: unknown value '", word, "'; known: dot, svg"));
}

absl::StatusOr<ExitCode> GraphCommand::Run(Console& console) {
  const absl::StatusOr<GraphFormat> format = Format();
  if (!format.ok()) return format.status();
  const absl::Status sensible = subject_.Check();
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
  const absl::StatusOr<std::string> drawing = RenderGraph(*model, *format);
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
