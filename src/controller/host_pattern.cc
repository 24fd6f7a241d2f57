#include "controller/host_pattern.h"

#include "base/endpoint.h"
#include "base/ip_address.h"

namespace holdfast {
namespace {

bool IsIpAddress(std::string_view host) {
  return std::holds_alternative<IpAddress>(ParseIpv4(host)) || std::holds_alternative<IpAddress>(ParseIpv6(host));
}

}  // namespace

std::optional<std::string> NormaliseHostPattern(std::string_view pattern) {
  if (pattern == "*") return "*";
  const bool wildcard = pattern.starts_with("*.");
  if (wildcard) pattern.remove_prefix(2);
  const NormalisedHost host = NormaliseHost(pattern, /*allow_special=*/true);
  if (!host.ok() || (wildcard && IsIpAddress(host.host))) return std::nullopt;
  return wildcard ? "*." + host.host : host.host;
}

}  // namespace holdfast
