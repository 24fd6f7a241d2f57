// A date that another machine tells now and then; in between it runs by this machine's boot-time clock.
//
//   asked at `before` ─► `told` ─► answered at `after`:    told - after  ≤  the difference  ≤  told - before
//
// Life cycle: of no date until the first sample. Thread: Take from one, the rest from any. Promises: each sample moves
// the clock by as little as it must: into the interval above, which is as wide as the round trip was long, so a slow
// answer can only mend what is certainly wrong. Nothing is filtered: a clock that jumps over there jumps here, as any
// wall may, and the log clock deals with it. Does not ask anybody (the sampler does), or look at how old a sample is.

#pragma once

#include <absl/status/statusor.h>

#include <atomic>

#include "base/boot_clock.h"
#include "base/log_time.h"
#include "base/wall_clock.h"

namespace holdfast {

struct ClockSample {
  std::int64_t before_micros = 0;  // boot-time clock, when nobody had been asked yet
  std::int64_t after_micros = 0;   // boot-time clock, when it had been answered
  std::int64_t told_micros = 0;    // since the Unix epoch
};

// Asks the other machine. Thread: one.
class ClockSampler {
 public:
  virtual ~ClockSampler() = default;
  // Waits, but not for ever. An error says who did not answer, and why.
  virtual absl::StatusOr<ClockSample> Sample() = 0;
};

class SampledClock final : public WallClock {
 public:
  // The clock must outlive this one.
  explicit SampledClock(const BootClock& boot) : boot_(boot) {}

  // By how much the clock was moved; of the first one: nothing.
  Duration Take(const ClockSample& sample);
  // Requires: a sample was taken.
  std::int64_t Micros() const override { return boot_.Micros() + difference_.load(); }

 private:
  const BootClock& boot_;
  std::atomic<std::int64_t> difference_{0};  // the date minus the boot-time clock
  bool has_sample_ = false;                  // of the thread that takes
};

}  // namespace holdfast
