#include "server/update_message.h"

#include <algorithm>
#include <string>
#include <vector>

#include "controller/proto_time.h"
#include "controller/snapshot_checksum.h"

namespace holdfast::server {
namespace {

using controlplane::v1::ProxyGrant;
using controlplane::v1::Routing;
using controlplane::v1::SnapshotUpdate;
using google::protobuf::RepeatedPtrField;

void Put(const RoutingSpec& spec, Routing* out) {
  out->set_routing_id(spec.routing_id);
  for (const std::string& pattern : spec.host_patterns) out->add_host_patterns(pattern);
  for (const std::uint32_t port : spec.ports) out->add_ports(port);
  for (const auto& [key, value] : spec.proxy_labels) (*out->mutable_proxy_labels())[key] = value;
  for (const std::string& zone : spec.zones) out->add_zones(zone);
}

void Put(const Grant& grant, ProxyGrant* out) {
  const ProxySpec& spec = *grant.spec;
  out->set_proxy_id(spec.proxy_id.value());
  out->mutable_endpoint()->set_scheme(static_cast<controlplane::v1::ProxyScheme>(spec.endpoint.scheme));
  out->mutable_endpoint()->set_host(spec.endpoint.host);
  out->mutable_endpoint()->set_port(spec.endpoint.port);
  out->set_capacity(spec.capacity);
  if (!IsAbsent(grant.expires_at)) PutTime(grant.expires_at, out->mutable_expires_at());
  if (!IsAbsent(grant.usable_until)) PutTime(grant.usable_until, out->mutable_usable_until());
  out->set_secret_ref(spec.secret_ref);
  out->set_state(static_cast<controlplane::v1::GrantState>(grant.state));
  for (const auto& [key, value] : spec.labels) (*out->mutable_labels())[key] = value;
  if (!grant.unhealthy_routings) return;
  for (const std::string& routing : *grant.unhealthy_routings) out->add_unhealthy_routing_ids(routing);
}

void PutRoutings(const PushUpdate& push, RepeatedPtrField<Routing>* out) {
  for (const RoutingSpec* routing : RoutingsSeen(*push.routings, push.zone)) Put(*routing, out->Add());
}

void PutGrants(const PushUpdate& push, RepeatedPtrField<ProxyGrant>* out) {
  std::vector<const Grant*> grants;
  grants.reserve(push.update.upserted.size());
  for (const Boxed<Grant>& grant : push.update.upserted) grants.push_back(&*grant);
  std::sort(grants.begin(), grants.end(),
            [](const Grant* a, const Grant* b) { return a->spec->proxy_id.value() < b->spec->proxy_id.value(); });
  out->Reserve(static_cast<int>(grants.size()));
  for (const Grant* grant : grants) Put(*grant, out->Add());
}

// What full updates and deltas have in common.
template <class Message>
void PutHead(const BuiltUpdate& update, Message* out) {
  out->set_version(update.version.value());
  out->set_ownership_epoch(update.epoch.value());
  PutTime(update.generated_at, out->mutable_generated_at());
  PutTime(update.valid_until, out->mutable_valid_until());
  out->set_checksum(update.checksum.data(), update.checksum.size());
  out->set_partial(update.partial);
}

void PutRemoved(const BuiltUpdate& update, RepeatedPtrField<std::string>* out) {
  for (const Boxed<ProxySpec>& spec : update.removed) *out->Add() = spec->proxy_id.value();
  std::sort(out->begin(), out->end());
}

}  // namespace

void BuildUpdate(const PushUpdate& push, SnapshotUpdate* out) {
  if (push.update.base.value() == 0) {
    controlplane::v1::WorkerSnapshot* full = out->mutable_full();
    PutHead(push.update, full);
    PutRoutings(push, full->mutable_routings());
    PutGrants(push, full->mutable_proxies());
    return;
  }
  controlplane::v1::SnapshotDelta* delta = out->mutable_delta();
  PutHead(push.update, delta);
  delta->set_base_version(push.update.base.value());
  PutGrants(push, delta->mutable_upserted());
  PutRemoved(push.update, delta->mutable_removed_proxy_ids());
  if (push.update.routings_changed) PutRoutings(push, delta->mutable_routings()->mutable_routings());
}

void BuildDrain(const PushDrain& push, SnapshotUpdate* out) {
  controlplane::v1::DrainNotice* notice = out->mutable_drain();
  if (!IsAbsent(push.deadline)) PutTime(push.deadline, notice->mutable_deadline());
  notice->set_reason(static_cast<controlplane::v1::DrainReason>(push.reason));
}

std::size_t RowsOf(const PushUpdate& push) {
  const bool with_routings = push.update.base.value() == 0 || push.update.routings_changed;
  return push.update.upserted.size() + push.update.removed.size() + (with_routings ? push.routings->size() : 0);
}

}  // namespace holdfast::server
