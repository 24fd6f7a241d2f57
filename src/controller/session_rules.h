// What the rules of all calls of a member share: which session a call belongs to, how a session ends, what an address's
// holder loses with it.
//
// Pure, as all rules (decide.h).

#pragma once

#include <string>
#include <variant>
#include <vector>

#include "controller/decision.h"
#include "projections/controller_state.h"

namespace holdfast {

// A call's session, or why there is none.
using SessionLookup = std::variant<const WorkerRow*, Rejection>;

// Steps 4 and 5 of every call: the session is the worker's current one and open, and the epoch is the current one.
SessionLookup FindSession(const ControllerState& state, const std::string& worker_id, const std::string& session_id,
                          std::uint64_t epoch);

// Appends what ends a worker's open session: its stream, itself, and its hold on what it owns.
// stream_reason: with which an attached stream is ended.
void EndSession(const ControllerState& state, const WorkerRow& worker, CloseReason reason, RejectReason stream_reason,
                std::vector<Event>& events);

// Appends that all GRANTED addresses of the worker's current instance begin to lapse; nothing when there are none.
void LapseAll(const ControllerState& state, WorkerKey worker, LapseCause cause, RevokeReason reason,
              std::vector<Event>& events);

// The state of the worker's session on the wire.
controlplane::v1::SessionState WireState(SessionState state);

}  // namespace holdfast
