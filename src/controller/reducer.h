// The reducer: what observations and outcomes make of a proxy's health, and what follows for the pool and its owner.
// Nobody else changes health.
//
//   observations ─► HealthChanged (a key) ─► ProxyStateChanged (the pool) ─► revoked from its owner, or shown SUSPECT
//                                        └─► RoutingsMarked (TARGET, anonymity)
//
// Every HealthChanged names the entries that it follows from. Pure, as all rules (decide.h): one reducer a decision,
// which sees the observations before it.

#pragma once

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>

#include <vector>

#include "controller/check_plan.h"
#include "controller/decision.h"
#include "controller/health_guard.h"
#include "projections/controller_state.h"

namespace holdfast {

// The pool's view of a proxy that may be used: PENDING until BASIC is known, else the worse of BASIC and EGRESS; an
// EGRESS that was never checked counts only where it is required. Where unchecked proxies are trusted, what is not
// known at a level counts as AVAILABLE: to learn more of a proxy that is in use must not take it away.
PoolState PoolStateOf(const Settings& settings, HealthState basic, HealthState egress);

class Reducer {
 public:
  Reducer(const ControllerState& state, const DecisionPoint& point)
      : state_(state), point_(point), guard_(state, point.now) {}

  // Requires: the task is outstanding, and its proxy is in the pool and may be used; none is given twice.
  // False: it counts for nothing, since an observation before it has ended its task.
  bool Observe(TaskId task, const controlplane::v1::HealthObservation& observation);

  // A worker's outcomes point at a key: SUSPECT, where it was better, and a check at once.
  void Suspect(const CheckKey& key);

  // What follows for addresses and freezes. Returns all events.
  std::vector<Event> Finish();

 private:
  struct Touched {
    ProxyFindings findings;
    PoolState pool{};  // after the findings so far
    bool planned = false;
  };
  Touched& Touch(ProxyKey proxy);
  Verdict VerdictOf(const CheckKey& key, const controlplane::v1::HealthObservation& observation) const;
  void SetUp(const CheckKey& key, const KeyHealth& before, bool up);
  bool IsWeighed(const CheckKey& key);
  bool IsHeld(const CheckKey& key, CheckerKey checker);
  void Judge(const CheckKey& key, const CheckObserved& observed);
  void Plan(ProxyKey proxy);
  void Change(const CheckKey& key, HealthState to, HealthChanged event);
  HealthState StateOf(const CheckKey& key);
  void RevokeUseless();
  bool IsUseful(ProxyBrief brief) const;

  const ControllerState& state_;
  const DecisionPoint point_;
  HealthGuard guard_;
  absl::btree_map<ProxyKey, Touched> touched_;
  absl::btree_map<CheckKey, bool> up_;  // as the guard counts it, of keys that this decision has looked at
  absl::btree_set<TaskId> cancelled_;   // by what was planned anew
  std::vector<Event> events_;
};

}  // namespace holdfast
