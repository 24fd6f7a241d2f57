#include "projections/sessions.h"

#include <algorithm>

#include "base/check.h"

namespace holdfast {
namespace {

constexpr std::size_t kRememberedSessions = 8;

Digest HashOf(const WorkerRow& row) {
  const SessionOpened& opened = row.opened;
  RowHasher hash(2);
  hash.Text(opened.worker_id.value()).Text(opened.session_id.value()).Text(opened.instance_id.value());
  hash.Text(opened.registration_id).Number(opened.epoch.value()).Number(static_cast<std::uint64_t>(row.state));
  hash.Number(ToMicros(row.opened_at)).Number(ToMicros(row.heard_at)).Number(row.recovered_since_heard);
  hash.Number(ToMicros(row.expires_at)).Number(ToMicros(row.drain_deadline)).Number(row.stream.value());
  hash.Number(static_cast<std::uint64_t>(row.close_reason)).Number(row.closed.size());
  hash.Number(ToMicros(row.conflict_until)).Number(row.swaps.size());
  hash.Number(std::count_if(row.closed.begin(), row.closed.end(),
                            [](const ClosedSession& closed) { return closed.by_other_process; }));
  return hash.Finish();
}

}  // namespace

template <class F>
void Sessions::Change(WorkerKey worker, F&& change) {
  WorkerRow& row = workers_.At(worker);
  digest_.Remove(HashOf(row));
  --counts_[static_cast<std::size_t>(row.state)];
  const LogTime expiry = row.expires_at;
  const LogTime deadline = row.drain_deadline;
  const LogTime conflict = row.conflict_until;
  change(row);
  conflict_ends_.Move(worker, conflict, row.conflict_until);
  expiries_.Move(worker, expiry, row.expires_at);
  drain_deadlines_.Move(worker, deadline, row.drain_deadline);
  ++counts_[static_cast<std::size_t>(row.state)];
  digest_.Add(HashOf(row));
}

void Sessions::Apply(const SettingsChanged& event, const EntryPoint&) {
  session_ttl_ = event.settings.session_ttl;
  recovery_hold_off_ = event.settings.recovery_hold_off;
}

void Sessions::Extend(Duration silence) {
  const Duration hold_off = std::max(Duration(0), recovery_hold_off_ - session_ttl_);
  for (WorkerKey key = workers_.NextKey(WorkerKey(1)); key.value() != 0; key = workers_.NextKey(Next(key))) {
    if (!workers_.At(key).open()) continue;
    Change(key, [&](WorkerRow& row) {
      row.expires_at += silence + (row.recovered_since_heard ? Duration(0) : hold_off);
      row.recovered_since_heard = true;
    });
  }
}

void Sessions::Apply(const ControllerStarted& event, const EntryPoint&) { Extend(event.downtime); }

void Sessions::Apply(const HoldOffStarted& event, const EntryPoint&) { Extend(event.stalled); }

void Sessions::Apply(const SessionOpened& event, const EntryPoint& entry) {
  if (workers_.Find(event.worker) == nullptr) {
    HOLDFAST_CHECK(event.worker == next_key_);
    next_key_ = Next(next_key_);
    by_id_.Insert(event.worker_id.value(), event.worker);
    digest_.Add(HashOf(workers_.Insert(event.worker, WorkerRow{})));
    ++counts_[static_cast<std::size_t>(SessionState::kUnspecified)];
  }
  Change(event.worker, [&](WorkerRow& row) {
    HOLDFAST_CHECK(!row.open());
    WorkerRow before = std::exchange(row, WorkerRow{});
    row.closed = std::move(before.closed);
    row.swaps = std::move(before.swaps);
    row.conflict_until = before.conflict_until;
    if (event.new_instance && !row.closed.empty() && row.closed.back().reason == CloseReason::kSuperseded &&
        row.closed.back().session_id == before.opened.session_id) {
      row.closed.back().by_other_process = true;
    }
    row.opened = event;
    row.opened_at = entry.at;
    row.state = SessionState::kHandshaking;
    row.heard_at = entry.at;
    row.expires_at = entry.at + session_ttl_;
  });
}

void Sessions::Apply(const SessionActivated& event, const EntryPoint&) {
  Change(event.worker, [](WorkerRow& row) {
    HOLDFAST_CHECK(row.state == SessionState::kHandshaking);
    row.state = SessionState::kActive;
  });
}

void Sessions::Apply(const SessionAttached& event, const EntryPoint&) {
  Change(event.worker, [&](WorkerRow& row) { row.stream = event.stream; });
}

void Sessions::Apply(const SessionDetached& event, const EntryPoint&) {
  Change(event.worker, [&](WorkerRow& row) {
    if (row.stream == event.stream) row.stream = StreamId();
  });
}

void Sessions::Heard(WorkerKey worker, LogTime at) {
  Change(worker, [&](WorkerRow& row) {
    if (!row.open()) return;
    row.heard_at = at;
    row.recovered_since_heard = false;
    row.expires_at = at + session_ttl_;
  });
}

void Sessions::Apply(const SessionHeard& event, const EntryPoint& entry) { Heard(event.worker, entry.at); }
void Sessions::Apply(const SnapshotAcknowledged& event, const EntryPoint& entry) { Heard(event.worker, entry.at); }
void Sessions::Apply(const SnapshotRefused& event, const EntryPoint& entry) { Heard(event.worker, entry.at); }
void Sessions::Apply(const RuntimeAccepted& event, const EntryPoint& entry) { Heard(event.worker, entry.at); }

void Sessions::Apply(const SessionDraining& event, const EntryPoint& entry) {
  Change(event.worker, [&](WorkerRow& row) {
    HOLDFAST_CHECK(row.state == SessionState::kActive || row.state == SessionState::kDraining);
    row.drain_deadline = event.deadline;
    if (std::exchange(row.state, SessionState::kDraining) == SessionState::kDraining) return;  // a sooner deadline
    row.drain_reason = event.reason;
    row.drain_started_at = entry.at;
  });
}

void Sessions::Apply(const InstancesSwapped& event, const EntryPoint& entry) {
  Change(event.worker, [&](WorkerRow& row) {
    for (ClosedSession& closed : row.closed) {
      if (closed.session_id == event.session_id) closed.by_other_process = false;
    }
    while (!row.swaps.empty() && IsOver(row.swaps.front() + kSwapsCountFor, entry.at)) row.swaps.pop_front();
    row.swaps.push_back(entry.at);
    if (!IsAbsent(event.conflict_until)) row.conflict_until = event.conflict_until;
  });
}

void Sessions::Apply(const AlarmCleared& event, const EntryPoint&) {
  if (event.kind != AlarmKind::kInstanceConflict) return;
  const WorkerKey worker = by_id_.Find(event.subject);
  if (worker.value() == 0) return;
  Change(worker, [](WorkerRow& row) {
    row.conflict_until = LogTime();
    row.swaps.clear();
  });
}

void Sessions::Apply(const ClockAccepted& event, const EntryPoint&) {
  for (WorkerKey key = workers_.NextKey(WorkerKey(1)); key.value() != 0; key = workers_.NextKey(Next(key))) {
    Change(key, [&](WorkerRow& row) {
      for (LogTime* time : {&row.heard_at, &row.expires_at, &row.drain_deadline, &row.conflict_until}) {
        if (!IsAbsent(*time)) *time += event.moved;
      }
      for (LogTime& swap : row.swaps) swap += event.moved;
    });
  }
}

void Sessions::Apply(const SessionClosed& event, const EntryPoint&) {
  Change(event.worker, [&](WorkerRow& row) {
    HOLDFAST_CHECK(row.open() && row.opened.session_id == event.session_id);
    row.state = SessionState::kClosed;
    row.close_reason = event.reason;
    row.expires_at = LogTime();
    row.drain_deadline = LogTime();
    row.stream = StreamId();
    row.closed.push_back({event.session_id, event.reason, row.opened.instance_id, false});
    if (row.closed.size() > kRememberedSessions) row.closed.pop_front();
  });
}

const WorkerRow* Sessions::Find(std::string_view worker_id) const { return workers_.Find(by_id_.Find(worker_id)); }

}  // namespace holdfast
