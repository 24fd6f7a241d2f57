// Which checks a proxy gets, and which routings it does not serve.
//
// Pure, as all rules (decide.h).

#pragma once

#include <map>
#include <optional>
#include <vector>

#include "controller/decision.h"
#include "projections/controller_state.h"

namespace holdfast {

// Whether a proxy carries all labels that a routing asks for.
bool Serves(const ProxySpec& spec, const RoutingSpec& routing);

// Whether the TARGET keys of a proxy follow from other routings than those in force, or it has none yet.
bool IsPlanStale(const ControllerState& state, ProxyKey proxy);

// Appends what it is checked for from now on; tasks of keys that it has no more are cancelled first, where `events` has
// not observed them.
void PlanChecks(const ControllerState& state, ProxyKey proxy, LogTime now, std::vector<Event>& events);

// What a decision has found of a proxy so far, where it is not what the state says.
struct ProxyFindings {
  std::optional<HealthState> basic, egress;
  std::map<RoutingKey, HealthState> targets;
  std::optional<Anonymity> anonymity;
};

// Appends the routings that a proxy does not serve, where they are others than before: its TARGET check fails, or it
// gives away more than the routing allows (unknown counts as too much, unless unchecked proxies are trusted).
void MarkRoutings(const ControllerState& state, ProxyKey proxy, const ProxyFindings& findings,
                  std::vector<Event>& events);

}  // namespace holdfast
