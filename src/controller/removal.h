// Proxies that leave the pool, and what that means for their addresses. On a held address they stay until it is given
// back: their counters prove that nothing runs. One with nothing else left on it is asked back; an unheld one is
// forgotten. Removal never ends a hold.
//
// Pure, as all rules (decide.h). One plan per decision: it sees the removals before it.

#pragma once

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>

#include <string_view>
#include <vector>

#include "controller/decision.h"
#include "projections/controller_state.h"

namespace holdfast {

class RemovalPlan {
 public:
  explicit RemovalPlan(const ControllerState& state) : state_(state) {}

  // It leaves with Finish. Requires: the proxy is in the pool and was not removed by this plan.
  void Remove(ProxyKey proxy, RemovalReason reason);
  // It stands for another endpoint now: appends ProxyRemoved at once, so that its id is free, and its address lapses
  // whatever is left on it.
  void Replace(ProxyKey proxy, std::vector<Event>& events);

  // A proxy was added to the address by the same decision: there is something left on it, of use to who holds it or not
  // yet.
  void Keep(AddressKey address, bool of_use) { kept_.try_emplace(address, false).first->second |= of_use; }

  bool removed(ProxyKey proxy) const { return removed_.contains(proxy); }

  // Appends the removals, and what follows for the addresses.
  void Finish(RevokeReason reason, LogTime now, std::string_view principal, std::vector<Event>& events);

 private:
  bool IsBare(AddressKey address) const;     // no proxy stands on it any more
  bool IsUseless(AddressKey address) const;  // none that is still of use to who holds it

  const ControllerState& state_;
  absl::btree_set<ProxyKey> removed_;
  absl::btree_map<ProxyKey, RemovalReason> leaving_;
  absl::btree_map<AddressKey, std::size_t> removed_from_;
  absl::btree_map<AddressKey, RevokeReason> replaced_;
  absl::btree_map<AddressKey, bool> kept_;  // whether something that was added is of use
};

}  // namespace holdfast
