// Whether placement is stale: there is something to place and somebody who may take it. Costs O(1).
//
// Pure. Thread: the state's owner.

#pragma once

#include "projections/controller_state.h"

namespace holdfast {

bool IsPlacementDue(const ControllerState& state);

}  // namespace holdfast
