// Routings: one ordered list, replaced as a whole, with a revision. Contract: Routing, ApplyRoutings.

#include <algorithm>

#include "controller/decide.h"
#include "controller/health_guard.h"
#include "controller/host_pattern.h"
#include "controller/proto_time.h"
#include "controller/rule_constant.h"

namespace holdfast {
namespace {

constexpr std::uint64_t kRevisionStep = RuleConstant<std::uint64_t>(1, 2);

RoutingTarget TargetOf(const controlplane::v1::CheckTarget& in) {
  return {in.url(),
          {in.expected_status().begin(), in.expected_status().end()},
          in.method(),
          ReadDuration(in.timeout()).value_or(Duration(0))};
}

RoutingSpec RoutingOf(const admin::v1::RoutingSpec& in) {
  const controlplane::v1::Routing& routing = in.routing();
  RoutingSpec out;
  out.routing_id = routing.routing_id();
  for (const std::string& pattern : routing.host_patterns()) {
    out.host_patterns.push_back(NormaliseHostPattern(pattern).value_or(pattern));
  }
  out.ports.assign(routing.ports().begin(), routing.ports().end());
  for (const auto& [key, value] : routing.proxy_labels()) out.proxy_labels.emplace(key, value);
  out.zones.assign(routing.zones().begin(), routing.zones().end());
  for (const controlplane::v1::CheckTarget& target : in.targets()) out.targets.push_back(TargetOf(target));
  out.min_anonymity = static_cast<Anonymity>(in.min_anonymity());
  return out;
}

// What is frozen at TARGET for a routing ends with it.
void ThawGone(const ControllerState& state, const RoutingsApplied& applied, std::vector<Event>& events) {
  for (const auto& [freeze, row] : state.guard().freezes()) {
    const RoutingSpec* routing = state.routings().Find(freeze.scope.routing);
    if (routing == nullptr) continue;
    const bool stays = std::any_of(applied.routings.begin(), applied.routings.end(),
                                   [&](const RoutingSpec& spec) { return spec.routing_id == routing->routing_id; });
    if (!stays) Thaw(state, freeze, events);
  }
}

}  // namespace

Decision DecideRoutings(const ControllerState& state, const admin::v1::ApplyRoutingsRequest& request,
                        const DecisionPoint& point) {
  const std::uint64_t current = state.routings().revision();
  if (request.has_expected_revision() && request.expected_revision() != current) {
    return {{},
            Rejection{RejectReason::kFailedCondition,
                      "the routings have another revision; read them again before replacing them",
                      "expected_revision",
                      {{"current_revision", std::to_string(current)}}}};
  }
  RoutingsApplied applied{current + kRevisionStep, {}};
  for (const admin::v1::RoutingSpec& routing : request.routings()) applied.routings.push_back(RoutingOf(routing));
  admin::v1::ApplyRoutingsResponse reply;
  reply.set_log_sequence(point.sequence.value());
  if (applied.routings == *state.routings().routings()) {  // the same list again
    reply.set_revision(current);
    return {{}, std::move(reply)};
  }
  reply.set_revision(applied.revision);
  Decision decision;
  ThawGone(state, applied, decision.events);
  decision.events.emplace_back(std::move(applied));
  decision.reply = std::move(reply);
  return decision;
}

}  // namespace holdfast
