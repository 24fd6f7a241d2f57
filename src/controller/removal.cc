#include "controller/removal.h"

#include <tuple>

namespace holdfast {

void RevokeAddresses(const ControllerState& state, const absl::btree_map<AddressKey, RevokeReason>& addresses,
                     std::vector<Event>& events) {
  const Ownership& ownership = state.ownership();
  absl::btree_map<std::tuple<WorkerKey, Epoch, RevokeReason>, OwnershipLapsing> by_holder;
  for (const auto& [address, reason] : addresses) {
    const HoldRow& hold = ownership.hold(address);
    OwnershipLapsing& lapsing = by_holder[{hold.owner, hold.epoch, reason}];
    lapsing.worker = hold.owner;
    lapsing.worker_id = ownership.holder(hold.owner).worker_id;
    lapsing.epoch = hold.epoch;
    lapsing.cause = LapseCause::kRevoked;
    lapsing.revoke_reason = reason;
    lapsing.addresses.push_back(address);
    lapsing.owned_until.push_back(ownership.OwnedUntil(address));
  }
  for (auto& [holder, lapsing] : by_holder) events.emplace_back(std::move(lapsing));
}

void RemovalPlan::Remove(ProxyKey proxy, RemovalReason reason, std::vector<Event>& events) {
  const ProxyRow& row = state_.pool().proxy(proxy);
  removed_.insert(proxy);
  ++removed_from_[row.address];
  events.emplace_back(ProxyRemoved{proxy, row.spec->proxy_id, reason});
}

void RemovalPlan::Finish(RevokeReason reason, std::vector<Event>& events) {
  absl::btree_map<AddressKey, RevokeReason> revoked;
  std::vector<AddressKey> forgotten;
  const auto granted = [&](AddressKey address) {
    return state_.ownership().hold(address).state == OwnershipState::kGranted;
  };
  for (const auto& [address, why] : revoked_) {
    if (granted(address)) revoked.insert({address, why});
  }
  for (const auto& [address, count] : removed_from_) {
    const bool bare = count == state_.pool().address(address).proxies.size() && !kept_.contains(address);
    if (!bare) continue;
    if (granted(address)) revoked.insert({address, reason});
    if (state_.ownership().hold(address).state == OwnershipState::kUnowned) forgotten.push_back(address);
  }
  RevokeAddresses(state_, revoked, events);
  for (const AddressKey address : forgotten) events.emplace_back(AddressRetired{address});
}

}  // namespace holdfast
