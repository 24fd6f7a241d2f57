#include "controller/checker_rules.h"

#include "controller/health_guard.h"

namespace holdfast {

Rejection SessionOver(CloseReason reason, std::string_view member) {
  switch (reason) {
    case CloseReason::kSuperseded:
      return {RejectReason::kSessionSuperseded,
              "another session of this " + std::string(member) + " has replaced this one; register anew"};
    case CloseReason::kExpired:
      return {RejectReason::kSessionExpired, "nothing was heard of this session for session_ttl; register anew"};
    default:
      return {RejectReason::kSessionClosed, "this session is over; register anew"};
  }
}

CheckerLookup FindCheckerSession(const ControllerState& state, const std::string& checker_id,
                                 const std::string& session_id) {
  const Rejection unknown{RejectReason::kSessionUnknown, "this checker never had this session here; register anew"};
  const CheckerRow* checker = state.checkers().Find(checker_id);
  if (checker == nullptr) return unknown;
  if (checker->open() && checker->opened.session_id.value() == session_id) return checker;
  for (const ClosedCheckerSession& closed : checker->closed) {
    if (closed.session_id.value() == session_id) return SessionOver(closed.reason, "checker");
  }
  return unknown;
}

void CancelTask(const ControllerState& state, TaskId task, LogTime due_at, bool told, std::vector<Event>& events) {
  const CheckTaskRow& row = *state.checks().FindTask(task);
  events.emplace_back(CheckCancelled{task, row.checker, row.key.proxy, row.key.level, row.key.routing, due_at, told});
}

void CloseChecker(const ControllerState& state, const CheckerRow& checker, CloseReason reason,
                  RejectReason stream_reason, LogTime now, std::vector<Event>& events) {
  const CheckerKey key = checker.opened.checker;
  for (const TaskId task : checker.tasks) CancelTask(state, task, now, false, events);
  if (checker.attached()) events.emplace_back(CheckerDetached{key, checker.stream, stream_reason});
  events.emplace_back(CheckerClosed{key, checker.opened.session_id, reason});
  ThawChecker(state, key, events);
}

void DrainChecker(const ControllerState& state, const CheckerRow& checker, DrainReason reason, LogTime deadline,
                  LogTime now, std::vector<Event>& events) {
  if (checker.state == SessionState::kHandshaking) {
    return CloseChecker(state, checker, CloseReason::kDrained, RejectReason::kSessionClosed, now, events);
  }
  const bool draining = checker.state == SessionState::kDraining;
  const bool sooner = !IsAbsent(deadline) && (IsAbsent(checker.drain_deadline) || deadline < checker.drain_deadline);
  if (draining && !sooner) return;
  events.emplace_back(CheckerDraining{checker.opened.checker, draining ? checker.drain_reason : reason, deadline});
}

namespace {

// The checker whose task an event ends; 0: it ends none.
CheckerKey EndsTaskOf(const Event& event) {
  if (const auto* observed = std::get_if<CheckObserved>(&event)) return observed->checker;
  if (const auto* expired = std::get_if<CheckExpired>(&event)) return expired->checker;
  const auto* cancelled = std::get_if<CheckCancelled>(&event);
  return cancelled != nullptr ? cancelled->checker : CheckerKey();
}

// A proxy that may not be used any more by this event; 0: none.
ProxyKey Retires(const Event& event) {
  if (const auto* unusable = std::get_if<ProxyUnusable>(&event)) return unusable->proxy;
  if (const auto* expired = std::get_if<ProxyExpired>(&event)) return expired->proxy;
  if (const auto* leaving = std::get_if<ProxyLeaving>(&event)) return leaving->proxy;
  const auto* removed = std::get_if<ProxyRemoved>(&event);
  return removed != nullptr ? removed->proxy : ProxyKey();
}

void CancelOfRetired(const ControllerState& state, std::vector<Event>& events) {
  absl::btree_set<TaskId> tasks;
  for (const Event& event : events) {
    const ProxyKey proxy = Retires(event);
    if (proxy.value() == 0 || state.pool().proxies().Find(proxy) == nullptr) continue;
    const ProxyChecks& checks = state.checks().proxy(proxy);
    tasks.insert(checks.basic.task);
    tasks.insert(checks.egress.task);
    for (const auto& [routing, check] : checks.targets) tasks.insert(check.task);
  }
  tasks.erase(TaskId());
  for (const TaskId task : tasks) CancelTask(state, task, LogTime(), true, events);
}

void CloseIdle(const ControllerState& state, std::vector<Event>& events) {
  absl::btree_set<CheckerKey> draining;
  for (const Event& event : events) {
    const CheckerKey checker = EndsTaskOf(event);
    const bool drains = checker.value() != 0 && state.checkers().At(checker).state == SessionState::kDraining;
    if (drains) draining.insert(checker);
    if (const auto* begun = std::get_if<CheckerDraining>(&event)) draining.insert(begun->checker);
  }
  for (const Event& event : events) {
    if (const auto* closed = std::get_if<CheckerClosed>(&event)) draining.erase(closed->checker);
  }
  for (const CheckerKey key : draining) {
    const CheckerRow& checker = state.checkers().At(key);
    if (TasksLeft(checker, events) > 0) continue;
    if (checker.attached()) events.emplace_back(CheckerDetached{key, checker.stream, RejectReason::kSessionClosed});
    events.emplace_back(CheckerClosed{key, checker.opened.session_id, CloseReason::kDrained});
    ThawChecker(state, key, events);
  }
}

}  // namespace

std::size_t TasksLeft(const CheckerRow& checker, const std::vector<Event>& events) {
  std::size_t left = checker.tasks.size();
  for (const Event& event : events) {
    if (EndsTaskOf(event) == checker.opened.checker) --left;
  }
  return left;
}

void FinishChecks(const ControllerState& state, std::vector<Event>& events) {
  CancelOfRetired(state, events);
  CloseIdle(state, events);
}

}  // namespace holdfast
