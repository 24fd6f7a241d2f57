// The tasks of the session in force: which run, which wait for a slot, and when the time of each is over.
//
// Internal to src/client, on the scheduler's thread; owned by CheckerClient. A task runs once at a time, at most
// max_concurrency do; those that wait start in the order of their coming. The handler is told of each task at most
// twice: Run, and Cancel where its answer is of no use any more. Does not know sessions, reports or levels.

#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "client/check_handler.h"
#include "client/checker_context.h"

namespace holdfast::client {

class TaskTable {
 public:
  TaskTable(CheckerContext& context, CheckHandler& handler) : context_(context), handler_(handler) {}
  ~TaskTable();

  // Runs it, or has it wait. `timeout` is from now, above zero. Requires: !Holds(task.task_id()).
  void Take(const controlplane::v1::CheckTask& task, Duration timeout);
  bool Holds(const std::string& task_id) const { return tasks_.contains(task_id); }
  // The controller took it back; no effect for one that is not here.
  void Cancel(const std::string& task_id);
  // It was answered: its slot is free, the task is given back. Nothing: it does not run.
  std::optional<controlplane::v1::CheckTask> Answer(const std::string& task_id);
  // The session is over, and all of them with it.
  void EndAll();

  std::uint32_t running() const { return running_; }
  std::size_t waiting() const { return tasks_.size() - running_; }

 private:
  struct Entry {
    controlplane::v1::CheckTask task;
    BootTime over_at{};
    bool running = false;
  };
  using Tasks = std::map<std::string, Entry>;

  void Start(Entry& entry);
  void StartWaiting();
  // Forgets it and says so to the observer; to the handler too, where it runs.
  void End(Tasks::iterator entry, TaskFate fate);
  Entry Remove(Tasks::iterator entry);
  void ArmTimer();
  void OnTimer();

  CheckerContext& context_;
  CheckHandler& handler_;
  Tasks tasks_;
  std::deque<std::string> waiting_;  // in the order of their coming; some may be gone
  std::set<std::pair<BootTime, std::string>> ends_;
  std::uint32_t running_ = 0;
  std::optional<BootTime> armed_for_;
  Scheduler::TimerId timer_ = 0;
};

}  // namespace holdfast::client
