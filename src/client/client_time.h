// The times a client meets: log time (the controller's, in answers and limits) and boot time (this machine's).
//
// Two types without a conversion; only ValidityClock relates them. Pure, any thread.

#pragma once

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>

#include <cstdint>
#include <optional>

#include "base/log_time.h"
#include "session/boot_time.h"

namespace holdfast::client {

using session::BootTime;

// 2^53 microseconds: numbers stay below it on the wire.
inline constexpr std::int64_t kTimeLimitMicroseconds = std::int64_t{1} << 53;

// Nothing for a time that is not whole microseconds, negative or 2^53 or more.
inline std::optional<LogTime> LogTimeFrom(const google::protobuf::Timestamp& time) {
  if (time.seconds() < 0 || time.seconds() > kTimeLimitMicroseconds / 1'000'000) return std::nullopt;
  if (time.nanos() < 0 || time.nanos() > 999'999'999 || time.nanos() % 1'000 != 0) return std::nullopt;
  const std::int64_t microseconds = time.seconds() * 1'000'000 + time.nanos() / 1'000;
  if (microseconds >= kTimeLimitMicroseconds) return std::nullopt;
  return LogTime(Duration(microseconds));
}

// Nothing for a duration that is negative, 2^53 µs or more; fractions of a microsecond are cut off.
inline std::optional<Duration> DurationFrom(const google::protobuf::Duration& duration) {
  if (duration.seconds() < 0 || duration.nanos() < 0) return std::nullopt;
  if (duration.seconds() > kTimeLimitMicroseconds / 1'000'000 || duration.nanos() > 999'999'999) return std::nullopt;
  return Duration(duration.seconds() * 1'000'000 + duration.nanos() / 1'000);
}

}  // namespace holdfast::client
