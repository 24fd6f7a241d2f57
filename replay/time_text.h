// Log times as text, and back.
//
// Thread: pure functions. Always UTC and whole microseconds; no time zone of the machine has a say.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/log_time.h"

namespace holdfast::replay {

// "2026-09-01T12:00:00.000001Z"; "-" where it is absent.
std::string TimeText(LogTime time);

// RFC 3339 ("2026-09-01T12:00:00Z", with a fraction, with an offset). nullopt: not a time.
std::optional<LogTime> ParseTimeText(std::string_view text);

}  // namespace holdfast::replay
