// The date as the machine believes it. It may be set, jump and lie: only the log clock reads it, and follows it slowly.
//
// Called by the sequencer's driver, once a step, and at the start. Thread: any. Promises: whole microseconds since the
// Unix epoch. Does not: promise to go forward. Tests and the simulation bring their own.

#pragma once

#include <cstdint>
#include <memory>

namespace holdfast {

class WallClock {
 public:
  virtual ~WallClock() = default;
  // Microseconds since the Unix epoch.
  virtual std::int64_t Micros() const = 0;
};

std::unique_ptr<WallClock> SystemWallClock();

}  // namespace holdfast
