// One WatchSnapshots stream over gRPC's callback API.
//
// The reactor belongs to itself: it lives until gRPC's OnDone, however early the handle (the SnapshotStream that the
// client holds) is destroyed. Both share a `Subscription` that only the scheduler's thread touches: destroying the
// handle clears it, and whatever gRPC still brings is dropped there. Reads: one at a time, asked for by ReadNext.

#pragma once

#include <memory>

#include "client/scheduler.h"
#include "client/worker_transport.h"
#include "controlplane/v1/controlplane.grpc.pb.h"

namespace holdfast::client {

std::unique_ptr<SnapshotStream> OpenGrpcSnapshotStream(
    const std::shared_ptr<Scheduler>& scheduler,
    const std::shared_ptr<controlplane::v1::WorkerControlPlane::Stub>& stub,
    const controlplane::v1::WatchSnapshotsRequest& request, WorkerTransport::StreamEvents events);

// A gRPC status as the client's own value.
CallResult ResultFrom(const grpc::Status& status);

}  // namespace holdfast::client
