// Two processes under one worker_id that take each other's place again and again.
//
//   superseded by another process ─ heard again ─► a swap      three within a minute ─► conflict, until two minutes
//                                                              have passed without one (a tick ends it)
//
// Pure, as all rules (decide.h). In a conflict every registration counts as another instance, and nothing is granted.

#pragma once

#include <string>
#include <vector>

#include "controller/decision.h"
#include "projections/controller_state.h"

namespace holdfast {

// A call came in the session of a worker that is over: appends the swap, if it is one.
void NoteCallInOldSession(const ControllerState& state, const std::string& worker_id, const std::string& session_id,
                          LogTime now, std::vector<Event>& events);

// A process registers that another had superseded: the same.
void NoteReturn(const ControllerState& state, const WorkerRow& worker,
                const controlplane::v1::RegisterWorkerRequest& request, LogTime now, std::vector<Event>& events);

// The tick at the end of a conflict. Requires: one is due.
Decision EndConflict(const ControllerState& state, LogTime now);

}  // namespace holdfast
