// Pieces of an endpoint in a text: where the host ends, what a port may look like, what may follow.
//
// Shared by the plain layouts (proxy_text.cc), URLs (proxy_url.cc) and records (record_rules.cc); pure, any thread.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tools/import/rejection_reason.h"

namespace holdfast::importer {

// Decimal, 1..65535, no sign, no leading zero.
Parsed<std::uint16_t> ParsePort(std::string_view text);

// host is without brackets; bracketed says that it stood in them and so must be IPv6.
Parsed<std::string> ParseHost(std::string_view host, bool bracketed, bool allow_special);

// The beginning of an endpoint, up to the colon that the port follows.
struct Head {
  std::string_view host;
  bool bracketed = false;
  bool has_colon = false;
  std::string_view after;  // behind the colon
};

// "[2001:db8::1]:80…" or "name:80…". kBadIpv6 for an open bracket, kMalformedLine for what follows a bracket.
Parsed<Head> SplitHead(std::string_view text);

// Only characters that a host can hold: ASCII letters, digits, hyphen, dot, underscore, and what is not ASCII.
bool HasHostCharacters(std::string_view host);

// A bracketed host, an IPv4 address, or a name with a dot: what nobody takes for a word.
bool IsUnmistakableHost(const Head& head);
bool IsIpv4(std::string_view text);

// The first groups of an IPv6 address without brackets, before whatever follows.
bool LooksLikeBareIpv6(std::string_view text);

std::size_t CountLeadingDigits(std::string_view text);

// What lists write behind an entry and a space: a comment, "=> success", or the flags of spys ("CO-N-S! +").
bool IsAnnotation(std::string_view text);

}  // namespace holdfast::importer
