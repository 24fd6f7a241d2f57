#include "tools/import/item_json.h"

#include <string>

#include "tools/import/expiry.h"

namespace holdfast::importer {

nlohmann::json ItemToJson(const Item& item) {
  nlohmann::json json;
  json["line"] = item.position.line;
  json["proxy_id"] = CanonicalUrl(item.endpoint, item.secret_ref);
  json["scheme"] = std::string(SchemeName(item.endpoint.scheme));
  json["host"] = item.endpoint.host;
  json["port"] = item.endpoint.port;
  if (!item.secret_ref.empty()) json["secret_ref"] = item.secret_ref;
  if (!item.labels.empty()) json["labels"] = item.labels;
  if (!item.zone.empty()) json["zone"] = item.zone;
  if (!item.source.empty()) json["source"] = item.source;
  if (item.capacity != 0) json["capacity"] = item.capacity;
  if (!IsAbsent(item.expires_at)) json["expires_at"] = FormatExpiry(item.expires_at);
  return json;
}

nlohmann::json RejectionToJson(const Rejection& rejection) {
  nlohmann::json json;
  json["file"] = rejection.file;
  json["line"] = rejection.position.line;
  json["record"] = rejection.position.record;
  json["reason"] = std::string(ReasonName(rejection.reason));
  json["detail"] = std::string(ReasonAdvice(rejection.reason));
  if (!rejection.proxy_id.empty()) json["proxy_id"] = rejection.proxy_id;
  return json;
}

}  // namespace holdfast::importer
