// A proxy's health as operators are shown it: which keys it has, and each of them.
//
// Called on the follower's thread. Pure. Requires everywhere: the proxy is in the pool.

#pragma once

#include <vector>

#include "holdfast/admin/v1/admin.pb.h"
#include "projections/controller_state.h"

namespace holdfast::server {

// BASIC; EGRESS and the routings' TARGETs where they are planned, these in match order.
std::vector<CheckKey> KeysOf(const ControllerState& state, ProxyKey proxy);

// UNKNOWN where nothing is known of it.
HealthState StateOf(const ControllerState& state, const CheckKey& key);

// Every field. last_… : of the latest observation that concluded something; checker_id: of the task under way.
void PutHealthStatus(const ControllerState& state, const CheckKey& key, admin::v1::HealthStatus* out);

}  // namespace holdfast::server
