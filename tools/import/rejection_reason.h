// Why a line of a list was not taken: a fixed set of names, each with a fixed sentence that says what to do.
//
// Called by every part of the import and by whoever prints a report; any thread, plain values. Promises: neither name
// nor advice ever holds a byte of the input, so no credential can leave by way of a rejection. The names are stable:
// scripts read them. Does not know where the line stands; that is Rejection (item.h). Meanings: docs/import.md.

#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "base/endpoint.h"

namespace holdfast::importer {

enum class RejectionReason : std::uint8_t {
  kMalformedLine,
  kControlCharacter,
  kInvalidUtf8,
  kLineTooLong,
  kMissingHost,
  kBadHostname,
  kBadIpv4,
  kLeadingZeroOctet,
  kBadIpv6,
  kIpv6ZoneNotAllowed,
  kAmbiguousIpv6,
  kLoopbackAddress,
  kPrivateAddress,
  kLinkLocalAddress,
  kSharedAddress,
  kMulticastAddress,
  kUnspecifiedAddress,
  kThisNetworkAddress,
  kBroadcastAddress,
  kReservedAddress,
  kMissingPort,
  kBadPort,
  kPortOutOfRange,
  kMissingScheme,
  kUnsupportedScheme,
  kPathOrQueryNotAllowed,
  kAmbiguousThirdField,
  kAmbiguousCredentials,
  kMalformedUserinfo,
  kBadPercentEncoding,
  kEmptyUsername,
  kCredentialTooLong,
  kCredentialConflict,
  kConflictingFields,
  kDuplicateKey,
  kBadJson,
  kBadUnicode,
  kMalformedRow,
  kRepeatedHeader,
  kBadExpiry,
  kExpired,
  kBadCapacity,
  kLabelTooLong,
  kSecretInField,
};

// "malformed_line", ...
std::string_view ReasonName(RejectionReason reason);
// What was wrong and what to do, in one sentence.
std::string_view ReasonAdvice(RejectionReason reason);

// Requires: !host.ok().
RejectionReason ReasonOfHost(const NormalisedHost& host);

// A value, or why there is none.
template <class Value>
using Parsed = std::variant<Value, RejectionReason>;

template <class Value>
const RejectionReason* Refused(const Parsed<Value>& parsed) {
  return std::get_if<RejectionReason>(&parsed);
}

}  // namespace holdfast::importer
