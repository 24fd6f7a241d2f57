#include "tools/fleet/duration_text.h"

#include <charconv>
#include <map>

namespace holdfast::fleet {

std::optional<std::chrono::microseconds> ParseDurationText(const std::string& text) {
  static const std::map<std::string, std::int64_t> kUnits = {
      {"us", 1}, {"ms", 1'000}, {"s", 1'000'000}, {"m", 60'000'000}, {"h", 3'600'000'000}};
  constexpr std::int64_t kHoursMax = 1'000'000;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0 || number > kHoursMax) return std::nullopt;
  const std::string unit(end, text.data() + text.size());
  if (unit.empty() && number == 0) return std::chrono::microseconds(0);
  const auto found = kUnits.find(unit);
  if (found == kUnits.end()) return std::nullopt;
  return std::chrono::microseconds(number * found->second);
}

}  // namespace holdfast::fleet
