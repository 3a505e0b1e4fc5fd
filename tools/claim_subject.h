// The claim that a question is about: named by its id, or else of the longest-lived false closure
// of a run.
#ifndef HEARSAY_TOOLS_CLAIM_SUBJECT_H_
#define HEARSAY_TOOLS_CLAIM_SUBJECT_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "tools/kb_access.h"

namespace hearsay {

class ClaimSubject {
 public:
  // Which version of the longest-lived closure: ancestors are asked of the last, descendants of the
  // first.
  enum class Version { kFirst, kLast };
  explicit ClaimSubject(Version version) : version_(version) {}

  struct Found {
    RunClaims claims;       // at least those of the claim's problem
    ClaimId claim;          // need not exist if it was named by its id
    int64_t text_hits = 0;  // claims that --text finds, of which this is the most carried
  };

  // `problem_help` says what --problem chooses.
  void Declare(ArgParser& args,
               const char* problem_help = "Without a claim: the longest-lived of this problem");
  // Also --text, which chooses the most carried claim that says something.
  void DeclareText(ArgParser& args);
  // Errors: kInvalidArgument for words that make no sense, known before the kb is opened;
  absl::Status Check() const;
  // those of the store; kNotFound where the run has no false closure, or nothing says the text.
  absl::StatusOr<Found> Find(const Store& store) const;

  bool names_claim() const { return claim_.has_value(); }
  bool names_problem() const { return problem_.has_value(); }
  // The index, or -1 where none is named. Errors: kInvalidArgument.
  absl::StatusOr<int> Problem() const;
  absl::StatusOr<RunRecord> Run(const Store& store) const { return run_.Find(store); }

 private:
  absl::StatusOr<Found> FindLongestLived(const Store& store) const;
  absl::StatusOr<Found> FindText(const Store& store) const;

  const Version version_;
  std::optional<std::string> claim_, problem_, text_;
  RunFlag run_;
};

}  // namespace hearsay

#endif  // HEARSAY_TOOLS_CLAIM_SUBJECT_H_
