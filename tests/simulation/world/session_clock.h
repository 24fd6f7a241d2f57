// The latest that log time can be, as a worker reckons it for one session: contract.md "What a worker does", Time.
//
//   clock_max(t) = server_time + (t - t_sent) × 1.002, the least over all answers of the session
//
// Exact integers, microseconds. Thread: one.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace holdfast::simulation {

class SessionClock {
 public:
  void Hear(std::int64_t server_time_us, std::int64_t sent_us) {
    const Wide offset = Wide{1'000} * server_time_us - Wide{1'002} * sent_us;
    offset_ = heard_ ? std::min(offset_, offset) : offset;
    heard_ = true;
  }
  std::int64_t LatestAt(std::int64_t boot_us) const {
    if (!heard_) return std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>((offset_ + Wide{1'002} * boot_us + 999) / 1'000);
  }
  // The boot-time microsecond from which on the limit counts as reached.
  std::int64_t Reaches(std::int64_t limit_us) const {
    if (!heard_) return 0;
    const Wide scaled = Wide{1'000} * limit_us - offset_;
    std::int64_t at = static_cast<std::int64_t>(scaled / 1'002) - 2;
    while (LatestAt(at) < limit_us) ++at;
    return at;
  }

 private:
  __extension__ using Wide = __int128;
  Wide offset_ = 0;
  bool heard_ = false;
};

}  // namespace holdfast::simulation
