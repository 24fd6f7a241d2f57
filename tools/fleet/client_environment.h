// What all simulated clients of a fleet share. Owned by Fleet, outlives them all.

#pragma once

#include "base/random.h"
#include "tools/fleet/channel_pool.h"
#include "tools/fleet/client_statistics.h"
#include "tools/fleet/fleet_options.h"
#include "tools/judge/ordered_feed.h"

namespace holdfast::fleet {

struct ClientEnvironment {
  const FleetOptions& options;
  RandomSource& random;  // of ids; everything that happens by chance comes from the seed
  ChannelPool& channels;
  ClientStatistics& statistics;
  judge::OrderedFeed& feed;
};

}  // namespace holdfast::fleet
