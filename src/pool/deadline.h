// Until when a call may wait: a point on the boot clock, taken when the call begins.
//
// Thread: a plain value; the clock outlives it. Ensures: what is left is never negative.

#pragma once

#include <algorithm>
#include <cstdint>

#include "base/boot_clock.h"
#include "base/log_time.h"

namespace holdfast::pool {

class Deadline {
 public:
  Deadline(const BootClock& clock, Duration patience)
      : clock_(&clock), end_micros_(clock.Micros() + std::max<std::int64_t>(patience.count(), 0)) {}

  Duration Left() const { return Duration(std::max<std::int64_t>(end_micros_ - clock_->Micros(), 0)); }
  bool IsOver() const { return Left() == Duration(0); }
  // The sooner of this one and `patience` from now.
  Deadline AtMost(Duration patience) const {
    const Deadline other(*clock_, patience);
    return other.end_micros_ < end_micros_ ? other : *this;
  }

 private:
  const BootClock* clock_;
  std::int64_t end_micros_;
};

}  // namespace holdfast::pool
