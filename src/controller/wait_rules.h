// The wait of a log that does not know what was granted before it: it gives nothing until that is over, and says so.
//
// Pure, as all rules (decide.h).

#pragma once

#include <vector>

#include "controller/decision.h"
#include "projections/controller_state.h"

namespace holdfast {

// Appends that nothing is given from now on until the longest of what may have been granted is over: a whole validity,
// and the grace.
void StartWait(const Settings& settings, WaitReason reason, LogTime now, std::vector<Event>& events);

Decision EndWait(const ControllerState& state, LogTime now);

}  // namespace holdfast
