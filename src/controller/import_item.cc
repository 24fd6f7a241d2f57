#include "controller/import_item.h"

#include <string_view>
#include <utility>

#include "controller/proto_time.h"
#include "controller/rule_constant.h"
#include "controller/validate_text.h"

namespace holdfast {
namespace {

using admin::v1::ImportReason;

constexpr std::size_t kMostIdBytes = RuleConstant<std::size_t>(kMostProxyIdBytes, 1);

ItemRejection Malformed(std::string_view detail) { return {admin::v1::IMPORT_REASON_MALFORMED, std::string(detail)}; }

ItemRejection Secret(std::string_view field) {
  return {admin::v1::IMPORT_REASON_SECRET_IN_FIELD,
          std::string(field) + " holds a URL with user information; name the account by secret_ref alone"};
}

ItemRejection OverLimit(std::string_view what, std::uint64_t limit) {
  return {admin::v1::IMPORT_REASON_LIMIT, std::string(what) + "; at most " + std::to_string(limit) + " are taken"};
}

// The id that is made of endpoint and reference carries the reference before '@': that is no secret.
bool CarriesForeignUserInfo(std::string_view proxy_id, std::string_view secret_ref) {
  if (!LooksLikeUrlWithUserInfo(proxy_id)) return false;
  if (secret_ref.empty()) return true;
  const std::string own = "://" + std::string(secret_ref) + "@";
  const std::size_t found = proxy_id.find(own);
  if (found == std::string_view::npos) return true;
  std::string without(proxy_id.substr(0, found + 3));
  without.append(proxy_id.substr(found + own.size()));
  return LooksLikeUrlWithUserInfo(without);
}

std::optional<ItemRejection> ReadEndpoint(const admin::v1::ProxySpec& item, const Settings& settings, ProxySpec& spec) {
  const std::optional<Scheme> scheme = SchemeFromNumber(item.endpoint().scheme());
  if (!scheme) return Malformed("endpoint.scheme is none of http, https, socks4, socks4a, socks5, socks5h");
  if (item.endpoint().port() == 0 || item.endpoint().port() > 65'535) {
    return Malformed("endpoint.port is not in 1..65535");
  }
  NormalisedHost host = NormaliseHost(item.endpoint().host(), settings.allow_special);
  if (!host.ok()) {
    ImportReason reason = admin::v1::IMPORT_REASON_MALFORMED;
    if (*host.problem == HostProblem::kSpecialAddress) reason = admin::v1::IMPORT_REASON_SPECIAL_ADDRESS;
    if (*host.problem == HostProblem::kUserInformation) reason = admin::v1::IMPORT_REASON_SECRET_IN_FIELD;
    return ItemRejection{reason, "endpoint.host: " + std::string(DescribeHostProblem(host))};
  }
  if (!item.secret_ref().empty() && !IsMemberId(item.secret_ref())) {
    return Malformed("secret_ref is not of [A-Za-z0-9._-]{1,128}; it is a reference, never the secret");
  }
  spec.endpoint = {*scheme, std::move(host.host), static_cast<std::uint16_t>(item.endpoint().port())};
  spec.secret_ref = item.secret_ref();
  return std::nullopt;
}

std::optional<ItemRejection> CheckId(std::string_view proxy_id, std::string_view secret_ref) {
  if (proxy_id.size() > kMostIdBytes) return Malformed("proxy_id is longer than 1,024 bytes");
  if (HasControlCharacter(proxy_id)) return Malformed("proxy_id holds a control character");
  if (CarriesForeignUserInfo(proxy_id, secret_ref)) return Secret("proxy_id");
  return std::nullopt;
}

std::optional<ItemRejection> ReadLabels(const admin::v1::ProxySpec& item, const Settings& settings, ProxySpec& spec) {
  if (static_cast<std::uint64_t>(item.labels_size()) > settings.max_labels) {
    return OverLimit("labels: too many", settings.max_labels);
  }
  for (const auto& [key, value] : item.labels()) spec.labels.emplace(key, value);
  for (const auto& [key, value] : spec.labels) {
    if (key.size() > settings.max_label_bytes || value.size() > settings.max_label_bytes) {
      return OverLimit("labels: a key or value has too many bytes", settings.max_label_bytes);
    }
    if (LooksLikeUrlWithUserInfo(key) || LooksLikeUrlWithUserInfo(value)) return Secret("labels");
  }
  if (item.zone().size() > settings.max_label_bytes) return OverLimit("zone: too many bytes", settings.max_label_bytes);
  if (item.source().size() > settings.max_label_bytes) {
    return OverLimit("source: too many bytes", settings.max_label_bytes);
  }
  if (LooksLikeUrlWithUserInfo(item.zone())) return Secret("zone");
  if (LooksLikeUrlWithUserInfo(item.source())) return Secret("source");
  spec.zone = item.zone();
  spec.source = item.source();
  return std::nullopt;
}

std::optional<ItemRejection> ReadTimes(const admin::v1::ProxySpec& item, const Settings& settings, LogTime now,
                                       ImportItem& out) {
  out.renews = !item.has_expires_at();
  out.spec.expires_at = now + settings.default_lifetime;
  if (!out.renews) {
    const std::optional<LogTime> named = ReadTime(item.expires_at());
    if (!named) return Malformed("expires_at is no time in whole microseconds from 1970 to 9999");
    out.spec.expires_at = *named;
  }
  out.spec.usable_until = out.spec.expires_at - settings.allocation_safety_margin;
  if (IsOver(out.spec.expires_at, now)) {
    return ItemRejection{admin::v1::IMPORT_REASON_EXPIRED, "expires_at has passed"};
  }
  if (IsOver(out.spec.usable_until, now)) {
    return ItemRejection{admin::v1::IMPORT_REASON_LIFETIME_BELOW_MARGIN,
                         "expires_at is not more than allocation_safety_margin ahead, so it could never be given"};
  }
  return std::nullopt;
}

}  // namespace

ImportItem ReadImportItem(const admin::v1::ProxySpec& item, const Settings& settings, LogTime now) {
  ImportItem out;
  out.identity = item.proxy_id();
  out.rejection = ReadEndpoint(item, settings, out.spec);
  if (out.rejection) return out;
  if (out.identity.empty()) out.identity = CanonicalUrl(out.spec.endpoint, out.spec.secret_ref);
  out.spec.proxy_id = ProxyId(out.identity);
  out.spec.capacity = item.capacity() != 0 ? item.capacity() : static_cast<std::uint32_t>(settings.default_capacity);
  out.rejection = CheckId(out.identity, out.spec.secret_ref);
  if (!out.rejection) out.rejection = ReadLabels(item, settings, out.spec);
  if (!out.rejection) out.rejection = ReadTimes(item, settings, now, out);
  return out;
}

}  // namespace holdfast
