#include "tools/checker/address_policy.h"

#include <netinet/in.h>

#include <algorithm>
#include <cstring>

#include "base/endpoint.h"

namespace holdfast::checker {

std::optional<IpAddress> AddressOf(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in v4;
    std::memcpy(&v4, &address, sizeof v4);
    return IpAddress::V4(ntohl(v4.sin_addr.s_addr));
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 v6;
    std::memcpy(&v6, &address, sizeof v6);
    IpAddress::Bytes bytes;
    std::copy_n(v6.sin6_addr.s6_addr, bytes.size(), bytes.begin());
    return IpAddress::V6(bytes);
  }
  return std::nullopt;
}

std::optional<AddressKind> AddressPolicy::Refuses(const IpAddress& address) const {
  return RefusesKind(ClassifyAddress(address));
}

std::optional<AddressKind> AddressPolicy::Refuses(const sockaddr& address) const {
  const std::optional<IpAddress> ip = AddressOf(address);
  return ip ? Refuses(*ip) : AddressKind::kReserved;
}

std::optional<AddressKind> AddressPolicy::RefusesHost(std::string_view host) const {
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  const NormalisedHost normalised = NormaliseHost(host, true);
  // What is no host is another's complaint (check_plan.h).
  return normalised.ok() ? RefusesKind(normalised.kind) : std::nullopt;
}

std::optional<AddressKind> AddressPolicy::RefusesKind(AddressKind kind) const {
  if (loopback_only_) return kind == AddressKind::kLoopback ? std::nullopt : std::optional(kind);
  switch (kind) {
    case AddressKind::kPublic:
      return std::nullopt;
    case AddressKind::kLoopback:
    case AddressKind::kPrivate:
    case AddressKind::kShared:
      return allow_private_ ? std::nullopt : std::optional(kind);
    case AddressKind::kLinkLocal:
    case AddressKind::kMulticast:
    case AddressKind::kUnspecified:
    case AddressKind::kThisNetwork:
    case AddressKind::kBroadcast:
    case AddressKind::kReserved:
      return kind;
  }
  return kind;
}

}  // namespace holdfast::checker
