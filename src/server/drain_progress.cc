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

void PutLeft(const ControllerState& state, const WorkerRow& worker, DrainProgress* out) {
  const WorkerKey key = worker.opened.worker;
  PutSessionStatus(state, key, out->mutable_session());
  out->set_proxies_left(ProxiesLeft(state, key));
  const RuntimeRow& runtime = state.runtime().At(key);
  out->set_requests_left(runtime.inflight);
  PutHoldingUp(state, runtime, out);
}

// The tasks that were issued first hold it up the longest.
void PutLeft(const ControllerState& state, const CheckerRow& checker, DrainProgress* out) {
  PutSessionStatus(state, checker.opened.checker, out->mutable_session());
  out->set_requests_left(checker.tasks.size());
  for (const TaskId task : checker.tasks) {
    if (static_cast<std::size_t>(out->holding_up_size()) == kMostHoldingUp) break;
    const ProxyRow* proxy = state.pool().proxies().Find(state.checks().FindTask(task)->key.proxy);
    if (proxy != nullptr) out->add_holding_up(proxy->spec->proxy_id.value());
  }
}

void PutClosed(const DrainSubject& subject, CloseReason reason, DrainProgress* out) {
  admin::v1::SessionStatus* session = out->mutable_session();
  session->set_kind(subject.kind);
  session->set_member_id(subject.member_id);
  session->set_session_id(subject.session_id);
  session->set_state(controlplane::v1::SESSION_STATE_CLOSED);
  session->set_close_reason(static_cast<admin::v1::CloseReason>(reason));
  out->set_done(true);
}

// row: WorkerRow, CheckerRow; nullptr: never seen.
template <class Row>
std::optional<Rejection> Put(const ControllerState& state, const Row* row, const char* kind, DrainSubject& subject,
                             DrainProgress* out) {
  const std::string member = std::string(kind) + " " + subject.member_id;
  if (row == nullptr) return NotFound(member + " was never seen", "member_id");
  const std::string& latest = row->opened.session_id.value();
  if (subject.session_id.empty()) subject.session_id = latest;
  if (subject.session_id == latest) {
    PutLeft(state, *row, out);
    out->set_done(!row->open());
    return std::nullopt;
  }
  for (const auto& closed : row->closed) {
    if (closed.session_id.value() != subject.session_id) continue;
    PutClosed(subject, closed.reason, out);
    return std::nullopt;
  }
  return NotFound(member + " has no session " + subject.session_id + " that is remembered; its latest is " + latest,
                  "session_id");
}

}  // namespace

std::optional<Rejection> PutDrainProgress(const ControllerState& state, DrainSubject& subject, DrainProgress* out) {
  if (subject.kind == controlplane::v1::SESSION_KIND_CHECKER) {
    return Put(state, state.checkers().Find(subject.member_id), "checker", subject, out);
  }
  return Put(state, state.sessions().Find(subject.member_id), "worker", subject, out);
}

}  // namespace holdfast::server
