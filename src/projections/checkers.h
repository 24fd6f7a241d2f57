// Checker sessions: who is registered, in which state, heard when, and which tasks it has outstanding.
//
//   handshaking ── its task stream is there ──► active ── drain ──► draining ──► closed       (any state ──► closed)
//
// A session ends as a worker's does (sessions.h): session_ttl after it was last heard, downtime not held against it.
//
// Thread: the state's owner. Covers neither what is due (checks.h) nor what was found (health.h).

#pragma once

#include <absl/container/btree_set.h>

#include <array>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "events/checker_events.h"
#include "events/run_events.h"
#include "events/session_events.h"
#include "projections/deadline_index.h"
#include "projections/projection.h"
#include "projections/row_table.h"
#include "projections/text_index.h"

namespace holdfast {

struct ClosedCheckerSession {
  SessionId session_id;
  CloseReason reason{};
};

// A checker and its latest session, open or over.
struct CheckerRow {
  CheckerOpened opened;
  LogTime opened_at;
  SessionState state = SessionState::kUnspecified;
  LogTime heard_at;
  bool recovered_since_heard = false;
  LogTime expires_at;  // absent: not open
  LogTime drain_started_at;
  LogTime drain_deadline;  // absent: not draining, or without a deadline
  DrainReason drain_reason{};
  CloseReason close_reason{};
  StreamId stream;  // 0: detached
  bool eligible = true;
  std::uint64_t report_sequence = 0;  // the highest accepted of this session
  ContentHash report_hash{};          // of that report
  std::uint64_t queued = 0;
  std::uint64_t ignored = 0;                // observations of its session that counted for nothing
  std::vector<std::string> report_ignored;  // their task ids in that report
  absl::btree_set<TaskId> tasks;            // outstanding
  std::deque<ClosedCheckerSession> closed;  // the last eight that are over, latest last

  bool open() const { return state != SessionState::kUnspecified && state != SessionState::kClosed; }
  bool attached() const { return stream.value() != 0; }
  bool takes_tasks() const {
    return state == SessionState::kActive && attached() && eligible && tasks.size() < opened.max_concurrency;
  }
  bool checks(CheckLevel level) const { return (opened.levels & LevelBit(level)) != 0; }
  bool takes_secrets() const { return (opened.capabilities & kCheckerCapabilitySecretRef) != 0; }
};

class Checkers {
 public:
  static constexpr std::uint32_t kVersion = 1;

  void Apply(const SettingsChanged& event, const EntryPoint& entry);
  void Apply(const ControllerStarted& event, const EntryPoint& entry);
  void Apply(const HoldOffStarted& event, const EntryPoint& entry);
  void Apply(const EligibilitySet& event, const EntryPoint& entry);
  void Apply(const CheckerOpened& event, const EntryPoint& entry);
  void Apply(const CheckerAttached& event, const EntryPoint& entry);
  void Apply(const CheckerDetached& event, const EntryPoint& entry);
  void Apply(const CheckerHeard& event, const EntryPoint& entry);
  void Apply(const CheckerDraining& event, const EntryPoint& entry);
  void Apply(const CheckerClosed& event, const EntryPoint& entry);
  void Apply(const CheckIssued& event, const EntryPoint& entry);
  void Apply(const CheckObserved& event, const EntryPoint& entry);
  void Apply(const CheckExpired& event, const EntryPoint& entry);
  void Apply(const CheckCancelled& event, const EntryPoint& entry);

  // nullptr: never seen.
  const CheckerRow* Find(std::string_view checker_id) const { return checkers_.Find(by_id_.Find(checker_id)); }
  const CheckerRow& At(CheckerKey checker) const { return checkers_.At(checker); }
  const RowTable<CheckerKey, CheckerRow>& checkers() const { return checkers_; }
  CheckerKey next_key() const { return next_key_; }

  // Open sessions by the end of their silence, and draining ones by their deadline.
  const DeadlineIndex<CheckerKey>& expiries() const { return expiries_; }
  const DeadlineIndex<CheckerKey>& drain_deadlines() const { return drain_deadlines_; }

  // Those that can be given a task of this level now; of proxies with a secret_ref those that resolve it.
  const absl::btree_set<CheckerKey>& candidates(CheckLevel level, bool needs_secret) const {
    return candidates_[static_cast<std::size_t>(level)][needs_secret];
  }
  // Whether a checker of this level was ever here.
  bool ever(CheckLevel level) const { return (levels_seen_ & LevelBit(level)) != 0; }
  bool is_cordoned(std::string_view checker_id) const { return cordoned_.find(checker_id) != cordoned_.end(); }
  // How many latest sessions are in this state.
  std::uint64_t count(SessionState state) const { return counts_[static_cast<std::size_t>(state)]; }

  Digest digest() const { return digest_; }

 private:
  template <class F>
  void Change(CheckerKey checker, F&& change);
  void Index(CheckerKey checker, const CheckerRow& row, bool present);
  void Extend(Duration silence);
  void EndTask(CheckerKey checker, TaskId task);

  Duration session_ttl_{};
  Duration recovery_hold_off_{};
  RowTable<CheckerKey, CheckerRow> checkers_;
  TextIndex<CheckerKey> by_id_;
  CheckerKey next_key_{1};
  DeadlineIndex<CheckerKey> expiries_;
  DeadlineIndex<CheckerKey> drain_deadlines_;
  std::array<std::array<absl::btree_set<CheckerKey>, 2>, 4> candidates_;
  std::set<std::string, std::less<>> cordoned_;
  std::uint64_t counts_[8] = {};
  std::uint32_t levels_seen_ = 0;
  Digest digest_;
};

}  // namespace holdfast
