// The rows of a folded state as people and programs see them: sessions, ownership, pool, routings.
//
// Called by the state command. Thread: whoever owns the state. The columns and the cells of a row go together.

#pragma once

#include <string>
#include <vector>

#include "projections/controller_state.h"
#include "replay/json_text.h"

namespace holdfast::replay {

std::vector<std::string> SessionColumns();
std::vector<std::string> SessionCells(const ControllerState& state, WorkerKey worker);
Json SessionRowJson(const ControllerState& state, WorkerKey worker);

// Of an address: who holds it.
std::vector<std::string> AddressColumns();
std::vector<std::string> AddressCells(const ControllerState& state, AddressKey address);
Json AddressRowJson(const ControllerState& state, AddressKey address);

std::vector<std::string> ProxyColumns();
std::vector<std::string> ProxyCells(const ControllerState& state, ProxyKey proxy);
Json ProxyRowJson(const ControllerState& state, ProxyKey proxy);

std::vector<std::string> RoutingColumns();
std::vector<std::string> RoutingCells(const RoutingSpec& routing);
Json RoutingRowJson(const RoutingSpec& routing);

}  // namespace holdfast::replay
