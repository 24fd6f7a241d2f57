#include "tools/import/host_and_port.h"

#include <algorithm>
#include <array>
#include <variant>

#include "base/endpoint.h"
#include "base/ip_address.h"

namespace holdfast::importer {
namespace {

constexpr std::uint32_t kLastPort = 65535;
constexpr std::size_t kLongestGroup = 4;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLetter(char c) { return IsUpper(c) || (c >= 'a' && c <= 'z'); }
bool IsHexDigit(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

bool IsGroup(std::string_view text) {
  return text.size() <= kLongestGroup && std::all_of(text.begin(), text.end(), IsHexDigit);
}

bool Take(std::string_view* text, std::string_view prefix) {
  if (!text->starts_with(prefix)) return false;
  text->remove_prefix(prefix.size());
  return true;
}

// "CO-N-S! +": country (sometimes none), anonymity (Noa, Anm, Hia), TLS, found by Google.
bool IsSpysFlags(std::string_view text) {
  if (text.size() >= 2 && IsUpper(text[0]) && IsUpper(text[1])) text.remove_prefix(2);
  if (!Take(&text, "-N") && !Take(&text, "-A") && !Take(&text, "-H")) return false;
  Take(&text, "!");
  if (Take(&text, "-S")) Take(&text, "!");
  return text.empty() || text == " +" || text == " -";
}

}  // namespace

Parsed<std::uint16_t> ParsePort(std::string_view text) {
  if (text.empty()) return RejectionReason::kMissingPort;
  if (!std::all_of(text.begin(), text.end(), IsDigit)) return RejectionReason::kBadPort;
  if (text.size() > 1 && text.front() == '0') return RejectionReason::kBadPort;
  std::uint32_t value = 0;
  for (const char c : text) {
    value = value * 10 + static_cast<std::uint32_t>(c - '0');
    if (value > kLastPort) return RejectionReason::kPortOutOfRange;
  }
  if (value == 0) return RejectionReason::kPortOutOfRange;
  return static_cast<std::uint16_t>(value);
}

Parsed<std::string> ParseHost(std::string_view host, bool bracketed, bool allow_special) {
  if (bracketed && host.find(':') == std::string_view::npos) return RejectionReason::kBadIpv6;
  NormalisedHost normalised = NormaliseHost(host, allow_special);
  if (!normalised.ok()) {
    return bracketed && normalised.problem == HostProblem::kBadName ? RejectionReason::kBadIpv6
                                                                    : ReasonOfHost(normalised);
  }
  return std::move(normalised.host);
}

Parsed<Head> SplitHead(std::string_view text) {
  Head head;
  std::size_t colon = text.find(':');
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) return RejectionReason::kBadIpv6;
    head.bracketed = true;
    head.host = text.substr(1, close - 1);
    if (close + 1 < text.size() && text[close + 1] != ':') return RejectionReason::kMalformedLine;
    colon = close + 1 < text.size() ? close + 1 : std::string_view::npos;
  } else {
    head.host = text.substr(0, colon);
  }
  head.has_colon = colon != std::string_view::npos;
  if (head.has_colon) head.after = text.substr(colon + 1);
  return head;
}

bool HasHostCharacters(std::string_view host) {
  return std::all_of(host.begin(), host.end(), [](char c) {
    return IsLetter(c) || IsDigit(c) || c == '-' || c == '.' || c == '_' || static_cast<unsigned char>(c) >= 0x80;
  });
}

bool IsIpv4(std::string_view text) { return std::holds_alternative<IpAddress>(ParseIpv4(text)); }

bool IsUnmistakableHost(const Head& head) {
  if (head.bracketed) return true;
  return HasHostCharacters(head.host) && head.host.find('.') != std::string_view::npos &&
         NormaliseHost(head.host, true).ok();
}

bool LooksLikeBareIpv6(std::string_view text) {
  std::array<std::string_view, 4> fields;
  std::size_t count = 0;
  while (count < fields.size()) {
    const std::size_t colon = text.find(':');
    fields[count++] = text.substr(0, colon);
    if (colon == std::string_view::npos) break;
    text.remove_prefix(colon + 1);
  }
  if (count < 3 || !IsGroup(fields[0]) || !IsGroup(fields[1]) || !IsGroup(fields[2])) return false;
  if (fields[1].empty() || fields[2].empty()) return true;
  return count == 4 && IsGroup(fields[3]);
}

std::size_t CountLeadingDigits(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), IsDigit) - text.begin());
}

bool IsAnnotation(std::string_view text) {
  return text.starts_with('#') || text.starts_with("//") || text.starts_with("=>") || IsSpysFlags(text);
}

}  // namespace holdfast::importer
