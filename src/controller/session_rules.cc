#include "controller/session_rules.h"

#include <algorithm>

#include "controller/checker_rules.h"

namespace holdfast {
SessionLookup FindSession(const ControllerState& state, const std::string& worker_id, const std::string& session_id,
                          std::uint64_t epoch) {
  const Rejection unknown{RejectReason::kSessionUnknown, "this worker never had this session here; register anew"};
  const WorkerRow* worker = state.sessions().Find(worker_id);
  if (worker == nullptr) return unknown;
  if (!worker->open() || worker->opened.session_id.value() != session_id) {
    for (const ClosedSession& closed : worker->closed) {
      if (closed.session_id.value() == session_id) return SessionOver(closed.reason, "worker");
    }
    return unknown;
  }
  const std::uint64_t current = worker->opened.epoch.value();
  const std::map<std::string, std::string> metadata = {{"current_epoch", std::to_string(current)}};
  if (epoch < current) {
    return Rejection{RejectReason::kEpochStale, "ownership_epoch is below the current one; register anew",
                     "ownership_epoch", metadata};
  }
  if (epoch > current) {
    return Rejection{RejectReason::kEpochAhead, "ownership_epoch is above the current one; register anew",
                     "ownership_epoch", metadata};
  }
  return worker;
}

void CloseSession(const WorkerRow& worker, CloseReason reason, RejectReason stream_reason, std::vector<Event>& events) {
  const WorkerKey key = worker.opened.worker;
  if (worker.stream.value() != 0) events.emplace_back(SessionDetached{key, worker.stream, stream_reason});
  events.emplace_back(SessionClosed{key, worker.opened.session_id, reason});
}

void EndSession(const ControllerState& state, const WorkerRow& worker, CloseReason reason, RejectReason stream_reason,
                std::vector<Event>& events) {
  CloseSession(worker, reason, stream_reason, events);
  LapseAll(state, worker.opened.worker, LapseCause::kSessionOver, RevokeReason::kUnspecified, events);
}

void DrainSession(const ControllerState& state, const WorkerRow& worker, DrainReason reason,
                  const Revocation& revocation, std::vector<Event>& events) {
  const WorkerKey key = worker.opened.worker;
  if (worker.state == SessionState::kHandshaking) {
    return EndSession(state, worker, CloseReason::kDrained, RejectReason::kSessionClosed, events);
  }
  const bool draining = worker.state == SessionState::kDraining;
  const bool sooner = !IsAbsent(revocation.deadline) &&
                      (IsAbsent(worker.drain_deadline) || revocation.deadline < worker.drain_deadline);
  if (draining && !sooner) return;
  events.emplace_back(SessionDraining{key, draining ? worker.drain_reason : reason, revocation.deadline});
  RevokeAll(state, key, RevokeReason::kSessionDrain, revocation, events);
  if (!draining) CloseIfDrained(state, worker, events);
}

void CloseIfDrained(const ControllerState& state, const WorkerRow& worker, std::vector<Event>& events) {
  const WorkerKey key = worker.opened.worker;
  const HolderRow& holder = state.ownership().holder(key);
  absl::btree_set<AddressKey> let_go;
  for (const Event& event : events) {
    if (const auto* released = std::get_if<OwnershipReleased>(&event)) let_go.insert(released->address);
    if (const auto* lapsing = std::get_if<OwnershipLapsing>(&event)) {
      let_go.insert(lapsing->addresses.begin(), lapsing->addresses.end());
    }
  }
  if (holder.granted_addresses + holder.revoking.size() > let_go.size()) return;
  const auto holds_up = [&](AddressKey address) {
    const OwnershipState held = state.ownership().hold(address).state;
    return (held == OwnershipState::kGranted || held == OwnershipState::kRevoking) && !let_go.contains(address);
  };
  if (std::any_of(holder.owned.begin(), holder.owned.end(), holds_up)) return;
  CloseSession(worker, holder.unproven ? CloseReason::kDrainDeadline : CloseReason::kDrained,
               RejectReason::kSessionClosed, events);
}

controlplane::v1::SessionState WireState(SessionState state) {
  return static_cast<controlplane::v1::SessionState>(state);
}

}  // namespace holdfast
