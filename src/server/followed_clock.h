// The date of another machine as this daemon's wall clock: asked once a second, by a thread of its own.
//
//   Start: asked until it has answered once, so many times at most ─► followed ⇄ away (by the boot-time clock; said
//   once)
//
// Life cycle: Start, then read until it is destroyed. Thread: Micros from any. Promises: there is a date from the
// beginning, or no clock at all (decision 0021); while the other machine is away the date goes on as this machine
// counts time. A date that jumps is for the log clock to judge, which follows 5 s slowly and reports what is more.

#pragma once

#include <absl/status/statusor.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "base/sampled_clock.h"

namespace holdfast::server {

class FollowedClock final : public WallClock {
 public:
  struct Options {
    Duration period = std::chrono::seconds(1);  // also between the tries of the start
    int first_tries = 3;
  };

  // Unavailable: no answer to any of the first tries; what to do is said. The boot clock must outlive the clock.
  static absl::StatusOr<std::unique_ptr<FollowedClock>> Start(std::unique_ptr<ClockSampler> sampler,
                                                              const BootClock& boot, const Options& options);
  ~FollowedClock() override;

  std::int64_t Micros() const override { return clock_.Micros(); }

 private:
  FollowedClock(std::unique_ptr<ClockSampler> sampler, const BootClock& boot, const Options& options)
      : options_(options), sampler_(std::move(sampler)), clock_(boot) {}

  absl::Status AwaitFirst();
  void Run();
  void Follow();
  // False: it is being destroyed.
  bool WaitForPeriod();

  const Options options_;
  const std::unique_ptr<ClockSampler> sampler_;  // the thread's, once it runs
  SampledClock clock_;
  bool away_ = false;  // the thread's
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopped_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace holdfast::server
