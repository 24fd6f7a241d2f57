// A request to end early (Ctrl-C, SIGTERM), as something that can be waited for.
//
// Thread: any. Whoever watches the signals calls Request() (main.cc has a thread for that; no work is done in a signal
// handler); commands ask Requested(), wait with WaitFor(), and have what must be broken off (a gRPC call) called back.
// Once requested it stays so. Callbacks run on the requesting thread, with the lock held: they are short and never call
// back into this object.

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>

namespace holdfast::cli {

class Interrupt {
 public:
  void Request();
  bool Requested() const;

  // Waits that long, or until it is requested. Returns true when the whole time passed.
  bool WaitFor(std::chrono::milliseconds time);

  // Calls `callback` at the request, or at once when it was already made. Returns a handle for Remove().
  std::uint64_t Add(std::function<void()> callback);
  // Ensures: the callback does not run any more once this has returned.
  void Remove(std::uint64_t handle);

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool requested_ = false;                                      // guarded by mutex_
  std::uint64_t next_handle_ = 1;                               // guarded by mutex_
  std::map<std::uint64_t, std::function<void()>> callbacks_{};  // guarded by mutex_
};

}  // namespace holdfast::cli
