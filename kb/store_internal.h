// Opening a store in other ways than its users do: on another file system, for the fault-injection
// tests, and on what is left of a database. Private to kb/ and tests.
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

// A store on a database already open.
class Rocks;
std::unique_ptr<Store> NewStore(const std::string& path, const StoreOptions& options,
                                std::unique_ptr<Rocks> rocks);

}  // namespace hearsay

#endif  // HEARSAY_KB_STORE_INTERNAL_H_
