// What all simulated checkers of a fleet share. Owned by Fleet, outlives them all.

#pragma once

#include "base/random.h"
#include "tools/fleet/channel_pool.h"
#include "tools/fleet/checker_statistics.h"
#include "tools/fleet/fleet_options.h"
#include "tools/fleet/health_watch.h"
#include "tools/fleet/proxy_truth.h"

namespace holdfast::fleet {

struct CheckerEnvironment {
  const FleetOptions& options;
  RandomSource& random;  // of ids; everything that happens by chance comes from the seed
  ChannelPool& channels;
  CheckerStatistics& statistics;
  const ProxyTruth& truth;
  client::BootTime began_at;  // the truth counts from here
  HealthWatch& watch;
};

}  // namespace holdfast::fleet
