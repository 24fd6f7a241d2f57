#include "controller/proto_time.h"

namespace holdfast {
namespace {

constexpr std::int64_t kMicros = 1'000'000;
constexpr std::int64_t kLastSecond = 253'402'300'799;  // of the year 9999

}  // namespace

void PutTime(LogTime time, google::protobuf::Timestamp* out) {
  out->set_seconds(ToMicros(time) / kMicros);
  out->set_nanos(static_cast<std::int32_t>(ToMicros(time) % kMicros) * 1000);
}

void PutDuration(Duration duration, google::protobuf::Duration* out) {
  out->set_seconds(duration.count() / kMicros);
  out->set_nanos(static_cast<std::int32_t>(duration.count() % kMicros) * 1000);
}

std::optional<LogTime> ReadTime(const google::protobuf::Timestamp& time) {
  const bool in_range = time.seconds() >= 0 && time.seconds() <= kLastSecond && time.nanos() >= 0 &&
                        time.nanos() < 1'000'000'000 && time.nanos() % 1000 == 0;
  if (!in_range) return std::nullopt;
  return LogTimeFromMicros(time.seconds() * kMicros + time.nanos() / 1000);
}

std::optional<Duration> ReadDuration(const google::protobuf::Duration& duration) {
  const bool in_range = duration.seconds() >= 0 && duration.seconds() <= kLastSecond && duration.nanos() >= 0 &&
                        duration.nanos() < 1'000'000'000 && duration.nanos() % 1000 == 0;
  if (!in_range) return std::nullopt;
  return Duration(duration.seconds() * kMicros + duration.nanos() / 1000);
}

}  // namespace holdfast
