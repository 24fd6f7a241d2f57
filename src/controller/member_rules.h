// What several rules about members have in common.
//
// Pure, as all rules (decide.h).

#pragma once

#include <string>
#include <vector>

#include "controller/decision.h"
#include "projections/controller_state.h"

namespace holdfast {

// Appends that a member, seen or not, is given nothing new until that is lifted; nothing where it is so already.
// checker: it is a checker's id, else a worker's.
void Cordon(const ControllerState& state, const std::string& member_id, bool checker, const std::string& reason,
            std::vector<Event>& events);

bool IsCordoned(const ControllerState& state, const std::string& member_id, bool checker);

}  // namespace holdfast
