// Outcomes: evidence of the second rank. A batch counts once; nothing else follows from it. Contract: ReportOutcomes.

#include <algorithm>
#include <limits>

#include "controller/decide.h"
#include "controller/proto_time.h"
#include "controller/rule_constant.h"
#include "controller/session_rules.h"

namespace holdfast {
namespace {

using controlplane::v1::Outcome;
using controlplane::v1::ReportOutcomesRequest;
using controlplane::v1::ReportOutcomesResponse;

constexpr std::uint64_t kSequenceJump = RuleConstant<std::uint64_t>(1ull << 32, 0);  // above the last one: a fault

OutcomesAccepted Count(const ControllerState& state, WorkerKey worker, const ReportOutcomesRequest& request) {
  std::uint64_t counted = 0, ignored = 0;
  for (const Outcome& outcome : request.outcomes()) {
    const ProxyKey proxy = state.pool().FindProxy(outcome.proxy_id());
    const bool own = proxy.value() != 0 && state.ownership().hold(state.pool().proxy(proxy).address).owner == worker;
    (own ? counted : ignored) += std::max<std::uint32_t>(1, outcome.count());
  }
  const auto bounded = [](std::uint64_t count) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(count, std::numeric_limits<std::uint32_t>::max()));
  };
  return {worker, request.sequence(), bounded(counted), bounded(ignored), request.dropped_total()};
}

}  // namespace

Decision DecideOutcomes(const ControllerState& state, const ReportOutcomesRequest& request,
                        const DecisionPoint& point) {
  const SessionLookup lookup = FindSession(state, request.worker_id(), request.session_id(), request.ownership_epoch());
  if (const auto* rejection = std::get_if<Rejection>(&lookup)) return {{}, *rejection};
  const WorkerRow& worker = *std::get<const WorkerRow*>(lookup);
  const WorkerKey key = worker.opened.worker;
  const std::uint64_t highest = state.outcomes().At(key).sequence;
  if (request.sequence() > highest && request.sequence() - highest > kSequenceJump) {
    return {{},
            Rejection{RejectReason::kMalformed, "sequence is more than 2^32 above the last accepted one", "sequence"}};
  }
  Decision decision;
  ReportOutcomesResponse reply;
  reply.set_accepted_sequence(std::max(highest, request.sequence()));
  reply.set_session_state(WireState(worker.state));
  PutTime(point.now, reply.mutable_server_time());
  // At or below the highest: a batch whose answer was lost. The same answer, and no effect.
  if (request.sequence() > highest) decision.events.emplace_back(Count(state, key, request));
  decision.reply = std::move(reply);
  return decision;
}

}  // namespace holdfast
