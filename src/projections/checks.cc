#include "projections/checks.h"

#include <absl/container/inlined_vector.h>

#include <algorithm>

#include "base/check.h"

namespace holdfast {
namespace {

Digest HashOf(ProxyKey proxy, const ProxyChecks& row) {
  RowHasher hash(12);
  const auto key = [&](const CheckRow& check) {
    hash.Number(ToMicros(check.due_at)).Number(check.task.value()).Number(check.turn);
    hash.Number(check.unsure.value());
  };
  hash.Number(proxy.value()).Number(row.needs_secret).Number(row.stopped).Number(row.egress_planned);
  hash.Number(row.planned_revision);
  key(row.basic);
  key(row.egress);
  for (const auto& [routing, check] : row.targets) {
    hash.Number(routing.value());
    key(check);
  }
  return hash.Finish();
}

Digest HashOf(TaskId task, const CheckTaskRow& row) {
  RowHasher hash(13);
  hash.Number(task.value()).Number(row.key.proxy.value()).Number(static_cast<std::uint64_t>(row.key.level));
  hash.Number(row.key.routing.value()).Number(row.checker.value()).Number(row.target).Number(ToMicros(row.deadline));
  return hash.Finish();
}

template <class Targets>
auto FindTarget(Targets& targets, RoutingKey routing) {
  return std::find_if(targets.begin(), targets.end(), [&](const auto& target) { return target.first == routing; });
}

// When which of its keys is due.
using DueTimes = absl::InlinedVector<std::pair<CheckKey, LogTime>, 4>;

DueTimes DueTimesOf(ProxyKey proxy, const ProxyChecks& row) {
  DueTimes due{{{proxy, CheckLevel::kBasic, {}}, row.basic.due_at},
               {{proxy, CheckLevel::kEgress, {}}, row.egress.due_at}};
  for (const auto& [routing, check] : row.targets) due.push_back({{proxy, CheckLevel::kTarget, routing}, check.due_at});
  return due;
}

LogTime TimeOf(const DueTimes& due, const CheckKey& key) {
  const auto found = std::find_if(due.begin(), due.end(), [&](const auto& one) { return one.first == key; });
  return found == due.end() ? LogTime() : found->second;
}

// nullptr: not checked so.
CheckRow* FindKey(ProxyChecks& row, CheckLevel level, RoutingKey routing) {
  return const_cast<CheckRow*>(std::as_const(row).Find(level, routing));
}

}  // namespace

const CheckRow* ProxyChecks::Find(CheckLevel level, RoutingKey routing) const {
  if (level == CheckLevel::kBasic) return &basic;
  if (level == CheckLevel::kEgress) return egress_planned ? &egress : nullptr;
  const auto found = FindTarget(targets, routing);
  return found == targets.end() ? nullptr : &found->second;
}

void Checks::Index(ProxyKey proxy, const ProxyChecks& row, bool present) {
  for (const auto& [key, due] : DueTimesOf(proxy, row)) {
    DeadlineIndex<CheckKey>& index = due_[static_cast<std::size_t>(key.level)][row.needs_secret];
    index.Move(key, present ? LogTime() : due, present ? due : LogTime());
  }
}

// Of the due times only those move that the change has moved.
template <class F>
void Checks::Change(ProxyKey proxy, F&& change) {
  ProxyChecks& row = proxies_.At(proxy);
  digest_.Remove(HashOf(proxy, row));
  const DueTimes before = DueTimesOf(proxy, row);
  change(row);
  const DueTimes after = DueTimesOf(proxy, row);
  const auto move = [&](const CheckKey& key) {
    due_[static_cast<std::size_t>(key.level)][row.needs_secret].Move(key, TimeOf(before, key), TimeOf(after, key));
  };
  for (const auto& [key, due] : before) {
    if (due != TimeOf(after, key)) move(key);
  }
  for (const auto& [key, due] : after) {
    if (IsAbsent(TimeOf(before, key)) && !IsAbsent(due)) move(key);
  }
  digest_.Add(HashOf(proxy, row));
}

void Checks::Apply(const ControllerStarted&, const EntryPoint& entry) { running_since_ = entry.at; }

void Checks::Apply(const ClockAccepted& event, const EntryPoint& entry) { running_since_ = entry.at + event.moved; }

void Checks::Apply(const ProxyAdded& event, const EntryPoint& entry) {
  ProxyChecks& row = proxies_.Insert(event.proxy, ProxyChecks{});
  row.needs_secret = !event.spec->secret_ref.empty();
  row.basic.due_at = entry.at;
  Index(event.proxy, row, true);
  digest_.Add(HashOf(event.proxy, row));
}

// What was not checked any more is checked again from BASIC on.
void Checks::Resume(ProxyKey proxy, LogTime at) {
  if (!proxies_.At(proxy).stopped) return;
  Change(proxy, [&](ProxyChecks& row) {
    row.stopped = false;
    if (row.basic.task.value() == 0) row.basic.due_at = at;
  });
}

// It may carry other labels, and so serve other routings: planned anew with its next pass.
void Checks::Apply(const ProxyUpdated& event, const EntryPoint& entry) {
  Change(event.proxy, [](ProxyChecks& row) { row.planned_revision = 0; });
  Resume(event.proxy, entry.at);
}

void Checks::Apply(const ProxiesNamed& event, const EntryPoint& entry) {
  if (IsAbsent(event.expires_at)) return;
  for (const ProxyKey proxy : event.proxies) Resume(proxy, entry.at);
}

// Tasks that are under way end with an event of their own. What else than BASIC it was checked for is planned anew when
// it comes back.
void Checks::Stop(ProxyKey proxy) {
  Change(proxy, [](ProxyChecks& row) {
    row.stopped = true;
    row.basic.due_at = LogTime();
    row.egress_planned = false;
    row.egress = CheckRow{};
    row.targets.clear();
    row.planned_revision = 0;
  });
}

void Checks::Apply(const ProxyUnusable& event, const EntryPoint&) { Stop(event.proxy); }
void Checks::Apply(const ProxyExpired& event, const EntryPoint&) { Stop(event.proxy); }
void Checks::Apply(const ProxyLeaving& event, const EntryPoint&) { Stop(event.proxy); }

void Checks::Apply(const ProxyRemoved& event, const EntryPoint&) {
  const ProxyChecks& row = proxies_.At(event.proxy);
  Index(event.proxy, row, false);
  digest_.Remove(HashOf(event.proxy, row));
  proxies_.Erase(event.proxy);
}

void Checks::Apply(const ChecksPlanned& event, const EntryPoint&) {
  Change(event.proxy, [&](ProxyChecks& row) {
    row.planned_revision = event.routings_revision;
    if (event.egress && !row.egress_planned) row.egress.due_at = event.due_at;
    if (!event.egress) row.egress = CheckRow{};
    row.egress_planned = event.egress;
    std::vector<std::pair<RoutingKey, CheckRow>> targets;
    for (const RoutingKey routing : event.routings) {
      const auto before = FindTarget(row.targets, routing);
      targets.emplace_back(
          routing, before == row.targets.end() ? CheckRow{event.due_at, TaskId(), 0, CheckerKey()} : before->second);
    }
    row.targets = std::move(targets);
  });
}

void Checks::Apply(const CheckRequested& event, const EntryPoint& entry) {
  Change(event.proxy, [&](ProxyChecks& row) {
    CheckRow* check = FindKey(row, event.level, event.routing);
    if (check != nullptr && check->task.value() == 0) check->due_at = entry.at;
  });
}

void Checks::Apply(const CheckIssued& event, const EntryPoint& entry) {
  HOLDFAST_CHECK(event.task == next_task_);
  next_task_ = Next(next_task_);
  Change(event.proxy, [&](ProxyChecks& row) {
    CheckRow* check = FindKey(row, event.level, event.routing);
    HOLDFAST_CHECK(check != nullptr && check->task.value() == 0);
    check->due_at = LogTime();
    check->task = event.task;
    ++check->turn;
  });
  const CheckTaskRow task{
      {event.proxy, event.level, event.routing}, event.checker, event.target, entry.at, event.deadline};
  digest_.Add(HashOf(event.task, tasks_.insert({event.task, task}).first->second));
  deadlines_.Move(event.task, LogTime(), event.deadline);
}

void Checks::EndTask(TaskId task, LogTime due_at, CheckerKey unsure) {
  const auto found = tasks_.find(task);
  HOLDFAST_CHECK(found != tasks_.end());
  const CheckTaskRow row = found->second;
  digest_.Remove(HashOf(task, row));
  deadlines_.Move(task, row.deadline, LogTime());
  tasks_.erase(found);
  if (proxies_.Find(row.key.proxy) == nullptr) return;
  Change(row.key.proxy, [&](ProxyChecks& checks) {
    CheckRow* check = FindKey(checks, row.key.level, row.key.routing);
    if (check == nullptr || check->task != task) return;  // it is not checked so any more, or it is again
    check->task = TaskId();
    check->unsure = unsure;
    if (!checks.stopped) check->due_at = due_at;
  });
}

void Checks::Apply(const CheckObserved& event, const EntryPoint&) {
  EndTask(event.task, event.due_at, event.verdict == Verdict::kInconclusive ? event.checker : CheckerKey());
}

void Checks::Apply(const CheckExpired& event, const EntryPoint&) { EndTask(event.task, event.due_at, event.checker); }

void Checks::Apply(const CheckCancelled& event, const EntryPoint&) { EndTask(event.task, event.due_at, CheckerKey()); }

const CheckTaskRow* Checks::FindTask(TaskId task) const {
  const auto found = tasks_.find(task);
  return found == tasks_.end() ? nullptr : &found->second;
}

std::optional<LogTime> Checks::WaitingSince(CheckLevel level) const {
  std::optional<LogTime> since;
  for (const bool secret : {false, true}) {
    const std::optional<LogTime> earliest = due(level, secret).Earliest();
    if (earliest && (!since || *earliest < *since)) since = earliest;
  }
  if (since) since = std::max(*since, running_since_);
  return since;
}

}  // namespace holdfast
