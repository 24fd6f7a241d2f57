// One thread that builds and serialises the large updates, so that the dispatcher never waits for one.
//
// Life cycle: starts with the object; Stop (or destruction) runs what was posted and ends. Thread: Post from any.
// Promises: jobs run in the order in which they were posted; after Stop they run where they are posted.

#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace holdfast::server {

class UpdateBuilder {
 public:
  UpdateBuilder();
  ~UpdateBuilder();

  void Post(std::function<void()> job);
  void Stop();

 private:
  void Run();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;  // guarded by mutex_
  bool stopped_ = false;                    // guarded by mutex_
  std::thread thread_;
};

}  // namespace holdfast::server
