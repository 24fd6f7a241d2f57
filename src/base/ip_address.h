// IP addresses in their one canonical spelling, and which of them no proxy may stand on.
//
// Called by the import on both sides of the wire and by whatever normalises an endpoint; any thread, plain values.
// Promises: parsing is strict (four decimal octets without leading zeros; RFC 4291 text without a zone), an IPv4-mapped
// IPv6 address becomes the IPv4 address, and ToString of a parsed address parses to the same address (RFC 5952 for
// IPv6). Nothing depends on locale or on the host's resolver. Does not know host names, ports or brackets: endpoint.h.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace holdfast {

// Documentation and benchmark ranges count as public: lists for tests are made of them.
enum class AddressKind : std::uint8_t {
  kPublic,
  kLoopback,     // 127/8, ::1, the name localhost
  kPrivate,      // RFC 1918, fc00::/7, fec0::/10
  kLinkLocal,    // 169.254/16, fe80::/10
  kShared,       // 100.64/10
  kMulticast,    // 224/4, ff00::/8
  kUnspecified,  // 0.0.0.0, ::
  kThisNetwork,  // the rest of 0/8
  kBroadcast,    // 255.255.255.255
  kReserved,     // the rest of 240/4, 100::/64, what is left of ::/96
};

// "loopback", "link-local", ...
std::string_view AddressKindName(AddressKind kind);

enum class IpProblem : std::uint8_t { kBadIpv4, kLeadingZeroOctet, kBadIpv6, kIpv6Zone };

class IpAddress {
 public:
  using Bytes = std::array<std::uint8_t, 16>;

  static IpAddress V4(std::uint32_t value) { return IpAddress(value); }
  // An IPv4-mapped address becomes the IPv4 address.
  static IpAddress V6(const Bytes& bytes);

  bool is_v4() const { return is_v4_; }
  // Requires: is_v4().
  std::uint32_t v4() const { return v4_; }
  // Requires: !is_v4().
  const Bytes& v6() const { return v6_; }

  std::string ToString() const;

  friend bool operator==(const IpAddress&, const IpAddress&) = default;

 private:
  explicit IpAddress(std::uint32_t value) : is_v4_(true), v4_(value) {}
  explicit IpAddress(const Bytes& bytes) : is_v4_(false), v6_(bytes) {}

  bool is_v4_;
  std::uint32_t v4_ = 0;
  Bytes v6_{};
};

// Addresses that carry an IPv4 address (6to4, NAT64) are of the kind of what they carry, unless that is public.
AddressKind ClassifyAddress(const IpAddress& address);

using ParsedIp = std::variant<IpAddress, IpProblem>;

// "198.18.0.1" and nothing looser: no octal, hex or short forms.
ParsedIp ParseIpv4(std::string_view text);
// Without brackets. A zone ("%eth0") is refused with its own problem.
ParsedIp ParseIpv6(std::string_view text);

}  // namespace holdfast
