#include "tools/import/expiry.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "tools/import/text_hygiene.h"

namespace holdfast::importer {
namespace {

using std::chrono::days;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::sys_seconds;

// Unix times below are no expiry of today's proxies but a 0, a -1 or a duration in the wrong field.
constexpr std::int64_t kFirstSecond = 1'000'000'000;
constexpr std::int64_t kLastSecond = 253'402'300'799;  // the year 9999
constexpr std::int64_t kFirstMillisecond = kFirstSecond * 1000;
constexpr std::int64_t kLastMillisecond = kLastSecond * 1000 + 999;
constexpr std::int64_t kLongestTimeToLive = 100ll * 366 * 24 * 3600;
constexpr std::size_t kMostDigits = 15;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsNumber(std::string_view text) {
  return !text.empty() && text.size() <= kMostDigits && std::all_of(text.begin(), text.end(), IsDigit);
}

std::int64_t NumberOf(std::string_view digits) {
  std::int64_t value = 0;
  for (const char c : digits) value = value * 10 + (c - '0');
  return value;
}

LogTime FromSeconds(std::int64_t value) { return LogTime(seconds(value)); }

// Reads a fixed layout from left to right; any miss is remembered.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::int64_t Digits(std::size_t count) {
    if (text_.size() < count || !std::all_of(text_.begin(), text_.begin() + count, IsDigit)) return Fail();
    const std::int64_t value = NumberOf(text_.substr(0, count));
    text_.remove_prefix(count);
    return value;
  }
  bool Take(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void Expect(char c) {
    if (!Take(c)) Fail();
  }
  // ".269783": as many microseconds; what is finer is cut off.
  std::int64_t Fraction() {
    if (!Take('.')) return 0;
    const auto end = std::find_if_not(text_.begin(), text_.end(), IsDigit);
    const std::size_t count = static_cast<std::size_t>(end - text_.begin());
    if (count == 0) return Fail();
    std::string micros(text_.substr(0, std::min<std::size_t>(count, 6)));
    micros.resize(6, '0');
    text_.remove_prefix(count);
    return NumberOf(micros);
  }
  std::int64_t Fail() {
    failed_ = true;
    return 0;
  }
  bool failed() const { return failed_; }
  std::string_view rest() const { return text_; }

 private:
  std::string_view text_;
  bool failed_ = false;
};

// "Z", "+08:00", or nothing where an offset is known.
std::optional<minutes> ReadOffset(Reader* reader, const std::optional<minutes>& without_zone) {
  if (reader->rest().empty()) return without_zone;
  if (reader->Take('Z') || reader->Take('z')) return minutes(0);
  const bool east = reader->Take('+');
  if (!east) reader->Expect('-');
  const std::int64_t hours = reader->Digits(2);
  reader->Expect(':');
  const std::int64_t rest = reader->Digits(2);
  if (reader->failed() || hours > 23 || rest > 59) return std::nullopt;
  return minutes((east ? 1 : -1) * (hours * 60 + rest));
}

Parsed<LogTime> ParseCalendar(std::string_view text, const ExpiryRules& rules) {
  Reader reader(text);
  const std::int64_t year = reader.Digits(4);
  reader.Expect('-');
  const std::int64_t month = reader.Digits(2);
  reader.Expect('-');
  const std::int64_t day = reader.Digits(2);
  if (!reader.Take('T') && !reader.Take('t')) reader.Expect(' ');
  const std::int64_t hour = reader.Digits(2);
  reader.Expect(':');
  const std::int64_t minute = reader.Digits(2);
  reader.Expect(':');
  const std::int64_t second = reader.Digits(2);
  const std::int64_t micros = reader.Fraction();
  if (reader.failed()) return RejectionReason::kBadExpiry;
  const std::optional<minutes> offset = ReadOffset(&reader, rules.times_without_zone);
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(year)),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!offset || reader.failed() || !reader.rest().empty() || !date.ok() || hour > 23 || minute > 59 || second > 60) {
    return RejectionReason::kBadExpiry;
  }
  const sys_seconds local = sys_days(date) + std::chrono::hours(hour) + minutes(minute) + seconds(second);
  const std::int64_t utc = (local - *offset).time_since_epoch().count();
  if (utc <= 0 || utc > kLastSecond) return RejectionReason::kBadExpiry;
  return FromSeconds(utc) + Duration(micros);
}

}  // namespace

Parsed<LogTime> ParseExpiry(std::string_view text, const ExpiryRules& rules) {
  text = TrimText(text);
  if (!IsNumber(text)) return ParseCalendar(text, rules);
  const std::int64_t value = NumberOf(text);
  if (value >= kFirstSecond && value <= kLastSecond) return FromSeconds(value);
  if (value >= kFirstMillisecond && value <= kLastMillisecond) return LogTime(std::chrono::milliseconds(value));
  return RejectionReason::kBadExpiry;
}

Parsed<LogTime> ParseTimeToLive(std::string_view text, const ExpiryRules& rules) {
  text = TrimText(text);
  if (!IsNumber(text)) return RejectionReason::kBadExpiry;
  const std::int64_t value = NumberOf(text);
  if (value == 0) return RejectionReason::kExpired;
  if (value > kLongestTimeToLive) return RejectionReason::kBadExpiry;
  return rules.now + seconds(value);
}

std::string FormatExpiry(LogTime time) {
  const auto since_epoch = time.time_since_epoch();
  const auto whole_days = std::chrono::floor<days>(since_epoch);
  const std::chrono::year_month_day date{sys_days(whole_days)};
  const std::chrono::hh_mm_ss<Duration> clock(since_epoch - whole_days);
  std::array<char, 64> buffer;
  int size = std::snprintf(buffer.data(), buffer.size(), "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
                           static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                           static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                           static_cast<int>(clock.seconds().count()));
  std::string text(buffer.data(), static_cast<std::size_t>(size));
  if (const std::int64_t micros = clock.subseconds().count(); micros != 0) {
    size = std::snprintf(buffer.data(), buffer.size(), ".%06d", static_cast<int>(micros));
    text.append(buffer.data(), static_cast<std::size_t>(size));
  }
  return text + "Z";
}

}  // namespace holdfast::importer
