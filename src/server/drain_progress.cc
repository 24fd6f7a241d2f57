#include "server/drain_progress.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "server/session_status.h"

namespace holdfast::server {
namespace {

using admin::v1::DrainProgress;

Rejection NotFound(std::string message, const char* field) {
  return {RejectReason::kNotFound, std::move(message), field};
}

// What it has and is not yet only waiting for its time to be over.
std::uint64_t ProxiesLeft(const ControllerState& state, WorkerKey worker) {
  std::uint64_t proxies = 0;
  for (const AddressKey address : state.ownership().holder(worker).owned) {
    const HoldRow& hold = state.ownership().hold(address);
    const bool has = hold.state == OwnershipState::kGranted || hold.state == OwnershipState::kRevoking;
    if (has) proxies += hold.proxies.size();
  }
  return proxies;
}

// The busiest first; among equals the one that is known for longer.
void PutHoldingUp(const ControllerState& state, const RuntimeRow& runtime, DrainProgress* out) {
  using Busy = std::pair<std::uint64_t, ProxyKey>;
  std::vector<Busy> busiest;
  for (const auto& [proxy, counters] : runtime.counters) {
    busiest.emplace_back(std::uint64_t{counters.active} + counters.reserved, proxy);
  }
  const auto end = busiest.begin() + static_cast<std::ptrdiff_t>(std::min(busiest.size(), kMostHoldingUp));
  std::partial_sort(busiest.begin(), end, busiest.end(), [](const Busy& left, const Busy& right) {
    return left.first != right.first ? left.first > right.first : left.second < right.second;
  });
  for (auto busy = busiest.begin(); busy != end; ++busy) {
    const ProxyRow* proxy = state.pool().proxies().Find(busy->second);
    if (proxy != nullptr) out->add_holding_up(proxy->spec->proxy_id.value());
  }
}

void PutClosed(const WorkerRow& worker, const ClosedSession& closed, DrainProgress* out) {
  admin::v1::SessionStatus* session = out->mutable_session();
  session->set_kind(controlplane::v1::SESSION_KIND_WORKER);
  session->set_member_id(worker.opened.worker_id.value());
  session->set_session_id(closed.session_id.value());
  session->set_state(controlplane::v1::SESSION_STATE_CLOSED);
  session->set_close_reason(static_cast<admin::v1::CloseReason>(closed.reason));
  out->set_done(true);
}

}  // namespace

std::optional<Rejection> PutDrainProgress(const ControllerState& state, const std::string& worker_id,
                                          std::string& session_id, DrainProgress* out) {
  const WorkerRow* worker = state.sessions().Find(worker_id);
  if (worker == nullptr) return NotFound("worker " + worker_id + " was never seen", "member_id");
  const std::string& latest = worker->opened.session_id.value();
  if (session_id.empty()) session_id = latest;
  if (session_id != latest) {
    const auto closed = std::find_if(worker->closed.begin(), worker->closed.end(), [&](const ClosedSession& session) {
      return session.session_id.value() == session_id;
    });
    if (closed == worker->closed.end()) {
      return NotFound(
          "worker " + worker_id + " has no session " + session_id + " that is remembered; its latest is " + latest,
          "session_id");
    }
    PutClosed(*worker, *closed, out);
    return std::nullopt;
  }
  const WorkerKey key = worker->opened.worker;
  PutSessionStatus(state, key, out->mutable_session());
  out->set_proxies_left(ProxiesLeft(state, key));
  const RuntimeRow& runtime = state.runtime().At(key);
  out->set_requests_left(runtime.inflight);
  PutHoldingUp(state, runtime, out);
  out->set_done(!worker->open());
  return std::nullopt;
}

}  // namespace holdfast::server
