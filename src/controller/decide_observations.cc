// What checkers found. An observation counts only for a task that is outstanding in its session and whose deadline has
// not come; what it means for the proxy, the reducer says (reducer.h). Contract: "Checkers".

#include <algorithm>
#include <charconv>

#include "base/digest.h"
#include "controller/checker_rules.h"
#include "controller/decide.h"
#include "controller/proto_time.h"
#include "controller/reducer.h"
#include "controller/rule_constant.h"
#include "controller/session_rules.h"

namespace holdfast {
namespace {

using controlplane::v1::HealthObservation;
using controlplane::v1::ReportObservationsRequest;
using controlplane::v1::ReportObservationsResponse;

constexpr std::uint64_t kSequenceJump = RuleConstant<std::uint64_t>(1ull << 32, 0);  // above the last one: a fault

// Of all that counts: not of when it was observed, which is for people.
ContentHash HashOfContent(const ReportObservationsRequest& request) {
  RowHasher hash(1);
  hash.Number(request.draining()).Number(request.running()).Number(request.queued_request_count());
  for (const HealthObservation& seen : request.observations()) {
    hash.Text(seen.task_id()).Text(seen.proxy_id()).Number(static_cast<std::uint64_t>(seen.level()));
    hash.Text(seen.routing_id()).Number(static_cast<std::uint64_t>(seen.verdict()));
    hash.Number(static_cast<std::uint64_t>(seen.phase())).Number(static_cast<std::uint64_t>(seen.error()));
    hash.Number(static_cast<std::uint64_t>(ReadDuration(seen.latency()).value_or(Duration(0)).count()));
    hash.Text(seen.egress_ip()).Number(static_cast<std::uint64_t>(seen.anonymity())).Number(seen.http_status());
  }
  return hash.Finish().Bytes();
}

// 0: not the id of a task.
TaskId ReadTaskId(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? TaskId(number) : TaskId();
}

// The task that an observation answers; 0: none that it counts for.
TaskId Answered(const ControllerState& state, const CheckerRow& checker, const HealthObservation& seen, LogTime now) {
  const TaskId task = ReadTaskId(seen.task_id());
  if (!checker.tasks.contains(task)) return TaskId();
  const CheckTaskRow& row = *state.checks().FindTask(task);
  const RoutingSpec* routing = state.routings().Find(row.key.routing);
  const bool same_routing = row.key.routing.value() == 0
                                ? seen.routing_id().empty()
                                : routing != nullptr && routing->routing_id == seen.routing_id();
  const bool same = state.pool().proxy(row.key.proxy).spec->proxy_id.value() == seen.proxy_id() && same_routing &&
                    static_cast<CheckLevel>(seen.level()) == row.key.level;
  return same && !IsOver(row.deadline, now) ? task : TaskId();
}

ReportObservationsResponse Answer(const CheckerRow& checker, std::uint64_t accepted, LogTime now) {
  ReportObservationsResponse reply;
  reply.set_accepted_sequence(accepted);
  reply.set_session_state(WireState(checker.state));
  PutTime(now, reply.mutable_server_time());
  return reply;
}

Decision Repeated(const CheckerRow& checker, const ReportObservationsRequest& request, LogTime now) {
  if (HashOfContent(request) != checker.report_hash) {
    return {{},
            Rejection{RejectReason::kSequenceConflict,
                      "this sequence was accepted with other content; take the next number", "sequence"}};
  }
  ReportObservationsResponse reply = Answer(checker, checker.report_sequence, now);
  for (const std::string& id : checker.report_ignored) reply.add_unknown_task_ids(id);
  return {{}, std::move(reply)};
}

// Alarms of a level that say nothing was concluded end with the first conclusion.
void EndSilence(const ControllerState& state, std::vector<Event>& events) {
  std::vector<Event> cleared;
  for (const auto& [level, word] : {std::pair(CheckLevel::kBasic, "basic"), std::pair(CheckLevel::kEgress, "egress"),
                                    std::pair(CheckLevel::kTarget, "target")}) {
    if (!state.run().alarms().contains({AlarmKind::kJudgeSilent, word})) continue;
    const bool concluded = std::any_of(events.begin(), events.end(), [&](const Event& event) {
      const auto* seen = std::get_if<CheckObserved>(&event);
      return seen != nullptr && seen->level == level && seen->verdict != Verdict::kInconclusive;
    });
    if (concluded) cleared.emplace_back(AlarmCleared{AlarmKind::kJudgeSilent, word});
  }
  for (Event& event : cleared) events.emplace_back(std::move(event));
}

Decision Accept(const ControllerState& state, const CheckerRow& checker, const ReportObservationsRequest& request,
                const DecisionPoint& point) {
  ReportObservationsResponse reply = Answer(checker, request.sequence(), point.now);
  CheckerHeard heard;
  heard.checker = checker.opened.checker;
  heard.sequence = request.sequence();
  heard.content_hash = HashOfContent(request);
  heard.running = request.running();
  heard.queued = request.queued_request_count();
  Reducer reducer(state, point);
  absl::btree_set<TaskId> answered;
  for (const HealthObservation& seen : request.observations()) {
    const TaskId task = Answered(state, checker, seen, point.now);
    if (task.value() != 0 && answered.insert(task).second && reducer.Observe(task, seen)) continue;
    heard.ignored_task_ids.push_back(seen.task_id());
    reply.add_unknown_task_ids(seen.task_id());
  }
  Decision decision;
  decision.events.emplace_back(std::move(heard));
  for (Event& event : reducer.Finish()) decision.events.emplace_back(std::move(event));
  EndSilence(state, decision.events);
  decision.reply = std::move(reply);
  return decision;
}

// It drains from any report of its session on, whatever else is refused about it; there is no way back.
void Drain(const ControllerState& state, const CheckerRow& checker, LogTime now, std::vector<Event>& events) {
  if (checker.state == SessionState::kDraining) return;
  DrainChecker(state, checker, DrainReason::kShutdown, now + state.settings().drain_grace, now, events);
}

SessionState StateAfter(const CheckerRow& checker, bool drains, const std::vector<Event>& events) {
  if (!drains) return checker.state;
  const bool idle = checker.state == SessionState::kHandshaking || TasksLeft(checker, events) == 0;
  return idle ? SessionState::kClosed : SessionState::kDraining;
}

Decision DecideReport(const ControllerState& state, const CheckerRow& checker, const ReportObservationsRequest& request,
                      const DecisionPoint& point) {
  const std::uint64_t highest = checker.report_sequence;
  if (request.sequence() > highest && request.sequence() - highest > kSequenceJump) {
    return {{},
            Rejection{RejectReason::kMalformed, "sequence is more than 2^32 above the last accepted one", "sequence"}};
  }
  if (request.sequence() == highest && highest != 0) return Repeated(checker, request, point.now);
  if (request.sequence() < highest) {
    return {{},
            Rejection{RejectReason::kSequenceRegressed,
                      "sequence is below the last accepted one; take a number above it",
                      "sequence",
                      {{"accepted_sequence", std::to_string(highest)}}}};
  }
  return Accept(state, checker, request, point);
}

}  // namespace

Decision DecideObservations(const ControllerState& state, const ReportObservationsRequest& request,
                            const DecisionPoint& point) {
  const CheckerLookup lookup = FindCheckerSession(state, request.checker_id(), request.session_id());
  if (const auto* rejection = std::get_if<Rejection>(&lookup)) return {{}, *rejection};
  const CheckerRow& checker = *std::get<const CheckerRow*>(lookup);
  Decision decision = DecideReport(state, checker, request, point);
  if (request.draining()) Drain(state, checker, point.now, decision.events);
  if (auto* reply = std::get_if<ReportObservationsResponse>(&decision.reply)) {
    const bool drains = request.draining() || checker.state == SessionState::kDraining;
    reply->set_session_state(WireState(StateAfter(checker, drains, decision.events)));
  }
  return decision;
}

}  // namespace holdfast
