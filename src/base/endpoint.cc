#include "base/endpoint.h"

#include <idn2.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <variant>

namespace holdfast {
namespace {

constexpr std::size_t kLongestName = 253;
constexpr std::size_t kLongestLabel = 63;
// A name of 253 characters is never longer in UTF-8; what is longer is not worth mapping.
constexpr std::size_t kLongestUnmappedName = 1024;

constexpr std::array<std::string_view, 6> kSchemeNames = {"http", "https", "socks4", "socks4a", "socks5", "socks5h"};

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return Lower(c) >= 'a' && Lower(c) <= 'z'; }
bool IsHexDigit(char c) { return IsDigit(c) || (Lower(c) >= 'a' && Lower(c) <= 'f'); }

bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) { return Lower(a) == b; });
}

NormalisedHost Malformed(HostProblem problem) {
  NormalisedHost result;
  result.problem = problem;
  return result;
}

NormalisedHost Judge(std::string host, AddressKind kind, bool allow_special) {
  NormalisedHost result;
  result.kind = kind;
  result.host = std::move(host);
  if (kind != AddressKind::kPublic && !allow_special) result.problem = HostProblem::kSpecialAddress;
  return result;
}

HostProblem ToHostProblem(IpProblem problem) {
  switch (problem) {
    case IpProblem::kBadIpv4:
      return HostProblem::kBadIpv4;
    case IpProblem::kLeadingZeroOctet:
      return HostProblem::kLeadingZeroOctet;
    case IpProblem::kBadIpv6:
      return HostProblem::kBadIpv6;
    case IpProblem::kIpv6Zone:
      return HostProblem::kIpv6Zone;
  }
  return HostProblem::kBadName;
}

NormalisedHost FromParsedIp(const ParsedIp& parsed, bool allow_special) {
  if (const auto* problem = std::get_if<IpProblem>(&parsed)) return Malformed(ToHostProblem(*problem));
  const IpAddress& address = std::get<IpAddress>(parsed);
  return Judge(address.ToString(), ClassifyAddress(address), allow_special);
}

std::string_view WithoutLastDot(std::string_view name) {
  if (!name.empty() && name.back() == '.') name.remove_suffix(1);
  return name;
}

// A name whose last label is a number is read as an address by many (the URL standard among them), so it must be one.
bool EndsInNumber(std::string_view text) {
  text = WithoutLastDot(text);
  const std::size_t dot = text.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? text : text.substr(dot + 1);
  if (last.empty()) return false;
  if (std::all_of(last.begin(), last.end(), IsDigit)) return true;
  return last.size() >= 2 && last[0] == '0' && Lower(last[1]) == 'x' &&
         std::all_of(last.begin() + 2, last.end(), IsHexDigit);
}

bool IsLabel(std::string_view label) {
  if (label.empty() || label.size() > kLongestLabel || label.front() == '-' || label.back() == '-') return false;
  if (!std::all_of(label.begin(), label.end(), [](char c) { return IsLetter(c) || IsDigit(c) || c == '-'; })) {
    return false;
  }
  return true;
}

// Letters, digits and hyphens in labels of the right lengths, and a last label with a letter in it.
bool IsAsciiName(std::string_view name) {
  if (name.empty() || name.size() > kLongestName) return false;
  std::string_view label;
  while (true) {
    const std::size_t dot = name.find('.');
    label = name.substr(0, dot);
    if (!IsLabel(label)) return false;
    if (dot == std::string_view::npos) break;
    name.remove_prefix(dot + 1);
  }
  return std::any_of(label.begin(), label.end(), IsLetter);
}

bool NeedsMapping(std::string_view name) {
  if (std::any_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; })) return true;
  for (std::size_t i = 0; i + 4 <= name.size(); ++i) {
    if ((i == 0 || name[i - 1] == '.') && EqualsIgnoringCase(name.substr(i, 4), "xn--")) return true;
  }
  return false;
}

// UTS 46 (not transitional) and IDNA 2008: "MÜNCHEN.example" becomes "xn--mnchen-3ya.example".
std::optional<std::string> MapToALabels(std::string_view name) {
  if (name.size() > kLongestUnmappedName) return std::nullopt;
  const std::string terminated(name);
  std::uint8_t* mapped = nullptr;
  const int status = idn2_lookup_u8(reinterpret_cast<const std::uint8_t*>(terminated.c_str()), &mapped,
                                    IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
  const std::unique_ptr<std::uint8_t, void (*)(void*)> owned(mapped, idn2_free);
  if (status != IDN2_OK || mapped == nullptr) return std::nullopt;
  return std::string(reinterpret_cast<const char*>(mapped));
}

bool IsLocalhost(std::string_view name) { return name == "localhost" || name.ends_with(".localhost"); }

NormalisedHost NormaliseName(std::string_view text, bool allow_special) {
  std::string name(WithoutLastDot(text));
  if (NeedsMapping(name)) {
    std::optional<std::string> mapped = MapToALabels(name);
    if (!mapped) return Malformed(HostProblem::kBadName);
    name = std::string(WithoutLastDot(*mapped));
    // Full-width digits and dots map to ASCII ones; no address may come in that way.
    if (EndsInNumber(name)) return Malformed(HostProblem::kBadName);
  }
  if (!IsAsciiName(name)) return Malformed(HostProblem::kBadName);
  std::transform(name.begin(), name.end(), name.begin(), Lower);
  const AddressKind kind = IsLocalhost(name) ? AddressKind::kLoopback : AddressKind::kPublic;
  return Judge(std::move(name), kind, allow_special);
}

bool IsSchemeCharacter(char c) { return IsLetter(c) || IsDigit(c) || c == '+' || c == '-' || c == '.'; }

}  // namespace

