// A scheduler whose clock stands still until a test moves it.

#pragma once

#include <deque>
#include <map>
#include <utility>

#include "client/scheduler.h"

namespace holdfast::client {

class ManualScheduler : public Scheduler {
 public:
  BootTime Now() const override { return now_; }
  void Post(Task task) override { posted_.push_back(std::move(task)); }
  TimerId RunAt(BootTime at, Task task) override {
    timers_.emplace(std::pair(at, ++last_), std::move(task));
    return last_;
  }
  void Cancel(TimerId timer) override {
    std::erase_if(timers_, [timer](const auto& entry) { return entry.first.second == timer; });
  }

  // Runs what is posted, and what that posts.
  void RunPosted() {
    while (!posted_.empty()) {
      const Task task = std::move(posted_.front());
      posted_.pop_front();
      task();
    }
  }

  // Moves the clock, stopping at every timer on the way.
  void Advance(Duration by) {
    const BootTime end = now_ + by;
    RunPosted();
    while (!timers_.empty() && timers_.begin()->first.first <= end) {
      const auto first = timers_.begin();
      now_ = std::max(now_, first->first.first);
      const Task task = std::move(first->second);
      timers_.erase(first);
      task();
      RunPosted();
    }
    now_ = end;
  }

 private:
  BootTime now_{std::chrono::hours(1)};
  TimerId last_ = 0;
  std::deque<Task> posted_;
  std::map<std::pair<BootTime, TimerId>, Task> timers_;
};

}  // namespace holdfast::client
