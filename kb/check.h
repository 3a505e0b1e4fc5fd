// The integrity check of a kb: one check a requirement of docs/data-model.md.
#ifndef HEARSAY_KB_CHECK_H_
#define HEARSAY_KB_CHECK_H_

#include <string>
#include <vector>

#include "kb/store.h"

namespace hearsay {

struct Finding {
  int requirement;      // its number in docs/data-model.md
  std::string where;    // a run, round, attempt or claim id
  std::string problem;  // one sentence
};

struct CheckReport {
  std::vector<Finding> findings;                           // the first `max_findings`, in key order
  int64_t finding_count = 0;                               // all
  int64_t runs = 0, rounds = 0, attempts = 0, claims = 0;  // looked at
};

// Checks every run. Errors: only where the store cannot be read at all.
absl::StatusOr<CheckReport> CheckStore(const Store& store, int max_findings, int threads = 1);

// Checks a kb that nobody needs to have opened: its files first, then as CheckStore what can still
// be read of it. Errors: those of Store::Open, but for kDataLoss, which is a finding.
absl::StatusOr<CheckReport> CheckKb(const std::string& path, int max_findings, int threads);

}  // namespace hearsay

#endif  // HEARSAY_KB_CHECK_H_
