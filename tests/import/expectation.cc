#include "tests/import/expectation.h"

#include "tools/import/expiry.h"

namespace holdfast::importer {
namespace {

using nlohmann::json;

constexpr std::uint32_t kDefaultCapacity = 1;

bool IsAllowed(const json& wanted, const json& outcome) {
  if (wanted.at("action") != outcome.at("action")) return false;
  if (outcome["action"] == "reject") return wanted.at("reason") == outcome["reason"];
  if (outcome["action"] == "accept") return IsProxy(outcome["normalised"], wanted.at("normalised"));
  if (wanted.contains("duplicate_of_line")) return wanted["duplicate_of_line"] == outcome["duplicate_of_line"];
  return true;
}

}  // namespace

json NormalisedOf(const Item& item, const SecretStore& secrets) {
  json normalised;
  normalised["scheme"] = std::string(SchemeName(item.endpoint.scheme));
  normalised["host"] = item.endpoint.host;
  normalised["port"] = item.endpoint.port;
  normalised["username"] = nullptr;
  normalised["password"] = nullptr;
  if (!item.secret_ref.empty()) {
    const Credential& credential = secrets.credentials().at(item.secret_ref);
    normalised["username"] = credential.username;
    if (credential.password) normalised["password"] = *credential.password;
  }
  normalised["remote_dns"] = ResolvesNamesRemotely(item.endpoint.scheme);
  normalised["capacity"] = item.capacity == 0 ? kDefaultCapacity : item.capacity;
  if (!IsAbsent(item.expires_at)) normalised["expires_at"] = FormatExpiry(item.expires_at);
  return normalised;
}

bool IsProxy(const json& normalised, const json& wanted) {
  for (const auto& [key, value] : wanted.items()) {
    if (!normalised.contains(key) || normalised[key] != value) return false;
  }
  return wanted.contains("expires_at") || !normalised.contains("expires_at");
}

std::string WhyAllowed(const json& expectation, const json& outcome) {
  if (IsAllowed(expectation, outcome)) return "expected";
  for (const json& also : expectation.value("also_allowed", json::array())) {
    if (IsAllowed(also, outcome)) return also.at("why");
  }
  return "";
}

json OutcomeAt(const ImportRun& run, std::uint64_t record) {
  for (const Item& item : run.sink.items) {
    if (item.position.record != record) continue;
    return {{"action", "accept"}, {"normalised", NormalisedOf(item, run.importer.secrets())}};
  }
  for (const Rejection& rejection : run.sink.rejections) {
    if (rejection.position.record == record) {
      return {{"action", "reject"}, {"reason", std::string(ReasonName(rejection.reason))}};
    }
  }
  for (const Duplicate& duplicate : run.sink.duplicates) {
    if (duplicate.position.record == record) {
      return {{"action", "duplicate"}, {"duplicate_of_line", duplicate.first_line}};
    }
  }
  return {{"action", "skip"}};
}

}  // namespace holdfast::importer
