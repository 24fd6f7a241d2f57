#include "server/health_status.h"

#include "controller/proto_time.h"

namespace holdfast::server {
namespace {

void PutLatest(const KeyHealth& key, admin::v1::HealthStatus* out) {
  out->set_consecutive_passes(key.passes);
  out->set_consecutive_failures(key.failures);
  if (IsAbsent(key.observed_at)) return;
  PutTime(key.observed_at, out->mutable_last_observed_at());
  PutDuration(key.latency, out->mutable_last_latency());
  out->set_last_phase(static_cast<controlplane::v1::OutcomePhase>(key.phase));
  out->set_last_error(static_cast<controlplane::v1::OutcomeError>(key.error));
}

void PutNext(const ControllerState& state, const CheckRow& check, admin::v1::HealthStatus* out) {
  if (!IsAbsent(check.due_at)) PutTime(check.due_at, out->mutable_next_due_at());
  const CheckTaskRow* task = state.checks().FindTask(check.task);
  if (task != nullptr) out->set_checker_id(state.checkers().At(task->checker).opened.checker_id.value());
}

}  // namespace

std::vector<CheckKey> KeysOf(const ControllerState& state, ProxyKey proxy) {
  const ProxyChecks& checks = state.checks().proxy(proxy);
  std::vector<CheckKey> keys = {{proxy, CheckLevel::kBasic, RoutingKey()}};
  if (checks.egress_planned) keys.push_back({proxy, CheckLevel::kEgress, RoutingKey()});
  if (checks.targets.empty()) return keys;
  for (const RoutingKey routing : state.routings().keys()) {
    if (checks.Find(CheckLevel::kTarget, routing) != nullptr) keys.push_back({proxy, CheckLevel::kTarget, routing});
  }
  return keys;
}

HealthState StateOf(const ControllerState& state, const CheckKey& key) {
  const KeyHealth* known = state.health().proxy(key.proxy).Find(key.level, key.routing);
  return known == nullptr ? HealthState::kUnknown : known->state;
}

void PutHealthStatus(const ControllerState& state, const CheckKey& key, admin::v1::HealthStatus* out) {
  const ProxyHealth& health = state.health().proxy(key.proxy);
  out->set_level(static_cast<controlplane::v1::CheckLevel>(key.level));
  if (const RoutingSpec* routing = state.routings().Find(key.routing)) out->set_routing_id(routing->routing_id);
  out->set_state(static_cast<admin::v1::HealthState>(StateOf(state, key)));
  if (const KeyHealth* known = health.Find(key.level, key.routing)) PutLatest(*known, out);
  if (key.level == CheckLevel::kEgress) {
    out->set_egress_ip(health.egress_ip);
    out->set_anonymity(static_cast<controlplane::v1::Anonymity>(health.anonymity));
  }
  if (const CheckRow* check = state.checks().proxy(key.proxy).Find(key.level, key.routing)) PutNext(state, *check, out);
}

}  // namespace holdfast::server
