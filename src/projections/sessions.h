// Worker sessions: who is registered, by which process, in which state, heard when, and until when silence is held
// against it.
//
//   handshaking ── first positive ACK ──► active ── drain ──► draining ──► closed       (any state ──► closed)
//
// A session ends when the controller has been up for session_ttl since it was last heard, summed over restarts, or for
// recovery_hold_off where a recovery or a stall lay in between: downtime is not held against it.
//
// Thread: the state's owner. Covers neither what a worker owns (ownership.h) nor what it was given (snapshots.h).

#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "events/run_events.h"
#include "events/session_events.h"
#include "events/snapshot_events.h"
#include "projections/deadline_index.h"
#include "projections/projection.h"
#include "projections/row_table.h"
#include "projections/text_index.h"

namespace holdfast {

struct ClosedSession {
  SessionId session_id;
  CloseReason reason{};
  InstanceId instance_id;
  bool by_other_process = false;  // superseded by another process, and not heard again since
};

// For how long a swap of two processes counts.
inline constexpr Duration kSwapsCountFor = std::chrono::minutes(1);

// A worker and its latest session, open or over.
struct WorkerRow {
  SessionOpened opened;  // the latest session
  LogTime opened_at;
  SessionState state = SessionState::kUnspecified;
  LogTime heard_at;
  bool recovered_since_heard = false;
  LogTime expires_at;  // absent: not open
  LogTime drain_started_at;
  LogTime drain_deadline;  // absent: not draining, or without a deadline
  DrainReason drain_reason{};
  CloseReason close_reason{};
  StreamId stream;                   // 0: detached
  std::deque<LogTime> swaps;         // of the last minute, earliest first
  LogTime conflict_until;            // absent: its processes are not in conflict
  std::deque<ClosedSession> closed;  // the last eight that are over, latest last; for a typed answer to what comes late

  bool open() const { return state != SessionState::kUnspecified && state != SessionState::kClosed; }
};

class Sessions {
 public:
  static constexpr std::uint32_t kVersion = 2;

  void Apply(const SettingsChanged& event, const EntryPoint& entry);
  void Apply(const ControllerStarted& event, const EntryPoint& entry);
  void Apply(const HoldOffStarted& event, const EntryPoint& entry);
  void Apply(const SessionOpened& event, const EntryPoint& entry);
  void Apply(const SessionActivated& event, const EntryPoint& entry);
  void Apply(const SessionAttached& event, const EntryPoint& entry);
  void Apply(const SessionDetached& event, const EntryPoint& entry);
  void Apply(const SessionHeard& event, const EntryPoint& entry);
  void Apply(const SnapshotAcknowledged& event, const EntryPoint& entry);
  void Apply(const SnapshotRefused& event, const EntryPoint& entry);
  void Apply(const RuntimeAccepted& event, const EntryPoint& entry);
  void Apply(const SessionDraining& event, const EntryPoint& entry);
  void Apply(const InstancesSwapped& event, const EntryPoint& entry);
  void Apply(const AlarmCleared& event, const EntryPoint& entry);
  void Apply(const ClockAccepted& event, const EntryPoint& entry);
  void Apply(const SessionClosed& event, const EntryPoint& entry);

  // nullptr: never seen.
  const WorkerRow* Find(std::string_view worker_id) const;
  const WorkerRow& At(WorkerKey worker) const { return workers_.At(worker); }
  const RowTable<WorkerKey, WorkerRow>& workers() const { return workers_; }
  WorkerKey next_key() const { return next_key_; }

  // Open sessions by the end of their silence, and draining ones by their deadline.
  const DeadlineIndex<WorkerKey>& expiries() const { return expiries_; }
  const DeadlineIndex<WorkerKey>& drain_deadlines() const { return drain_deadlines_; }
  // Members in conflict, by its end.
  const DeadlineIndex<WorkerKey>& conflict_ends() const { return conflict_ends_; }

  // How many latest sessions are in this state.
  std::uint64_t count(SessionState state) const { return counts_[static_cast<std::size_t>(state)]; }

  Digest digest() const { return digest_; }

 private:
  template <class F>
  void Change(WorkerKey worker, F&& change);
  void Heard(WorkerKey worker, LogTime at);
  void Extend(Duration silence);

  Duration session_ttl_{};
  Duration recovery_hold_off_{};
  RowTable<WorkerKey, WorkerRow> workers_;
  TextIndex<WorkerKey> by_id_;
  WorkerKey next_key_{1};
  DeadlineIndex<WorkerKey> expiries_;
  DeadlineIndex<WorkerKey> drain_deadlines_;
  DeadlineIndex<WorkerKey> conflict_ends_;
  std::uint64_t counts_[8] = {};
  Digest digest_;
};

}  // namespace holdfast
