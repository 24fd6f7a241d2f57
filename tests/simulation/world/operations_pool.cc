// What operators do to the pool: import, update, rename, expire, remove, replace a list, apply routings.

#include <memory>
#include <string>
#include <utility>

#include "controller/proto_time.h"
#include "tests/simulation/world/operation.h"

namespace holdfast::simulation {
namespace {

using admin::v1::ProxySpec;
using log::v1::Input;

constexpr std::uint64_t kHosts = 14;
constexpr std::uint64_t kNames = 5;

std::string HostName(std::uint64_t number) { return "198.18.0." + std::to_string(number + 1); }

ProxySpec AnyItem(Scene& scene) {
  Prng& random = scene.world.random;
  ProxySpec item;
  item.mutable_endpoint()->set_scheme(random.Chance(1, 4) ? controlplane::v1::PROXY_SCHEME_SOCKS5
                                                          : controlplane::v1::PROXY_SCHEME_HTTP);
  item.mutable_endpoint()->set_host(HostName(random.Below(kHosts)));
  item.mutable_endpoint()->set_port(random.Chance(1, 5) ? 1080 : 8080);
  if (random.Chance(1, 5)) item.set_secret_ref("account-" + std::to_string(random.Below(2)));
  if (random.Chance(1, 6)) item.set_proxy_id("p" + std::to_string(random.Below(kNames)));
  if (random.Chance(1, 4)) {
    PutTime(scene.controller.Now() + std::chrono::milliseconds(random.Between(2'000, 120'000)),
            item.mutable_expires_at());
  }
  if (random.Chance(1, 4)) (*item.mutable_labels())["country"] = random.Chance(1, 2) ? "NO" : "SE";
  if (random.Chance(1, 12)) (*item.mutable_labels())["note"] = std::string(200, 'x');
  if (random.Chance(1, 3)) item.set_capacity(static_cast<std::uint32_t>(random.Between(1, 4)));
  item.set_source(random.Chance(1, 2) ? "a" : "b");
  return item;
}

Input ImportOf(Scene& scene, std::int64_t items) {
  Input input;
  auto& request = *input.mutable_import_proxies()->mutable_request();
  for (std::int64_t i = 0; i < items; ++i) *request.add_proxies() = AnyItem(scene);
  return input;
}

void Import(Scene& scene) { scene.Send(ImportOf(scene, scene.world.Between(1, 10)), kOperator); }

// One stream of two batches; the second belongs to the import that the answer to the first names.
void ImportInBatches(Scene& scene) {
  const Input first = ImportOf(scene, 6);
  scene.Send(first, kOperator, [&scene](const CallAnswer& answer) {
    if (!answer.end.ok()) return;
    Input second = ImportOf(scene, 6);
    second.mutable_import_proxies()->set_import(
        std::get<admin::v1::ImportProxiesResponse>(answer.reply).log_sequence());
    second.mutable_import_proxies()->set_first_index(6);
    scene.Send(second, kOperator);
  });
}

void ExpireSoon(Scene& scene) {
  Input input = ImportOf(scene, scene.world.Between(1, 5));
  for (ProxySpec& item : *input.mutable_import_proxies()->mutable_request()->mutable_proxies()) {
    PutTime(scene.controller.Now() + scene.controller.settings().allocation_safety_margin +
                std::chrono::milliseconds(scene.world.Between(500, 8'000)),
            item.mutable_expires_at());
  }
  scene.Send(input, kOperator);
}

// A name moves to another endpoint.
void ChangeEndpoint(Scene& scene) {
  Input input;
  ProxySpec item = AnyItem(scene);
  item.set_proxy_id("p" + std::to_string(scene.world.random.Below(kNames)));
  *input.mutable_import_proxies()->mutable_request()->add_proxies() = item;
  scene.Send(input, kOperator);
}

void RemoveUnnamed(Scene& scene, const std::string& source, std::uint64_t import) {
  constexpr std::uint32_t kLimit = 4;
  Input input;
  input.mutable_remove_unnamed()->set_source(source);
  input.mutable_remove_unnamed()->set_import(import);
  input.mutable_remove_unnamed()->set_limit(kLimit);
  scene.Send(input, kOperator, [&scene, source, import](const CallAnswer& answer) {
    if (!answer.end.ok()) return;
    const std::uint64_t removed = std::get<admin::v1::ImportProxiesResponse>(answer.reply).removed();
    if (removed == kLimit) RemoveUnnamed(scene, source, import);
  });
}

void ReplaceList(Scene& scene) {
  Input input = ImportOf(scene, scene.world.Between(4, 14));
  const std::string source = scene.world.random.Chance(1, 2) ? "a" : "b";
  for (ProxySpec& item : *input.mutable_import_proxies()->mutable_request()->mutable_proxies()) item.set_source(source);
  scene.Send(input, kOperator, [&scene, source](const CallAnswer& answer) {
    if (!answer.end.ok()) return;
    RemoveUnnamed(scene, source, std::get<admin::v1::ImportProxiesResponse>(answer.reply).log_sequence());
  });
}

void Remove(Scene& scene) {
  Input input;
  std::vector<std::string> known;
  for (const auto& [key, proxy] : scene.world.checkers.model().proxies()) known.push_back(proxy.proxy_id);
  for (int i = 0; i < 3 && !known.empty(); ++i) {
    input.mutable_remove_proxies()->add_proxy_ids(known[scene.world.random.Below(known.size())]);
  }
  input.mutable_remove_proxies()->add_proxy_ids("p" + std::to_string(scene.world.random.Below(kNames)));
  scene.Send(input, kOperator);
}

admin::v1::RoutingSpec AnyRouting(Scene& scene, const std::string& routing_id) {
  Prng& random = scene.world.random;
  admin::v1::RoutingSpec spec;
  controlplane::v1::Routing& routing = *spec.mutable_routing();
  routing.set_routing_id(routing_id);
  routing.add_host_patterns(random.Chance(1, 2) ? "*" : "*.example.com");
  if (random.Chance(1, 3)) routing.add_zones("z1");
  if (random.Chance(1, 4)) (*routing.mutable_proxy_labels())["country"] = random.Chance(1, 2) ? "NO" : "SE";
  const std::uint64_t targets = random.Below(3);
  for (std::uint64_t i = 0; i < targets; ++i) {
    controlplane::v1::CheckTarget& target = *spec.add_targets();
    target.set_url("http://198.51.100." + std::to_string(i + 1) + "/");
    if (random.Chance(1, 3))
      PutDuration(std::chrono::milliseconds(random.Between(500, 5'000)), target.mutable_timeout());
  }
  if (random.Chance(1, 3)) spec.set_min_anonymity(static_cast<controlplane::v1::Anonymity>(random.Between(1, 3)));
  return spec;
}

void ApplyRoutings(Scene& scene) {
  Input input;
  auto& request = *input.mutable_apply_routings();
  const std::uint64_t count = scene.world.random.Below(kRoutingIds + 1);
  for (std::uint64_t i = 0; i < count; ++i) *request.add_routings() = AnyRouting(scene, RoutingId(i));
  if (scene.world.random.Chance(1, 4)) request.set_expected_revision(scene.world.random.Below(6));
  scene.Send(input, kOperator);
}

}  // namespace

std::vector<Operation> PoolOperations() {
  return {{"import", 30, Import},
          {"import in batches", 8, ImportInBatches},
          {"import what expires soon", 8, ExpireSoon},
          {"change an endpoint", 8, ChangeEndpoint},
          {"replace a list", 6, ReplaceList},
          {"remove", 12, Remove},
          {"apply routings", 8, ApplyRoutings}};
}

}  // namespace holdfast::simulation
