// Proxies that leave the pool, and what that means for their addresses: a held address with nothing left on it is asked
// back, an unheld one is forgotten. Removal never ends a hold.
//
// Pure, as all rules (decide.h). One plan per decision: it sees the removals before it.

#pragma once

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>

#include <vector>

#include "controller/decision.h"
#include "projections/controller_state.h"

namespace holdfast {

class RemovalPlan {
 public:
  explicit RemovalPlan(const ControllerState& state) : state_(state) {}

  // Appends ProxyRemoved. Requires: the proxy is in the pool and was not removed by this plan.
  void Remove(ProxyKey proxy, RemovalReason reason, std::vector<Event>& events);
  // The address is asked back whatever is left on it.
  void Revoke(AddressKey address, RevokeReason reason) { revoked_.insert({address, reason}); }

  // A proxy was added to the address by the same decision: there is something left on it.
  void Keep(AddressKey address) { kept_.insert(address); }

  bool removed(ProxyKey proxy) const { return removed_.contains(proxy); }

  // Appends what follows for the addresses: lapses by worker, then the addresses that are forgotten.
  void Finish(RevokeReason reason, std::vector<Event>& events);

 private:
  const ControllerState& state_;
  absl::btree_set<ProxyKey> removed_;
  absl::btree_map<AddressKey, std::size_t> removed_from_;
  absl::btree_map<AddressKey, RevokeReason> revoked_;
  absl::btree_set<AddressKey> kept_;
};

// Appends that these addresses, all GRANTED, are asked back, one event a worker and epoch.
void RevokeAddresses(const ControllerState& state, const absl::btree_map<AddressKey, RevokeReason>& addresses,
                     std::vector<Event>& events);

}  // namespace holdfast
