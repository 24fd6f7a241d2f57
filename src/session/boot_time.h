// An instant of this machine's boot-time clock (it goes on during a suspend, and no one can set it).
//
// A type of its own so that it never meets log time or wall time by accident. It carries no way to read a clock:
// whoever needs "now" is handed it.

#pragma once

#include <chrono>

#include "base/log_time.h"

namespace holdfast::session {

struct BootTimeline {
  using rep = std::chrono::microseconds::rep;
  using period = std::chrono::microseconds::period;
  using duration = std::chrono::microseconds;
  static constexpr bool is_steady = true;
};

using BootTime = std::chrono::time_point<BootTimeline, Duration>;

}  // namespace holdfast::session
