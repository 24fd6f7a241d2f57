// The daemon's own pulse: looks at what is due ten times a second, and at what is slow (shed calls, the disk) once.
//
// Life cycle: Start, Stop (or destruction). Thread: one of its own, which calls both functions. It reads no clock: what
// time it is, those it calls know.

#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace holdfast::server {

class Housekeeping {
 public:
  Housekeeping(std::function<void()> often, std::function<void()> now_and_then)
      : often_(std::move(often)), now_and_then_(std::move(now_and_then)) {}
  ~Housekeeping() { Stop(); }

  void Start();
  void Stop();

 private:
  void Run();

  const std::function<void()> often_;
  const std::function<void()> now_and_then_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopped_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace holdfast::server
