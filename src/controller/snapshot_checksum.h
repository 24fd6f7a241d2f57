// The canonical checksum of a snapshot's content, protocol version 1 (contract.md "checksum"; vectors: docs/).
//
// S, the sum over the grants, is kept with the content, so that an update costs what it changes.
// Thread: any; plain functions.

#pragma once

#include <string>
#include <vector>

#include "base/sum256.h"
#include "events/pool_events.h"
#include "events/snapshot_events.h"
#include "projections/snapshots.h"

namespace holdfast {

// H(proxy): what a grant adds to S.
Hash256 HashOfGrant(const Grant& grant);

// The routings that a worker of this zone sees, in order.
std::vector<const RoutingSpec*> RoutingsSeen(const std::vector<RoutingSpec>& routings, const std::string& zone);

Checksum SnapshotChecksum(Epoch epoch, const std::vector<const RoutingSpec*>& routings, std::size_t proxies,
                          const Checksum& content_sum);

}  // namespace holdfast
