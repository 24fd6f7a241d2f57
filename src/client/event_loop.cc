#include "client/event_loop.h"

#include <future>

namespace holdfast::client {

EventLoop::EventLoop(BootClock clock) : clock_(std::move(clock)), thread_([this] { Run(); }) {}

EventLoop::~EventLoop() { Stop(); }

void EventLoop::Post(Task task) {
  const std::lock_guard lock(mutex_);
  if (stopped_) return;
  posted_.push_back(std::move(task));
  changed_.notify_one();
}

Scheduler::TimerId EventLoop::RunAt(BootTime at, Task task) {
  const std::lock_guard lock(mutex_);
  const TimerId timer = ++last_timer_;
  timers_.emplace(TimerKey(at, timer), std::move(task));
  timer_times_.emplace(timer, at);
  changed_.notify_one();
  return timer;
}

void EventLoop::Cancel(TimerId timer) {
  const std::lock_guard lock(mutex_);
  const auto found = timer_times_.find(timer);
  if (found == timer_times_.end()) return;
  timers_.erase(TimerKey(found->second, timer));
  timer_times_.erase(found);
}

void EventLoop::RunAndWait(const Task& task) {
  std::promise<void> done;
  Post([&] {
    task();
    done.set_value();
  });
  done.get_future().wait();
}

void EventLoop::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
  // Tasks own clients and calls; they are dropped outside the lock, since dropping one may post or cancel.
  std::vector<Task> posted;
  std::map<TimerKey, Task> timers;
  {
    const std::lock_guard lock(mutex_);
    posted.swap(posted_);
    timers.swap(timers_);
    timer_times_.clear();
  }
}

bool EventLoop::WaitForWork(std::unique_lock<std::mutex>& lock) {
  while (!stopped_ && posted_.empty()) {
    if (timers_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const Duration wait = timers_.begin()->first.first - clock_();
    if (wait <= Duration::zero()) break;
    changed_.wait_for(lock, wait);
  }
  return !stopped_;
}

void EventLoop::RunPosted(std::unique_lock<std::mutex>& lock) {
  std::vector<Task> tasks;
  tasks.swap(posted_);
  lock.unlock();
  for (Task& task : tasks) {
    task();
    task = nullptr;
  }
  lock.lock();
}

void EventLoop::RunFirstTimer(std::unique_lock<std::mutex>& lock) {
  // Taken out at the last moment: whatever ran before it may have cancelled it.
  if (timers_.empty() || timers_.begin()->first.first > clock_()) return;
  const auto first = timers_.begin();
  Task task = std::move(first->second);
  timer_times_.erase(first->first.second);
  timers_.erase(first);
  lock.unlock();
  task();
  task = nullptr;
  lock.lock();
}

void EventLoop::Run() {
  std::unique_lock lock(mutex_);
  while (WaitForWork(lock)) {
    RunPosted(lock);
    if (!stopped_) RunFirstTimer(lock);
  }
}

}  // namespace holdfast::client
