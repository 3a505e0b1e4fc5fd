// The claim that a question is about: named by its id, or the longest-lived false closure of a run.
#ifndef HEARSAY_TOOLS_CLAIM_SUBJECT_H_
#define HEARSAY_TOOLS_CLAIM_SUBJECT_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "tools/kb_access.h"

namespace hearsay {

class ClaimSubject {
 public:
  struct Found {
    RunClaims claims;  // at least those of the claim's problem
    ClaimId claim;     // need not exist if it was named by its id
  };

  void Declare(ArgParser& args);
  // Errors: kInvalidArgument for words that make no sense, known before the kb is opened;
  absl::Status Check() const;
  // those of the store; kNotFound where the run has no false closure.
  absl::StatusOr<Found> Find(const Store& store) const;

 private:
  absl::StatusOr<Found> FindLongestLived(const Store& store) const;

  std::optional<std::string> claim_, problem_;
  RunFlag run_;
};

}  // namespace hearsay

#endif  // HEARSAY_TOOLS_CLAIM_SUBJECT_H_
