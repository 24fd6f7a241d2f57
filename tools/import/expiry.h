// The times in a list that say until when a proxy was bought.
//
// Pure, any thread. Promises: the machine's time zone and locale are never asked, so the same list means the same on
// every machine; a time is whole microseconds. Takes RFC 3339 (a space for the T is fine, a leap second is the next
// second), Unix seconds from 2001 on, and Unix milliseconds. A time without a zone is refused unless its offset is
// given.

#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/log_time.h"
#include "tools/import/rejection_reason.h"

namespace holdfast::importer {

struct ExpiryRules {
  LogTime now{};
  std::optional<std::chrono::minutes> times_without_zone;
};

// The time alone, over or not; kBadExpiry.
Parsed<LogTime> ParseExpiry(std::string_view text, const ExpiryRules& rules);

// Seconds from now on, as some lists write it; kBadExpiry, or kExpired for nothing left.
Parsed<LogTime> ParseTimeToLive(std::string_view text, const ExpiryRules& rules);

// "2030-01-01T00:00:00Z", with a fraction only where there is one.
std::string FormatExpiry(LogTime time);

}  // namespace holdfast::importer
