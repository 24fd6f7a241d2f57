// The waits between attempts after a connection broke: 1 s, doubling to 10 s, each off by up to a fifth, and the end of
// patience.
//
// Called by the commands that go on by themselves (import, log --follow). Thread: one. Counts the time that it waited,
// not the clock, so that it behaves the same in a test; progress gives all patience back.

#pragma once

#include <chrono>
#include <optional>

#include "session/backoff.h"
#include "tools/cli/environment.h"

namespace holdfast::cli {

class RetryWait {
 public:
  // `patience` absent: for ever.
  RetryWait(Environment& environment, std::optional<std::chrono::microseconds> patience);

  // Waits before the next attempt, at least `at_least`. Returns false when patience is over or it was interrupted.
  bool Wait(std::chrono::microseconds at_least = {});
  // Something was achieved.
  void Progress();

  // How long the last Wait() was to be.
  std::chrono::microseconds last() const { return last_; }

 private:
  Environment& environment_;
  const std::optional<std::chrono::microseconds> patience_;
  std::optional<session::Backoff> backoff_;
  std::chrono::microseconds waited_{};
  std::chrono::microseconds last_{};
};

}  // namespace holdfast::cli
