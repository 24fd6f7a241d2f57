#include "controller/handover.h"

#include <algorithm>
#include <tuple>

namespace holdfast {
namespace {

OwnershipLapsing LapsingOf(const ControllerState& state, const HoldRow& hold, LapseCause cause, RevokeReason reason) {
  OwnershipLapsing lapsing;
  lapsing.worker = hold.owner;
  lapsing.worker_id = state.ownership().holder(hold.owner).worker_id;
  lapsing.epoch = hold.epoch;
  lapsing.cause = cause;
  lapsing.revoke_reason = reason;
  return lapsing;
}

// What a decision has given back so far: nothing of it can be asked back or lapse any more.
absl::btree_set<AddressKey> ReleasedBy(const std::vector<Event>& events) {
  absl::btree_set<AddressKey> released;
  for (const Event& event : events) {
    if (const auto* one = std::get_if<OwnershipReleased>(&event)) released.insert(one->address);
  }
  return released;
}

// Gathers what lapses into one event a worker, epoch, cause and reason.
class Lapses {
 public:
  Lapses(const ControllerState& state, const std::vector<Event>& events)
      : state_(state), released_(ReleasedBy(events)) {}

  bool released(AddressKey address) const { return released_.contains(address); }
  void Add(AddressKey address, LapseCause cause, RevokeReason reason) {
    if (released(address)) return;
    const HoldRow& hold = state_.ownership().hold(address);
    auto [found, is_new] = lapses_.try_emplace({hold.owner, hold.epoch, cause, reason});
    if (is_new) found->second = LapsingOf(state_, hold, cause, reason);
    found->second.addresses.push_back(address);
    found->second.owned_until.push_back(state_.ownership().OwnedUntil(address));
  }
  void Append(std::vector<Event>& events) {
    for (auto& [key, lapsing] : lapses_) events.emplace_back(std::move(lapsing));
  }

 private:
  const ControllerState& state_;
  const absl::btree_set<AddressKey> released_;
  absl::btree_map<std::tuple<WorkerKey, Epoch, LapseCause, RevokeReason>, OwnershipLapsing> lapses_;
};

// Whether its holder can be shown that it drains: it was shown it before.
bool CanDrain(const HoldRow& hold) { return hold.state == OwnershipState::kGranted && hold.was_shown; }

bool IsSooner(LogTime deadline, LogTime than) { return !IsAbsent(deadline) && (IsAbsent(than) || deadline < than); }

}  // namespace

void AppendGrant(const ControllerState& state, AddressKey address, WorkerKey worker, LogTime now,
                 std::vector<Event>& events) {
  const HolderRow& holder = state.ownership().holder(worker);
  LogTime latest_expiry;
  for (const ProxyBrief& brief : state.ownership().hold(address).proxies) {
    latest_expiry = std::max(latest_expiry, brief.expires_at);
  }
  // Of what it gave back a process keeps the bounds, by id; it may go by them where that id is given to it again.
  const LogTime owned_until = std::max(
      std::min(now + state.settings().snapshot_validity, latest_expiry) + holder.lapse_grace, holder.given_back_until);
  events.emplace_back(OwnershipGranted{address, state.pool().address(address).text, worker, holder.worker_id,
                                       holder.epoch, holder.session_id, owned_until});
}

void RevokeAddresses(const ControllerState& state, const absl::btree_map<AddressKey, RevokeReason>& addresses,
                     const Revocation& revocation, std::vector<Event>& events) {
  absl::btree_map<std::tuple<WorkerKey, Epoch, RevokeReason>, OwnershipRevoked> revoked;
  Lapses lapses(state, events);
  for (const auto& [address, reason] : addresses) {
    if (lapses.released(address)) continue;
    const HoldRow& hold = state.ownership().hold(address);
    const bool sooner = hold.state == OwnershipState::kRevoking && IsSooner(revocation.deadline, hold.drain_deadline);
    const bool lapses_now = hold.state == OwnershipState::kLapsing && !hold.revoked();
    const bool unseen = hold.state == OwnershipState::kGranted && !CanDrain(hold);
    if (lapses_now || unseen) lapses.Add(address, LapseCause::kRevoked, reason);
    if (!CanDrain(hold) && !sooner) continue;
    OwnershipRevoked& event = revoked[{hold.owner, hold.epoch, reason}];
    event.worker = hold.owner;
    event.worker_id = state.ownership().holder(hold.owner).worker_id;
    event.epoch = hold.epoch;
    event.reason = reason;
    event.deadline = revocation.deadline;
    event.addresses.push_back(address);
    event.principal = std::string(revocation.principal);
  }
  for (auto& [holder, event] : revoked) events.emplace_back(std::move(event));
  lapses.Append(events);
}

void RevokeAll(const ControllerState& state, WorkerKey worker, RevokeReason reason, const Revocation& revocation,
               std::vector<Event>& events) {
  const HolderRow& holder = state.ownership().holder(worker);
  absl::btree_map<AddressKey, RevokeReason> addresses;
  for (const AddressKey address : holder.owned) {
    if (state.ownership().hold(address).epoch == holder.epoch) addresses.insert({address, reason});
  }
  RevokeAddresses(state, addresses, revocation, events);
}

void LapseAll(const ControllerState& state, WorkerKey worker, LapseCause cause, RevokeReason reason,
              std::vector<Event>& events) {
  const HolderRow& holder = state.ownership().holder(worker);
  Lapses lapses(state, events);
  for (const AddressKey address : holder.owned) {
    const HoldRow& hold = state.ownership().hold(address);
    if (hold.epoch != holder.epoch) continue;
    if (hold.state == OwnershipState::kGranted) lapses.Add(address, cause, reason);
    if (hold.state == OwnershipState::kRevoking) lapses.Add(address, LapseCause::kRevoked, hold.revoke_reason);
  }
  lapses.Append(events);
}

void LapseAddresses(const ControllerState& state, const absl::btree_map<AddressKey, RevokeReason>& addresses,
                    std::vector<Event>& events) {
  Lapses lapses(state, events);
  for (const auto& [address, reason] : addresses) {
    const HoldRow& hold = state.ownership().hold(address);
    if (hold.owner.value() == 0) continue;  // a client's: that ends by itself
    const bool revoking = hold.state == OwnershipState::kRevoking;
    lapses.Add(address, LapseCause::kRevoked, revoking ? hold.revoke_reason : reason);
  }
  lapses.Append(events);
}

void AppendRelease(const ControllerState& state, AddressKey address, EndReason reason,
                   const DrainCertificate& certificate, std::vector<Event>& events) {
  const HoldRow& hold = state.ownership().hold(address);
  const AddressRow& row = state.pool().address(address);
  events.emplace_back(OwnershipReleased{address, row.text, state.ownership().holder(hold.owner).worker_id, hold.epoch,
                                        reason, certificate.target, certificate.issue, certificate.ack,
                                        certificate.report, hold.awaited_by});
  std::size_t left = row.proxies.size();
  for (const ProxyKey proxy : row.proxies) {
    const ProxyRow& standing = state.pool().proxy(proxy);
    const bool expired = standing.state == PoolState::kExpired;
    if (!expired && !standing.leaving) continue;
    events.emplace_back(ProxyRemoved{proxy, standing.spec->proxy_id,
                                     standing.leaving ? standing.leaving_because : RemovalReason::kExpired});
    --left;
  }
  if (left == 0) events.emplace_back(AddressRetired{address});
}

}  // namespace holdfast
