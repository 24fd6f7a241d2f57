#include "pool/changes.h"

#include <array>
#include <utility>

namespace holdfast::pool {

// One event, noted. What changes no row has no overload, and does nothing.
struct Changes::Noting {
  Changes& changes;
  const Sequence sequence;
  const ControllerState* const before;

  template <class Keys>
  void Touch(const Keys& addresses) const {
    for (const AddressKey address : addresses) changes.Touch(address, sequence, before);
  }

  template <class E>
  void operator()(const E&) const {}

  void operator()(const OwnershipGranted& event) const { changes.Touch(event.address, sequence, before); }
  void operator()(const OwnershipRevoked& event) const { TouchOwned(event.addresses, event.worker_id); }
  void operator()(const OwnershipLapsing& event) const { TouchOwned(event.addresses, event.worker_id); }
  void operator()(const OwnershipResumed& event) const { TouchOwned(event.addresses, event.worker_id); }
  void operator()(const OwnershipReleased& event) const {
    TouchOwned(std::array{event.address}, event.worker_id);
    // What waited for it may be given from now on.
    for (const ProxyKey proxy : event.ready) changes.TouchProxy(proxy, sequence);
  }
  template <class Keys>
  void TouchOwned(const Keys& addresses, const WorkerId& owner) const {
    for (const AddressKey address : addresses) {
      const bool is_first = !changes.addresses_.contains(address);
      AddressChange& change = changes.Touch(address, sequence, before);
      if (is_first) change.previous_owner = owner.value();
    }
  }

  void operator()(const ProxyAdded& event) const { changes.TouchProxy(event.proxy, sequence); }
  void operator()(const ProxyUpdated& event) const { changes.TouchProxy(event.proxy, sequence); }
  void operator()(const ProxyUnusable& event) const { changes.TouchProxy(event.proxy, sequence); }
  void operator()(const ProxyExpired& event) const { changes.TouchProxy(event.proxy, sequence); }
  void operator()(const ProxyStateChanged& event) const { changes.TouchProxy(event.proxy, sequence); }
  void operator()(const ProxyLeaving& event) const { changes.TouchProxy(event.proxy, sequence); }
  void operator()(const ProxiesNamed& event) const {
    if (IsAbsent(event.expires_at) && IsAbsent(event.usable_until)) return;  // not renewed
    for (const ProxyKey proxy : event.proxies) changes.TouchProxy(proxy, sequence);
  }
  void operator()(const ProxyRemoved& event) const {
    changes.TouchProxy(event.proxy, sequence);
    changes.proxies_[event.proxy].removed = event.proxy_id.value();
    // Its siblings may last less long than it did.
    if (before == nullptr) {
      changes.complete_ = false;
    } else {
      changes.Touch(before->pool().proxy(event.proxy).address, sequence, before);
    }
  }
  void operator()(const AddressRetired& event) const {
    AddressChange& change = changes.Touch(event.address, sequence, before);
    if (before == nullptr) {
      changes.complete_ = false;
    } else {
      change.removed = before->pool().address(event.address).text;
    }
  }

  // Rows that wait for an intent's end are not in the log's tail, nor known to a feed that began after they changed.
  void Settle(const std::vector<AddressKey>& addresses) const {
    for (const AddressKey address : addresses) changes.Touch(address, sequence, before).with_proxies = true;
  }
  void operator()(const ProxiesExtracted& event) const {
    Settle(event.addresses);
    Settle(event.returned);
    changes.settled_.push_back({event.extraction_id.value(), sequence});
  }
  void operator()(const ExtractionGivenBack& event) const {
    Settle(event.addresses);
    End(event.addresses, event.extraction_id);
    changes.settled_.push_back({event.extraction_id.value(), sequence});
  }
  void operator()(const ExtractionEnded& event) const { End(event.addresses, event.extraction_id); }
  void End(const std::vector<AddressKey>& addresses, const ExtractionId& extraction) const {
    for (const AddressKey address : addresses) {
      AddressChange& change = changes.Touch(address, sequence, before);
      // Of two that end before the rows are written only the first was ever in the store.
      if (change.ends_extraction.empty()) change.ends_extraction = extraction.value();
    }
  }

  void operator()(const ClockAccepted&) const { changes.ends_moved_ = true; }
  void operator()(const ControllerStarted& event) const { changes.ends_moved_ |= !event.same_boot; }

  void operator()(const SessionOpened& event) const { changes.workers_.insert(event.worker); }
  void operator()(const SessionActivated& event) const { changes.workers_.insert(event.worker); }
  void operator()(const SessionAttached& event) const { changes.workers_.insert(event.worker); }
  void operator()(const SessionDetached& event) const { changes.workers_.insert(event.worker); }
  void operator()(const SessionDraining& event) const { changes.workers_.insert(event.worker); }
  void operator()(const SessionClosed& event) const { changes.workers_.insert(event.worker); }
};

void Changes::Note(const Event& event, Sequence sequence, const ControllerState* before) {
  std::visit(Noting{*this, sequence, before}, static_cast<const EventVariant&>(event));
}

AddressChange& Changes::Touch(AddressKey address, Sequence sequence, const ControllerState* before) {
  const auto [there, is_new] = addresses_.try_emplace(address);
  AddressChange& change = there->second;
  change.last = sequence;
  if (!is_new || before == nullptr || before->pool().addresses().Find(address) == nullptr) return change;
  const WorkerKey owner = before->ownership().hold(address).owner;
  if (owner.value() != 0) change.previous_owner = before->ownership().holder(owner).worker_id.value();
  return change;
}

void Changes::TouchProxy(ProxyKey proxy, Sequence sequence) { proxies_[proxy].last = sequence; }

void Changes::ForgetEnd(const ExtractionGivenBack& event) {
  for (const AddressKey address : event.addresses) {
    std::string& ends = addresses_[address].ends_extraction;
    if (ends == event.extraction_id.value()) ends.clear();
  }
  std::erase_if(settled_, [&](const Settled& one) { return one.extraction_id == event.extraction_id.value(); });
}

void Changes::Append(const Changes& later) {
  for (const auto& [key, change] : later.addresses_) {
    const auto [there, is_new] = addresses_.try_emplace(key, change);
    if (is_new) continue;
    there->second.last = change.last;
    there->second.removed = change.removed;
    there->second.with_proxies |= change.with_proxies;
    if (there->second.ends_extraction.empty()) there->second.ends_extraction = change.ends_extraction;
  }
  for (const auto& [key, change] : later.proxies_) proxies_.insert_or_assign(key, change);
  workers_.insert(later.workers_.begin(), later.workers_.end());
  settled_.insert(settled_.end(), later.settled_.begin(), later.settled_.end());
  ends_moved_ |= later.ends_moved_;
  complete_ &= later.complete_;
}

}  // namespace holdfast::pool
