// Tells how far a recovery is, once a second: a block may be folded in microseconds.
//
// Thread: the recovering one.

#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "base/boot_clock.h"
#include "base/ids.h"

namespace holdfast::server {

class RecoveryProgress {
 public:
  // The clock outlives it.
  RecoveryProgress(const BootClock& clock, std::function<void(Sequence)> tell)
      : clock_(&clock), tell_(std::move(tell)), told_at_(clock.Micros()) {}

  void operator()(Sequence folded) {
    constexpr std::int64_t kEvery = 1'000'000;  // microseconds
    const std::int64_t now = clock_->Micros();
    if (now - told_at_ < kEvery) return;
    told_at_ = now;
    tell_(folded);
  }

 private:
  const BootClock* clock_;
  std::function<void(Sequence)> tell_;
  std::int64_t told_at_;
};

}  // namespace holdfast::server
