#include "base/log_clock.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace holdfast {
namespace {

constexpr std::int64_t kSlewDivisor = 1'000;  // 0.1 %

LogTime StartTime(const std::optional<LogClockAnchor>& last, bool continues_boot, ClockReading now) {
  // 0 means "absent" elsewhere: even a machine whose date is not set yet starts after it.
  const LogTime wall = LogTimeFromMicros(std::max<std::int64_t>(now.wall_micros, 1));
  if (!last.has_value()) return wall;
  if (!continues_boot) return std::max(wall, last->last_at);
  return last->last_at + Duration(std::max<std::int64_t>(now.boot_micros - last->boot_micros, 0));
}

Duration Magnitude(Duration duration) { return duration < Duration(0) ? -duration : duration; }

}  // namespace

LogClock::LogClock(const std::optional<LogClockAnchor>& last, std::string_view boot_id, ClockReading now,
                   std::optional<Duration> reported)
    : continues_boot_(last.has_value() && last->boot_id == boot_id),
      time_(StartTime(last, continues_boot_, now)),
      boot_micros_(now.boot_micros),
      reported_(reported) {
  Observe(now.wall_micros);
}

LogTime LogClock::Now(ClockReading now) {
  const std::int64_t passed = std::max<std::int64_t>(now.boot_micros - boot_micros_, 0);
  boot_micros_ = std::max(boot_micros_, now.boot_micros);
  time_ += Duration(passed);
  // Steps may be shorter than a millisecond: what they earn is gathered, so that slewing does not depend on how often
  // the clock is read. Credit that is not needed is not kept.
  slew_credit_ += passed;
  const Duration limit(slew_credit_ / kSlewDivisor);
  slew_credit_ %= kSlewDivisor;
  const Duration offset(now.wall_micros - ToMicros(time_));
  if (Magnitude(offset) <= kFollowedOffset) time_ += std::clamp(offset, -limit, limit);
  Observe(now.wall_micros);
  return time_;
}

std::optional<ClockObservation> LogClock::TakeObservation() { return std::exchange(observation_, std::nullopt); }

void LogClock::MoveForward(Duration by) {
  HOLDFAST_CHECK(by >= Duration(0));
  const std::int64_t wall_micros = ToMicros(time_) + offset_.count();
  time_ += by;
  Observe(wall_micros);
}

void LogClock::Observe(std::int64_t wall_micros) {
  offset_ = Duration(wall_micros - ToMicros(time_));
  const bool followed = Magnitude(offset_) <= kFollowedOffset;
  const bool told = reported_.has_value();
  if (followed ? !told : told && Magnitude(offset_ - *reported_) <= kFollowedOffset) return;
  observation_ = ClockObservation{.offset = offset_, .wall = LogTimeFromMicros(wall_micros), .over = followed};
  reported_ = followed ? std::nullopt : std::optional<Duration>(offset_);
}

}  // namespace holdfast
