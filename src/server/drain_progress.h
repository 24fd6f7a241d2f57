// How far the drain of a session is, as operators are shown it.
//
// Called on the follower's thread. Pure; costs what the worker holds. Promises: what is left of the session that was
// asked for, and done once it is over, whether it was closed or another took its place.

#pragma once

#include <optional>
#include <string>

#include "controller/decision.h"
#include "projections/controller_state.h"

namespace holdfast::server {

inline constexpr std::size_t kMostHoldingUp = 10;

// NOT_FOUND: the worker, or this session of it, was never seen or is no longer remembered. `session_id`: empty, it is
// set to that of the latest session.
std::optional<Rejection> PutDrainProgress(const ControllerState& state, const std::string& worker_id,
                                          std::string& session_id, admin::v1::DrainProgress* out);

}  // namespace holdfast::server
