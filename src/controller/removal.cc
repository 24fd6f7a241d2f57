#include "controller/removal.h"

#include <algorithm>

#include "controller/handover.h"

namespace holdfast {

void RemovalPlan::Remove(ProxyKey proxy, RemovalReason reason) {
  removed_.insert(proxy);
  ++removed_from_[state_.pool().proxy(proxy).address];
  leaving_.insert({proxy, reason});
}

void RemovalPlan::Replace(ProxyKey proxy, std::vector<Event>& events) {
  const ProxyRow& row = state_.pool().proxy(proxy);
  removed_.insert(proxy);
  ++removed_from_[row.address];
  replaced_.insert({row.address, RevokeReason::kEndpointChanged});
  events.emplace_back(ProxyRemoved{proxy, row.spec->proxy_id, RemovalReason::kEndpointChanged});
}

bool RemovalPlan::IsBare(AddressKey address) const {
  return removed_from_.at(address) == state_.pool().address(address).proxies.size() && !kept_.contains(address);
}

bool RemovalPlan::IsUseless(AddressKey address) const {
  const std::vector<ProxyBrief>& proxies = state_.ownership().hold(address).proxies;
  const auto stays = [&](const ProxyBrief& brief) { return brief.of_use() && !removed_.contains(brief.proxy); };
  const auto kept = kept_.find(address);
  return (kept == kept_.end() || !kept->second) && std::none_of(proxies.begin(), proxies.end(), stays);
}

void RemovalPlan::Finish(RevokeReason reason, LogTime now, std::string_view principal, std::vector<Event>& events) {
  const Ownership& ownership = state_.ownership();
  for (const auto& [proxy, why] : leaving_) {
    const ProxyRow& row = state_.pool().proxy(proxy);
    // Also where a sibling stays: what still runs through it counts for the machine.
    if (ownership.hold(row.address).state != OwnershipState::kUnowned) {
      if (!row.leaving) events.emplace_back(ProxyLeaving{proxy, row.spec->proxy_id, why});
    } else {
      events.emplace_back(ProxyRemoved{proxy, row.spec->proxy_id, why});
    }
  }
  absl::btree_map<AddressKey, RevokeReason> revoked, lapsing;
  std::vector<AddressKey> forgotten;
  for (const auto& [address, count] : removed_from_) {
    const HoldRow& hold = ownership.hold(address);
    const OwnershipState held = hold.state;
    const auto replaced = replaced_.find(address);
    if (held == OwnershipState::kUnowned && IsBare(address)) forgotten.push_back(address);
    if (replaced != replaced_.end()) {
      // Also what lapses already: what runs there is counted under no id of it any more, so no report could prove it.
      const bool asked_back = held == OwnershipState::kLapsing && hold.revoked();
      if (held != OwnershipState::kUnowned && !asked_back) lapsing.insert(*replaced);
    } else if (held != OwnershipState::kUnowned && IsUseless(address)) {
      revoked.insert({address, reason});
    }
  }
  RevokeAddresses(state_, revoked, {now + state_.settings().drain_grace, principal}, events);
  LapseAddresses(state_, lapsing, events);
  for (const AddressKey address : forgotten) events.emplace_back(AddressRetired{address});
}

}  // namespace holdfast
