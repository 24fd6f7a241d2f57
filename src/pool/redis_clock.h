// What Redis says the time is (TIME), over a connection of its own.
//
// Called by whoever follows that clock, about once a second. Thread: one. Promises: the boot-time clock is read right
// before the command is sent and right after its answer, so connecting is not part of the round trip; a call waits at
// most connect_timeout for the answer, and as long again for each place that it tries to connect to. Does not wait
// between tries: once a second is slow enough for any Redis.

#pragma once

#include <memory>

#include "base/sampled_clock.h"
#include "pool/redis_finder.h"

namespace holdfast::pool {

class RedisClockSampler final : public ClockSampler {
 public:
  // WrongRequest: settings that Validate refuses. The clock outlives the sampler.
  static absl::StatusOr<std::unique_ptr<RedisClockSampler>> Make(RedisSettings settings, const BootClock& clock);

  // Statuses as trouble.h tells them.
  absl::StatusOr<ClockSample> Sample() override;

 private:
  RedisClockSampler(RedisSettings settings, const BootClock& clock)
      : settings_(std::move(settings)), clock_(clock), finder_(settings_) {}

  absl::Status Connect();
  absl::StatusOr<ClockSample> Ask();

  const RedisSettings settings_;
  const BootClock& clock_;
  RedisFinder finder_;
  std::unique_ptr<RedisConnection> connection_;  // null: away
};

}  // namespace holdfast::pool
