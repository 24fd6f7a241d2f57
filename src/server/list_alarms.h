// The alarms that stand, as operators are shown them.
//
// Called on the follower's thread. Pure. Each names its section of the runbook, from the top of the repository.

#pragma once

#include "holdfast/admin/v1/admin.pb.h"
#include "projections/controller_state.h"

namespace holdfast::server {

// By kind, then subject.
void PutAlarms(const ControllerState& state, admin::v1::ListAlarmsResponse* out);

}  // namespace holdfast::server
