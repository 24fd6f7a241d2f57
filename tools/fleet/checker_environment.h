// What all simulated checkers of a fleet share. Owned by Fleet, outlives them all.

#pragma once

#include <functional>
#include <string>

#include "base/random.h"
#include "client/client_time.h"
#include "tools/fleet/channel_pool.h"
#include "tools/fleet/checker_statistics.h"
#include "tools/fleet/fleet_options.h"
#include "tools/fleet/proxy_truth.h"

namespace holdfast::fleet {

struct CheckerEnvironment {
  const FleetOptions& options;
  RandomSource& random;  // of ids; everything that happens by chance comes from the seed
  ChannelPool& channels;
  CheckerStatistics& statistics;
  const ProxyTruth& truth;
  client::BootTime began_at;  // the truth counts from here
  // A check of it came to nothing by a checker's own doing. Any thread.
  std::function<void(const std::string& proxy_id)> excuse;
};

}  // namespace holdfast::fleet
