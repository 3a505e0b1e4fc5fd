// hearsay ancestry, hearsay descendants: where a claim came from and what became of it.
#include "absl/strings/str_cat.h"
#include "lineage/ancestry.h"
#include "lineage/kinship.h"
#include "lineage/walk.h"
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
    subject_.DeclareText(args);
    if (forward_) {
      args.AddNumber("--limit", "Versions to list, nearest first (100)", 1, kMostVersions, &limit_);
    } else {
      args.AddText("--with", "CLAIM", "Also what both come from, it and this one", &with_);
    }
    kb_.Declare(args);
    output_.Declare(args);
  }
  absl::StatusOr<ExitCode> Run(Console& console) override;

 private:
  const bool forward_;
  ClaimSubject subject_;
  int64_t limit_ = 100;
  std::optional<std::string> with_;
  KbFlag kb_;
  OutputFlags output_;
};

absl::StatusOr<ExitCode> PedigreeCommand::Run(Console& console) {
  const absl::Status sensible = subject_.Check();
  if (!sensible.ok()) return sensible;
  ClaimId with;
  if (with_.has_value()) {
    const absl::StatusOr<ClaimId> parsed = ParseClaimId(*with_);
    if (!parsed.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--with: ", parsed.status().message()));
    }
    with = *parsed;
  }
  const auto store = kb_.Open(Store::Mode::kRead);
  if (!store.ok()) return store.status();
  const absl::StatusOr<ClaimSubject::Found> subject = subject_.Find(**store);
  if (!subject.ok()) return subject.status();
  const ClaimTable& table = *subject->claims.table;
  const absl::StatusOr<Pedigree> pedigree =
      forward_ ? Descendants(table, subject->claim, static_cast<int>(limit_))
               : Ancestry(table, subject->claim);
  if (!pedigree.ok()) return pedigree.status();
  std::vector<Table> tables =
      PedigreeTables(table, *pedigree, forward_ ? "Descendants" : "Ancestry");
  Walker walker(table);
  const RowIndex row = table.Find(subject->claim);
  const absl::StatusOr<std::vector<RoundCarriers>> carriers =
      CarriersByRound(**store, table, forward_ ? walker.Descendants(row) : walker.Ancestors(row));
  if (!carriers.ok()) return carriers.status();
  tables.push_back(CarriersTable(*carriers));
  if (!with.none()) {
    absl::StatusOr<Table> common = CommonAncestorsTable(table, subject->claim, with);
    if (!common.ok()) return common.status();
    tables.push_back(*std::move(common));
  }
  if (subject->text_hits > 1) {
    console.Say(absl::StrCat("the most carried of ", subject->text_hits,
                             " claims that say this; hearsay claims --text lists them"));
  }
  const absl::Status printed = output_.Print(tables, console);
  if (!printed.ok()) return printed;
  return ExitCode::kOk;
}

}  // namespace

std::unique_ptr<Command> NewAncestryCommand() { return std::make_unique<PedigreeCommand>(false); }
std::unique_ptr<Command> NewDescendantsCommand() { return std::make_unique<PedigreeCommand>(true); }

}  // namespace hearsay
