#include "server/session_status.h"

#include "controller/proto_time.h"
#include "controller/session_rules.h"

namespace holdfast::server {
namespace {

using admin::v1::SessionStatus;

void PutTimeIfThere(LogTime time, google::protobuf::Timestamp* (SessionStatus::*field)(), SessionStatus* out) {
  if (!IsAbsent(time)) PutTime(time, (out->*field)());
}

// Proxies on all addresses that it holds; granted ones are counted already, lapsing ones have to be looked at.
std::uint64_t OwnedProxies(const ControllerState& state, const HolderRow& holder, std::size_t& looked_at) {
  if (holder.owned.size() == holder.granted_addresses) return holder.granted_proxies;
  std::uint64_t proxies = 0;
  for (const AddressKey address : holder.owned) proxies += state.ownership().hold(address).proxies.size();
  looked_at += holder.owned.size();
  return proxies;
}

// Both rows name alike what every member has.
template <class Row>
void PutIdentity(const Row& row, SessionStatus* out) {
  out->set_instance_id(row.opened.instance_id.value());
  out->set_session_id(row.opened.session_id.value());
  out->set_zone(row.opened.zone);
  out->set_reconnect_attempt(row.opened.reconnect_attempt);
  out->set_peer(row.opened.principal);
  out->set_software_version(row.opened.software_version);
}

template <class Row>
void PutLife(const Row& row, SessionStatus* out) {
  out->set_state(WireState(row.state));
  out->set_draining(row.state == SessionState::kDraining);
  PutTimeIfThere(row.opened_at, &SessionStatus::mutable_opened_at, out);
  PutTimeIfThere(row.heard_at, &SessionStatus::mutable_last_heartbeat_at, out);
  PutTimeIfThere(row.expires_at, &SessionStatus::mutable_expires_at, out);
  PutTimeIfThere(row.drain_started_at, &SessionStatus::mutable_drain_started_at, out);
  PutTimeIfThere(row.drain_deadline, &SessionStatus::mutable_drain_deadline_at, out);
  out->set_drain_reason(static_cast<controlplane::v1::DrainReason>(row.drain_reason));
  out->set_close_reason(static_cast<admin::v1::CloseReason>(row.close_reason));
  out->set_attached(row.stream.value() != 0);
}

}  // namespace

admin::v1::SnapshotSync SyncOf(const ControllerState& state, WorkerKey worker) {
  const WorkerSnapshots& row = state.snapshots().At(worker);
  if (!row.open) return admin::v1::SNAPSHOT_SYNC_UNSPECIFIED;
  if (row.outstanding.value() != 0) return admin::v1::SNAPSHOT_SYNC_PENDING;
  if (row.fenced) return admin::v1::SNAPSHOT_SYNC_REJECTED;
  if (!row.accepted) return admin::v1::SNAPSHOT_SYNC_NOT_SENT;
  const bool waits = !row.dirty_listed.empty() || !row.dirty_new.empty() || !row.deferred.empty();
  const bool routings_newer = row.accepted->routings_revision != state.routings().revision();
  return waits || routings_newer || !row.changes.empty() ? admin::v1::SNAPSHOT_SYNC_STALE
                                                         : admin::v1::SNAPSHOT_SYNC_SYNCED;
}

std::size_t PutSessionStatus(const ControllerState& state, WorkerKey key, SessionStatus* out) {
  std::size_t looked_at = 1;
  const WorkerRow& worker = state.sessions().At(key);
  out->set_kind(controlplane::v1::SESSION_KIND_WORKER);
  out->set_member_id(worker.opened.worker_id.value());
  out->set_ownership_epoch(worker.opened.epoch.value());
  PutIdentity(worker, out);
  PutLife(worker, out);
  out->set_eligible(!state.ownership().is_cordoned(worker.opened.worker_id.value()));
  const RuntimeRow& runtime = state.runtime().At(key);
  out->set_inflight_count(runtime.inflight);
  out->set_queued_request_count(runtime.queued);
  const WorkerSnapshots& snapshots = state.snapshots().At(key);
  if (snapshots.accepted) out->set_accepted_version(snapshots.accepted->version.value());
  if (snapshots.last_version >= snapshots.first_version) out->set_issued_version(snapshots.last_version.value());
  out->set_runtime_fenced(snapshots.fenced);
  out->set_sync(SyncOf(state, key));
  out->set_owned_proxies(OwnedProxies(state, state.ownership().holder(key), looked_at));
  out->set_outcomes_dropped(state.outcomes().At(key).dropped_total);
  return looked_at;
}

std::size_t PutSessionStatus(const ControllerState& state, CheckerKey key, SessionStatus* out) {
  const CheckerRow& checker = state.checkers().At(key);
  out->set_kind(controlplane::v1::SESSION_KIND_CHECKER);
  out->set_member_id(checker.opened.checker_id.value());
  PutIdentity(checker, out);
  PutLife(checker, out);
  out->set_eligible(checker.eligible);
  out->set_inflight_count(checker.tasks.size());
  if (checker.open()) out->set_queued_request_count(checker.queued);
  return 1;
}

void PutSessionStatus(const ControllerState& state, controlplane::v1::SessionKind kind, const std::string& member_id,
                      SessionStatus* out) {
  if (kind == controlplane::v1::SESSION_KIND_CHECKER) {
    const CheckerRow* checker = state.checkers().Find(member_id);
    if (checker != nullptr) PutSessionStatus(state, checker->opened.checker, out);
  } else if (const WorkerRow* worker = state.sessions().Find(member_id)) {
    PutSessionStatus(state, worker->opened.worker, out);
  }
}

}  // namespace holdfast::server
