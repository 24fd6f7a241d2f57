// What texts of the wire must look like: ids of members, ids of proxies, labels. Numbers that bound them.
//
// Pure, no allocation. Thread: any.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace holdfast {

inline constexpr std::size_t kMostMemberIdBytes = 128;
inline constexpr std::size_t kMostProxyIdBytes = 1024;
// Readers that count in doubles see every number below it as it is.
inline constexpr std::uint64_t kNumberLimit = std::uint64_t{1} << 53;

// [A-Za-z0-9._-]
constexpr bool IsIdCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

// [A-Za-z0-9._-]{1,128}: ids of members, clients, instances, sessions, requests; a secret_ref.
constexpr bool IsMemberId(std::string_view text) {
  if (text.empty() || text.size() > kMostMemberIdBytes) return false;
  for (const char c : text) {
    if (!IsIdCharacter(c)) return false;
  }
  return true;
}

// U+0000 to U+001F, U+007F to U+009F in UTF-8.
constexpr bool HasControlCharacter(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(text[i]);
    if (byte < 0x20 || byte == 0x7f) return true;
    if (byte != 0xc2 || i + 1 == text.size()) continue;
    const auto next = static_cast<std::uint8_t>(text[i + 1]);
    if (next >= 0x80 && next < 0xa0) return true;
  }
  return false;
}

// 1 to 1,024 bytes, no control characters.
constexpr bool IsProxyId(std::string_view text) {
  return !text.empty() && text.size() <= kMostProxyIdBytes && !HasControlCharacter(text);
}

// The longest beginning of at most `bytes` that does not cut a character of well-formed UTF-8 in two.
constexpr std::string_view CutUtf8(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<std::uint8_t>(text[bytes]) & 0xc0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

}  // namespace holdfast
