#include "base/sampled_clock.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace holdfast {

Duration SampledClock::Take(const ClockSample& sample) {
  HOLDFAST_CHECK(sample.before_micros <= sample.after_micros);
  const std::int64_t least = sample.told_micros - sample.after_micros;
  const std::int64_t most = sample.told_micros - sample.before_micros;
  const std::int64_t before = difference_.load();
  const std::int64_t after = has_sample_ ? std::clamp(before, least, most) : least + (most - least) / 2;
  difference_ = after;
  return std::exchange(has_sample_, true) ? Duration(after - before) : Duration(0);
}

}  // namespace holdfast
