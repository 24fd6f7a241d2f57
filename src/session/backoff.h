// How long to wait before the next try: 1 s, doubling to 10 s, each ±20 %, from the start again after a session that
// was stable for 60 s and had a positive ACK.
//
// Called by the session machines and the client's links, on their thread. Pure: the jitter comes from an injected
// generator, time comes in as an argument. Does not wait by itself.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "session/boot_time.h"

namespace holdfast::session {

struct BackoffSettings {
  Duration first = std::chrono::seconds(1);
  Duration limit = std::chrono::seconds(10);  // before the jitter
  std::uint32_t jitter_percent = 20;          // 0..100
  Duration stable_after = std::chrono::seconds(60);
};

class Backoff {
 public:
  // Uniform 64-bit numbers; called once a delay.
  using Generator = std::function<std::uint64_t()>;

  Backoff(BackoffSettings settings, Generator generator);

  // The delay before the next try; each call counts as one more attempt.
  Duration NextDelay();

  // What a reset depends on: a session (or stream) that lasted, and a positive ACK in it.
  void SessionOpened(BootTime now);
  void PositiveAck() { acknowledged_ = true; }
  void SessionEnded(BootTime now);

  // Tries since the last reset.
  std::uint32_t attempts() const { return attempts_; }

 private:
  const BackoffSettings settings_;
  const Generator generator_;
  std::uint32_t attempts_ = 0;
  std::optional<BootTime> opened_at_;
  bool acknowledged_ = false;
};

}  // namespace holdfast::session
