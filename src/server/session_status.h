// A worker's session as operators are shown it.
//
// Called on the follower's thread. Pure. Promises: every field of SessionStatus that this version knows; a session that
// is over keeps what it ended with, without counters. Does not: know checkers, agents, providers, which this version
// does not have.

#pragma once

#include "holdfast/admin/v1/admin.pb.h"
#include "projections/controller_state.h"

namespace holdfast::server {

// Requires: the worker was seen. Returns how many rows were looked at: its cost.
std::size_t PutSessionStatus(const ControllerState& state, WorkerKey worker, admin::v1::SessionStatus* out);

// Where the worker stands with its snapshots. UNSPECIFIED: its session is over.
//   NOT_SENT  no update of this session counts yet        PENDING   one is out, not answered
//   REJECTED  the last answer was a refusal               SYNCED    it has accepted the content as it is
//   STALE     it has accepted something; there is newer content
admin::v1::SnapshotSync SyncOf(const ControllerState& state, WorkerKey worker);

}  // namespace holdfast::server
