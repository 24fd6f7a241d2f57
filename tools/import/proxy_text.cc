#include "tools/import/proxy_text.h"

#include <algorithm>

#include "tools/import/countries.h"
#include "tools/import/host_and_port.h"
#include "tools/import/proxy_url.h"
#include "tools/import/text_hygiene.h"

namespace holdfast::importer {
namespace {

using enum RejectionReason;

constexpr std::string_view kSpaces = " \t";

// host and port, as far as both have been found out.
Parsed<ParsedProxy> MakeProxy(const Head& head, std::string_view port_text, const TextRules& rules) {
  Parsed<std::string> host = ParseHost(head.host, head.bracketed, rules.allow_special);
  if (const auto* reason = Refused(host)) return *reason;
  const Parsed<std::uint16_t> port = ParsePort(port_text);
  if (const auto* reason = Refused(port)) return *reason;
  ParsedProxy proxy;
  proxy.host = std::move(std::get<std::string>(host));
  proxy.port = std::get<std::uint16_t>(port);
  return proxy;
}

Parsed<ParsedProxy> WithCredential(Parsed<ParsedProxy> proxy, Parsed<Credential> credential) {
  if (Refused(proxy)) return proxy;
  if (const auto* reason = Refused(credential)) return *reason;
  std::get<ParsedProxy>(proxy).credential = std::move(std::get<Credential>(credential));
  return proxy;
}

// "host port", with a space or a tab for the colon; or no port at all.
Parsed<ParsedProxy> ParseSpaced(std::string_view text, const TextRules& rules) {
  const std::size_t blank = text.find_first_of(kSpaces);
  const Head head{text.substr(0, blank), false, false, {}};
  if (!IsUnmistakableHost(head)) return kMalformedLine;
  if (blank == kNone) return kMissingPort;
  const std::string_view behind = TrimText(text.substr(blank));
  const std::size_t digits = CountLeadingDigits(behind);
  const std::string_view tail = behind.substr(digits);
  const bool ends_there = tail.empty() || (kSpaces.find(tail.front()) != kNone && IsAnnotation(TrimText(tail)));
  if (digits == 0 || !ends_there) return kMalformedLine;
  return MakeProxy(head, behind.substr(0, digits), rules);
}

// "user:password@host:port" without a scheme.
Parsed<ParsedProxy> ParseUserAtHost(std::string_view text, std::size_t at, const TextRules& rules) {
  const std::string_view user_info = text.substr(0, at);
  const std::string_view behind = text.substr(at + 1);
  if (LooksLikeBareIpv6(behind)) return kAmbiguousIpv6;
  const Parsed<Head> split = SplitHead(behind);
  if (const auto* reason = Refused(split)) return *reason;
  const Head& head = std::get<Head>(split);
  if (!head.has_colon) return IsUnmistakableHost(head) ? kMissingPort : kMalformedLine;
  const std::size_t digits = CountLeadingDigits(head.after);
  const std::string_view tail = head.after.substr(digits);
  const bool ends_there = tail.empty() || (kSpaces.find(tail.front()) != kNone && IsAnnotation(TrimText(tail)));
  if (digits == 0 || !ends_there) return kMalformedLine;
  // A comment behind an entry may hold an '@' as well: "alice:pw@host:80 # ask bob@other:81".
  if (user_info.find_first_of(kSpaces) != kNone) return kMalformedUserinfo;
  return WithCredential(MakeProxy(head, head.after.substr(0, digits), rules), ParseUserInfo(user_info));
}

// Whether what follows the last '@' reads as the endpoint of "user:password@host:port".
bool EndsInEndpoint(std::string_view text) {
  const std::size_t at = text.rfind('@');
  if (at == kNone) return false;
  const Parsed<Head> split = SplitHead(text.substr(at + 1));
  if (Refused(split)) return false;
  const Head& head = std::get<Head>(split);
  return head.has_colon && !head.after.empty() && CountLeadingDigits(head.after) == head.after.size() &&
         IsUnmistakableHost(head);
}

// Behind "host:port:": a country, or user:password with everything behind the colon as the password.
Parsed<ParsedProxy> ParseFurtherFields(const Head& head, std::string_view port_text, std::string_view fields,
                                       const TextRules& rules) {
  Parsed<ParsedProxy> proxy = MakeProxy(head, port_text, rules);
  if (Refused(proxy)) return proxy;
  const std::size_t colon = fields.find(':');
  if (colon == kNone) {
    const std::string_view country = TrimText(fields);
    if (!country.empty() && !IsCountryName(country) && !IsCountryCode(country)) return kAmbiguousThirdField;
    std::get<ParsedProxy>(proxy).country = std::string(country);
    return proxy;
  }
  const std::string_view username = fields.substr(0, colon);
  const std::string_view password = fields.substr(colon + 1);
  // "198.18.2.18:8080:198.18.2.19:9090" may be user:password:host:port.
  if (IsIpv4(username) && !Refused(ParsePort(password))) return kAmbiguousCredentials;
  if (EndsInEndpoint(fields)) return kAmbiguousCredentials;
  return WithCredential(std::move(proxy), MakeCredential(username, password));
}

// "host:port,2030-01-01T00:00:00Z" and "host:port|1893456000": what may not happen is to lose the expiry.
Parsed<ParsedProxy> ParseGluedExpiry(const Head& head, std::string_view port_text, std::string_view time,
                                     const TextRules& rules) {
  const Parsed<LogTime> expires_at = ParseExpiry(time, rules.expiry);
  if (Refused(expires_at)) return kMalformedLine;
  Parsed<ParsedProxy> proxy = MakeProxy(head, port_text, rules);
  if (!Refused(proxy)) std::get<ParsedProxy>(proxy).expires_at = std::get<LogTime>(expires_at);
  return proxy;
}

// "user:password:host:port", where no other reading fits.
std::optional<Parsed<ParsedProxy>> TryReversed(const Head& first, const TextRules& rules) {
  const std::size_t colon = first.after.find(':');
  if (first.bracketed || colon == kNone) return std::nullopt;
  const std::string_view endpoint = first.after.substr(colon + 1);
  const std::size_t port_colon = endpoint.find(':');
  if (port_colon == kNone) return std::nullopt;
  const Head head{endpoint.substr(0, port_colon), false, true, endpoint.substr(port_colon + 1)};
  if (!IsUnmistakableHost(head) || Refused(ParsePort(head.after))) return std::nullopt;
  return WithCredential(MakeProxy(head, head.after, rules), MakeCredential(first.host, first.after.substr(0, colon)));
}

// The port is no number, or something that is no field follows it.
Parsed<ParsedProxy> ParseOddPort(const Head& head, std::string_view text, const TextRules& rules) {
  if (const std::size_t at = text.rfind('@'); at != kNone) return ParseUserAtHost(text, at, rules);
  if (auto reversed = TryReversed(head, rules)) return *std::move(reversed);
  const Parsed<std::string> host = ParseHost(head.host, head.bracketed, rules.allow_special);
  if (const auto* reason = Refused(host)) return *reason;
  if (head.after.starts_with(':')) return kMissingPort;
  return head.after.find_first_of(",;|") == kNone ? kBadPort : kMalformedLine;
}

// What follows the digits of the port.
Parsed<ParsedProxy> ParseBehindPort(const Head& head, std::string_view text, const TextRules& rules) {
  const std::size_t digits = CountLeadingDigits(head.after);
  const std::string_view port = head.after.substr(0, digits);
  const std::string_view tail = head.after.substr(digits);
  if (tail.empty()) return MakeProxy(head, port, rules);
  if (digits == 0) return ParseOddPort(head, text, rules);
  if (tail.front() == ':') return ParseFurtherFields(head, port, tail.substr(1), rules);
  const bool holds_at = tail.find('@') != kNone;
  if (kSpaces.find(tail.front()) != kNone) {
    if (!IsAnnotation(TrimText(tail)) || (holds_at && !IsUnmistakableHost(head))) return kMalformedLine;
    return MakeProxy(head, port, rules);
  }
  if (!holds_at && tail.front() == '#') return MakeProxy(head, port, rules);
  if (!holds_at && (tail.front() == ',' || tail.front() == '|')) {
    return ParseGluedExpiry(head, port, tail.substr(1), rules);
  }
  return ParseOddPort(head, text, rules);
}

}  // namespace

Parsed<ParsedProxy> ParseProxyText(std::string_view text, const TextRules& rules) {
  if (IsUrl(text)) return ParseProxyUrl(text, rules);
  if (LooksLikeBareIpv6(text)) return kAmbiguousIpv6;
  const std::size_t colon = text.find(':');
  const bool bracketed = text.starts_with('[');
  if (!bracketed && (colon == kNone || text.find_first_of(kSpaces) < colon)) {
    // "alice@198.18.0.1" has no colon, and still is an entry that lacks its port.
    const std::size_t at = text.rfind('@');
    if (at != kNone && text.find_first_of(kSpaces) == kNone) return ParseUserAtHost(text, at, rules);
    return ParseSpaced(text, rules);
  }
  const Parsed<Head> split = SplitHead(text);
  if (const auto* reason = Refused(split)) return *reason;
  const Head& head = std::get<Head>(split);
  if (!head.has_colon) {
    const Parsed<std::string> host = ParseHost(head.host, head.bracketed, rules.allow_special);
    return Refused(host) ? *Refused(host) : kMissingPort;
  }
  if (!head.bracketed && head.host.find('@') != kNone) return ParseUserAtHost(text, text.rfind('@'), rules);
  if (head.host.empty()) return kMissingHost;
  if (!head.bracketed && !HasHostCharacters(head.host) && text.find('@') == kNone) {
    if (auto reversed = TryReversed(head, rules)) return *std::move(reversed);
    return kMalformedLine;
  }
  if (!head.bracketed && !HasHostCharacters(head.host)) return ParseUserAtHost(text, text.rfind('@'), rules);
  return ParseBehindPort(head, text, rules);
}

}  // namespace holdfast::importer
