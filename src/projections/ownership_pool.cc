// What enters the pool, changes and leaves it, as far as holding goes.

#include <algorithm>

#include "base/check.h"
#include "projections/ownership.h"
#include "projections/ownership_change.h"

namespace holdfast {

void Ownership::Apply(const ProxyAdded& event, const EntryPoint&) {
  if (event.new_address) {
    HoldRow row;
    row.needs_secret = !event.spec->secret_ref.empty();
    digest_.Add(HashOf(event.address, holds_.Insert(event.address, std::move(row))));
  }
  address_of_.Insert(event.proxy, event.address);
  ChangeHold(event.address, [&](HoldRow& row) {
    row.proxies.push_back({event.proxy, event.state, true, event.spec->expires_at, false, event.waits_for,
                           event.spec->usable_until, event.spec});
  });
  if (event.waits_for.value() != 0) AwaitRelease(event.proxy, event.spec->proxy_id, event.waits_for);
}

void Ownership::Apply(const ProxyUpdated& event, const EntryPoint&) {
  ChangeBrief(event.proxy, [&](ProxyBrief& brief) {
    brief.expires_at = event.spec->expires_at;
    brief.usable_until = event.spec->usable_until;
    brief.spec = event.spec;
    brief.usable = true;
    brief.leaving = false;
    if (brief.state == PoolState::kExpired) brief.state = event.revived;
  });
}

void Ownership::Apply(const ProxiesNamed& event, const EntryPoint&) {
  if (IsAbsent(event.expires_at)) return;
  for (const ProxyKey proxy : event.proxies) {
    ChangeBrief(proxy, [&](ProxyBrief& brief) {
      brief.expires_at = event.expires_at;
      brief.usable_until = event.usable_until;
      brief.usable = true;
      if (brief.state == PoolState::kExpired) brief.state = event.revived;
    });
  }
}

void Ownership::Apply(const ProxyUnusable& event, const EntryPoint&) {
  ChangeBrief(event.proxy, [](ProxyBrief& brief) { brief.usable = false; });
}

void Ownership::Apply(const ProxyExpired& event, const EntryPoint&) {
  ChangeBrief(event.proxy, [](ProxyBrief& brief) {
    brief.usable = false;
    brief.state = PoolState::kExpired;
  });
}

void Ownership::Apply(const ProxyStateChanged& event, const EntryPoint&) {
  ChangeBrief(event.proxy, [&](ProxyBrief& brief) { brief.state = event.state; });
}

void Ownership::Apply(const ProxyLeaving& event, const EntryPoint&) {
  ChangeBrief(event.proxy, [](ProxyBrief& brief) { brief.leaving = true; });
}

// The id is remembered for as long as the address is held, also when its proxy leaves the pool and comes back.
void Ownership::AwaitRelease(ProxyKey proxy, const ProxyId& id, AddressKey address) {
  const bool first = moved_.emplace(id.value(), address).second;
  ChangeHold(address, [&](HoldRow& row) {
    row.awaited_by.push_back(proxy);
    if (first) row.moved_ids.push_back(id);
  });
}

void Ownership::StopWaiting(ProxyKey proxy) {
  const std::vector<ProxyBrief>& briefs = holds_.At(address_of_.At(proxy)).proxies;
  const auto found =
      std::find_if(briefs.begin(), briefs.end(), [&](const auto& brief) { return brief.proxy == proxy; });
  const AddressKey before = found->waits_for;
  if (before.value() == 0) return;
  ChangeBrief(proxy, [](ProxyBrief& brief) { brief.waits_for = AddressKey(); });
  ChangeHold(before, [&](HoldRow& row) { std::erase(row.awaited_by, proxy); });
}

void Ownership::Apply(const ProxyRemoved& event, const EntryPoint&) {
  const AddressKey address = address_of_.At(event.proxy);
  const LogTime window = OwnedUntil(address);
  StopWaiting(event.proxy);
  address_of_.Erase(event.proxy);
  ChangeHold(address, [&](HoldRow& row) {
    if (row.state != OwnershipState::kUnowned) row.window_floor = std::max(row.window_floor, window);
    row.proxies.erase(std::find_if(row.proxies.begin(), row.proxies.end(),
                                   [&](const ProxyBrief& brief) { return brief.proxy == event.proxy; }));
  });
}

void Ownership::Apply(const AddressRetired& event, const EntryPoint&) {
  const HoldRow& row = holds_.At(event.address);
  HOLDFAST_CHECK(row.state == OwnershipState::kUnowned && row.proxies.empty());
  digest_.Remove(HashOf(event.address, row));
  holds_.Erase(event.address);
}

}  // namespace holdfast
