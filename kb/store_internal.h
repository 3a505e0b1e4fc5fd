// Opening a store on another file system, for the fault-injection tests. Private to kb/ and
// tests/kb/.
#ifndef HEARSAY_KB_STORE_INTERNAL_H_
#define HEARSAY_KB_STORE_INTERNAL_H_

#include <memory>
#include <string>

#include "kb/store.h"
#include "rocksdb/env.h"

namespace hearsay {

// As Store::Open, with all input and output through `env`, which must outlive the store.
absl::StatusOr<std::unique_ptr<Store>> OpenWithEnv(const std::string& path, Store::Mode mode,
                                                   const StoreOptions& options, rocksdb::Env* env);

}  // namespace hearsay

#endif  // HEARSAY_KB_STORE_INTERNAL_H_
