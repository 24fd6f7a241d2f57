// The clocks of one simulated machine: a boot-time clock that runs a little too fast or too slow, and a wall clock that
// somebody sets.
//
// Thread: one. Microseconds. Rates stay so close that log time, slewed by at most 0.1 %, runs within 0.2 % of every
// worker's clock, which is what the contract assumes.

#pragma once

#include <string>

#include "tests/simulation/world/scheduler.h"

namespace holdfast::simulation {

// The date at which every world begins.
inline constexpr Micros kBeginning = 1'800'000'000'000'000;

// Of a member's machine, in parts per million.
inline constexpr std::int64_t kMostDrift = 600;

class MachineClock {
 public:
  // parts_per_million: by how much it runs fast (or slow, below zero).
  explicit MachineClock(std::int64_t parts_per_million) : parts_per_million_(parts_per_million) {}

  std::int64_t BootMicros(Micros now) const {
    const Micros passed = now - booted_at_;
    return passed + passed * parts_per_million_ / 1'000'000;
  }
  // The first true instant at which the boot-time clock shows at least this.
  Micros WhenBootShows(std::int64_t boot_micros) const {
    Micros at = booted_at_ + static_cast<Micros>(Wide{1'000'000} * boot_micros / (1'000'000 + parts_per_million_)) - 2;
    while (BootMicros(at) < boot_micros) ++at;
    return at;
  }
  std::int64_t WallMicros(Micros now) const { return kBeginning + now + wall_offset_; }
  std::string boot_id() const { return "boot-" + std::to_string(boots_); }

  void Boot(Micros now) {
    booted_at_ = now;
    ++boots_;
  }
  void SetWall(Micros offset) { wall_offset_ = offset; }
  Micros wall_offset() const { return wall_offset_; }

 private:
  __extension__ using Wide = __int128;
  const std::int64_t parts_per_million_;
  Micros booted_at_ = 0;
  Micros wall_offset_ = 0;
  int boots_ = 1;
};

}  // namespace holdfast::simulation
