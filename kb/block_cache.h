// Decoded blocks that were read lately. Thread safe. Private to kb/.
#ifndef HEARSAY_KB_BLOCK_CACHE_H_
#define HEARSAY_KB_BLOCK_CACHE_H_

#include <cstdint>
#include <list>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"

namespace hearsay {

// Decoded blocks, least recently used dropped first. A committed block changes by folding only,
// after which Clear() is called. `Block` is an AttemptBlock, or the kept claims of one.
template <typename Block>
class BlockCache {
 public:
  // Shared: a reader may still look at a block that another thread's read drives out of the cache.
  using Ptr = std::shared_ptr<const Block>;
  Ptr Find(uint64_t first) {
    absl::MutexLock lock(&mutex_);
    const auto at = index_.find(first);
    if (at == index_.end()) return nullptr;
    blocks_.splice(blocks_.begin(), blocks_, at->second);
    return at->second->second;
  }
  void Insert(uint64_t first, Ptr block) {
    absl::MutexLock lock(&mutex_);
    if (index_.contains(first)) return;
    blocks_.emplace_front(first, std::move(block));
    index_[first] = blocks_.begin();
    if (blocks_.size() > kBlocks) {
      index_.erase(blocks_.back().first);
      blocks_.pop_back();
    }
  }
  void Clear() {
    absl::MutexLock lock(&mutex_);
    blocks_.clear();
    index_.clear();
  }

 private:
  static constexpr size_t kBlocks = 128;  // about 15 MB of full notes
  using Entry = std::pair<uint64_t, Ptr>;

  absl::Mutex mutex_;
  std::list<Entry> blocks_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<uint64_t, typename std::list<Entry>::iterator> index_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hearsay

#endif  // HEARSAY_KB_BLOCK_CACHE_H_
