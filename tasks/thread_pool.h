// A pool of threads that runs one loop at a time.
#ifndef HEARSAY_TASKS_THREAD_POOL_H_
#define HEARSAY_TASKS_THREAD_POOL_H_

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace hearsay {

// One thread drives a pool; its own work counts as one of the threads.
class ThreadPool {
 public:
  // REQUIRES: threads >= 1.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Calls body(i) once for each i in [0, count), from any of the threads, and returns when all are
  // done.
  void For(int count, const std::function<void(int)>& body);

 private:
  void Work();
  void Drain();

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable start_;
  std::condition_variable done_;
  const std::function<void(int)>* body_ = nullptr;  // guarded by mutex_ except inside a loop
  int count_ = 0;
  std::atomic<int> next_{0};
  int busy_ = 0;        // guarded by mutex_: workers still in the loop
  uint64_t loops_ = 0;  // guarded by mutex_: loops started so far
  bool stopping_ = false;
};

}  // namespace hearsay

#endif  // HEARSAY_TASKS_THREAD_POOL_H_
