#include "controller/session_rules.h"

#include <algorithm>

namespace holdfast {
namespace {

Rejection OverSession(CloseReason reason) {
  switch (reason) {
    case CloseReason::kSuperseded:
      return {RejectReason::kSessionSuperseded, "another session of this worker has replaced this one; register anew"};
    case CloseReason::kExpired:
      return {RejectReason::kSessionExpired, "nothing was heard of this session for session_ttl; register anew"};
    default:
      return {RejectReason::kSessionClosed, "this session is over; register anew"};
  }
}

}  // namespace

SessionLookup FindSession(const ControllerState& state, const std::string& worker_id, const std::string& session_id,
                          std::uint64_t epoch) {
  const Rejection unknown{RejectReason::kSessionUnknown, "this worker never had this session here; register anew"};
  const WorkerRow* worker = state.sessions().Find(worker_id);
  if (worker == nullptr) return unknown;
  if (!worker->open() || worker->opened.session_id.value() != session_id) {
    for (const ClosedSession& closed : worker->closed) {
      if (closed.session_id.value() == session_id) return OverSession(closed.reason);
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

void LapseAll(const ControllerState& state, WorkerKey worker, LapseCause cause, RevokeReason reason,
              std::vector<Event>& events) {
  const HolderRow& holder = state.ownership().holder(worker);
  OwnershipLapsing lapsing{worker, holder.worker_id, holder.epoch, cause, reason, {}, {}};
  for (const AddressKey address : holder.owned) {
    const HoldRow& hold = state.ownership().hold(address);
    if (hold.state != OwnershipState::kGranted || hold.epoch != holder.epoch) continue;
    lapsing.addresses.push_back(address);
    lapsing.owned_until.push_back(state.ownership().OwnedUntil(address));
  }
  if (!lapsing.addresses.empty()) events.emplace_back(std::move(lapsing));
}

void EndSession(const ControllerState& state, const WorkerRow& worker, CloseReason reason, RejectReason stream_reason,
                std::vector<Event>& events) {
  const WorkerKey key = worker.opened.worker;
  if (worker.stream.value() != 0) events.emplace_back(SessionDetached{key, worker.stream, stream_reason});
  events.emplace_back(SessionClosed{key, worker.opened.session_id, reason});
  LapseAll(state, key, LapseCause::kSessionOver, RevokeReason::kUnspecified, events);
}

controlplane::v1::SessionState WireState(SessionState state) {
  return static_cast<controlplane::v1::SessionState>(state);
}

}  // namespace holdfast
