// An address changes hands: it is granted, asked back, let go. What every rule that does so has in common.
//
//   AppendGrant     nobody ─► a worker
//   RevokeAddresses a worker that was shown it ─► REVOKING (shown DRAINING); one that never was ─► LAPSING
//   LapseAll        a worker's session is over ─► LAPSING
//   AppendRelease   REVOKING or LAPSING ─► nobody; what was removed or has expired meanwhile leaves the pool with it
//
// What a client has, or the store is asked for, is left as it is (extraction_rules.h).
//
// Pure, as all rules (decide.h): appends events, changes nothing.

#pragma once

#include <absl/container/btree_map.h>

#include <string_view>
#include <vector>

#include "controller/decision.h"
#include "projections/controller_state.h"

namespace holdfast {

// Requires: the address is unowned after what was appended before, and the worker's session may take it.
void AppendGrant(const ControllerState& state, AddressKey address, WorkerKey worker, LogTime now,
                 std::vector<Event>& events);

// How something is asked back.
struct Revocation {
  LogTime deadline;            // absent: none
  std::string_view principal;  // who asked; empty: the controller itself
};

// Of GRANTED addresses, and of REVOKING ones whose deadline is later than this. One that lapses goes on so, and is
// nobody's own again. One event a worker, epoch and reason.
void RevokeAddresses(const ControllerState& state, const absl::btree_map<AddressKey, RevokeReason>& addresses,
                     const Revocation& revocation, std::vector<Event>& events);

// Everything that the worker's current instance has.
void RevokeAll(const ControllerState& state, WorkerKey worker, RevokeReason reason, const Revocation& revocation,
               std::vector<Event>& events);

// What the worker's current instance has begins to lapse; what was asked back stays so.
// reason: of those not asked back yet, where cause is kRevoked.
void LapseAll(const ControllerState& state, WorkerKey worker, LapseCause cause, RevokeReason reason,
              std::vector<Event>& events);

// GRANTED or REVOKING: these begin to lapse, as asked back for `reason`, or for what they were asked back for before.
void LapseAddresses(const ControllerState& state, const absl::btree_map<AddressKey, RevokeReason>& addresses,
                    std::vector<Event>& events);

// What proves that a drain is over: the entries that showed it, acknowledged that, and reported zero.
struct DrainCertificate {
  Version target;
  Sequence issue, ack, report;
};

void AppendRelease(const ControllerState& state, AddressKey address, EndReason reason,
                   const DrainCertificate& certificate, std::vector<Event>& events);

}  // namespace holdfast
