// How long not to try again: 1 s, doubling to 10 s, each ±20 %, from the start again after a call that was answered.
//
// Called by RedisLink. Pure: the jitter comes from an injected generator. Does not wait.

#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "base/log_time.h"

namespace holdfast::pool {

class RedisBackoff {
 public:
  static constexpr Duration kFirst = std::chrono::seconds(1);
  static constexpr Duration kLimit = std::chrono::seconds(10);  // before the jitter

  // Uniform 64-bit numbers; called once a delay.
  using Generator = std::function<std::uint64_t()>;

  explicit RedisBackoff(Generator generator) : generator_(std::move(generator)) {}

  Duration NextDelay() {
    const std::int64_t spread = next_.count() / 5;
    const auto width = static_cast<std::uint64_t>(2 * spread) + 1;
    const Duration delay = next_ + Duration(static_cast<std::int64_t>(generator_() % width) - spread);
    next_ = std::min(2 * next_, kLimit);
    return delay;
  }
  void Reset() { next_ = kFirst; }

 private:
  const Generator generator_;
  Duration next_ = kFirst;
};

}  // namespace holdfast::pool
