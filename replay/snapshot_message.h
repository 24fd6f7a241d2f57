// The content that a worker's latest update left it with, as the message of the wire contract, and its checksum
// computed from the content alone.
//
// Thread: whoever owns the state.

#pragma once

#include "controlplane/v1/controlplane.pb.h"
#include "events/snapshot_events.h"
#include "projections/controller_state.h"

namespace holdfast::replay {

// Requires: an update was issued to the worker's current session. Routings are those of `state`, so ask right after it.
controlplane::v1::WorkerSnapshot SnapshotMessage(const ControllerState& state, WorkerKey worker);

// Of epoch, routings and proxies as they are in the state: nothing that was kept is used.
Checksum ChecksumOfContent(const ControllerState& state, WorkerKey worker);

}  // namespace holdfast::replay
