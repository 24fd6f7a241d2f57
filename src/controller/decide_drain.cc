// Operators end sessions: by a drain, which proves that nothing runs any more, or at once. Contract: "Operators,
// clients, auditors"; ownership.md "Drain of a session".

#include <algorithm>
#include <variant>

#include "controller/checker_rules.h"
#include "controller/decide.h"
#include "controller/handover.h"
#include "controller/member_rules.h"
#include "controller/proto_time.h"
#include "controller/rule_constant.h"
#include "controller/session_rules.h"

namespace holdfast {
namespace {

using admin::v1::DrainSessionRequest;
using admin::v1::DrainSessionResponse;
using admin::v1::FenceSessionRequest;
using admin::v1::FenceSessionResponse;

constexpr DrainReason kAsked = RuleConstant(DrainReason::kOperator, DrainReason::kOverload);

Rejection OtherSession(const std::string& current) {
  return {RejectReason::kFailedCondition,
          "its current session is another one; look again and name that one, or none",
          "expected_session_id",
          {{"current_session_id", current}}};
}

// The member whose latest session is meant, or why it is not.
std::variant<const WorkerRow*, Rejection> FindMember(const ControllerState& state, const std::string& member_id,
                                                     const std::string& expected_session_id) {
  const WorkerRow* worker = state.sessions().Find(member_id);
  if (worker == nullptr) {
    return Rejection{RejectReason::kNotFound, "this member was never seen; `holdfast sessions` lists those that were",
                     "member_id"};
  }
  const std::string& current = worker->opened.session_id.value();
  if (!expected_session_id.empty() && expected_session_id != current) return OtherSession(current);
  return worker;
}

std::variant<const CheckerRow*, Rejection> FindChecker(const ControllerState& state, const std::string& member_id,
                                                       const std::string& expected_session_id) {
  const CheckerRow* checker = state.checkers().Find(member_id);
  if (checker == nullptr) {
    return Rejection{RejectReason::kNotFound, "this member was never seen; `holdfast checkers` lists those that were",
                     "member_id"};
  }
  const std::string& current = checker->opened.session_id.value();
  if (!expected_session_id.empty() && expected_session_id != current) return OtherSession(current);
  return checker;
}

// Absent: the configured grace counts from now; without a deadline: none.
LogTime DeadlineOf(const ControllerState& state, const DrainSessionRequest& request, LogTime now) {
  if (request.no_deadline()) return LogTime();
  const Duration configured = state.settings().drain_grace;
  return now + (request.has_grace() ? ReadDuration(request.grace()).value_or(configured) : configured);
}

// The latest end of what the worker's instance may still be using.
LogTime LastOwnedUntil(const ControllerState& state, WorkerKey worker) {
  LogTime last;
  for (const AddressKey address : state.ownership().holder(worker).owned) {
    last = std::max(last, state.ownership().OwnedUntil(address));
  }
  return last;
}

Decision DrainOfChecker(const ControllerState& state, const DrainSessionRequest& request, const DecisionPoint& point) {
  const auto found = FindChecker(state, request.member_id(), request.expected_session_id());
  if (const auto* rejection = std::get_if<Rejection>(&found)) return {{}, *rejection};
  const CheckerRow& checker = *std::get<const CheckerRow*>(found);
  Decision decision;
  if (!request.keep_eligible()) Cordon(state, request.member_id(), true, request.reason(), decision.events);
  if (checker.open()) {
    DrainChecker(state, checker, kAsked, DeadlineOf(state, request, point.now), point.now, decision.events);
  }
  DrainSessionResponse reply;
  reply.set_already_draining(checker.state == SessionState::kDraining);
  reply.set_log_sequence(point.sequence.value());
  decision.reply = std::move(reply);
  return decision;
}

Decision FenceOfChecker(const ControllerState& state, const FenceSessionRequest& request, const DecisionPoint& point) {
  const auto found = FindChecker(state, request.member_id(), request.expected_session_id());
  if (const auto* rejection = std::get_if<Rejection>(&found)) return {{}, *rejection};
  const CheckerRow& checker = *std::get<const CheckerRow*>(found);
  Decision decision;
  if (!request.keep_eligible()) Cordon(state, request.member_id(), true, request.reason(), decision.events);
  if (checker.open()) {
    CloseChecker(state, checker, CloseReason::kFenced, RejectReason::kSessionClosed, point.now, decision.events);
  }
  FenceSessionResponse reply;
  reply.set_log_sequence(point.sequence.value());
  decision.reply = std::move(reply);
  return decision;
}

}  // namespace

Decision DecideDrainSession(const ControllerState& state, const DrainSessionRequest& request,
                            const DecisionPoint& point) {
  if (request.kind() == controlplane::v1::SESSION_KIND_CHECKER) return DrainOfChecker(state, request, point);
  const auto found = FindMember(state, request.member_id(), request.expected_session_id());
  if (const auto* rejection = std::get_if<Rejection>(&found)) return {{}, *rejection};
  const WorkerRow& worker = *std::get<const WorkerRow*>(found);
  Decision decision;
  if (!request.keep_eligible()) Cordon(state, request.member_id(), false, request.reason(), decision.events);
  const bool draining = worker.state == SessionState::kDraining;
  if (worker.open()) {
    DrainSession(state, worker, kAsked, {DeadlineOf(state, request, point.now), point.principal}, decision.events);
  }
  DrainSessionResponse reply;
  reply.set_already_draining(draining);
  reply.set_log_sequence(point.sequence.value());
  decision.reply = std::move(reply);
  return decision;
}

Decision DecideFence(const ControllerState& state, const FenceSessionRequest& request, const DecisionPoint& point) {
  if (request.kind() == controlplane::v1::SESSION_KIND_CHECKER) return FenceOfChecker(state, request, point);
  const auto found = FindMember(state, request.member_id(), request.expected_session_id());
  if (const auto* rejection = std::get_if<Rejection>(&found)) return {{}, *rejection};
  const WorkerRow& worker = *std::get<const WorkerRow*>(found);
  const WorkerKey key = worker.opened.worker;
  Decision decision;
  if (!request.keep_eligible()) Cordon(state, request.member_id(), false, request.reason(), decision.events);
  if (worker.open()) {
    CloseSession(worker, CloseReason::kFenced, RejectReason::kSessionClosed, decision.events);
    LapseAll(state, key, LapseCause::kRevoked, RevokeReason::kFence, decision.events);
  }
  FenceSessionResponse reply;
  const LogTime last = LastOwnedUntil(state, key);
  if (!IsAbsent(last)) PutTime(last, reply.mutable_last_owned_until());
  reply.set_log_sequence(point.sequence.value());
  decision.reply = std::move(reply);
  return decision;
}

}  // namespace holdfast
