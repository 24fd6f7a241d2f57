#include "tools/judge/content.h"

namespace holdfast::judge {

namespace wire = controlplane::v1;

namespace {

void Put(Content& content, const wire::ProxyGrant& grant) {
  content.proxies[grant.proxy_id()] = std::make_shared<const ListedProxy>(ListedProxy{grant, ProxyDigest(grant)});
}

template <class Routings>
void SetRoutings(Content& content, const Routings& routings) {
  content.routings.clear();
  for (const wire::Routing& routing : routings) content.routings.push_back(RoutingDigest(routing));
}

// Always summed from the beginning: no subtraction that could hide a mistake.
void Sum(Content& content) {
  content.proxy_sum = Number256{};
  for (const auto& [proxy_id, proxy] : content.proxies) content.proxy_sum = Plus(content.proxy_sum, proxy->digest);
}

}  // namespace

ContentPointer ContentOf(const wire::WorkerSnapshot& full) {
  auto content = std::make_shared<Content>();
  for (const wire::ProxyGrant& grant : full.proxies()) Put(*content, grant);
  SetRoutings(*content, full.routings());
  Sum(*content);
  return content;
}

ContentPointer ContentAfter(const ContentPointer& base, const wire::SnapshotDelta& delta) {
  if (delta.upserted_size() == 0 && delta.removed_proxy_ids_size() == 0 && !delta.has_routings()) return base;
  auto content = std::make_shared<Content>(*base);
  for (const wire::ProxyGrant& grant : delta.upserted()) Put(*content, grant);
  for (const std::string& proxy_id : delta.removed_proxy_ids()) content->proxies.erase(proxy_id);
  if (delta.has_routings()) SetRoutings(*content, delta.routings().routings());
  Sum(*content);
  return content;
}

std::string AddressOf(const wire::Endpoint& endpoint, const std::string& secret_ref) {
  const std::string reference = secret_ref.empty() ? "" : secret_ref + "@";
  return reference + "[" + endpoint.host() + "]:" + std::to_string(endpoint.port());
}

std::string AddressOf(const wire::ProxyGrant& grant) { return AddressOf(grant.endpoint(), grant.secret_ref()); }

}  // namespace holdfast::judge
