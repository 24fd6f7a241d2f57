// The settings of a run, drawn: short times, so that some minutes of simulated time see every end.
//
// Pure. Thread: any.

#pragma once

#include "base/settings.h"
#include "tools/fleet/prng.h"

namespace holdfast::simulation {

inline void DrawHealth(fleet::Prng& random, Settings& settings) {
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  const auto between = [&](int least, int most) { return milliseconds(random.Between(least, most)); };
  const auto count = [&](int least, int most) { return static_cast<std::uint64_t>(random.Between(least, most)); };
  settings.trust_unchecked = random.Chance(1, 2);
  settings.basic_interval = between(6'000, 20'000);
  settings.basic_timeout = between(1'500, 4'000);
  settings.egress_interval = between(12'000, 40'000);
  settings.egress_timeout = between(2'000, 4'000);
  settings.egress_required = random.Chance(1, 3);
  settings.egress_min_anonymity = count(0, 2);
  settings.target_interval = between(10'000, 30'000);
  settings.target_timeout = between(2'000, 4'000);
  settings.suspect_interval = between(1'000, 4'000);
  settings.unhealthy_max_interval = between(8'000, 25'000);
  settings.failures_to_suspect = count(1, 2);
  settings.failures_to_unhealthy = count(3, 4);
  settings.passes_to_available = count(1, 2);
  settings.passes_from_unhealthy = count(1, 3);
  settings.guard_window = between(8'000, 30'000);
  settings.guard_share_ppm = count(200'000, 400'000);
  settings.guard_minimum = count(3, 8);
  settings.outcomes_window = between(10'000, 40'000);
  settings.outcomes_count = count(8, 20);
  settings.outcomes_failures = count(3, 6);
}

inline Settings DrawSettings(fleet::Prng& random) {
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  const auto between = [&](int least, int most) { return seconds(random.Between(least, most)); };
  Settings settings;
  settings.session_ttl = between(6, 15);
  settings.report_interval = milliseconds(random.Between(700, 1'500));
  settings.runtime_ttl = 3 * settings.report_interval;
  settings.snapshot_validity = between(10, 30);
  settings.renewal_interval = settings.snapshot_validity / 3;
  settings.max_stale_age = settings.snapshot_validity;
  settings.recovery_hold_off = settings.session_ttl * random.Between(1, 3);
  settings.default_lifetime = seconds(random.Between(120, 900));
  settings.allocation_safety_margin = between(5, 20);
  settings.lapse_grace = between(2, 10);
  settings.drain_grace = between(15, 60);
  settings.ack_timeout = between(2, 5);
  // Now and then longer than an update is valid: then one that waited too long is seen before its stream is ended.
  if (random.Chance(1, 3)) settings.ack_timeout = settings.snapshot_validity + between(2, 6);
  settings.max_proxies_per_worker = 64;
  settings.default_capacity = 2;
  DrawHealth(random, settings);
  return settings;
}

// Settings for a restart: what open sessions were told of silence, reports and lapse_grace stays. (The replay tool
// takes the longest lapse_grace of a process for all its windows, also for those that were given under a shorter one.)
// Whether unchecked proxies are trusted may change to yes alone, and whether EGRESS is required not at all: both are
// asked when a proxy is added or its health changes, and not again of those that stand.
inline Settings OtherSettings(fleet::Prng& random, const Settings& before) {
  Settings settings = DrawSettings(random);
  settings.session_ttl = before.session_ttl;
  settings.recovery_hold_off = before.recovery_hold_off;
  settings.lapse_grace = before.lapse_grace;
  settings.report_interval = before.report_interval;
  settings.runtime_ttl = before.runtime_ttl;
  settings.trust_unchecked = settings.trust_unchecked || before.trust_unchecked;
  settings.egress_required = before.egress_required;
  return settings;
}

}  // namespace holdfast::simulation
