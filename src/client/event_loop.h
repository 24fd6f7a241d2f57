// A Scheduler with a thread of its own.
//
// Made and stopped by the program; shared by the clients and by the calls in flight. After Stop() nothing runs any
// more and what is posted is dropped. The clock is injected: nothing here reads one.

#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "client/scheduler.h"

namespace holdfast::client {

class EventLoop : public Scheduler {
 public:
  using BootClock = std::function<BootTime()>;

  explicit EventLoop(BootClock clock);
  ~EventLoop() override;

  BootTime Now() const override { return clock_(); }
  void Post(Task task) override;
  TimerId RunAt(BootTime at, Task task) override;
  void Cancel(TimerId timer) override;

  // Runs `task` on the loop and waits for its end. Not from the loop's own thread, not after Stop().
  void RunAndWait(const Task& task);

  // Ends after the task that is running; joins the thread. Safe to call twice, not from the loop's own thread.
  void Stop();

 private:
  using TimerKey = std::pair<BootTime, TimerId>;

  void Run();
  // Both require: lock held; it is let go while tasks run.
  void RunPosted(std::unique_lock<std::mutex>& lock);
  void RunFirstTimer(std::unique_lock<std::mutex>& lock);
  // Waits for work; false when stopped. Requires: lock held.
  bool WaitForWork(std::unique_lock<std::mutex>& lock);

  const BootClock clock_;
  std::mutex mutex_;  // guards all below but the thread
  std::condition_variable changed_;
  bool stopped_ = false;
  TimerId last_timer_ = 0;
  std::vector<Task> posted_;
  std::map<TimerKey, Task> timers_;
  std::map<TimerId, BootTime> timer_times_;
  std::thread thread_;
};

}  // namespace holdfast::client
