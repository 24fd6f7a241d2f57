// What the rules of extraction share: what a request says, what a client is told, and what becomes of an address that
// comes back.
//
// Pure, as all rules (decide.h).

#pragma once

#include <vector>

#include "controller/decision.h"
#include "projections/controller_state.h"

namespace holdfast {

// Of what is asked for, without the ids of client and request: lists in any order and with repetitions are the same.
RequestHash RequestHashOf(const distribution::v1::ExtractRequest& request);
RequestHash RequestHashOf(const distribution::v1::ReleaseRequest& request);

// Requires: it stands.
distribution::v1::ExtractResponse ResponseOf(const ExtractionRow& row, LogTime now);

// After what the client was told before, or because nothing can be asked of the store now.
Rejection PoolUnavailable(const char* why);
// What the client is told when its intent is doubted.
Rejection PoolSilent();

// What of an address that is nobody's again leaves the pool: what was removed or has expired meanwhile.
void AppendLeavers(const ControllerState& state, const std::vector<AddressKey>& addresses, std::vector<Event>& events);

// The same, and of what stays: what was said of it before a client had it counts no more, and a check is due at once.
void AppendReturned(const ControllerState& state, const std::vector<AddressKey>& addresses, std::vector<Event>& events);

// An intent ends without anybody having anything of it.
void AppendGiveBack(const ControllerState& state, ExtractionKey extraction, GiveBackReason reason,
                    std::vector<Event>& events);

}  // namespace holdfast
