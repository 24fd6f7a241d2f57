#include "tools/cli/proxy_text.h"

#include "tools/cli/enum_word.h"
#include "tools/cli/label_text.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {
namespace {

using admin::v1::HealthStatus;
using admin::v1::ProxySpec;
using admin::v1::ProxyStatus;

template <class Enum>
Json WordJson(Enum value) {
  return static_cast<int>(value) == 0 ? Json(nullptr) : Json(EnumWord(value));
}

Json HealthJson(const HealthStatus& health) {
  Json json;
  json["level"] = EnumWord(health.level());
  json["routing_id"] = TextJson(health.routing_id());
  json["state"] = EnumWord(health.state());
  json["consecutive_passes"] = health.consecutive_passes();
  json["consecutive_failures"] = health.consecutive_failures();
  json["last_observed_at"] = TimeJson(health.has_last_observed_at(), health.last_observed_at());
  json["last_latency_ms"] = health.has_last_latency() ? Json(ToMicros(health.last_latency()) / 1000) : Json(nullptr);
  json["egress_ip"] = TextJson(health.egress_ip());
  json["anonymity"] = WordJson(health.anonymity());
  json["last_phase"] = WordJson(health.last_phase());
  json["last_error"] = WordJson(health.last_error());
  json["next_due_at"] = TimeJson(health.has_next_due_at(), health.next_due_at());
  json["checker_id"] = TextJson(health.checker_id());
  return json;
}

}  // namespace

std::vector<std::string> ProxyColumns() {
  return {"PROXY", "POOL", "OWNERSHIP", "OWNER", "#IN USE", "#FREE", "USABLE UNTIL", "OWNED UNTIL", "SOURCE", "LABELS"};
}

std::vector<std::string> ProxyCells(const ProxyStatus& proxy, std::int64_t now_micros) {
  const std::string& owner = proxy.owner_worker_id().empty() ? proxy.extracted_by() : proxy.owner_worker_id();
  return {proxy.spec().proxy_id(),
          EnumWord(proxy.pool_state()),
          EnumWord(proxy.ownership_state()),
          owner,
          CountText(std::uint64_t{proxy.active()} + proxy.reserved()),
          CountText(proxy.available_capacity()) + " of " + CountText(proxy.spec().capacity()),
          proxy.has_usable_until() ? TimeWithAge(ToMicros(proxy.usable_until()), now_micros) : "",
          proxy.has_owned_until() ? TimeWithAge(ToMicros(proxy.owned_until()), now_micros) : "",
          proxy.spec().source(),
          LabelsText(proxy.spec().labels())};
}

Json ProxySpecJson(const ProxySpec& spec) {
  Json json;
  json["proxy_id"] = spec.proxy_id();
  json["scheme"] = EnumWord(spec.endpoint().scheme());
  json["host"] = spec.endpoint().host();
  json["port"] = spec.endpoint().port();
  json["secret_ref"] = TextJson(spec.secret_ref());
  json["capacity"] = spec.capacity() == 0 ? Json(nullptr) : Json(spec.capacity());
  json["expires_at"] = TimeJson(spec.has_expires_at(), spec.expires_at());
  json["zone"] = TextJson(spec.zone());
  json["source"] = TextJson(spec.source());
  json["labels"] = LabelsJson(spec.labels());
  return json;
}

Json ProxyJson(const ProxyStatus& proxy) {
  Json json = ProxySpecJson(proxy.spec());
  json["pool_state"] = EnumWord(proxy.pool_state());
  json["ownership_state"] = EnumWord(proxy.ownership_state());
  json["owner_worker_id"] = TextJson(proxy.owner_worker_id());
  json["ownership_epoch"] = proxy.ownership_epoch();
  json["owned_until"] = TimeJson(proxy.has_owned_until(), proxy.owned_until());
  json["usable_until"] = TimeJson(proxy.has_usable_until(), proxy.usable_until());
  json["active"] = proxy.active();
  json["reserved"] = proxy.reserved();
  json["available_capacity"] = proxy.available_capacity();
  json["health"] = Json::array();
  for (const HealthStatus& health : proxy.health()) json["health"].push_back(HealthJson(health));
  json["extraction_id"] = TextJson(proxy.extraction_id());
  json["extracted_by"] = TextJson(proxy.extracted_by());
  return json;
}

}  // namespace holdfast::cli
