#include "tools/import/rejection_reason.h"

#include <array>
#include <cstddef>

namespace holdfast::importer {
namespace {

struct ReasonText {
  RejectionReason reason;
  std::string_view name;
  std::string_view advice;
};

using enum RejectionReason;

// In the order of the enum: the reason is the index.
constexpr std::array kTexts = {
    ReasonText{kMalformedLine, "malformed_line",
               "this is no proxy: write host:port, or scheme://user:password@host:port"},
    ReasonText{kControlCharacter, "control_character", "a control character stands in it: remove it"},
    ReasonText{kInvalidUtf8, "invalid_utf8", "the text is not UTF-8: convert the list"},
    ReasonText{kLineTooLong, "line_too_long", "longer than a line may be: split it, or remove it"},
    ReasonText{kMissingHost, "missing_host", "the host is missing: name an IP address or a host name"},
    ReasonText{kBadHostname, "bad_hostname", "the host is no host name and no IP address: correct it"},
    ReasonText{kBadIpv4, "bad_ipv4", "the host is no IPv4 address: write four decimal numbers from 0 to 255"},
    ReasonText{kLeadingZeroOctet, "leading_zero_octet",
               "an octet has a leading zero, which some read as octal: write it without"},
    ReasonText{kBadIpv6, "bad_ipv6", "the host is no IPv6 address: write it as in [2001:db8::1]:8080"},
    ReasonText{kIpv6ZoneNotAllowed, "ipv6_zone_not_allowed",
               "the IPv6 address has a zone, which means nothing on another machine: write it without"},
    ReasonText{kAmbiguousIpv6, "ambiguous_ipv6",
               "an IPv6 address without brackets does not say where its port begins: write [address]:port"},
    ReasonText{kLoopbackAddress, "loopback_address", "a loopback address is no proxy of ours: name a public one"},
    ReasonText{kPrivateAddress, "private_address", "a private address is refused: name a public one"},
    ReasonText{kLinkLocalAddress, "link_local_address", "a link-local address is refused: name a public one"},
    ReasonText{kSharedAddress, "shared_address", "a shared address (100.64/10) is refused: name a public one"},
    ReasonText{kMulticastAddress, "multicast_address", "a multicast address is refused: name a public one"},
    ReasonText{kUnspecifiedAddress, "unspecified_address", "the unspecified address is refused: name a public one"},
    ReasonText{kThisNetworkAddress, "this_network_address", "an address in 0/8 is refused: name a public one"},
    ReasonText{kBroadcastAddress, "broadcast_address", "the broadcast address is refused: name a public one"},
    ReasonText{kReservedAddress, "reserved_address", "a reserved address is refused: name a public one"},
    ReasonText{kMissingPort, "missing_port", "the port is missing, and none is guessed: write it"},
    ReasonText{kBadPort, "bad_port", "the port is no decimal number: write 1 to 65535"},
    ReasonText{kPortOutOfRange, "port_out_of_range", "the port is out of range: write 1 to 65535"},
    ReasonText{kMissingScheme, "missing_scheme", "the list of protocols is empty: name one, or leave it out"},
    ReasonText{kUnsupportedScheme, "unsupported_scheme",
               "the scheme is none of http, https, socks4, socks4a, socks5, socks5h"},
    ReasonText{kPathOrQueryNotAllowed, "path_or_query_not_allowed",
               "a proxy has no path and no query: end the URL behind the port"},
    ReasonText{kAmbiguousThirdField, "ambiguous_third_field",
               "the third field is neither a known country nor the begin of user:password"},
    ReasonText{kAmbiguousCredentials, "ambiguous_credentials",
               "two readings fit, and none is guessed: write scheme://user:password@host:port"},
    ReasonText{kMalformedUserinfo, "malformed_userinfo",
               "user or password holds a character that ends it: percent-encode / ? # and an @ in the user name"},
    ReasonText{kBadPercentEncoding, "bad_percent_encoding",
               "a percent sign is not followed by two hex digits: write %25 for a percent sign"},
    ReasonText{kEmptyUsername, "empty_username", "the user name is empty: name it, or leave user and password out"},
    ReasonText{kCredentialTooLong, "credential_too_long", "SOCKS allows 255 bytes for a user name or a password"},
    ReasonText{kCredentialConflict, "credential_conflict",
               "this account has another password further up, at the same host and port: keep the right one"},
    ReasonText{kConflictingFields, "conflicting_fields", "two fields of the record contradict each other: keep one"},
    ReasonText{kDuplicateKey, "duplicate_key", "a key stands twice in the record: keep one"},
    ReasonText{kBadJson, "bad_json", "this is no JSON value: correct it, or download the list again"},
    ReasonText{kBadUnicode, "bad_unicode", "a \\u escape is half of a surrogate pair: correct it"},
    ReasonText{kMalformedRow, "malformed_row", "the quotes or the number of columns do not fit the header: correct it"},
    ReasonText{kRepeatedHeader, "repeated_header", "the header stands here again, as after joining files: remove it"},
    ReasonText{kBadExpiry, "bad_expiry",
               "the expiry is no time: write 2030-01-01T00:00:00Z (a zone is needed) or Unix seconds"},
    ReasonText{kExpired, "expired", "the proxy has expired: remove it, or renew it"},
    ReasonText{kBadCapacity, "bad_capacity", "the capacity is no whole number from 1 to 4294967295: correct it"},
    ReasonText{kLabelTooLong, "label_too_long", "a label is longer than 256 bytes: shorten it"},
    ReasonText{kSecretInField, "secret_in_field",
               "a field holds user information (user:password@host): move it to username and password"},
};

constexpr bool IsInEnumOrder() {
  for (std::size_t i = 0; i < kTexts.size(); ++i) {
    if (static_cast<std::size_t>(kTexts[i].reason) != i) return false;
  }
  return kTexts.size() == static_cast<std::size_t>(kSecretInField) + 1;
}
static_assert(IsInEnumOrder());

RejectionReason ReasonOfKind(AddressKind kind) {
  switch (kind) {
    case AddressKind::kPublic:
    case AddressKind::kReserved:
      return kReservedAddress;
    case AddressKind::kLoopback:
      return kLoopbackAddress;
    case AddressKind::kPrivate:
      return kPrivateAddress;
    case AddressKind::kLinkLocal:
      return kLinkLocalAddress;
    case AddressKind::kShared:
      return kSharedAddress;
    case AddressKind::kMulticast:
      return kMulticastAddress;
    case AddressKind::kUnspecified:
      return kUnspecifiedAddress;
    case AddressKind::kThisNetwork:
      return kThisNetworkAddress;
    case AddressKind::kBroadcast:
      return kBroadcastAddress;
  }
  return kReservedAddress;
}

}  // namespace

std::string_view ReasonName(RejectionReason reason) { return kTexts[static_cast<std::size_t>(reason)].name; }

std::string_view ReasonAdvice(RejectionReason reason) { return kTexts[static_cast<std::size_t>(reason)].advice; }

RejectionReason ReasonOfHost(const NormalisedHost& host) {
  switch (*host.problem) {
    case HostProblem::kEmpty:
      return kMissingHost;
    case HostProblem::kUserInformation:
      return kSecretInField;
    case HostProblem::kBadIpv4:
      return kBadIpv4;
    case HostProblem::kLeadingZeroOctet:
      return kLeadingZeroOctet;
    case HostProblem::kBadIpv6:
      return kBadIpv6;
    case HostProblem::kIpv6Zone:
      return kIpv6ZoneNotAllowed;
    case HostProblem::kBadName:
      return kBadHostname;
    case HostProblem::kSpecialAddress:
      return ReasonOfKind(host.kind);
  }
  return kBadHostname;
}

}  // namespace holdfast::importer
