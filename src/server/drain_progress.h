// How far the drain of a session is, as operators are shown it.
//
// Called on the follower's thread. Pure; costs what the member holds. Promises: what is left of the session that was
// asked for, and done once it is over, whether it was closed or another took its place. A worker has proxies and
// requests left, a checker tasks (as requests).

#pragma once

#include <optional>
#include <string>

#include "controller/decision.h"
#include "projections/controller_state.h"

namespace holdfast::server {

inline constexpr std::size_t kMostHoldingUp = 10;

// Whose drain is looked at.
struct DrainSubject {
  controlplane::v1::SessionKind kind = controlplane::v1::SESSION_KIND_UNSPECIFIED;
  std::string member_id;
  std::string session_id;  // empty: the latest
};

// NOT_FOUND: the member, or this session of it, was never seen or is no longer remembered. An empty session_id of
// `subject` is set to that of the latest session. Requires: kind is WORKER or CHECKER.
std::optional<Rejection> PutDrainProgress(const ControllerState& state, DrainSubject& subject,
                                          admin::v1::DrainProgress* out);

}  // namespace holdfast::server
