#include "controller/check_times.h"

#include <algorithm>

#include "base/digest.h"
#include "controller/rule_constant.h"

namespace holdfast {
namespace {

constexpr std::uint32_t kMostDoublings = RuleConstant<std::uint32_t>(16, 0);

// `first`, doubled with each step, at most `most`.
Duration BackOff(Duration first, std::uint32_t steps, Duration most) {
  const Duration backed_off = first * (std::int64_t{1} << std::min(steps, kMostDoublings));
  return std::min(backed_off, std::max(first, most));
}

std::int64_t PhaseOf(const CheckKey& key, std::string_view proxy_id, Duration interval) {
  RowHasher hash(1);
  hash.Text(proxy_id).Number(static_cast<std::uint64_t>(key.level)).Number(key.routing.value());
  std::uint64_t low = 0;
  const auto bytes = hash.Finish().Bytes();
  for (int i = 7; i >= 0; --i) low = low << 8 | bytes[static_cast<std::size_t>(i)];
  return static_cast<std::int64_t>(low % static_cast<std::uint64_t>(interval.count()));
}

}  // namespace

Duration CheckInterval(const Settings& settings, CheckLevel level) {
  if (level == CheckLevel::kBasic) return settings.basic_interval;
  return level == CheckLevel::kEgress ? settings.egress_interval : settings.target_interval;
}

Duration CheckTimeout(const Settings& settings, CheckLevel level) {
  if (level == CheckLevel::kBasic) return settings.basic_timeout;
  return level == CheckLevel::kEgress ? settings.egress_timeout : settings.target_timeout;
}

LogTime NextDue(const Settings& settings, const CheckKey& key, std::string_view proxy_id, const KeyStanding& standing,
                LogTime now) {
  const Duration interval = CheckInterval(settings, key.level);
  if (standing.inconclusive > 0) {
    return now + BackOff(settings.suspect_interval, standing.inconclusive - 1, interval);
  }
  if (standing.state == HealthState::kUnhealthy && standing.passes == 0) {
    const std::uint64_t beyond =
        standing.failures - std::min<std::uint64_t>(standing.failures, settings.failures_to_unhealthy);
    return now +
           BackOff(settings.suspect_interval, static_cast<std::uint32_t>(beyond) + 1, settings.unhealthy_max_interval);
  }
  if (standing.state != HealthState::kAvailable) return now + std::min(settings.suspect_interval, interval);
  const std::int64_t period = interval.count();
  const std::int64_t past = (ToMicros(now) - PhaseOf(key, proxy_id, interval)) % period;
  return now + Duration(period - past);
}

}  // namespace holdfast
