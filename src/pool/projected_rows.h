// The rows that the pool store has of a state: how an address, a proxy and a session look there.
//
// Called by the feed and by the comparison, where the state is folded. Thread: pure functions of the state. Does not
// know what the store holds; sequences are given by the caller.

#pragma once

#include <optional>

#include "pool/rows.h"
#include "projections/controller_state.h"

namespace holdfast::pool {

// EXTRACTING is shown as it was before the intent: unowned. Requires: it is in the pool.
AddressRow RowOfAddress(const ControllerState& state, AddressKey address, Sequence sequence);
// Requires: it is in the pool.
ProxyRow RowOfProxy(const ControllerState& state, ProxyKey proxy, Sequence sequence);
// nullopt: it has none that is open, or none that lasts.
std::optional<SessionRow> RowOfSession(const ControllerState& state, WorkerKey worker, LogTime now);

}  // namespace holdfast::pool
