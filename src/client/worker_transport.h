// The calls of WorkerControlPlane as a worker makes them, without saying over what. What holds for every transport
// stands in client/transport.h. Implementations: GrpcWorkerTransport; tests and simulations put their own in its place
// or around it.

#pragma once

#include <memory>

#include "client/client_time.h"
#include "client/transport.h"
#include "controlplane/v1/controlplane.pb.h"

namespace holdfast::client {

class WorkerTransport {
 public:
  using SnapshotEvents = StreamEvents<controlplane::v1::SnapshotUpdate>;

  virtual ~WorkerTransport() = default;

  // A new session is about to be opened: a chance to look for the controller's address again.
  virtual void Reconnect() {}

  // `deadline` is from now; over it the result is kDeadlineExceeded.
  virtual void Register(const controlplane::v1::RegisterWorkerRequest& request, Duration deadline,
                        Done<controlplane::v1::RegisterWorkerResponse> done) = 0;
  virtual void Acknowledge(const controlplane::v1::AcknowledgeSnapshotRequest& request, Duration deadline,
                           Done<controlplane::v1::AcknowledgeSnapshotResponse> done) = 0;
  virtual void ReportRuntime(const controlplane::v1::ReportRuntimeRequest& request, Duration deadline,
                             Done<controlplane::v1::ReportRuntimeResponse> done) = 0;
  virtual void ReportOutcomes(const controlplane::v1::ReportOutcomesRequest& request, Duration deadline,
                              Done<controlplane::v1::ReportOutcomesResponse> done) = 0;
  virtual std::unique_ptr<UpdateStream> Watch(const controlplane::v1::WatchSnapshotsRequest& request,
                                              SnapshotEvents events) = 0;
};

}  // namespace holdfast::client
