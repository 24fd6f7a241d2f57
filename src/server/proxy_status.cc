#include "server/proxy_status.h"

#include <algorithm>

#include "controller/proto_time.h"
#include "server/health_status.h"

namespace holdfast::server {
namespace {

void PutSpec(const ProxyRow& row, admin::v1::ProxySpec* out) {
  const ProxySpec& spec = *row.spec;
  out->set_proxy_id(spec.proxy_id.value());
  out->mutable_endpoint()->set_scheme(static_cast<controlplane::v1::ProxyScheme>(spec.endpoint.scheme));
  out->mutable_endpoint()->set_host(spec.endpoint.host);
  out->mutable_endpoint()->set_port(spec.endpoint.port);
  out->set_capacity(spec.capacity);
  PutTime(row.expires_at, out->mutable_expires_at());
  out->set_secret_ref(spec.secret_ref);
  for (const auto& [key, value] : spec.labels) (*out->mutable_labels())[key] = value;
  out->set_zone(spec.zone);
  out->set_source(spec.source);
}

// The client that has it; an intent has no client yet.
void PutClient(const ControllerState& state, const HoldRow& hold, admin::v1::ProxyStatus* out) {
  if (hold.state != OwnershipState::kExtracted) return;
  const ExtractionRow& row = state.extractions().At(hold.extraction);
  out->set_extraction_id(row.extraction_id.value());
  out->set_extracted_by(row.client_id.value());
  PutTime(row.ends_at, out->mutable_owned_until());
}

template <class Values, class Value>
bool IsAmong(const Values& values, Value value) {
  return values.empty() || std::find(values.begin(), values.end(), static_cast<int>(value)) != values.end();
}

}  // namespace

void PutProxyStatus(const ControllerState& state, ProxyKey proxy, LogTime now, admin::v1::ProxyStatus* out) {
  const ProxyRow& row = state.pool().proxy(proxy);
  const HoldRow& hold = state.ownership().hold(row.address);
  PutSpec(row, out->mutable_spec());
  out->set_pool_state(static_cast<admin::v1::PoolState>(row.state));
  out->set_ownership_state(static_cast<admin::v1::OwnershipState>(hold.state));
  PutTime(row.usable_until, out->mutable_usable_until());
  for (const CheckKey& key : KeysOf(state, proxy)) PutHealthStatus(state, key, out->add_health());
  PutClient(state, hold, out);
  if (hold.owner.value() == 0) return;
  out->set_owner_worker_id(state.ownership().holder(hold.owner).worker_id.value());
  out->set_ownership_epoch(hold.epoch.value());
  PutTime(state.ownership().OwnedUntil(row.address), out->mutable_owned_until());
  const ProxyUse use = UseOf(state, proxy, now);
  out->set_active(use.active);
  out->set_reserved(use.reserved);
  out->set_available_capacity(use.available);
}

bool IsAskedFor(const ControllerState& state, ProxyKey proxy, const admin::v1::ListProxiesRequest& request) {
  const ProxyRow& row = state.pool().proxy(proxy);
  if (!IsAmong(request.states(), row.state)) return false;
  if (!request.source().empty() && row.spec->source != request.source()) return false;
  for (const auto& [key, value] : request.labels()) {
    const auto label = row.spec->labels.find(key);
    if (label == row.spec->labels.end() || label->second != value) return false;
  }
  const HoldRow& hold = state.ownership().hold(row.address);
  if (!IsAmong(request.ownership_states(), hold.state)) return false;
  if (request.owner_worker_id().empty()) return true;
  return hold.owner.value() != 0 && state.ownership().holder(hold.owner).worker_id.value() == request.owner_worker_id();
}

}  // namespace holdfast::server
