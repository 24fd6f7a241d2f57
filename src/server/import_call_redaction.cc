#include "server/import_call_redaction.h"

#include <string>
#include <string_view>

#include "base/endpoint.h"
#include "controller/validate_text.h"

namespace holdfast::server {
namespace {

// Refused for user information wherever it stands; no secret_ref makes it an id of its own, since that holds no ':'.
constexpr char kRedactedUrl[] = "http://redacted:redacted@redacted";

// A host with the same problem and nothing of the text.
const char* RedactedHost(HostProblem problem) {
  switch (problem) {
    case HostProblem::kUserInformation:
      return "redacted@redacted";
    case HostProblem::kBadIpv4:
      return "0.0.0.0.0";
    case HostProblem::kLeadingZeroOctet:
      return "198.18.0.01";
    case HostProblem::kBadIpv6:
      return "0:redacted";
    case HostProblem::kIpv6Zone:
      return "2001:db8::1%redacted";
    case HostProblem::kBadName:
      return "-redacted-";
    case HostProblem::kEmpty:
    case HostProblem::kSpecialAddress:
      break;
  }
  return nullptr;  // tells nothing, or nothing but an address
}

void RedactText(std::string* text) {
  if (LooksLikeUrlWithUserInfo(*text)) *text = kRedactedUrl;
}

void RedactLabels(google::protobuf::Map<std::string, std::string>* labels) {
  google::protobuf::Map<std::string, std::string> redacted;
  for (const auto& [key, value] : *labels) {
    std::string clean_key = key, clean_value = value;
    RedactText(&clean_key);
    RedactText(&clean_value);
    redacted[clean_key] = clean_value;
  }
  *labels = std::move(redacted);
}

// An id that carries the item's own secret_ref before '@' is the usual one.
void RedactId(std::string_view secret_ref, std::string* proxy_id) {
  if (!LooksLikeUrlWithUserInfo(*proxy_id)) return;
  const std::string own = "://" + std::string(secret_ref) + "@";
  const std::size_t found = secret_ref.empty() ? std::string::npos : proxy_id->find(own);
  if (found != std::string::npos) {
    std::string without = proxy_id->substr(0, found + 3) + proxy_id->substr(found + own.size());
    if (!LooksLikeUrlWithUserInfo(without)) return;
  }
  *proxy_id = kRedactedUrl;
}

void RedactItem(const Settings& settings, admin::v1::ProxySpec* item) {
  item->DiscardUnknownFields();
  const NormalisedHost host = NormaliseHost(item->endpoint().host(), settings.allow_special);
  if (!host.ok()) {
    if (const char* redacted = RedactedHost(*host.problem)) item->mutable_endpoint()->set_host(redacted);
  }
  if (!item->secret_ref().empty() && !IsMemberId(item->secret_ref())) item->set_secret_ref("redacted:redacted");
  RedactId(item->secret_ref(), item->mutable_proxy_id());
  if (item->labels_size() > 0) RedactLabels(item->mutable_labels());
  RedactText(item->mutable_zone());
  RedactText(item->mutable_source());
}

}  // namespace

void RedactSecrets(const Settings& settings, admin::v1::ImportProxiesRequest* request) {
  for (admin::v1::ProxySpec& item : *request->mutable_proxies()) RedactItem(settings, &item);
  request->DiscardUnknownFields();
}

}  // namespace holdfast::server
