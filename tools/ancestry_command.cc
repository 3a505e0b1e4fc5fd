// hearsay ancestry, hearsay descendants: where a claim came from and what became of it.
#include "lineage/ancestry.h"
#include "tools/claim_subject.h"
#include "tools/command.h"
#include "tools/kb_access.h"
#include "tools/output.h"

namespace hearsay {
namespace {

constexpr int64_t kMostVersions = 1000000;

class PedigreeCommand : public Command {
 public:
  explicit PedigreeCommand(bool forward)
      : forward_(forward),
        subject_(forward ? ClaimSubject::Version::kFirst : ClaimSubject::Version::kLast) {}

  void Declare(ArgParser& args) override {
    subject_.Declare(args);
    if (forward_) {
      args.AddNumber("--limit", "Versions to list, nearest first (100)", 1, kMostVersions, &limit_);
    }
    kb_.Declare(args);
    output_.Declare(args);
  }
  absl::StatusOr<ExitCode> Run(Console& console) override;

 private:
  const bool forward_;
  ClaimSubject subject_;
  int64_t limit_ = 100;
  KbFlag kb_;
  OutputFlags output_;
};

absl::StatusOr<ExitCode> PedigreeCommand::Run(Console& console) {
  const absl::Status sensible = subject_.Check();
  if (!sensible.ok()) return sensible;
  const auto store = kb_.Open(Store::Mode::kRead);
  if (!store.ok()) return store.status();
  const absl::StatusOr<ClaimSubject::Found> subject = subject_.Find(**store);
  if (!subject.ok()) return subject.status();
  const ClaimTable& table = *subject->claims.table;
  const absl::StatusOr<Pedigree> pedigree =
      forward_ ? Descendants(table, subject->claim, static_cast<int>(limit_))
               : Ancestry(table, subject->claim);
  if (!pedigree.ok()) return pedigree.status();
  const absl::Status printed = output_.Print(
      PedigreeTables(table, *pedigree, forward_ ? "Descendants" : "Ancestry"), console);
  if (!printed.ok()) return printed;
  return ExitCode::kOk;
}

}  // namespace

std::unique_ptr<Command> NewAncestryCommand() { return std::make_unique<PedigreeCommand>(false); }
std::unique_ptr<Command> NewDescendantsCommand() { return std::make_unique<PedigreeCommand>(true); }

}  // namespace hearsay
