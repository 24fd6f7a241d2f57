// A member's session as operators are shown it.
//
// Called on the follower's thread. Pure. Promises: every field of SessionStatus that this version knows and its kind
// has; a session that is over keeps what it ended with, without counters. Does not: know agents and providers, which
// this version does not have.

#pragma once

#include "holdfast/admin/v1/admin.pb.h"
#include "projections/controller_state.h"

namespace holdfast::server {

// Requires: the member was seen. Returns how many rows were looked at: its cost.
std::size_t PutSessionStatus(const ControllerState& state, WorkerKey worker, admin::v1::SessionStatus* out);
std::size_t PutSessionStatus(const ControllerState& state, CheckerKey checker, admin::v1::SessionStatus* out);

// The latest session of a member by its id; left as it is where it was never seen.
void PutSessionStatus(const ControllerState& state, controlplane::v1::SessionKind kind, const std::string& member_id,
                      admin::v1::SessionStatus* out);

// Where the worker stands with its snapshots. UNSPECIFIED: its session is over.
//   NOT_SENT  no update of this session counts yet        PENDING   one is out, not answered
//   REJECTED  the last answer was a refusal               SYNCED    it has accepted the content as it is
//   STALE     it has accepted something; there is newer content
admin::v1::SnapshotSync SyncOf(const ControllerState& state, WorkerKey worker);

}  // namespace holdfast::server
