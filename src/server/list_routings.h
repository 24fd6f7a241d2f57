// The routings in force, as operators wrote them.
//
// Called on the follower's thread. Pure.

#pragma once

#include "holdfast/admin/v1/admin.pb.h"
#include "projections/controller_state.h"

namespace holdfast::server {

// In match order, with their revision (0: none applied yet).
void PutRoutings(const Routings& routings, admin::v1::ListRoutingsResponse* out);

}  // namespace holdfast::server
