// The guard against broken judges: what freezes mass demotions, and what lifts that.
//
// Frozen is when most of what was looked at (and at least a minimum) began to fail while the first of it comes to its
// last failure; or when within its window more than a share (and at least the minimum) of what was up would turn
// UNHEALTHY; or at least the minimum would, all on one checker's word, while others' checks pass. Where it is one
// checker's word, only that is held. Only what had passed before counts as up, so that a list that never worked freezes
// nothing (docs/decisions/0018). Lifted is it when most of what is said passes again, when the checker is gone, or by
// an operator.
//
// Pure, as all rules (decide.h).

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "controller/decision.h"
#include "projections/controller_state.h"

namespace holdfast {

// What an alarm about it is about: "basic", "egress", "target/ROUTING", and "@CHECKER" where it is about one.
std::string FreezeSubject(const ControllerState& state, const Freeze& freeze);

// Appends that it is lifted; what was demoted before it is looked at at once.
void Thaw(const ControllerState& state, const Freeze& freeze, std::vector<Event>& events);
// All that is held on the word of a checker whose session is over.
void ThawChecker(const ControllerState& state, CheckerKey checker, std::vector<Event>& events);

// The guard as it stands within one decision: it sees the observations and demotions before it.
class HealthGuard {
 public:
  HealthGuard(const ControllerState& state, LogTime now) : state_(state), now_(now) {}

  // A weighed verdict of this decision; `first`: a failure that begins a row.
  void Note(const GuardScope& scope, CheckerKey checker, bool passed, bool first);

  // Whether a demotion on this checker's word is to be held. Appends the freeze that begins with it.
  // counts: it would take the proxy (the routing from the proxy) from up to UNHEALTHY; else only a freeze that stands
  // holds it.
  bool Holds(const GuardScope& scope, CheckerKey checker, bool counts, std::vector<Event>& events);
  // By how many more this decision has up than the state before it.
  void Moved(const GuardScope& scope, std::int64_t up) { moved_[scope] += up; }
  // It was not held.
  void Demoted(const GuardScope& scope, CheckerKey checker);

  // Appends the end of the freezes that stood before and that what is said by now does not bear any more.
  void Lift(std::vector<Event>& events) const;

 private:
  struct Voice {
    GuardScope scope;
    CheckerKey checker;
    friend auto operator<=>(const Voice&, const Voice&) = default;
  };
  // Within the guard's window, or lately.
  VerdictCount Said(const GuardScope& scope, CheckerKey checker, Duration lately) const;
  VerdictCount SaidByAll(const GuardScope& scope, Duration lately) const;
  bool OthersPass(const GuardScope& scope, CheckerKey checker) const;
  bool IsFrozen(const Freeze& freeze) const;
  void Begin(const Freeze& freeze, const std::string& what, std::uint64_t demoted, std::uint64_t of,
             std::vector<Event>& events);
  bool MostBeganToFail(const VerdictCount& said) const;
  // Whether what was looked at while the first of it failed says that it is the judge; then that freezes.
  bool HoldsEarly(const GuardScope& scope, CheckerKey checker, std::vector<Event>& events);

  const ControllerState& state_;
  const LogTime now_;
  std::map<Voice, VerdictCount> said_;
  using Tally = std::map<CheckerKey, std::uint64_t>;
  // Demotions within the window by checker, this decision's included.
  Tally& TallyOf(const GuardScope& scope);
  std::map<GuardScope, Tally> demoted_;
  std::map<GuardScope, std::int64_t> moved_;
  std::vector<Freeze> begun_;
};

}  // namespace holdfast
