// Outcomes on their way to the controller: bounded, never waited for. Full, it drops successes before failures, and
// counts what it dropped.
//
// Push: any thread (the mutex is held for one move of one outcome, never over I/O or a batch's encoding).
// Take and the rest: the client's thread. Order is kept within successes and within failures, not between them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "controlplane/v1/controlplane.pb.h"

namespace holdfast::client {

class OutcomeQueue {
 public:
  static constexpr std::size_t kCapacity = 65'536;

  explicit OutcomeQueue(std::size_t capacity = kCapacity) : capacity_(capacity) {}

  void Push(controlplane::v1::Outcome outcome);

  // Up to `limit` outcomes, failures first. Empty: nothing waits.
  std::vector<controlplane::v1::Outcome> Take(std::size_t limit);

  std::size_t size() const;

  // Outcomes dropped since the last ResetDropped (the wire counts them by session).
  std::uint64_t dropped() const;
  void ResetDropped();

 private:
  const std::size_t capacity_;
  mutable std::mutex mutex_;  // guards all below
  std::deque<controlplane::v1::Outcome> successes_;
  std::deque<controlplane::v1::Outcome> failures_;
  std::uint64_t dropped_ = 0;
};

}  // namespace holdfast::client
