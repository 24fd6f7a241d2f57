#include "tools/cli/proxy_text.h"

#include "tools/cli/enum_word.h"
#include "tools/cli/health_text.h"
#include "tools/cli/label_text.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {

using admin::v1::HealthStatus;
using admin::v1::ProxySpec;
using admin::v1::ProxyStatus;

namespace {

// A client is named with its extraction, which is what gives the proxy back.
std::string OwnerText(const ProxyStatus& proxy) {
  if (!proxy.owner_worker_id().empty() || proxy.extracted_by().empty()) return proxy.owner_worker_id();
  return "client " + proxy.extracted_by() + " (" + proxy.extraction_id() + ")";
}

}  // namespace

std::vector<std::string> ProxyColumns() {
  return {"PROXY", "POOL", "OWNERSHIP", "OWNER", "#IN USE", "#FREE", "USABLE UNTIL", "OWNED UNTIL", "SOURCE", "LABELS"};
}

std::vector<std::string> ProxyCells(const ProxyStatus& proxy, std::int64_t now_micros) {
  return {proxy.spec().proxy_id(),
          EnumWord(proxy.pool_state()),
          EnumWord(proxy.ownership_state()),
          OwnerText(proxy),
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
