// A few threads that read the log for people: what takes long and touches the disk, away from gRPC's threads and the
// follower's.
//
// Life cycle: made with its threads, Stop (what has not begun is dropped), destroyed. Thread: Post from any.
// Guarantees: a job runs once, on one of its threads, or never when Post said false or Stop came first. Does not: order
// jobs of different callers, or bound them: each stream has one job at a time.

#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace holdfast::server {

class ReaderPool {
 public:
  explicit ReaderPool(std::size_t threads = 2);
  ~ReaderPool();  // stops

  // False: stopped, the job will not run.
  bool Post(std::function<void()> job);
  void Stop();

 private:
  void Run();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;  // guarded by mutex_
  bool stopped_ = false;                    // guarded by mutex_
  std::vector<std::thread> threads_;
};

}  // namespace holdfast::server
