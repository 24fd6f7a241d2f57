// Time as the log counts it: whole microseconds since the Unix epoch, as read from the log clock and never from the
// wall.
//
// Thread: plain values. A LogTime of 0 means "absent" wherever a header says so.

#pragma once

#include <chrono>
#include <cstdint>

namespace holdfast {

using Duration = std::chrono::microseconds;

// Only a tag for std::chrono::time_point: it has no now(). Who may read a clock is log_clock.h's business.
struct LogTimeline {
  using duration = Duration;
  using rep = Duration::rep;
  using period = Duration::period;
  using time_point = std::chrono::time_point<LogTimeline, Duration>;
  static constexpr bool is_steady = true;
};

using LogTime = LogTimeline::time_point;

constexpr LogTime LogTimeFromMicros(std::int64_t micros) { return LogTime(Duration(micros)); }
constexpr std::int64_t ToMicros(LogTime time) { return time.time_since_epoch().count(); }
constexpr bool IsAbsent(LogTime time) { return ToMicros(time) == 0; }

// Limits are half-open: at now == limit it is over.
constexpr bool IsOver(LogTime limit, LogTime now) { return now >= limit; }

}  // namespace holdfast
