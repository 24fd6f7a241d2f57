// Between the times of the wire and those of the log: whole microseconds, an absent message is an absent time.
//
// Thread: plain functions. A time with a part below the microsecond, or outside the years 1970 to 9999, is not well
// formed.

#pragma once

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>

#include <optional>

#include "base/log_time.h"

namespace holdfast {

void PutTime(LogTime time, google::protobuf::Timestamp* out);
void PutDuration(Duration duration, google::protobuf::Duration* out);

// nullopt: not well formed.
std::optional<LogTime> ReadTime(const google::protobuf::Timestamp& time);
// nullopt: not well formed, or negative.
std::optional<Duration> ReadDuration(const google::protobuf::Duration& duration);

}  // namespace holdfast
