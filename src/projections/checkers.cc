#include "projections/checkers.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace holdfast {
namespace {

constexpr std::size_t kRememberedSessions = 8;

Digest HashOf(const CheckerRow& row) {
  const CheckerOpened& opened = row.opened;
  RowHasher hash(11);
  hash.Text(opened.checker_id.value()).Text(opened.session_id.value()).Text(opened.instance_id.value());
  hash.Text(opened.zone).Number(opened.max_concurrency).Number(opened.levels).Number(opened.capabilities);
  hash.Number(static_cast<std::uint64_t>(row.state)).Number(ToMicros(row.opened_at)).Number(ToMicros(row.heard_at));
  hash.Number(row.recovered_since_heard).Number(ToMicros(row.expires_at)).Number(ToMicros(row.drain_deadline));
  hash.Number(row.stream.value()).Number(row.eligible).Number(row.report_sequence).Number(row.queued);
  hash.Number(row.ignored).Number(static_cast<std::uint64_t>(row.close_reason)).Number(row.closed.size());
  hash.Number(row.tasks.size()).Number(row.report_ignored.size());
  return hash.Finish();
}

}  // namespace

void Checkers::Index(CheckerKey checker, const CheckerRow& row, bool present) {
  counts_[static_cast<std::size_t>(row.state)] += present ? 1 : -1;
  if (!row.takes_tasks()) return;
  for (const CheckLevel level : {CheckLevel::kBasic, CheckLevel::kEgress, CheckLevel::kTarget}) {
    if (!row.checks(level)) continue;
    for (const bool secret : {false, true}) {
      if (secret && !row.takes_secrets()) continue;
      absl::btree_set<CheckerKey>& set = candidates_[static_cast<std::size_t>(level)][secret];
      if (present) set.insert(checker);
      if (!present) set.erase(checker);
    }
  }
}

template <class F>
void Checkers::Change(CheckerKey checker, F&& change) {
  CheckerRow& row = checkers_.At(checker);
  digest_.Remove(HashOf(row));
  Index(checker, row, false);
  const LogTime expiry = row.expires_at;
  const LogTime deadline = row.drain_deadline;
  change(row);
  expiries_.Move(checker, expiry, row.expires_at);
  drain_deadlines_.Move(checker, deadline, row.drain_deadline);
  Index(checker, row, true);
  digest_.Add(HashOf(row));
}

void Checkers::Apply(const SettingsChanged& event, const EntryPoint&) {
  session_ttl_ = event.settings.session_ttl;
  recovery_hold_off_ = event.settings.recovery_hold_off;
}

void Checkers::Extend(Duration silence) {
  const Duration hold_off = std::max(Duration(0), recovery_hold_off_ - session_ttl_);
  for (CheckerKey key = checkers_.NextKey(CheckerKey(1)); key.value() != 0; key = checkers_.NextKey(Next(key))) {
    if (!checkers_.At(key).open()) continue;
    Change(key, [&](CheckerRow& row) {
      row.expires_at += silence + (row.recovered_since_heard ? Duration(0) : hold_off);
      row.recovered_since_heard = true;
    });
  }
}

void Checkers::Apply(const ControllerStarted& event, const EntryPoint&) { Extend(event.downtime); }

void Checkers::Apply(const HoldOffStarted& event, const EntryPoint&) { Extend(event.stalled); }

void Checkers::Apply(const EligibilitySet& event, const EntryPoint&) {
  if (!event.checker) return;
  const std::string& id = event.member_id.value();
  if (event.eligible) {
    cordoned_.erase(id);
  } else {
    cordoned_.insert(id);
  }
  const CheckerKey known = by_id_.Find(id);
  if (known.value() != 0) Change(known, [&](CheckerRow& row) { row.eligible = event.eligible; });
}

void Checkers::Apply(const CheckerOpened& event, const EntryPoint& entry) {
  levels_seen_ |= event.levels;
  if (checkers_.Find(event.checker) == nullptr) {
    HOLDFAST_CHECK(event.checker == next_key_);
    next_key_ = Next(next_key_);
    by_id_.Insert(event.checker_id.value(), event.checker);
    digest_.Add(HashOf(checkers_.Insert(event.checker, CheckerRow{})));
    ++counts_[static_cast<std::size_t>(SessionState::kUnspecified)];
  }
  Change(event.checker, [&](CheckerRow& row) {
    HOLDFAST_CHECK(!row.open() && row.tasks.empty());
    CheckerRow before = std::exchange(row, CheckerRow{});
    row.closed = std::move(before.closed);
    row.opened = event;
    row.opened_at = entry.at;
    row.state = SessionState::kHandshaking;
    row.heard_at = entry.at;
    row.expires_at = entry.at + session_ttl_;
    row.eligible = !is_cordoned(event.checker_id.value());
  });
}

void Checkers::Apply(const CheckerAttached& event, const EntryPoint&) {
  Change(event.checker, [&](CheckerRow& row) {
    row.stream = event.stream;
    if (row.state == SessionState::kHandshaking) row.state = SessionState::kActive;
  });
}

void Checkers::Apply(const CheckerDetached& event, const EntryPoint&) {
  Change(event.checker, [&](CheckerRow& row) {
    if (row.stream == event.stream) row.stream = StreamId();
  });
}

void Checkers::Apply(const CheckerHeard& event, const EntryPoint& entry) {
  Change(event.checker, [&](CheckerRow& row) {
    if (!row.open()) return;
    row.heard_at = entry.at;
    row.recovered_since_heard = false;
    row.expires_at = entry.at + session_ttl_;
    if (event.sequence == 0) return;
    row.report_sequence = event.sequence;
    row.report_hash = event.content_hash;
    row.queued = event.queued;
    row.ignored += event.ignored_task_ids.size();
    row.report_ignored = event.ignored_task_ids;
  });
}

void Checkers::Apply(const CheckerDraining& event, const EntryPoint& entry) {
  Change(event.checker, [&](CheckerRow& row) {
    HOLDFAST_CHECK(row.state == SessionState::kActive || row.state == SessionState::kDraining);
    row.drain_deadline = event.deadline;
    if (std::exchange(row.state, SessionState::kDraining) == SessionState::kDraining) return;  // a sooner deadline
    row.drain_reason = event.reason;
    row.drain_started_at = entry.at;
  });
}

void Checkers::Apply(const CheckerClosed& event, const EntryPoint&) {
  Change(event.checker, [&](CheckerRow& row) {
    HOLDFAST_CHECK(row.open() && row.opened.session_id == event.session_id && row.tasks.empty());
    row.state = SessionState::kClosed;
    row.close_reason = event.reason;
    row.expires_at = LogTime();
    row.drain_deadline = LogTime();
    row.stream = StreamId();
    row.closed.push_back({event.session_id, event.reason});
    if (row.closed.size() > kRememberedSessions) row.closed.pop_front();
  });
}

void Checkers::Apply(const CheckIssued& event, const EntryPoint&) {
  Change(event.checker, [&](CheckerRow& row) { row.tasks.insert(event.task); });
}

void Checkers::EndTask(CheckerKey checker, TaskId task) {
  Change(checker, [&](CheckerRow& row) { HOLDFAST_CHECK(row.tasks.erase(task) == 1); });
}

void Checkers::Apply(const CheckObserved& event, const EntryPoint&) { EndTask(event.checker, event.task); }
void Checkers::Apply(const CheckExpired& event, const EntryPoint&) { EndTask(event.checker, event.task); }
void Checkers::Apply(const CheckCancelled& event, const EntryPoint&) { EndTask(event.checker, event.task); }

}  // namespace holdfast
