#include "client/task_table.h"

namespace holdfast::client {

TaskTable::~TaskTable() { context_.scheduler->Cancel(timer_); }

void TaskTable::Take(const controlplane::v1::CheckTask& task, Duration timeout) {
  Entry& entry = tasks_[task.task_id()];
  entry.task = task;
  entry.over_at = context_.scheduler->Now() + timeout;
  ends_.emplace(entry.over_at, task.task_id());
  ArmTimer();
  waiting_.push_back(task.task_id());
  StartWaiting();
  if (!entry.running) context_.observer.OnTask(task.task_id(), TaskFate::kQueued);
}

void TaskTable::Start(Entry& entry) {
  entry.running = true;
  ++running_;
  context_.observer.OnTask(entry.task.task_id(), TaskFate::kStarted);
  handler_.Run(entry.task);
}

void TaskTable::StartWaiting() {
  while (running_ < context_.settings.max_concurrency && !waiting_.empty()) {
    const auto found = tasks_.find(waiting_.front());
    waiting_.pop_front();
    if (found != tasks_.end() && !found->second.running) Start(found->second);
  }
}

void TaskTable::Cancel(const std::string& task_id) {
  if (const auto found = tasks_.find(task_id); found != tasks_.end()) End(found, TaskFate::kCancelled);
  StartWaiting();
}

std::optional<controlplane::v1::CheckTask> TaskTable::Answer(const std::string& task_id) {
  const auto found = tasks_.find(task_id);
  if (found == tasks_.end() || !found->second.running) return std::nullopt;
  Entry answered = Remove(found);
  context_.observer.OnTask(task_id, TaskFate::kAnswered);
  StartWaiting();
  return std::move(answered.task);
}

void TaskTable::EndAll() {
  waiting_.clear();
  while (!tasks_.empty()) End(tasks_.begin(), TaskFate::kSessionOver);
}

void TaskTable::End(Tasks::iterator entry, TaskFate fate) {
  const Entry ended = Remove(entry);
  context_.observer.OnTask(ended.task.task_id(), fate);
  if (ended.running) handler_.Cancel(ended.task.task_id());
}

TaskTable::Entry TaskTable::Remove(Tasks::iterator entry) {
  Entry removed = std::move(entry->second);
  if (removed.running) --running_;
  ends_.erase({removed.over_at, entry->first});
  tasks_.erase(entry);
  return removed;
}

void TaskTable::ArmTimer() {
  const std::optional<BootTime> next = ends_.empty() ? std::nullopt : std::optional(ends_.begin()->first);
  if (next == armed_for_) return;
  context_.scheduler->Cancel(std::exchange(timer_, 0));
  armed_for_ = next;
  if (next) timer_ = context_.scheduler->RunAt(*next, [this] { OnTimer(); });
}

void TaskTable::OnTimer() {
  timer_ = 0;
  armed_for_.reset();
  const BootTime now = context_.scheduler->Now();
  while (!ends_.empty() && ends_.begin()->first <= now) {
    End(tasks_.find(ends_.begin()->second), TaskFate::kTimedOut);
  }
  ArmTimer();
  StartWaiting();
}

}  // namespace holdfast::client
