// One page of ListSessions.
//
// Called on the follower's thread; pure. Promises: workers, then checkers, each in the order in which they were first
// seen; a page costs a bounded amount of work, so it may be shorter than asked for, and even empty, while
// next_page_token says that there is more. A token is good for as long as the log: it names the member where the next
// page begins.

#pragma once

#include <optional>

#include "controller/decision.h"
#include "projections/controller_state.h"

namespace holdfast::server {

inline constexpr std::uint32_t kMostSessionsPerPage = 1'000;  // also where page_size is 0 or more

// MALFORMED where page_token is none that a page gave. Requires: the request is well formed otherwise (validate.h).
std::optional<Rejection> ListSessionsPage(const ControllerState& state, const admin::v1::ListSessionsRequest& request,
                                          admin::v1::ListSessionsResponse* out);

}  // namespace holdfast::server
