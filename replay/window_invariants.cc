#include "replay/window_invariants.h"

#include <absl/container/flat_hash_set.h>
#include <absl/strings/str_cat.h>

#include <algorithm>

#include "replay/time_text.h"

namespace holdfast::replay {
namespace {

std::string TimeOf(std::int64_t micros) { return TimeText(LogTimeFromMicros(micros)); }

std::string Unknown(const char* event, const char* what, std::uint32_t key) {
  return absl::StrCat(event, " names ", what, " key ", key, ", which is not there");
}

}  // namespace

// ---- windows ----

WindowInvariants::Micros WindowInvariants::End(const Window& window) const {
  Micros latest_expiry = 0;
  for (const auto& [proxy, expires_at] : window.listed) latest_expiry = std::max(latest_expiry, expires_at);
  const auto instance = instances_.find(window.worker);
  if (window.listed.empty() || instance == instances_.end() || instance->second.epoch != window.epoch) {
    return window.fixed_until;
  }
  const Micros moving = std::min(instance->second.latest_valid_until, latest_expiry) + instance->second.grace;
  return std::max({window.fixed_until, window.given_back_until, moving});
}

bool WindowInvariants::IsStray(const Address& address, const Window& window) const {
  if (window.listed.empty()) return false;
  return !(address.granted && address.owner == window.worker && address.epoch == window.epoch);
}

template <class F>
void WindowInvariants::Change(Address& address, F&& change) {
  const auto count = [&](std::uint32_t sign) {
    for (const Window& window : address.windows) {
      if (IsStray(address, window)) instances_[window.worker].strays += sign;
    }
  };
  count(static_cast<std::uint32_t>(-1));
  change(address);
  count(1);
}

WindowInvariants::Window& WindowInvariants::WindowOf(Address& address, WorkerKey worker, std::uint64_t epoch) {
  for (Window& window : address.windows) {
    if (window.worker == worker && window.epoch == epoch) return window;
  }
  return address.windows.emplace_back(Window{worker, epoch, 0, {}, 0});
}

const WindowInvariants::Window* WindowInvariants::OpenWindowOfOthers(const Address& address, WorkerKey worker,
                                                                     std::uint64_t epoch, LogTime at) const {
  for (const Window& window : address.windows) {
    const bool own = window.worker == worker && window.epoch == epoch;
    if (!own && End(window) > ToMicros(at)) return &window;
  }
  return nullptr;
}

const std::string& WindowInvariants::NameOf(WorkerKey worker) const {
  static const std::string* const kUnknown = new std::string("(unknown)");
  const auto found = instances_.find(worker);
  return found == instances_.end() ? *kUnknown : found->second.worker_id;
}

Violation WindowInvariants::Overlap(AddressKey key, const Window& window, WorkerKey worker) const {
  return absl::StrCat("address key ", key.value(), " is given to worker ", NameOf(worker), " while worker ",
                      NameOf(window.worker), " with epoch ", window.epoch, " may be using it until ",
                      TimeOf(End(window)));
}

// ---- the run ----

// On another boot the wall may lie: what was open stays open for as long as it had left at the last entry.
Violation WindowInvariants::Check(const ControllerStarted& event, LogTime at) {
  if (event.same_boot) return std::nullopt;
  const Micros before = ToMicros(at - event.downtime);
  for (auto& [key, address] : addresses_) {
    for (Window& window : address.windows) {
      const Micros end = End(window);
      if (end > before) window.fixed_until = end + event.downtime.count();
      if (window.given_back_until > before) window.given_back_until += event.downtime.count();
    }
  }
  return std::nullopt;
}

// Windows move with the clock. What bounds them by the life of a proxy does not: they are fixed as they stand.
Violation WindowInvariants::Check(const ClockAccepted& event, LogTime) {
  for (auto& [key, address] : addresses_) {
    for (Window& window : address.windows) {
      window.fixed_until = End(window) + event.moved.count();
      if (window.given_back_until != 0) window.given_back_until += event.moved.count();
    }
  }
  for (auto& [key, instance] : instances_) {
    if (instance.latest_valid_until != 0) instance.latest_valid_until += event.moved.count();
  }
  return std::nullopt;
}

Violation WindowInvariants::Check(const WaitStarted&, LogTime) {
  waiting_ = true;
  return std::nullopt;
}

Violation WindowInvariants::Check(const WaitEnded&, LogTime) {
  waiting_ = false;
  return std::nullopt;
}

Violation WindowInvariants::Check(const SessionOpened& event, LogTime) {
  Instance& instance = instances_[event.worker];
  const Micros grace = event.lapse_grace.count();
  instance.worker_id = event.worker_id.value();
  if (!event.new_instance) {
    instance.grace = std::max(instance.grace, grace);
    return std::nullopt;
  }
  // Another process: what the one before was shown is still its own to use, and is not shown to this one.
  for (const auto& [proxy, key] : std::exchange(instance.content, {})) {
    const auto found = addresses_.find(key);
    if (found == addresses_.end()) continue;
    Change(found->second, [&](Address& address) {
      Window& window = WindowOf(address, event.worker, instance.epoch);
      window.fixed_until = End(window);
      window.listed.clear();
    });
  }
  instance.epoch = event.epoch.value();
  instance.grace = grace;
  instance.latest_valid_until = 0;
  return std::nullopt;
}

// ---- updates ----

void WindowInvariants::Unlist(WorkerKey worker, Instance& instance, ProxyKey proxy) {
  const auto content = instance.content.find(proxy);
  if (content == instance.content.end()) return;
  const AddressKey key = content->second;
  instance.content.erase(content);
  Address& address = addresses_[key];
  Change(address, [&](Address& changed) {
    Window& window = WindowOf(changed, worker, instance.epoch);
    window.fixed_until = End(window);
    const auto found = std::find_if(window.listed.begin(), window.listed.end(),
                                    [&](const auto& listed) { return listed.first == proxy; });
    if (found != window.listed.end()) window.listed.erase(found);
  });
  const bool listed = std::any_of(address.windows.begin(), address.windows.end(),
                                  [](const Window& window) { return !window.listed.empty(); });
  if (address.retired && !listed) addresses_.erase(key);
}

void WindowInvariants::List(WorkerKey worker, Instance& instance, ProxyKey proxy, const Proxy& row) {
  instance.content.insert_or_assign(proxy, row.address);
  Change(addresses_[row.address], [&](Address& changed) {
    Window& window = WindowOf(changed, worker, instance.epoch);
    window.fixed_until = End(window);
    window.listed.emplace_back(proxy, row.expires_at);
  });
}

Violation WindowInvariants::Check(const SnapshotIssued& event, LogTime at) {
  const auto found = instances_.find(event.worker);
  if (found == instances_.end()) return Unknown("snapshot_issued", "worker", event.worker.value());
  Instance& instance = found->second;
  if (event.upserted.size() != event.states.size()) {
    return absl::StrCat("an update for worker ", instance.worker_id, " lists ", event.upserted.size(), " proxies and ",
                        event.states.size(), " states");
  }
  for (const ProxyKey proxy : event.removed) Unlist(event.worker, instance, proxy);
  for (std::size_t i = 0; i < event.upserted.size(); ++i) {
    const auto row = proxies_.find(event.upserted[i]);
    if (row == proxies_.end()) return Unknown("snapshot_issued", "proxy", event.upserted[i].value());
    Unlist(event.worker, instance, event.upserted[i]);
    if (event.states[i] == GrantState::kHeld) continue;
    List(event.worker, instance, event.upserted[i], row->second);
  }
  instance.latest_valid_until = std::max(instance.latest_valid_until, ToMicros(event.valid_until));
  return CheckListed(event, instance, at);
}

Violation WindowInvariants::CheckListed(const SnapshotIssued& event, const Instance& instance, LogTime at) {
  for (const ProxyKey proxy : event.upserted) {
    const auto content = instance.content.find(proxy);
    if (content == instance.content.end()) continue;
    const Address& address = addresses_[content->second];
    const Window* other = OpenWindowOfOthers(address, event.worker, instance.epoch, at);
    if (other != nullptr) return Overlap(content->second, *other, event.worker);
  }
  if (instance.strays == 0) return std::nullopt;
  for (const auto& [proxy, key] : instance.content) {
    const Address& address = addresses_[key];
    for (const Window& window : address.windows) {
      if (window.worker != event.worker || !IsStray(address, window)) continue;
      return absl::StrCat("version ", event.version.value(), " for worker ", instance.worker_id, " lists address key ",
                          key.value(), ", which is not granted to it");
    }
  }
  return absl::StrCat("version ", event.version.value(), " for worker ", instance.worker_id,
                      " lists an address that is not granted to it");
}

// ---- the pool ----

Violation WindowInvariants::Check(const ProxyAdded& event, LogTime) {
  const bool known = addresses_.contains(event.address) && !addresses_[event.address].retired;
  if (event.new_address == known) {
    return absl::StrCat("proxy ", event.spec->proxy_id.value(), " was added to address key ", event.address.value(),
                        known ? ", which is said to be new and is not" : ", which is not there");
  }
  if (!proxies_.try_emplace(event.proxy, Proxy{event.address, ToMicros(event.spec->expires_at)}).second) {
    return absl::StrCat("proxy key ", event.proxy.value(), " was assigned before");
  }
  ++addresses_[event.address].proxies;
  return std::nullopt;
}

Violation WindowInvariants::Check(const ProxyUpdated& event, LogTime) {
  const auto found = proxies_.find(event.proxy);
  if (found == proxies_.end()) return Unknown("proxy_updated", "proxy", event.proxy.value());
  found->second.expires_at = ToMicros(event.spec->expires_at);
  return std::nullopt;
}

Violation WindowInvariants::Check(const ProxiesNamed& event, LogTime) {
  for (const ProxyKey proxy : event.proxies) {
    const auto found = proxies_.find(proxy);
    if (found == proxies_.end()) return Unknown("proxies_named", "proxy", proxy.value());
    if (!IsAbsent(event.expires_at)) found->second.expires_at = ToMicros(event.expires_at);
  }
  return std::nullopt;
}

Violation WindowInvariants::Check(const ProxyUnusable& event, LogTime) {
  if (!proxies_.contains(event.proxy)) return Unknown("proxy_unusable", "proxy", event.proxy.value());
  return std::nullopt;
}

Violation WindowInvariants::Check(const ProxyExpired& event, LogTime) {
  if (!proxies_.contains(event.proxy)) return Unknown("proxy_expired", "proxy", event.proxy.value());
  return std::nullopt;
}

Violation WindowInvariants::Check(const ProxyRemoved& event, LogTime) {
  const auto found = proxies_.find(event.proxy);
  if (found == proxies_.end()) return Unknown("proxy_removed", "proxy", event.proxy.value());
  --addresses_[found->second.address].proxies;
  proxies_.erase(found);
  return std::nullopt;
}

Violation WindowInvariants::Check(const AddressRetired& event, LogTime) {
  const auto found = addresses_.find(event.address);
  if (found == addresses_.end()) return Unknown("address_retired", "address", event.address.value());
  Address& address = found->second;
  if (address.proxies != 0 || address.owner.value() != 0) {
    return absl::StrCat("address key ", event.address.value(), " was forgotten while ",
                        address.proxies != 0 ? "proxies stand on it" : "somebody holds it");
  }
  address.retired = true;
  const bool listed = std::any_of(address.windows.begin(), address.windows.end(),
                                  [](const Window& window) { return !window.listed.empty(); });
  if (!listed) addresses_.erase(found);
  return std::nullopt;
}

// ---- ownership ----

Violation WindowInvariants::Check(const OwnershipGranted& event, LogTime at) {
  const auto found = addresses_.find(event.address);
  if (found == addresses_.end()) return Unknown("ownership_granted", "address", event.address.value());
  Address& address = found->second;
  if (waiting_) return absl::StrCat("address ", event.address_text, " was granted during a wait");
  if (!address.client.empty()) {
    return absl::StrCat("address ", event.address_text, " was granted to worker ", event.worker_id.value(),
                        " while client ", address.client, " has it or asks for it");
  }
  if (address.owner.value() != 0) {
    return absl::StrCat("address ", event.address_text, " was granted to worker ", event.worker_id.value(),
                        " while worker ", NameOf(address.owner), " holds it");
  }
  const std::uint64_t epoch = event.epoch.value();
  const Window* other = OpenWindowOfOthers(address, event.worker, epoch, at);
  if (other != nullptr) return Overlap(event.address, *other, event.worker);
  Change(address, [&](Address& changed) {
    const auto over = [&](const Window& window) { return window.listed.empty() && End(window) <= ToMicros(at); };
    changed.windows.erase(std::remove_if(changed.windows.begin(), changed.windows.end(), over), changed.windows.end());
    changed.granted = true;
    changed.owner = event.worker;
    changed.epoch = epoch;
  });
  return std::nullopt;
}

Violation WindowInvariants::Check(const OwnershipLapsing& event, LogTime) {
  if (event.addresses.size() != event.owned_until.size()) {
    return absl::StrCat("ownership_lapsing of worker ", event.worker_id.value(), " lists ", event.addresses.size(),
                        " addresses and ", event.owned_until.size(), " times");
  }
  for (std::size_t i = 0; i < event.addresses.size(); ++i) {
    const auto found = addresses_.find(event.addresses[i]);
    if (found == addresses_.end()) return Unknown("ownership_lapsing", "address", event.addresses[i].value());
    Address& address = found->second;
    if (address.owner != event.worker || address.epoch != event.epoch.value()) {
      return absl::StrCat("address key ", event.addresses[i].value(), " lapses from worker ", event.worker_id.value(),
                          " with epoch ", event.epoch.value(), ", which does not hold it");
    }
    const Micros end = End(WindowOf(address, event.worker, address.epoch));
    if (ToMicros(event.owned_until[i]) < end) {
      return absl::StrCat("address key ", event.addresses[i].value(), " is said to be free from ",
                          TimeText(event.owned_until[i]), " on, but worker ", event.worker_id.value(),
                          " may be using it until ", TimeOf(end));
    }
    Change(address, [](Address& changed) { changed.granted = false; });
  }
  return std::nullopt;
}

Violation WindowInvariants::Check(const OwnershipResumed& event, LogTime) {
  for (const AddressKey key : event.addresses) {
    const auto found = addresses_.find(key);
    if (found == addresses_.end()) return Unknown("ownership_resumed", "address", key.value());
    Address& address = found->second;
    if (address.owner != event.worker || address.epoch != event.epoch.value() || address.granted) {
      return absl::StrCat("address key ", key.value(), " came back to worker ", event.worker_id.value(),
                          ", which does not hold it lapsing");
    }
    Change(address, [](Address& changed) { changed.granted = true; });
  }
  return std::nullopt;
}

Violation WindowInvariants::Check(const OwnershipReleased& event, LogTime at) {
  const auto found = addresses_.find(event.address);
  if (found == addresses_.end()) return Unknown("ownership_released", "address", event.address.value());
  Address& address = found->second;
  if (address.owner.value() == 0 || address.epoch != event.epoch.value() ||
      NameOf(address.owner) != event.worker_id.value()) {
    return absl::StrCat("address ", event.address_text, " was released by worker ", event.worker_id.value(),
                        " with epoch ", event.epoch.value(), ", which does not hold it");
  }
  const bool proven = event.reason == EndReason::kDrained;  // then its own window ends here
  for (const Window& window : address.windows) {
    const bool own = window.worker == address.owner && window.epoch == address.epoch;
    if ((own && proven) || End(window) <= ToMicros(at)) continue;
    return absl::StrCat("address ", event.address_text, " was released, but worker ", NameOf(window.worker),
                        " with epoch ", window.epoch, " may be using it until ", TimeOf(End(window)));
  }
  Change(address, [&](Address& changed) {
    if (proven) {
      Window& window = WindowOf(changed, changed.owner, changed.epoch);
      const Micros end = std::max(window.given_back_until, End(window));
      window = Window{changed.owner, changed.epoch, 0, {}, end};
    }
    changed.granted = false;
    changed.owner = WorkerKey();
    changed.epoch = 0;
  });
  return std::nullopt;
}

}  // namespace holdfast::replay
