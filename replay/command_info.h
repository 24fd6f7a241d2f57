// `holdfast-replay info`: what a log is, from its first entry to its last.
//
// Called by the tool (replay.h) and by tests. Thread: the caller's, with helpers of its own.

#pragma once

#include <optional>
#include <string>

#include "events/event_log.h"
#include "replay/environment.h"
#include "replay/replay_exit.h"

namespace holdfast::replay {

struct InfoCommand {
  std::optional<std::string> torn_end = {};  // what the log says of a torn last write
  bool json = false;
};

ReplayExit RunInfo(const EventLog& log, const InfoCommand& command, const Environment& environment);

}  // namespace holdfast::replay
