// Checks and health: that a task goes to who may have it, that an observation counts only for a task that is
// outstanding, and that each change of health follows from what it names. From the events alone, with accounts of its
// own: shares nothing with the projections or the rules.
//
// What it finds: two tasks for one key; a task for a checker that is not active, full, or not of that level; a session
// that is over and has tasks; an observation after its deadline, or one that is counted wrongly; a HealthChanged
// without the row of observations that it needs, or by outcomes to anything but SUSPECT; a check forgotten that said
// something bad; a pool state that is not what the keys say; a demotion that a freeze forbids.
//
// Life cycle: handed every event of a log in order, from the first, with the sequence of its entry. Thread: one at a
// time. Cost: an event costs what it names. After a violation it is not to be used further.

#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "events/checker_events.h"
#include "events/health_events.h"
#include "events/pool_events.h"
#include "events/run_events.h"
#include "replay/session_invariants.h"

namespace holdfast::replay {

class HealthInvariants {
 public:
  void Begin(Sequence sequence) {
    sequence_ = sequence;
    outcomes_here_ = false;
  }

  Violation Check(const SettingsChanged& event, LogTime at);
  Violation Check(const ProxyAdded& event, LogTime at);
  Violation Check(const ProxyUpdated& event, LogTime at);
  Violation Check(const ProxiesNamed& event, LogTime at);
  Violation Check(const ProxyUnusable& event, LogTime at);
  Violation Check(const ProxyLeaving& event, LogTime at);
  Violation Check(const ProxyExpired& event, LogTime at);
  Violation Check(const ProxyRemoved& event, LogTime at);
  Violation Check(const OutcomesAccepted& event, LogTime at);
  Violation Check(const CheckerOpened& event, LogTime at);
  Violation Check(const CheckerAttached& event, LogTime at);
  Violation Check(const CheckerDetached& event, LogTime at);
  Violation Check(const CheckerDraining& event, LogTime at);
  Violation Check(const CheckerClosed& event, LogTime at);
  Violation Check(const ChecksPlanned& event, LogTime at);
  Violation Check(const CheckIssued& event, LogTime at);
  Violation Check(const CheckObserved& event, LogTime at);
  Violation Check(const CheckExpired& event, LogTime at);
  Violation Check(const CheckCancelled& event, LogTime at);
  Violation Check(const HealthChanged& event, LogTime at);
  Violation Check(const ProxyStateChanged& event, LogTime at);
  Violation Check(const HealthFrozen& event, LogTime at);
  Violation Check(const HealthThawed& event, LogTime at);
  Violation Check(const HealthForgotten& event, LogTime at);

 private:
  using Key = std::tuple<ProxyKey, CheckLevel, RoutingKey>;
  struct Checker {
    bool open = false, attached = false, draining = false;
    std::uint32_t levels = 0, most = 0;
    bool takes_secrets = false;
    std::set<TaskId> tasks;
  };
  struct Task {
    Key key;
    CheckerKey checker;
    LogTime deadline;
  };
  struct Seen {
    Sequence sequence;
    TaskId task;
    bool passed = false;
  };
  struct KeyRow {
    TaskId task;  // 0: none
    HealthState state = HealthState::kUnknown;
    bool passed = false;
    std::uint32_t passes = 0, failures = 0;
    std::vector<Seen> lately;  // conclusive, latest last
  };
  struct Proxy {
    bool needs_secret = false, checked = true;
    PoolState pool{};
    std::map<Key, KeyRow> keys;
  };
  using Frozen = std::tuple<CheckLevel, RoutingKey, CheckerKey>;

  template <class E>
  Violation EndTask(const E& event, LogTime at, bool late);
  Violation Stop(ProxyKey proxy);
  std::string WrongWith(const CheckIssued& event, const Proxy& proxy) const;
  std::string WrongWith(const HealthChanged& event, const KeyRow& row) const;
  bool IsFrozen(const HealthChanged& event) const;

  Settings settings_;
  Sequence sequence_;
  bool outcomes_here_ = false;
  TaskId last_task_;
  absl::flat_hash_map<ProxyKey, Proxy> proxies_;
  absl::flat_hash_map<TaskId, Task> tasks_;
  absl::flat_hash_map<CheckerKey, Checker> checkers_;
  std::set<Frozen> frozen_;
};

}  // namespace holdfast::replay
