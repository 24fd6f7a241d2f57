// Whether an update is taken, and what the view is after it: the worker's half of the snapshot contract.
//
// Called by SnapshotLink on the client's thread for each update of the newest stream; pure but for the slots that the
// rows of new proxies get from the registry. An update is taken only if its valid_until is present, well formed and
// ahead, its epoch is the session's, (epoch, version) is above everything that this process has ever taken, a delta
// stands on exactly the view that is held, and the checksum is right. Builds aside: the view that is held is never
// touched. Does not ACK, close slots or swap the view.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "client/slot_registry.h"
#include "client/snapshot_view.h"

namespace holdfast::client {

// The highest (epoch, version) ever taken by this process, over all its sessions.
struct HighWater {
  std::uint64_t ownership_epoch = 0;
  std::uint64_t version = 0;
  friend auto operator<=>(const HighWater&, const HighWater&) = default;
};

struct UpdateTaken {
  SnapshotViewPointer view;
  enum class Kind : std::uint8_t { kFull, kDelta, kRenewal } kind = Kind::kFull;
  std::vector<GrantRowPointer> listed;    // rows that are new or changed (of a full one: all)
  std::vector<GrantRowPointer> unlisted;  // rows of the view before that are listed no more
};

struct UpdateRefused {
  std::uint64_t version = 0;
  controlplane::v1::SnapshotRefusal refusal = controlplane::v1::SNAPSHOT_REFUSAL_UNSPECIFIED;
  std::string detail = {};             // what was wrong, with the numbers
  std::string computed_checksum = {};  // where that was it
};

struct UpdateContext {
  std::string session_id;
  std::uint64_t ownership_epoch = 0;
  std::shared_ptr<const ValidityClock> clock;
  SnapshotViewPointer held;  // null: none
  HighWater high_water;
  Duration max_stale_age{};
  std::size_t max_proxies = 0;  // a content above it is too large; 0: no bound
  SlotRegistry* slots = nullptr;
};

// Requires: the update is a full snapshot or a delta (not a DrainNotice, not empty).
std::variant<UpdateTaken, UpdateRefused> TakeUpdate(const controlplane::v1::SnapshotUpdate& update,
                                                    const UpdateContext& context, BootTime now);

}  // namespace holdfast::client
