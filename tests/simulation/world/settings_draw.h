// The settings of a run, drawn: short times, so that some minutes of simulated time see every end.
//
// Pure. Thread: any.

#pragma once

#include "base/settings.h"
#include "tools/fleet/prng.h"

namespace holdfast::simulation {

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
  return settings;
}

// Settings for a restart: what open sessions were told of silence, reports and lapse_grace stays. (The replay tool
// takes the longest lapse_grace of a process for all its windows, also for those that were given under a shorter one.)
inline Settings OtherSettings(fleet::Prng& random, const Settings& before) {
  Settings settings = DrawSettings(random);
  settings.session_ttl = before.session_ttl;
  settings.recovery_hold_off = before.recovery_hold_off;
  settings.lapse_grace = before.lapse_grace;
  settings.report_interval = before.report_interval;
  settings.runtime_ttl = before.runtime_ttl;
  return settings;
}

}  // namespace holdfast::simulation
