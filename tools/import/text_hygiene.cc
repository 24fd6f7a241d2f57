#include "tools/import/text_hygiene.h"

#include <algorithm>
#include <cstddef>

namespace holdfast::importer {
namespace {

// What a UTF-8 sequence begins with says how long it is and where its second byte may lie.
struct Sequence {
  std::size_t length = 0;  // 0: no sequence begins so
  unsigned char second_low = 0x80;
  unsigned char second_high = 0xbf;
};

Sequence SequenceOf(unsigned char lead) {
  if (lead < 0x80) return {1};
  if (lead < 0xc2) return {0};
  if (lead < 0xe0) return {2};
  if (lead == 0xe0) return {3, 0xa0, 0xbf};
  if (lead == 0xed) return {3, 0x80, 0x9f};  // no surrogates
  if (lead < 0xf0) return {3};
  if (lead == 0xf0) return {4, 0x90, 0xbf};
  if (lead < 0xf4) return {4};
  if (lead == 0xf4) return {4, 0x80, 0x8f};
  return {0};
}

constexpr std::string_view kBlanks[] = {" ", "\t", "\r", "\xc2\xa0", "\xe2\x80\x8b", "\xef\xbb\xbf", "\xe3\x80\x80"};

std::size_t BlankAtBegin(std::string_view text) {
  for (const std::string_view blank : kBlanks) {
    if (text.starts_with(blank)) return blank.size();
  }
  return 0;
}

std::size_t BlankAtEnd(std::string_view text) {
  for (const std::string_view blank : kBlanks) {
    if (text.ends_with(blank)) return blank.size();
  }
  return 0;
}

bool IsAsciiControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

bool HasC1Control(std::string_view text) {
  for (std::size_t i = text.find('\xc2'); i != std::string_view::npos; i = text.find('\xc2', i + 1)) {
    if (i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) >= 0x80 &&
        static_cast<unsigned char>(text[i + 1]) < 0xa0) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string_view TrimText(std::string_view text) {
  while (const std::size_t blank = BlankAtBegin(text)) text.remove_prefix(blank);
  while (const std::size_t blank = BlankAtEnd(text)) text.remove_suffix(blank);
  return text;
}

std::optional<RejectionReason> CheckText(std::string_view text) {
  if (std::any_of(text.begin(), text.end(), [](char c) { return IsAsciiControl(c) && c != '\t'; })) {
    return RejectionReason::kControlCharacter;
  }
  if (!IsUtf8(text)) return RejectionReason::kInvalidUtf8;
  if (HasC1Control(text)) return RejectionReason::kControlCharacter;
  return std::nullopt;
}

bool IsUtf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const Sequence sequence = SequenceOf(static_cast<unsigned char>(text[i]));
    if (sequence.length == 0 || i + sequence.length > text.size()) return false;
    for (std::size_t k = 1; k < sequence.length; ++k) {
      const auto byte = static_cast<unsigned char>(text[i + k]);
      const unsigned char low = k == 1 ? sequence.second_low : 0x80;
      const unsigned char high = k == 1 ? sequence.second_high : 0xbf;
      if (byte < low || byte > high) return false;
    }
    i += sequence.length;
  }
  return true;
}

bool HasControlCharacter(std::string_view text) {
  return std::any_of(text.begin(), text.end(), IsAsciiControl) || HasC1Control(text);
}

std::string ToLowerAscii(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

}  // namespace holdfast::importer
