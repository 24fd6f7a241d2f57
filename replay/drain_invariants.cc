#include "replay/drain_invariants.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

namespace holdfast::replay {

Violation DrainInvariants::Check(const SnapshotIssued& event, LogTime) {
  Worker& worker = workers_[event.worker];
  for (const ProxyKey proxy : event.removed) worker.listed.erase(proxy);
  for (std::size_t i = 0; i < event.upserted.size() && i < event.states.size(); ++i) {
    worker.listed[event.upserted[i]] = event.states[i];
    const auto key = address_of_.find(event.upserted[i]);
    if (key == address_of_.end()) continue;  // windows_ tells of it
    if (!addresses_[key->second].revoked || event.states[i] == GrantState::kDraining) continue;
    return absl::StrCat("version ", event.version.value(), " shows address key ", key->second.value(),
                        " as usable, or held, although it was asked back");
  }
  for (const AddressKey key : event.draining) {
    if (Violation violation = NoteTarget(event, worker, key)) return violation;
  }
  return std::nullopt;
}

// The update says that it is the first after the revoke whose content shows the address DRAINING.
Violation DrainInvariants::NoteTarget(const SnapshotIssued& event, const Worker& worker, AddressKey key) {
  Address& address = addresses_[key];
  std::size_t draining = 0;
  bool usable = false;
  for (const ProxyKey proxy : address.proxies) {
    const auto listed = worker.listed.find(proxy);
    if (listed == worker.listed.end()) continue;
    listed->second == GrantState::kDraining ? (void)++draining : (void)(usable = true);
  }
  if (!address.revoked || address.owner != event.worker || address.target != 0 || draining == 0 || usable) {
    return absl::StrCat("version ", event.version.value(), " is said to be the first that shows address key ",
                        key.value(), " DRAINING, and is not");
  }
  address.target = event.version.value();
  address.shown_at = sequence_;
  return std::nullopt;
}

Violation DrainInvariants::Check(const SnapshotAcknowledged& event, LogTime) {
  Worker& worker = workers_[event.worker];
  worker.acknowledged = event.version.value();
  worker.acknowledged_at = sequence_;
  return std::nullopt;
}

Violation DrainInvariants::Check(const RuntimeAccepted& event, LogTime) {
  Worker& worker = workers_[event.worker];
  worker.reported_at = sequence_;
  const std::size_t count = std::min({event.proxies.size(), event.active.size(), event.reserved.size()});
  for (std::size_t i = 0; i < count; ++i) {
    if (event.active[i] == 0 && event.reserved[i] == 0) {
      worker.busy.erase(event.proxies[i]);
    } else {
      worker.busy.insert(event.proxies[i]);
    }
  }
  return std::nullopt;
}

Violation DrainInvariants::Check(const SessionOpened& event, LogTime) {
  Worker& worker = workers_[event.worker];
  Worker fresh;
  if (!event.new_instance) fresh.listed = std::move(worker.listed);  // the content is the process's
  worker = std::move(fresh);
  return std::nullopt;
}

Violation DrainInvariants::Check(const ProxyAdded& event, LogTime) {
  address_of_[event.proxy] = event.address;
  addresses_[event.address].proxies.push_back(event.proxy);
  return std::nullopt;
}

Violation DrainInvariants::Check(const ProxyRemoved& event, LogTime) {
  const auto key = address_of_.find(event.proxy);
  if (key == address_of_.end()) return std::nullopt;
  Address& address = addresses_[key->second];
  std::erase(address.proxies, event.proxy);
  if (address.proxies.empty() && address.owner.value() == 0) addresses_.erase(key->second);
  address_of_.erase(key);
  return std::nullopt;
}

Violation DrainInvariants::Check(const ClockAccepted& event, LogTime) {
  for (auto& [key, address] : addresses_) {
    if (!IsAbsent(address.deadline)) address.deadline += event.moved;
  }
  return std::nullopt;
}

Violation DrainInvariants::Check(const OwnershipGranted& event, LogTime) {
  Address& address = addresses_[event.address];
  address.owner = event.worker;
  address.revoked = false;
  address.deadline = LogTime();
  address.target = 0;
  address.shown_at = Sequence();
  return std::nullopt;
}

Violation DrainInvariants::Check(const OwnershipRevoked& event, LogTime) {
  for (const AddressKey key : event.addresses) {
    Address& address = addresses_[key];
    const bool later = IsAbsent(event.deadline) || (!IsAbsent(address.deadline) && event.deadline > address.deadline);
    if (address.revoked && later) {
      return absl::StrCat("the drain of address key ", key.value(), " is given a later deadline than it had");
    }
    address.revoked = true;
    address.deadline = event.deadline;
  }
  return std::nullopt;
}

Violation DrainInvariants::Check(const OwnershipLapsing& event, LogTime) {
  for (const AddressKey key : event.addresses) {
    Address& address = addresses_[key];
    if (address.revoked && event.cause != LapseCause::kRevoked) {
      return absl::StrCat("address key ", key.value(), " was asked back, and lapses as if it had not been");
    }
    address.revoked = event.cause == LapseCause::kRevoked;
    address.deadline = LogTime();
    address.target = 0;
  }
  return std::nullopt;
}

Violation DrainInvariants::Check(const OwnershipResumed& event, LogTime) {
  for (const AddressKey key : event.addresses) {
    if (!addresses_[key].revoked) continue;
    return absl::StrCat("address key ", key.value(), " was asked back, and comes back to worker ",
                        event.worker_id.value());
  }
  return std::nullopt;
}

std::string DrainInvariants::WrongWith(const OwnershipReleased& event, const Address& address) const {
  const auto wrong = [&](const char* what) {
    return absl::StrCat("address ", event.address_text, " was released as drained, but ", what);
  };
  if (!address.revoked || address.target == 0) return wrong("no update has shown it DRAINING");
  if (event.target_version.value() != address.target || event.issue_sequence != address.shown_at) {
    return wrong("the certificate names another update than the first that showed it DRAINING");
  }
  const auto found = workers_.find(address.owner);
  if (found == workers_.end() || found->second.acknowledged < address.target ||
      event.ack_sequence != found->second.acknowledged_at || event.ack_sequence <= event.issue_sequence) {
    return wrong("the certificate names no acknowledgement of that version or a later one");
  }
  if (event.report_sequence != sequence_ || found->second.reported_at != sequence_) {
    return wrong("the certificate names no report that this entry accepted");
  }
  const auto busy = [&](ProxyKey proxy) { return found->second.busy.contains(proxy); };
  if (std::any_of(address.proxies.begin(), address.proxies.end(), busy)) {
    return wrong("by that report something still runs through it");
  }
  return {};
}

Violation DrainInvariants::Check(const OwnershipReleased& event, LogTime) {
  Address& address = addresses_[event.address];
  if (event.reason == EndReason::kDrained) {
    std::string wrong = WrongWith(event, address);
    if (!wrong.empty()) return wrong;
  }
  address.owner = WorkerKey();
  address.revoked = false;
  address.deadline = LogTime();
  address.target = 0;
  return std::nullopt;
}

}  // namespace holdfast::replay
