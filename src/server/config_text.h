// Durations and sizes as people write them: "15s", "250ms", "1h30m"; "8MiB", "3584KiB", "512B".
//
// Thread: pure functions. Ensures: parsing what was formatted gives the same value.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/log_time.h"

namespace holdfast::server {

// Whole numbers with h, m, s, ms, us, each unit once and from the largest down; "0s" for nothing. nullopt: not that, or
// too much.
std::optional<Duration> ParseDurationText(std::string_view text);
std::string DurationText(Duration duration);

// One whole number with B, KiB, MiB, GiB or TiB. nullopt: not that, or 2^63 and more.
std::optional<std::uint64_t> ParseSizeText(std::string_view text);
std::string SizeText(std::uint64_t bytes);

}  // namespace holdfast::server
