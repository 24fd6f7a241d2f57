#include "replay/snapshot_message.h"

#include <algorithm>
#include <vector>

#include "base/sum256.h"
#include "controller/proto_time.h"
#include "controller/snapshot_checksum.h"

namespace holdfast::replay {
namespace {

using controlplane::v1::ProxyGrant;
using controlplane::v1::WorkerSnapshot;

std::string Bytes(const Checksum& checksum) {
  return std::string(reinterpret_cast<const char*>(checksum.data()), checksum.size());
}

void PutRouting(const RoutingSpec& routing, controlplane::v1::Routing& out) {
  out.set_routing_id(routing.routing_id);
  for (const std::string& pattern : routing.host_patterns) out.add_host_patterns(pattern);
  for (const std::uint32_t port : routing.ports) out.add_ports(port);
  for (const auto& [key, value] : routing.proxy_labels) (*out.mutable_proxy_labels())[key] = value;
  for (const std::string& zone : routing.zones) out.add_zones(zone);
}

void PutGrant(const Grant& grant, ProxyGrant& out) {
  const ProxySpec& spec = *grant.spec;
  out.set_proxy_id(spec.proxy_id.value());
  out.mutable_endpoint()->set_scheme(static_cast<controlplane::v1::ProxyScheme>(spec.endpoint.scheme));
  out.mutable_endpoint()->set_host(spec.endpoint.host);
  out.mutable_endpoint()->set_port(spec.endpoint.port);
  out.set_capacity(spec.capacity);
  PutTime(grant.expires_at, out.mutable_expires_at());
  PutTime(grant.usable_until, out.mutable_usable_until());
  out.set_secret_ref(spec.secret_ref);
  out.set_state(static_cast<controlplane::v1::GrantState>(grant.state));
  for (const auto& [key, value] : spec.labels) (*out.mutable_labels())[key] = value;
  if (!grant.unhealthy_routings) return;
  for (const std::string& routing : *grant.unhealthy_routings) out.add_unhealthy_routing_ids(routing);
}

}  // namespace

WorkerSnapshot SnapshotMessage(const ControllerState& state, WorkerKey worker) {
  const WorkerSnapshots& row = state.snapshots().At(worker);
  WorkerSnapshot out;
  out.set_version(row.last_version.value());
  out.set_ownership_epoch(row.epoch.value());
  PutTime(row.issued_at, out.mutable_generated_at());
  PutTime(row.issued.back().valid_until, out.mutable_valid_until());
  const std::string& zone = state.sessions().At(worker).opened.zone;
  for (const RoutingSpec* routing : RoutingsSeen(*state.routings().routings(), zone)) {
    PutRouting(*routing, *out.add_routings());
  }
  std::vector<const Grant*> grants;
  for (const auto& [proxy, grant] : row.content) grants.push_back(&*grant);
  std::sort(grants.begin(), grants.end(),
            [](const Grant* a, const Grant* b) { return a->spec->proxy_id < b->spec->proxy_id; });
  for (const Grant* grant : grants) PutGrant(*grant, *out.add_proxies());
  out.set_checksum(Bytes(row.checksum));
  out.set_partial(row.outstanding_partial);
  return out;
}

Checksum ChecksumOfContent(const ControllerState& state, WorkerKey worker) {
  const WorkerSnapshots& row = state.snapshots().At(worker);
  Sum256 sum;
  for (const auto& [proxy, grant] : row.content) sum.Add(HashOfGrant(*grant));
  const std::string& zone = state.sessions().At(worker).opened.zone;
  return SnapshotChecksum(row.epoch, RoutingsSeen(*state.routings().routings(), zone), row.content.size(), sum.Bytes());
}

}  // namespace holdfast::replay
