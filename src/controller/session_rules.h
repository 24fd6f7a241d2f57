// What the rules of all calls of a member share: which session a call belongs to, how a session ends, what an address's
// holder loses with it.
//
// Pure, as all rules (decide.h).

#pragma once

#include <string>
#include <variant>
#include <vector>

#include "controller/decision.h"
#include "controller/handover.h"
#include "projections/controller_state.h"

namespace holdfast {

// A call's session, or why there is none.
using SessionLookup = std::variant<const WorkerRow*, Rejection>;

// Steps 4 and 5 of every call: the session is the worker's current one and open, and the epoch is the current one.
SessionLookup FindSession(const ControllerState& state, const std::string& worker_id, const std::string& session_id,
                          std::uint64_t epoch);

// Appends the end of a worker's open session and of its stream.
// stream_reason: with which an attached stream is ended.
void CloseSession(const WorkerRow& worker, CloseReason reason, RejectReason stream_reason, std::vector<Event>& events);

// The same, and that what it has begins to lapse.
void EndSession(const ControllerState& state, const WorkerRow& worker, CloseReason reason, RejectReason stream_reason,
                std::vector<Event>& events);

// Appends that a session drains from now on: what it has is asked back, and nothing new is given. One that drains
// already: that its deadline is a sooner one, if it is. A handshaking one is over.
// deadline: absent: none.
void DrainSession(const ControllerState& state, const WorkerRow& worker, DrainReason reason,
                  const Revocation& revocation, std::vector<Event>& events);

// Appends the end of a draining session, if nothing is left of what it had after the addresses that `events` let go.
void CloseIfDrained(const ControllerState& state, const WorkerRow& worker, std::vector<Event>& events);

// The state of the worker's session on the wire.
controlplane::v1::SessionState WireState(SessionState state);

}  // namespace holdfast
