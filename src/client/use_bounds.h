// Until when each proxy may still be used by what runs through it: per proxy the latest min(valid_until, expires_at)
// of the views taken that listed it other than as HELD, whether or not the current view lists it.
//
// Called on the client's thread. A renewal costs O(1): for what the current view lists, its own valid_until is the
// bound, and only what was left behind is kept by name. Limits of an earlier session are kept as boot time, by the
// clock that judged them. Pure; does not cut anything and does not add lapse_grace: the caller does.

#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/snapshot_update.h"

namespace holdfast::client {

class UseBounds {
 public:
  // A view is about to be swapped in. `before` is null for the first one.
  void OnTaken(const SnapshotViewPointer& before, const UpdateTaken& taken, Duration lapse_grace);

  // The instant at which everything that runs through it is cut (lapse_grace included); nothing: it was never usable,
  // or is forgotten. By the samples so far: a better sample may move it later, never earlier.
  std::optional<BootTime> CutAt(std::string_view proxy_id) const;

  // The earliest instant at which CutDue() may give anything.
  std::optional<BootTime> NextCut() const;

  // Proxies whose end has come, of those left behind and of the current view alike; those left behind are forgotten.
  // In the order of ids. A current view that is over is given once, until another is taken.
  std::vector<std::string> CutDue(BootTime now);

 private:
  struct Bound {
    LogTime limit;  // min(valid_until, expires_at)
    std::shared_ptr<const ValidityClock> clock;
    Duration lapse_grace{};
    BootTime End() const;
  };

  static Bound BoundOf(const SnapshotView& view, const GrantRow& row, Duration lapse_grace);
  void Keep(const std::string& proxy_id, const Bound& bound);
  void KeepAll(const SnapshotView& view);
  LogTime EarliestLimit() const;
  void CutOfCurrent(BootTime now, std::vector<std::string>& due);

  SnapshotViewPointer current_;
  Duration lapse_grace_{};
  bool current_is_over_ = false;
  std::set<std::string, std::less<>> expired_in_current_;  // rows whose limit by the current view is over
  // What was left behind, or has a later bound than the current view gives. The latest end of each is what counts.
  std::map<std::string, std::vector<Bound>, std::less<>> kept_;
};

}  // namespace holdfast::client
