// What is to be checked when: each key's next due time, and the tasks under way.
//
//   planned ─► due ─ issued ─► a task under way ─ observed, expired, cancelled ─► due …
//
// A key is a proxy at a level, at TARGET for a routing. Every proxy has its BASIC key; EGRESS and TARGET keys are
// planned with its first pass. A proxy that may not be used any more is not checked. Never two tasks for one key.
//
// Thread: the state's owner. Covers neither checkers' sessions (checkers.h) nor results (health.h). Finding what is due
// costs what is due.

#pragma once

#include <absl/container/btree_map.h>

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "events/checker_events.h"
#include "events/pool_events.h"
#include "events/run_events.h"
#include "projections/deadline_index.h"
#include "projections/projection.h"
#include "projections/row_table.h"

namespace holdfast {

struct CheckKey {
  ProxyKey proxy;
  CheckLevel level{};
  RoutingKey routing;  // TARGET; else 0
  friend auto operator<=>(const CheckKey&, const CheckKey&) = default;
};

struct CheckRow {
  LogTime due_at;          // absent: a task is under way, or it is not checked
  TaskId task;             // 0: none
  std::uint32_t turn = 0;  // how many tasks it has had: which of the routing's targets comes next
  CheckerKey unsure;       // who could conclude nothing the last time: others are asked first; 0: nobody
};

struct ProxyChecks {
  bool needs_secret = false;
  bool stopped = false;  // it may not be used any more
  bool egress_planned = false;
  std::uint64_t planned_revision = 0;  // of the routings that its TARGET keys follow from
  CheckRow basic;
  CheckRow egress;
  std::vector<std::pair<RoutingKey, CheckRow>> targets;  // by key

  // nullptr: not checked so.
  const CheckRow* Find(CheckLevel level, RoutingKey routing) const;
};

struct CheckTaskRow {
  CheckKey key;
  CheckerKey checker;
  std::uint32_t target = 0;
  LogTime issued_at;
  LogTime deadline;
};

class Checks {
 public:
  static constexpr std::uint32_t kVersion = 1;
  static constexpr std::array<CheckLevel, 3> kLevels{CheckLevel::kBasic, CheckLevel::kEgress, CheckLevel::kTarget};

  void Apply(const ControllerStarted& event, const EntryPoint& entry);
  void Apply(const ClockAccepted& event, const EntryPoint& entry);
  void Apply(const ProxyAdded& event, const EntryPoint& entry);
  void Apply(const ProxyUpdated& event, const EntryPoint& entry);
  void Apply(const ProxiesNamed& event, const EntryPoint& entry);
  void Apply(const ProxyUnusable& event, const EntryPoint& entry);
  void Apply(const ProxyExpired& event, const EntryPoint& entry);
  void Apply(const ProxyLeaving& event, const EntryPoint& entry);
  void Apply(const ProxyRemoved& event, const EntryPoint& entry);
  void Apply(const ChecksPlanned& event, const EntryPoint& entry);
  void Apply(const CheckRequested& event, const EntryPoint& entry);
  void Apply(const CheckIssued& event, const EntryPoint& entry);
  void Apply(const CheckObserved& event, const EntryPoint& entry);
  void Apply(const CheckExpired& event, const EntryPoint& entry);
  void Apply(const CheckCancelled& event, const EntryPoint& entry);

  const ProxyChecks& proxy(ProxyKey proxy) const { return proxies_.At(proxy); }
  // nullptr: not outstanding.
  const CheckTaskRow* FindTask(TaskId task) const;
  std::uint64_t tasks() const { return tasks_.size(); }
  TaskId next_task() const { return next_task_; }

  // Keys by when they are due; of proxies without and with a secret_ref.
  const DeadlineIndex<CheckKey>& due(CheckLevel level, bool needs_secret) const {
    return due_[static_cast<std::size_t>(level)][needs_secret];
  }
  // When the longest waiting key of a level became due, at the earliest with this run of the controller.
  std::optional<LogTime> WaitingSince(CheckLevel level) const;
  const DeadlineIndex<TaskId>& deadlines() const { return deadlines_; }

  Digest digest() const { return digest_; }

 private:
  template <class F>
  void Change(ProxyKey proxy, F&& change);
  void Index(ProxyKey proxy, const ProxyChecks& row, bool present);
  void Resume(ProxyKey proxy, LogTime at);
  void Stop(ProxyKey proxy);
  void EndTask(TaskId task, LogTime due_at, CheckerKey unsure);

  RowTable<ProxyKey, ProxyChecks> proxies_;
  absl::btree_map<TaskId, CheckTaskRow> tasks_;
  TaskId next_task_{1};
  std::array<std::array<DeadlineIndex<CheckKey>, 2>, 4> due_;
  DeadlineIndex<TaskId> deadlines_;
  LogTime running_since_;
  Digest digest_;
};

}  // namespace holdfast
