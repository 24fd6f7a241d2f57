#include "tools/import/proxy_url.h"

#include <algorithm>

#include "tools/import/host_and_port.h"
#include "tools/import/text_hygiene.h"

namespace holdfast::importer {
namespace {

constexpr std::string_view kMark = "://";

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsSchemeText(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !text.empty() && is_letter(text.front()) && std::all_of(text.begin(), text.end(), [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
  });
}

Parsed<std::string> PercentDecode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i]);
      continue;
    }
    const int high = i + 1 < text.size() ? HexValue(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? HexValue(text[i + 2]) : -1;
    if (high < 0 || low < 0) return RejectionReason::kBadPercentEncoding;
    decoded.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return decoded;
}

// What stands behind the authority: nothing, a slash, or a label behind '#'.
std::optional<RejectionReason> CheckBehindAuthority(std::string_view text) {
  // An RFC reader ends the authority at the first / ? or #; a password that holds one would make the rest the host.
  if (text.find('@') != std::string_view::npos) return RejectionReason::kMalformedUserinfo;
  if (text.starts_with('/')) text.remove_prefix(1);
  if (text.empty() || text.front() == '#') return std::nullopt;
  return RejectionReason::kPathOrQueryNotAllowed;
}

std::optional<RejectionReason> ParseAuthority(std::string_view host_and_port, const TextRules& rules,
                                              ParsedProxy* proxy) {
  if (LooksLikeBareIpv6(host_and_port)) return RejectionReason::kAmbiguousIpv6;
  const Parsed<Head> split = SplitHead(host_and_port);
  if (const auto* reason = Refused(split)) return *reason;
  const Head& head = std::get<Head>(split);
  Parsed<std::string> host = ParseHost(head.host, head.bracketed, rules.allow_special);
  if (const auto* reason = Refused(host)) return *reason;
  if (head.after.find(':') != std::string_view::npos) return RejectionReason::kMalformedLine;
  const Parsed<std::uint16_t> port = ParsePort(head.after);
  if (const auto* reason = Refused(port)) return *reason;
  proxy->host = std::move(std::get<std::string>(host));
  proxy->port = std::get<std::uint16_t>(port);
  return std::nullopt;
}

}  // namespace

bool IsUrl(std::string_view text) {
  const std::size_t colon = text.find(':');
  return colon != std::string_view::npos && text.substr(colon).starts_with(kMark);
}

Parsed<ParsedProxy> ParseProxyUrl(std::string_view text, const TextRules& rules) {
  const std::size_t mark = text.find(kMark);
  const std::string_view scheme = text.substr(0, mark);
  if (!IsSchemeText(scheme)) return RejectionReason::kMalformedLine;
  ParsedProxy proxy;
  proxy.scheme = ParseScheme(scheme);
  if (!proxy.scheme) return RejectionReason::kUnsupportedScheme;

  std::string_view token = text.substr(mark + kMark.size());
  if (const std::size_t blank = token.find_first_of(" \t"); blank != std::string_view::npos) {
    const std::string_view tail = TrimText(token.substr(blank));
    if (!IsAnnotation(tail) || tail.find('@') != std::string_view::npos) return RejectionReason::kMalformedLine;
    token = token.substr(0, blank);
  }
  const std::size_t end = std::min(token.find_first_of("/?#"), token.size());
  if (const auto reason = CheckBehindAuthority(token.substr(end))) return *reason;
  std::string_view authority = token.substr(0, end);
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    Parsed<Credential> credential = ParseUserInfo(authority.substr(0, at));
    if (const auto* reason = Refused(credential)) return *reason;
    proxy.credential = std::move(std::get<Credential>(credential));
    authority.remove_prefix(at + 1);
  }
  if (const auto reason = ParseAuthority(authority, rules, &proxy)) return *reason;
  return proxy;
}

Parsed<Credential> ParseUserInfo(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view user = text.substr(0, colon);
  // Whether "alice@example.com:…" names a user or a host cannot be seen.
  if (user.find('@') != std::string_view::npos) return RejectionReason::kMalformedUserinfo;
  Parsed<std::string> username = PercentDecode(user);
  if (const auto* reason = Refused(username)) return *reason;
  if (colon == std::string_view::npos) return MakeCredential(std::get<std::string>(username), std::nullopt);
  Parsed<std::string> password = PercentDecode(text.substr(colon + 1));
  if (const auto* reason = Refused(password)) return *reason;
  return MakeCredential(std::get<std::string>(username), std::get<std::string>(password));
}

Parsed<Credential> MakeCredential(std::string_view username, std::optional<std::string_view> password) {
  if (username.empty()) return RejectionReason::kEmptyUsername;
  for (const std::string_view text : {username, password.value_or(std::string_view())}) {
    if (!IsUtf8(text)) return RejectionReason::kInvalidUtf8;
    if (HasControlCharacter(text)) return RejectionReason::kControlCharacter;
  }
  Credential credential;
  credential.username = std::string(username);
  if (password) credential.password = std::string(*password);
  return credential;
}

}  // namespace holdfast::importer
