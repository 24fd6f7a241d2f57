// `holdfast-replay log`: the entries, one a line, for people or as JSON; and what is added to them, with --follow.
//
// Called by the tool (replay.h) and by tests. Thread: the caller's.

#pragma once

#include <absl/status/status.h>

#include <functional>
#include <optional>

#include "controller/log_filter.h"
#include "events/event_log.h"
#include "replay/environment.h"
#include "replay/replay_exit.h"

namespace holdfast::replay {

struct LogCommand {
  LogFilterSettings filter = {};
  Sequence from{1};
  std::optional<Sequence> to = {};             // inclusive
  bool json = false;                           // an object a line: sequence, at, principal, kind, input, events
  bool follow = false;                         // wait for more at the end
  std::function<absl::Status()> refresh = {};  // makes the log see what was committed meanwhile; may be null
};

ReplayExit RunLog(const EventLog& log, const LogCommand& command, const Environment& environment);

}  // namespace holdfast::replay
