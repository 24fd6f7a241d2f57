// An upper bound of the controller's log time, from the answers of one session and the boot-time clock:
// clock_max(t) = server_time + (t - t_sent) × 1.002.
//
// Each sample bounds the log time from above (its server_time was read after the call was sent), and all grow at one
// rate, so the lowest stays the lowest: it alone is kept. Written by the client's thread, read by any without a lock.
// A limit is over when clock_max reaches it. Samples count for their own session only: a new session has a new clock.
// Assumes that rates differ by at most 0.2 % and that no pause is hidden from the boot-time clock. Reads no clock.

#pragma once

#include <atomic>
#include <cstdint>

#include "client/client_time.h"

namespace holdfast::client {

class ValidityClock {
 public:
  // One sample: the answer's server_time, and when the call that brought it was sent. Older samples may come later.
  void AddSample(LogTime server_time, BootTime sent_at);

  bool has_sample() const;

  // Requires: has_sample().
  LogTime Latest(BootTime now) const;

  // Whether `limit` is over at `now`; without a sample every limit is over.
  bool IsOver(LogTime limit, BootTime now) const;

  // The first instant at which `limit` is over by the samples so far; the past without a sample.
  BootTime WhenOver(LogTime limit) const;

 private:
  // 500 × server_time - 501 × t_sent, of the lowest sample: 1.002 is 501 / 500.
  std::atomic<std::int64_t> scaled_offset_{kNoSample};
  static constexpr std::int64_t kNoSample = INT64_MAX;
};

}  // namespace holdfast::client
