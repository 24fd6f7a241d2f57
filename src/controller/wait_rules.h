// The wait of a log that does not know what was granted before it: it gives nothing until that is over, and says so.
//
// Pure, as all rules (decide.h).

#pragma once

#include <optional>
#include <vector>

#include "controller/decision.h"
#include "projections/controller_state.h"

namespace holdfast {

// Appends that nothing is given from now on until the longest of what may have been granted is over: a whole validity,
// and the grace.
void StartWait(const Settings& settings, WaitReason reason, LogTime now, std::vector<Event>& events);

// nullopt: there is none, or it does not end by time alone: the pool store has to be adopted first.
std::optional<LogTime> WaitEndsAt(const ControllerState& state);

Decision EndWait(const ControllerState& state, LogTime now);

}  // namespace holdfast
