#include "tools/cli/printable_text.h"

#include <array>
#include <cstdint>
#include <cstdio>

namespace holdfast::cli {
namespace {

bool IsContinuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// Length of the well-formed sequence that `text` begins with, and its code point. 0: none.
std::size_t ReadCodePoint(std::string_view text, std::uint32_t& code_point) {
  const auto first = static_cast<unsigned char>(text[0]);
  std::size_t length = first < 0x80 ? 1 : first >= 0xC2 && first < 0xE0 ? 2 : first >= 0xE0 && first < 0xF0 ? 3 : 0;
  if (first >= 0xF0 && first < 0xF5) length = 4;
  if (length == 0 || text.size() < length) return 0;
  code_point = length == 1 ? first : first & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if (!IsContinuation(text[i])) return 0;
    code_point = (code_point << 6) | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  }
  constexpr std::array<std::uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code_point >= 0xD800 && code_point < 0xE000;
  return code_point < kLeast[length] || code_point > 0x10FFFF || surrogate ? 0 : length;
}

// C0, DEL, C1, line separators, and what reorders the text around it.
bool IsControl(std::uint32_t code_point) {
  return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0) || code_point == 0x2028 ||
         code_point == 0x2029 || (code_point >= 0x202A && code_point <= 0x202E) ||
         (code_point >= 0x2066 && code_point <= 0x2069) || code_point == 0xFEFF;
}

}  // namespace

std::string PrintableText(std::string_view text) {
  std::string printable;
  printable.reserve(text.size());
  while (!text.empty()) {
    std::uint32_t code_point = 0;
    const std::size_t length = ReadCodePoint(text, code_point);
    const std::size_t step = length == 0 ? 1 : length;
    if (length > 0 && !IsControl(code_point)) {
      printable += text.substr(0, length);
    } else {
      for (const char byte : text.substr(0, step)) {
        std::array<char, 8> escaped;
        std::snprintf(escaped.data(), escaped.size(), "\\x%02x", static_cast<unsigned char>(byte));
        printable += escaped.data();
      }
    }
    text.remove_prefix(step);
  }
  return printable;
}

std::size_t DisplayWidth(std::string_view text) {
  std::size_t width = 0;
  for (const char byte : text) width += IsContinuation(byte) ? 0 : 1;
  return width;
}

}  // namespace holdfast::cli
