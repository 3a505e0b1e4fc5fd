// Saves what is whole of a damaged kb.
#ifndef HEARSAY_KB_REPAIR_H_
#define HEARSAY_KB_REPAIR_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace hearsay {

struct RepairReport {
  // What was lost, one sentence each: files, rounds, runs, baselines, texts.
  std::vector<std::string> losses;
  int64_t runs = 0, rounds = 0, attempts = 0, texts = 0;  // kept
  std::vector<int> resumable;  // runs that were complete or not, and now can go on from a round
};

// Writes a new kb at `to` with what is whole of the kb at `from`, which is only read: its runs, and
// of each the rounds up to the first that breaks a requirement of docs/data-model.md, so that it
// can be resumed from there. Texts keep their numbers: one that is lost
// leaves an empty one that says so. Meanwhile `to`.rebuild may exist. Errors: kAlreadyExists where
// there is something at `to`; kInvalidArgument where `to` lies in `from`; those of Store::Open, of
// both; kDataLoss where nothing can be saved.
absl::StatusOr<RepairReport> RepairKb(const std::string& from, const std::string& to, int threads);

}  // namespace hearsay

#endif  // HEARSAY_KB_REPAIR_H_
