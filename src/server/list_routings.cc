#include "server/list_routings.h"

#include "controller/proto_time.h"

namespace holdfast::server {
namespace {

void PutTarget(const RoutingTarget& target, controlplane::v1::CheckTarget* out) {
  out->set_url(target.url);
  for (const std::uint32_t status : target.expected_status) out->add_expected_status(status);
  out->set_method(target.method);
  if (target.timeout != Duration(0)) PutDuration(target.timeout, out->mutable_timeout());
}

void PutRouting(const RoutingSpec& spec, admin::v1::RoutingSpec* out) {
  controlplane::v1::Routing* routing = out->mutable_routing();
  routing->set_routing_id(spec.routing_id);
  for (const std::string& pattern : spec.host_patterns) routing->add_host_patterns(pattern);
  for (const std::uint32_t port : spec.ports) routing->add_ports(port);
  for (const auto& [key, value] : spec.proxy_labels) (*routing->mutable_proxy_labels())[key] = value;
  for (const std::string& zone : spec.zones) routing->add_zones(zone);
  for (const RoutingTarget& target : spec.targets) PutTarget(target, out->add_targets());
  out->set_min_anonymity(static_cast<controlplane::v1::Anonymity>(spec.min_anonymity));
}

}  // namespace

void PutRoutings(const Routings& routings, admin::v1::ListRoutingsResponse* out) {
  out->set_revision(routings.revision());
  for (const RoutingSpec& spec : *routings.routings()) PutRouting(spec, out->add_routings());
}

}  // namespace holdfast::server
