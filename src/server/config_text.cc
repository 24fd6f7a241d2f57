#include "server/config_text.h"

#include <array>
#include <limits>

namespace holdfast::server {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

// From the largest down.
constexpr std::array<Unit, 5> kTimeUnits = {
    {{"h", 3'600'000'000}, {"m", 60'000'000}, {"s", 1'000'000}, {"ms", 1'000}, {"us", 1}}};
constexpr std::array<Unit, 5> kSizeUnits = {
    {{"TiB", 1ull << 40}, {"GiB", 1ull << 30}, {"MiB", 1ull << 20}, {"KiB", 1ull << 10}, {"B", 1}}};
constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Takes a whole number off the front.
std::optional<std::uint64_t> TakeNumber(std::string_view& text) {
  if (text.empty() || !IsDigit(text.front())) return std::nullopt;
  std::uint64_t number = 0;
  while (!text.empty() && IsDigit(text.front())) {
    const auto digit = static_cast<std::uint64_t>(text.front() - '0');
    if (number > (kMost - digit) / 10) return std::nullopt;
    number = number * 10 + digit;
    text.remove_prefix(1);
  }
  return number;
}

std::string_view TakeWord(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && !IsDigit(text[length])) ++length;
  const std::string_view word = text.substr(0, length);
  text.remove_prefix(length);
  return word;
}

}  // namespace

std::optional<Duration> ParseDurationText(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::uint64_t micros = 0;
  std::size_t next_unit = 0;
  while (!text.empty()) {
    const std::optional<std::uint64_t> number = TakeNumber(text);
    const std::string_view word = TakeWord(text);
    while (next_unit < kTimeUnits.size() && kTimeUnits[next_unit].name != word) ++next_unit;
    if (!number || next_unit == kTimeUnits.size()) return std::nullopt;
    const std::uint64_t factor = kTimeUnits[next_unit++].factor;
    if (*number > (kMost - micros) / factor) return std::nullopt;
    micros += *number * factor;
  }
  return Duration(static_cast<std::int64_t>(micros));
}

std::string DurationText(Duration duration) {
  auto left = static_cast<std::uint64_t>(duration.count());
  std::string text;
  for (const Unit& unit : kTimeUnits) {
    if (left < unit.factor) continue;
    text += std::to_string(left / unit.factor) + std::string(unit.name);
    left %= unit.factor;
  }
  return text.empty() ? "0s" : text;
}

std::optional<std::uint64_t> ParseSizeText(std::string_view text) {
  const std::optional<std::uint64_t> number = TakeNumber(text);
  if (!number) return std::nullopt;
  for (const Unit& unit : kSizeUnits) {
    if (unit.name == text && *number <= kMost / unit.factor) return *number * unit.factor;
  }
  return std::nullopt;
}

std::string SizeText(std::uint64_t bytes) {
  for (const Unit& unit : kSizeUnits) {
    if (bytes != 0 && bytes % unit.factor == 0) return std::to_string(bytes / unit.factor) + std::string(unit.name);
  }
  return "0B";
}

}  // namespace holdfast::server
