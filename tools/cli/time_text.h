// Times, ages and sizes as people read them, and as they type them.
//
// Called by every command. Pure: now comes in as an argument. Times are microseconds since the Unix epoch, always shown
// in UTC; no locale and no time zone of the machine has a say.

#pragma once

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::cli {

std::int64_t ToMicros(const google::protobuf::Timestamp& time);
std::int64_t ToMicros(const google::protobuf::Duration& duration);
google::protobuf::Timestamp ToTimestamp(std::int64_t micros);
google::protobuf::Duration ToDuration(std::int64_t micros);

// "2026-09-01 12:00:00Z".
std::string TimeText(std::int64_t micros);
// "2026-09-01 12:00:00Z (5m ago)", "(in 25s)".
std::string TimeWithAge(std::int64_t micros, std::int64_t now_micros);
// "2026-09-01T12:00:00.000001Z": for programs; whole microseconds.
std::string Rfc3339(std::int64_t micros);

// The two largest units: "850ms", "12s", "5m 3s", "2h 10m", "4d 2h". Of a negative one: "-5s".
std::string DurationText(std::int64_t micros);
// "3s ago", "in 25s", "now".
std::string AgeText(std::int64_t micros, std::int64_t now_micros);
// "512 B", "1.5 KiB", "3.0 GiB".
std::string BytesText(std::uint64_t bytes);
// "12,345".
std::string CountText(std::uint64_t count);
// "1 proxy", "12,345 proxies".
std::string CountOf(std::uint64_t count, const char* one, const char* many);

// RFC 3339 ("2026-09-01T12:00:00Z", "2026-09-01 12:00:00Z", a date alone: its midnight in UTC), "now", or an age before
// now ("-15m", "-2h30m"). Absent: not a time.
std::optional<std::int64_t> ParseTime(std::string_view text, std::int64_t now_micros);
// "10s", "250ms", "1h30m". Absent: not a duration, or not above zero.
std::optional<std::int64_t> ParseDuration(std::string_view text);
// The same, and "0".
std::optional<std::int64_t> ParseDurationOrZero(std::string_view text);

}  // namespace holdfast::cli
