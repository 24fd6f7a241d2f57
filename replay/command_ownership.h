// `holdfast-replay ownership`: who held a proxy, or what a worker held, from when to when, and how it ended.
//
// Called by the tool (replay.h) and by tests. Thread: the caller's, with helpers of its own. From the events, not from
// the rows that stand beside the blocks: it needs nothing that verify would have to look at first.

#pragma once

#include <string>

#include "events/event_log.h"
#include "replay/environment.h"
#include "replay/replay_exit.h"

namespace holdfast::replay {

struct OwnershipCommand {
  std::string proxy_id = {};  // at least one of the two
  std::string worker_id = {};
  bool json = false;
};

// CouldNotRun where the log knows neither.
ReplayExit RunOwnership(const EventLog& log, const OwnershipCommand& command, const Environment& environment);

}  // namespace holdfast::replay
