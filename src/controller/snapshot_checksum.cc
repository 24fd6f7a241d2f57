#include "controller/snapshot_checksum.h"

#include <algorithm>

#include "base/canonical_hash.h"
#include "controller/rule_constant.h"

namespace holdfast {
namespace {

constexpr std::string_view kLabel = RuleConstant<std::string_view>("holdfast/snapshot/1", "holdfast/snapshot/0");

// One context a thread: fetching one costs more than hashing a grant.
Sha256& Hasher() {
  thread_local Sha256 hasher;
  return hasher;
}

void Put(CanonicalWriter& out, const std::map<std::string, std::string>& map) {
  out.U64(map.size());
  for (const auto& [key, value] : map) out.String(key).String(value);
}

void Put(CanonicalWriter& out, const std::vector<std::string>& items) {
  out.U64(items.size());
  for (const std::string& item : items) out.String(item);
}

Hash256 HashOfRouting(const RoutingSpec& routing) {
  CanonicalWriter out(Hasher());
  out.String(routing.routing_id);
  Put(out, routing.host_patterns);
  out.U64(routing.ports.size());
  for (const std::uint32_t port : routing.ports) out.U64(port);
  Put(out, routing.proxy_labels);
  Put(out, routing.zones);
  return out.Finish();
}

}  // namespace

Hash256 HashOfGrant(const Grant& grant) {
  const ProxySpec& spec = *grant.spec;
  CanonicalWriter out(Hasher());
  out.String(spec.proxy_id.value());
  out.Presence(true)
      .U64(static_cast<std::uint64_t>(spec.endpoint.scheme))
      .String(spec.endpoint.host)
      .U64(spec.endpoint.port);
  out.U64(spec.capacity).I64(ToMicros(grant.expires_at)).I64(ToMicros(grant.usable_until)).String(spec.secret_ref);
  out.U64(static_cast<std::uint64_t>(grant.state));
  Put(out, spec.labels);
  if (!grant.unhealthy_routings) return out.U64(0).Finish();
  Put(out, *grant.unhealthy_routings);
  return out.Finish();
}

std::vector<const RoutingSpec*> RoutingsSeen(const std::vector<RoutingSpec>& routings, const std::string& zone) {
  std::vector<const RoutingSpec*> seen;
  for (const RoutingSpec& routing : routings) {
    const std::vector<std::string>& zones = routing.zones;
    if (zones.empty() || std::find(zones.begin(), zones.end(), zone) != zones.end()) seen.push_back(&routing);
  }
  return seen;
}

Checksum SnapshotChecksum(Epoch epoch, const std::vector<const RoutingSpec*>& routings, std::size_t proxies,
                          const Checksum& content_sum) {
  std::vector<Hash256> hashes;
  for (const RoutingSpec* routing : routings) hashes.push_back(HashOfRouting(*routing));
  CanonicalWriter out(Hasher());
  out.Bytes(kLabel).U64(epoch.value()).U64(hashes.size());
  for (const Hash256& hash : hashes) out.Hash(hash);
  return out.U64(proxies).Hash(content_sum).Finish();
}

}  // namespace holdfast
