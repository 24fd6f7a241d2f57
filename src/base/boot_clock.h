// The clock that only this boot of the machine knows: it counts on while the machine is suspended, and nobody sets it.
//
// Called by the sequencer's driver, once a step, and at the start. Thread: any. Promises: whole microseconds, never
// backwards within one boot; `BootId` names that boot. Does not: know the date (wall_clock.h) or the log's time
// (log_clock.h). Tests and the simulation bring their own.

#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <memory>
#include <string>

namespace holdfast {

class BootClock {
 public:
  virtual ~BootClock() = default;
  // Microseconds since the machine booted.
  virtual std::int64_t Micros() const = 0;
  // Of the kernel's making, drawn anew at each boot; at most 255 bytes, never empty.
  virtual const std::string& BootId() const = 0;
};

// The kernel's. Fails when the boot id cannot be read (it is a file under /proc).
absl::StatusOr<std::unique_ptr<BootClock>> SystemBootClock();

}  // namespace holdfast
