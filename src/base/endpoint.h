// Where a proxy is reached, in the one spelling that everything compares: scheme, host, port.
//
// Called by the daemon on every item of an import and by the command line on every line of a list; any thread, plain
// values and pure functions. Promises: two spellings of one host normalise to the same text (IPv4 strict, IPv6 as in
// RFC 5952 and without brackets, IPv4 in IPv6 as IPv4, names as lower-case A-labels without the last dot), and
// normalising a normalised host changes nothing. Nothing is resolved and no locale is read. Problems are typed and
// their texts never repeat the input, which may hold a credential. Does not know lists, credentials or capacity.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ip_address.h"

namespace holdfast {

// The numbers are those of controlplane.v1.ProxyScheme.
enum class Scheme : std::uint8_t { kHttp = 1, kHttps = 2, kSocks4 = 3, kSocks4a = 4, kSocks5 = 5, kSocks5h = 6 };

// "http", ... "socks5h".
std::string_view SchemeName(Scheme scheme);
// Any case; nothing but the six names.
std::optional<Scheme> ParseScheme(std::string_view text);
// A number from the wire: 1..6, else nothing.
std::optional<Scheme> SchemeFromNumber(int number);
// Whether the proxy, and not the caller, resolves names.
bool ResolvesNamesRemotely(Scheme scheme);

struct Endpoint {
  Scheme scheme = Scheme::kHttp;
  std::string host;        // normalised
  std::uint16_t port = 0;  // 1..65535

  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

enum class HostProblem : std::uint8_t {
  kEmpty,
  kUserInformation,  // holds '@'
  kBadIpv4,          // ends in a number, and is no IPv4 address
  kLeadingZeroOctet,
  kBadIpv6,
  kIpv6Zone,
  kBadName,
  kSpecialAddress,  // well formed, and not public: see NormalisedHost::kind
};

struct NormalisedHost {
  std::optional<HostProblem> problem;
  AddressKind kind = AddressKind::kPublic;  // names are public, but for localhost
  std::string host;                         // empty if malformed; set for a special address

  bool ok() const { return !problem.has_value(); }
};

// Normalises an IP address (IPv6 without brackets) or a host name.
// allow_special: addresses that are not public are taken as well, with their kind.
NormalisedHost NormaliseHost(std::string_view text, bool allow_special = false);

// What is wrong and what to do, in one sentence. Requires: !host.ok().
std::string_view DescribeHostProblem(const NormalisedHost& host);

// `scheme://[secret_ref@]host:port`, an IPv6 host in brackets: the id of a proxy that was given none.
std::string CanonicalUrl(const Endpoint& endpoint, std::string_view secret_ref);

// `[secret_ref@]host:port`: the identity of an address. Two schemes of one host, port and account are one address.
std::string AddressText(std::string_view host, std::uint16_t port, std::string_view secret_ref);

// Whether any URL in the text carries user information ("see http://user:password@host"): such a text is no label.
bool LooksLikeUrlWithUserInfo(std::string_view text);

}  // namespace holdfast
