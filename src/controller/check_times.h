// When checks are due, and how long they may take.
//
// Pure, as all rules (decide.h).

#pragma once

#include <string_view>

#include "base/settings.h"
#include "projections/checks.h"
#include "projections/health.h"

namespace holdfast {

// A task's deadline is so much behind its timeout: for the ways there and back.
inline constexpr Duration kCheckMargin = std::chrono::seconds(2);

Duration CheckInterval(const Settings& settings, CheckLevel level);
Duration CheckTimeout(const Settings& settings, CheckLevel level);

// How a key stands after an observation.
struct KeyStanding {
  HealthState state = HealthState::kUnknown;
  std::uint32_t passes = 0;
  std::uint32_t failures = 0;
  std::uint32_t inconclusive = 0;
};

// When a key is due after an observation: AVAILABLE at its own place in the interval, so that a pool that was imported
// at once is not checked at once for ever; sooner while SUSPECT; backing off while UNHEALTHY, and where nothing could
// be concluded.
LogTime NextDue(const Settings& settings, const CheckKey& key, std::string_view proxy_id, const KeyStanding& standing,
                LogTime now);

}  // namespace holdfast
