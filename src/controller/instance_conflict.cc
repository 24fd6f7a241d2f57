#include "controller/instance_conflict.h"

#include <algorithm>

#include "controller/rule_constant.h"

namespace holdfast {
namespace {

constexpr std::ptrdiff_t kSwapsOfAConflict = RuleConstant<std::ptrdiff_t>(3, 2);
constexpr Duration kQuiet = std::chrono::minutes(2);  // without a swap, and the conflict is over

void NoteSwap(const ControllerState& state, const WorkerRow& worker, const ClosedSession& superseded, LogTime now,
              std::vector<Event>& events) {
  const std::ptrdiff_t recent = std::count_if(worker.swaps.begin(), worker.swaps.end(),
                                              [&](LogTime at) { return !IsOver(at + kSwapsCountFor, now); });
  const bool conflict = !IsAbsent(worker.conflict_until) || recent + 1 >= kSwapsOfAConflict;
  events.emplace_back(
      InstancesSwapped{worker.opened.worker, superseded.session_id, conflict ? now + kQuiet : LogTime()});
  const std::string& id = worker.opened.worker_id.value();
  if (!conflict || state.run().alarms().contains({AlarmKind::kInstanceConflict, id})) return;
  events.emplace_back(AlarmRaised{AlarmKind::kInstanceConflict, id,
                                  "two processes register under this id in turn; nothing is granted to it until two "
                                  "minutes have passed without that. Stop one of them"});
}

}  // namespace

void NoteCallInOldSession(const ControllerState& state, const std::string& worker_id, const std::string& session_id,
                          LogTime now, std::vector<Event>& events) {
  const WorkerRow* worker = state.sessions().Find(worker_id);
  if (worker == nullptr) return;
  for (const ClosedSession& closed : worker->closed) {
    if (closed.by_other_process && closed.session_id.value() == session_id) {
      return NoteSwap(state, *worker, closed, now, events);
    }
  }
}

void NoteReturn(const ControllerState& state, const WorkerRow& worker,
                const controlplane::v1::RegisterWorkerRequest& request, LogTime now, std::vector<Event>& events) {
  // The latest first: one process may have been superseded more than once.
  for (auto closed = worker.closed.rbegin(); closed != worker.closed.rend(); ++closed) {
    if (closed->by_other_process && closed->instance_id.value() == request.instance_id()) {
      return NoteSwap(state, worker, *closed, now, events);
    }
  }
}

Decision EndConflict(const ControllerState& state, LogTime now) {
  const WorkerKey worker = state.sessions().conflict_ends().Due(now, 1).front();
  const std::string& id = state.sessions().At(worker).opened.worker_id.value();
  return {{AlarmCleared{AlarmKind::kInstanceConflict, id}}, {}};
}

}  // namespace holdfast
