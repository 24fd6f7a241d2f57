// What a worker may do now: one taken snapshot, immutable, swapped as a whole.
//
// Made by TakeUpdate (snapshot_update.h) on the client's thread, read by any thread through a ViewCell.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "client/grant_table.h"
#include "client/validity_clock.h"

namespace holdfast::client {

struct RoutingTable {
  std::vector<controlplane::v1::Routing> routings;  // in match order
  std::vector<Hash256> hashes;                      // of each, for the checksum
};

struct SnapshotView {
  std::string session_id;
  std::uint64_t version = 0;
  std::uint64_t ownership_epoch = 0;
  LogTime valid_until;
  bool partial = false;  // more follows; what is not listed yet gets no new reservation
  std::string checksum;  // 32 bytes
  std::shared_ptr<const RoutingTable> routings;
  std::shared_ptr<const GrantTable> grants;
  // Judges valid_until and usable_until: the clock of the session that issued them, for as long as the view is held.
  std::shared_ptr<const ValidityClock> clock;
  BootTime stale_at{};  // no new traffic from here on, whatever valid_until says (max_stale_age)
};

using SnapshotViewPointer = std::shared_ptr<const SnapshotView>;

}  // namespace holdfast::client
