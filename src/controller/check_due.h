// When checks are to be decided though nothing came: for the sequencer and the ticks (decide_checks.cc).
//
// Pure.

#pragma once

#include <optional>

#include "controller/decision.h"
#include "projections/controller_state.h"

namespace holdfast {

// Something is due, and a checker has a free slot for it.
bool IsCheckDue(const ControllerState& state, LogTime now);
// When something is due next that a checker has a free slot for; nullopt: not before a slot or a checker comes.
std::optional<LogTime> NextCheckAt(const ControllerState& state);
// When an alarm about checks is due next.
std::optional<LogTime> NextCheckAlarmAt(const ControllerState& state);

// Parts of a tick. Requires: it is due.
Decision ExpireChecks(const ControllerState& state, LogTime now);
Decision TellCheckAlarm(const ControllerState& state, LogTime now);

}  // namespace holdfast
