// Durations as the command line writes them. Pure.

#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace holdfast::fleet {

// "250ms", "15s", "2m", "1h", "0"; nothing for anything else.
std::optional<std::chrono::microseconds> ParseDurationText(const std::string& text);

}  // namespace holdfast::fleet
