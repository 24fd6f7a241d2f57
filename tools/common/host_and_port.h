// "HOST:PORT" as a person types it on a command line: a name, an IPv4 address, or an IPv6 address in brackets.
//
// Pure, any thread. Nothing is looked up. Promises: the host is not empty, holds no '@' and no space, and an IPv6
// address is one. Whether the host may be dialled or listened on is the caller's affair.

#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/ip_address.h"

namespace holdfast {

struct HostAndPort {
  std::string host;  // IPv6 without its brackets
  std::uint16_t port = 0;

  friend bool operator==(const HostAndPort&, const HostAndPort&) = default;
};

enum class PortRange : std::uint8_t { kFromOne, kWithZero };

inline std::optional<HostAndPort> ParseHostAndPort(std::string_view text, PortRange range = PortRange::kFromOne) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view digits = text.substr(colon + 1);
  std::uint16_t port = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (fault != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  if (port == 0 && range == PortRange::kFromOne) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (host.empty() || host.find_first_of("@/ \t[]") != std::string_view::npos) return std::nullopt;
  const bool has_colon = host.find(':') != std::string_view::npos;
  if (has_colon != bracketed) return std::nullopt;
  if (bracketed && !std::holds_alternative<IpAddress>(ParseIpv6(host))) return std::nullopt;
  return HostAndPort{std::string(host), port};
}

}  // namespace holdfast
