#include "replay/time_text.h"

#include <absl/time/time.h>

namespace holdfast::replay {

std::string TimeText(LogTime time) {
  if (IsAbsent(time)) return "-";
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", absl::FromUnixMicros(ToMicros(time)), absl::UTCTimeZone());
}

std::optional<LogTime> ParseTimeText(std::string_view text) {
  absl::Time time;
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, absl::string_view(text.data(), text.size()), &time, &error)) {
    return std::nullopt;
  }
  return LogTimeFromMicros(absl::ToUnixMicros(time));
}

}  // namespace holdfast::replay
