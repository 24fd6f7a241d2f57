// What the rules of all calls of a checker share: which session a call belongs to, how a session ends, what becomes of
// its tasks.
//
// Pure, as all rules (decide.h).

#pragma once

#include <string>
#include <variant>
#include <vector>

#include "controller/decision.h"
#include "projections/controller_state.h"

namespace holdfast {

using CheckerLookup = std::variant<const CheckerRow*, Rejection>;

// The session is the checker's current one and open, or why not.
CheckerLookup FindCheckerSession(const ControllerState& state, const std::string& checker_id,
                                 const std::string& session_id);

// Why a call in a session that is over is refused. member: "checker" or "worker".
Rejection SessionOver(CloseReason reason, std::string_view member);

// Appends that a task ends without an observation: its key is due at once.
// told: its checker hears of it.
void CancelTask(const ControllerState& state, TaskId task, LogTime due_at, bool told, std::vector<Event>& events);

// Appends the end of a checker's open session: of its stream, of its tasks (nobody inherits them), and of what was held
// on its word.
void CloseChecker(const ControllerState& state, const CheckerRow& checker, CloseReason reason,
                  RejectReason stream_reason, LogTime now, std::vector<Event>& events);

// Appends that it is given nothing new from now on; it is over when its last task is (FinishChecks). One that drains
// already: that its deadline is a sooner one, if it is. A handshaking one is over.
// deadline: absent: none.
void DrainChecker(const ControllerState& state, const CheckerRow& checker, DrainReason reason, LogTime deadline,
                  LogTime now, std::vector<Event>& events);

// Outstanding tasks of a checker after `events`.
std::size_t TasksLeft(const CheckerRow& checker, const std::vector<Event>& events);

// What every decision ends with: tasks of proxies that may not be used any more are cancelled, and draining checkers
// whose last task is over are closed.
void FinishChecks(const ControllerState& state, std::vector<Event>& events);

}  // namespace holdfast
