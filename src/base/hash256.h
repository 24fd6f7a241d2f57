// A SHA-256 value, in the byte order that the algorithm gives.
//
// Thread: a plain value.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast {

using Hash256 = std::array<std::uint8_t, 32>;

// The 32 bytes as a view; valid as long as `hash` is.
inline std::string_view AsBytes(const Hash256& hash) {
  return std::string_view(reinterpret_cast<const char*>(hash.data()), hash.size());
}

// 64 lower-case hexadecimal digits.
inline std::string ToHex(const Hash256& hash) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * hash.size());
  for (const std::uint8_t byte : hash) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

}  // namespace holdfast
