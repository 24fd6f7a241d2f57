// Times of the wire in microseconds.

#pragma once

#include <google/protobuf/duration.pb.h>

#include <cstdint>

namespace holdfast::judge {

inline std::int64_t LengthOf(const google::protobuf::Duration& duration) {
  return duration.seconds() * 1'000'000 + duration.nanos() / 1'000;
}

}  // namespace holdfast::judge
