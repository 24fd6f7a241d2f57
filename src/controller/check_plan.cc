#include "controller/check_plan.h"

#include <algorithm>

#include "controller/checker_rules.h"
#include "controller/rule_constant.h"

namespace holdfast {
namespace {

constexpr HealthState kNotServing = RuleConstant(HealthState::kUnhealthy, HealthState::kSuspect);

bool IsTooOpen(const ControllerState& state, const RoutingSpec& routing, Anonymity seen) {
  if (routing.min_anonymity <= Anonymity::kTransparent) return false;
  if (seen == Anonymity::kUnspecified) return !state.settings().trust_unchecked;
  return seen < routing.min_anonymity;
}

HealthState AtTarget(const ProxyHealth& health, const ProxyFindings& findings, RoutingKey routing) {
  const auto found = findings.targets.find(routing);
  if (found != findings.targets.end()) return found->second;
  const KeyHealth* known = health.Find(CheckLevel::kTarget, routing);
  return known == nullptr ? HealthState::kUnknown : known->state;
}

// Whether the decision has observed it so far.
bool HasEnded(TaskId task, const std::vector<Event>& events) {
  return std::any_of(events.begin(), events.end(), [&](const Event& event) {
    const auto* observed = std::get_if<CheckObserved>(&event);
    return observed != nullptr && observed->task == task;
  });
}

}  // namespace

bool Serves(const ProxySpec& spec, const RoutingSpec& routing) {
  return std::all_of(routing.proxy_labels.begin(), routing.proxy_labels.end(), [&](const auto& label) {
    const auto found = spec.labels.find(label.first);
    return found != spec.labels.end() && found->second == label.second;
  });
}

bool IsPlanStale(const ControllerState& state, ProxyKey proxy) {
  const ProxyChecks& checks = state.checks().proxy(proxy);
  return !checks.egress_planned || checks.planned_revision != state.routings().revision();
}

void PlanChecks(const ControllerState& state, ProxyKey proxy, LogTime now, std::vector<Event>& events) {
  const std::vector<RoutingSpec>& routings = *state.routings().routings();
  ChecksPlanned planned{proxy, true, {}, now, state.routings().revision()};
  for (std::size_t i = 0; i < routings.size(); ++i) {
    if (routings[i].targets.empty() || !Serves(*state.pool().proxy(proxy).spec, routings[i])) continue;
    planned.routings.push_back(state.routings().keys()[i]);
  }
  std::sort(planned.routings.begin(), planned.routings.end());
  for (const auto& [routing, check] : state.checks().proxy(proxy).targets) {
    const bool stays = std::binary_search(planned.routings.begin(), planned.routings.end(), routing);
    if (stays || check.task.value() == 0 || HasEnded(check.task, events)) continue;
    CancelTask(state, check.task, LogTime(), true, events);
  }
  events.emplace_back(std::move(planned));
}

void MarkRoutings(const ControllerState& state, ProxyKey proxy, const ProxyFindings& findings,
                  std::vector<Event>& events) {
  const ProxyHealth& health = state.health().proxy(proxy);
  const Anonymity anonymity = findings.anonymity.value_or(health.anonymity);
  const std::vector<RoutingSpec>& routings = *state.routings().routings();
  std::vector<std::pair<std::string, RoutingKey>> marked;
  for (std::size_t i = 0; i < routings.size(); ++i) {
    if (!Serves(*state.pool().proxy(proxy).spec, routings[i])) continue;
    const RoutingKey key = state.routings().keys()[i];
    // Without targets nothing is asked of the proxy any more, whatever was found before.
    const bool fails = !routings[i].targets.empty() && AtTarget(health, findings, key) == kNotServing;
    if (fails || IsTooOpen(state, routings[i], anonymity)) {
      marked.emplace_back(routings[i].routing_id, key);
    }
  }
  std::sort(marked.begin(), marked.end());
  RoutingsMarked event{proxy, {}, {}};
  for (auto& [id, key] : marked) {
    event.routings.push_back(key);
    event.routing_ids.push_back(std::move(id));
  }
  if (event.routings != health.marked) events.emplace_back(std::move(event));
}

}  // namespace holdfast
