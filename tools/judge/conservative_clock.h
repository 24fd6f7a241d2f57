// The judge's own reckoning of a session's clock: the latest that log time can be, by every answer of the session.
//
// Exact integers, 1.002 as 1002/1000. One session each; fed in any order. Any thread, one at a time.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

namespace holdfast::judge {

class ConservativeClock {
 public:
  void Hear(std::int64_t server_time_us, std::int64_t sent_us) {
    const Wide intercept = Wide{1'000} * server_time_us - Wide{1'002} * sent_us;
    intercept_ = intercept_ ? std::min(*intercept_, intercept) : intercept;
  }

  bool heard() const { return intercept_.has_value(); }

  // The boot-time microsecond at which log time may have reached `log_us`; the past where nothing was heard.
  std::int64_t Reaches(std::int64_t log_us) const {
    if (!intercept_) return std::numeric_limits<std::int64_t>::min();
    // Largest t that is still short of it, plus one: server + (t - sent) × 1.002 > log - 1 counts as reached.
    const Wide numerator = Wide{1'000} * (log_us - 1) - *intercept_;
    Wide quotient = numerator / 1'002;
    if (numerator % 1'002 < 0) --quotient;
    return static_cast<std::int64_t>(quotient + 1);
  }

  std::int64_t LatestAt(std::int64_t boot_us) const {
    const Wide scaled = intercept_.value_or(0) + Wide{1'002} * boot_us;
    return static_cast<std::int64_t>((scaled + 999) / 1'000);
  }

 private:
  using Wide = __int128;
  std::optional<Wide> intercept_;
};

}  // namespace holdfast::judge