std::string_view SchemeName(Scheme scheme) { return kSchemeNames[static_cast<std::size_t>(scheme) - 1]; }

std::optional<Scheme> ParseScheme(std::string_view text) {
  for (std::size_t i = 0; i < kSchemeNames.size(); ++i) {
    if (EqualsIgnoringCase(text, kSchemeNames[i])) return static_cast<Scheme>(i + 1);
  }
  return std::nullopt;
}

std::optional<Scheme> SchemeFromNumber(int number) {
  if (number < 1 || number > static_cast<int>(kSchemeNames.size())) return std::nullopt;
  return static_cast<Scheme>(number);
}

bool ResolvesNamesRemotely(Scheme scheme) { return scheme == Scheme::kSocks4a || scheme == Scheme::kSocks5h; }

NormalisedHost NormaliseHost(std::string_view text, bool allow_special) {
  if (text.empty()) return Malformed(HostProblem::kEmpty);
  if (text.find('@') != std::string_view::npos) return Malformed(HostProblem::kUserInformation);
  if (std::any_of(text.begin(), text.end(), [](unsigned char c) { return c <= ' ' || c == 0x7f; })) {
    return Malformed(HostProblem::kBadName);
  }
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    // "198.18.0.1:8080" is a host with a port and no misspelt IPv6 address.
    const std::string_view first = text.substr(0, colon);
    const bool is_group = std::all_of(first.begin(), first.end(), IsHexDigit);
    return is_group ? FromParsedIp(ParseIpv6(text), allow_special) : Malformed(HostProblem::kBadName);
  }
  if (EndsInNumber(text)) return FromParsedIp(ParseIpv4(text), allow_special);
  return NormaliseName(text, allow_special);
}

std::string_view DescribeHostProblem(const NormalisedHost& host) {
  if (host.ok()) return "";
  switch (*host.problem) {
    case HostProblem::kEmpty:
      return "the host is missing: name an IP address or a host name";
    case HostProblem::kUserInformation:
      return "the host holds an '@': user and password do not belong there, give a secret_ref";
    case HostProblem::kBadIpv4:
      return "the host is no IPv4 address: write four decimal numbers from 0 to 255";
    case HostProblem::kLeadingZeroOctet:
      return "the IPv4 address has an octet with a leading zero, which some read as octal: write it without";
    case HostProblem::kBadIpv6:
      return "the host is no IPv6 address: write it as in 2001:db8::1";
    case HostProblem::kIpv6Zone:
      return "the IPv6 address has a zone, which means nothing on another machine: write it without";
    case HostProblem::kBadName:
      return "the host is no host name: letters, digits and hyphens in labels of 1 to 63, 253 in all";
    case HostProblem::kSpecialAddress:
      return "the address is not public (loopback, private, link-local, shared, multicast, reserved): give a public "
             "one, or set import.allow_special";
  }
  return "";
}

std::string AddressText(std::string_view host, std::uint16_t port, std::string_view secret_ref) {
  const bool is_ipv6 = host.find(':') != std::string_view::npos;
  std::string text;
  text.reserve(secret_ref.size() + host.size() + 9);
  if (!secret_ref.empty()) text.append(secret_ref).push_back('@');
  if (is_ipv6) text.push_back('[');
  text.append(host);
  if (is_ipv6) text.push_back(']');
  text.push_back(':');
  text.append(std::to_string(port));
  return text;
}

std::string CanonicalUrl(const Endpoint& endpoint, std::string_view secret_ref) {
  std::string url(SchemeName(endpoint.scheme));
  url.append("://").append(AddressText(endpoint.host, endpoint.port, secret_ref));
  return url;
}

bool LooksLikeUrlWithUserInfo(std::string_view text) {
  for (std::size_t mark = text.find("://"); mark != std::string_view::npos; mark = text.find("://", mark + 3)) {
    if (mark == 0 || !IsSchemeCharacter(text[mark - 1])) continue;
    const std::string_view rest = text.substr(mark + 3);
    const std::string_view authority = rest.substr(0, rest.find_first_of("/?# \t\r\n"));
    if (authority.find('@') != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace holdfast
