// Parts of a tick: what becomes of extractions because time has passed. Requires of each: it is due.
//
// Pure, as all rules (decide.h).

#pragma once

#include "controller/decision.h"
#include "projections/controller_state.h"

namespace holdfast {

// An answer of the store is overdue: the client is told so; or it was, long ago: nothing is waited for any more. With
// the sessions' ticks: an answer that waits in the queue comes first.
Decision PassAnswerDeadline(const ControllerState& state, LogTime now);

// The time of an extraction is over.
Decision EndExtraction(const ControllerState& state, LogTime now);

// Requests that need not be known again; what a client lacked and has not asked for since.
Decision ForgetExtractions(const ControllerState& state, LogTime now);
Decision ForgetReleases(const ControllerState& state, LogTime now);
Decision ForgetShortages(const ControllerState& state, LogTime now);

}  // namespace holdfast
