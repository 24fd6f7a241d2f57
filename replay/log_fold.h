// Folds a log from its beginning into a state, for the commands that look at one point of it. The chain and the digests
// are checked on the way, so that nothing is told of a log that does not hold.
//
// Called by the commands. Thread: the hooks run on the caller's.

#pragma once

#include <absl/status/status.h>

#include <functional>

#include "events/entry_view.h"
#include "events/event_log.h"
#include "projections/controller_state.h"
#include "replay/environment.h"

namespace holdfast::replay {

struct FoldHooks {
  // Before an entry is folded; false: the fold ends before it. May be null.
  std::function<bool(const EntryView&)> before;
  // After each of its events; false: the fold ends there. May be null.
  std::function<bool(const EntryView&, const Event&)> after;
  // The periods of ownership that an entry ended. May be null.
  std::function<void(const std::vector<OwnershipPeriod>&)> ended;
  int jobs = 3;  // threads, as in PipelineOptions
};

// DataLoss: the log is damaged, with the sequence; Unimplemented: of a newer version; Cancelled: interrupted.
absl::Status FoldLog(const EventLog& log, const Environment& environment, const FoldHooks& hooks,
                     ControllerState& state);

}  // namespace holdfast::replay
