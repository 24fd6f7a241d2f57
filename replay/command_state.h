// `holdfast-replay state --at`: the sessions, ownership, pool and routings as they were after an entry, or at a time.
//
// Called by the tool (replay.h) and by tests. Thread: the caller's, with helpers of its own.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "events/event_log.h"
#include "replay/environment.h"
#include "replay/replay_exit.h"

namespace holdfast::replay {

// After this entry, or after the last entry that is not later than this time.
using StatePoint = std::variant<Sequence, LogTime>;

// A number, or an RFC 3339 time. nullopt: neither.
std::optional<StatePoint> ParseStatePoint(std::string_view text);

struct StateCommand {
  std::optional<StatePoint> at = {};  // nullopt: the end of the log
  bool json = false;
};

// CouldNotRun where the log does not reach the point.
ReplayExit RunState(const EventLog& log, const StateCommand& command, const Environment& environment);

}  // namespace holdfast::replay
