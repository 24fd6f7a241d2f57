#include "tools/cli/time_text.h"

#include <absl/strings/numbers.h>
#include <absl/time/time.h>

#include <array>
#include <cstdio>

namespace holdfast::cli {
namespace {

constexpr std::int64_t kSecond = 1'000'000;

absl::string_view ToAbsl(std::string_view text) { return {text.data(), text.size()}; }

std::string TwoUnits(std::int64_t large, const char* large_unit, std::int64_t small, const char* small_unit) {
  std::string text = std::to_string(large) + large_unit;
  if (small > 0) text += " " + std::to_string(small) + small_unit;
  return text;
}

std::string PositiveDurationText(std::int64_t micros) {
  const std::int64_t seconds = micros / kSecond;
  if (micros < 1000) return std::to_string(micros) + "us";
  if (seconds < 1) return std::to_string(micros / 1000) + "ms";
  if (seconds < 60) return std::to_string(seconds) + "s";
  if (seconds < 3600) return TwoUnits(seconds / 60, "m", seconds % 60, "s");
  if (seconds < 86400) return TwoUnits(seconds / 3600, "h", seconds % 3600 / 60, "m");
  return TwoUnits(seconds / 86400, "d", seconds % 86400 / 3600, "h");
}

}  // namespace

std::int64_t ToMicros(const google::protobuf::Timestamp& time) {
  return time.seconds() * kSecond + time.nanos() / 1000;
}

std::int64_t ToMicros(const google::protobuf::Duration& duration) {
  return duration.seconds() * kSecond + duration.nanos() / 1000;
}

google::protobuf::Timestamp ToTimestamp(std::int64_t micros) {
  std::int64_t seconds = micros / kSecond;
  std::int64_t rest = micros % kSecond;
  if (rest < 0) {
    rest += kSecond;
    --seconds;
  }
  google::protobuf::Timestamp time;
  time.set_seconds(seconds);
  time.set_nanos(static_cast<std::int32_t>(rest * 1000));
  return time;
}

google::protobuf::Duration ToDuration(std::int64_t micros) {
  google::protobuf::Duration duration;
  duration.set_seconds(micros / kSecond);
  duration.set_nanos(static_cast<std::int32_t>(micros % kSecond * 1000));
  return duration;
}

std::string TimeText(std::int64_t micros) {
  return absl::FormatTime("%Y-%m-%d %H:%M:%SZ", absl::FromUnixMicros(micros), absl::UTCTimeZone());
}

std::string TimeWithAge(std::int64_t micros, std::int64_t now_micros) {
  return TimeText(micros) + " (" + AgeText(micros, now_micros) + ")";
}

std::string Rfc3339(std::int64_t micros) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", absl::FromUnixMicros(micros), absl::UTCTimeZone());
}

std::string DurationText(std::int64_t micros) {
  if (micros == 0) return "0s";
  return micros < 0 ? "-" + PositiveDurationText(-micros) : PositiveDurationText(micros);
}

std::string AgeText(std::int64_t micros, std::int64_t now_micros) {
  const std::int64_t ahead = micros - now_micros;
  if (ahead == 0) return "now";
  return ahead > 0 ? "in " + PositiveDurationText(ahead) : PositiveDurationText(-ahead) + " ago";
}

std::string BytesText(std::uint64_t bytes) {
  if (bytes < 1024) return std::to_string(bytes) + " B";
  constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double size = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; size >= 1024 && unit + 1 < kUnits.size(); ++unit) size /= 1024;
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.1f %s", size, kUnits[unit]);
  return text.data();
}

std::string CountText(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t place = text.size(); place > 3; place -= 3) text.insert(place - 3, ",");
  return text;
}

std::string CountOf(std::uint64_t count, const char* one, const char* many) {
  return CountText(count) + " " + (count == 1 ? one : many);
}

std::optional<std::int64_t> ParseTime(std::string_view text, std::int64_t now_micros) {
  if (text == "now") return now_micros;
  absl::Duration age;
  if (text.starts_with('-') && absl::ParseDuration(ToAbsl(text.substr(1)), &age) && age >= absl::ZeroDuration()) {
    return now_micros - absl::ToInt64Microseconds(age);
  }
  for (const char* form : {"%Y-%m-%dT%H:%M:%E*S%Ez", "%Y-%m-%d %H:%M:%E*S%Ez", "%Y-%m-%d"}) {
    absl::Time time;
    if (absl::ParseTime(form, ToAbsl(text), &time, nullptr) && time > absl::UnixEpoch() &&
        time < absl::InfiniteFuture()) {
      return absl::ToUnixMicros(time);
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> ParseDuration(std::string_view text) {
  const std::optional<std::int64_t> micros = ParseDurationOrZero(text);
  return micros == 0 ? std::nullopt : micros;
}

std::optional<std::int64_t> ParseDurationOrZero(std::string_view text) {
  absl::Duration duration;
  if (!absl::ParseDuration(ToAbsl(text), &duration) || duration < absl::ZeroDuration() ||
      duration > absl::Hours(24 * 365)) {
    return std::nullopt;
  }
  return absl::ToInt64Microseconds(duration);
}

}  // namespace holdfast::cli
