// WorkerTransport over gRPC's callback API. Threads and life times: grpc_calls.h, grpc_stream.h.
//
// Channels come from a source that may give another one at each new session.

#pragma once

#include <memory>

#include "client/grpc_calls.h"
#include "client/worker_transport.h"
#include "controlplane/v1/controlplane.grpc.pb.h"

namespace holdfast::client {

class GrpcWorkerTransport : public WorkerTransport {
 public:
  GrpcWorkerTransport(std::shared_ptr<Scheduler> scheduler, ChannelSource channels);

  void Reconnect() override { calls_.Reconnect(); }
  void Register(const controlplane::v1::RegisterWorkerRequest& request, Duration deadline,
                Done<controlplane::v1::RegisterWorkerResponse> done) override;
  void Acknowledge(const controlplane::v1::AcknowledgeSnapshotRequest& request, Duration deadline,
                   Done<controlplane::v1::AcknowledgeSnapshotResponse> done) override;
  void ReportRuntime(const controlplane::v1::ReportRuntimeRequest& request, Duration deadline,
                     Done<controlplane::v1::ReportRuntimeResponse> done) override;
  void ReportOutcomes(const controlplane::v1::ReportOutcomesRequest& request, Duration deadline,
                      Done<controlplane::v1::ReportOutcomesResponse> done) override;
  std::unique_ptr<UpdateStream> Watch(const controlplane::v1::WatchSnapshotsRequest& request,
                                      SnapshotEvents events) override;

 private:
  GrpcCalls<controlplane::v1::WorkerControlPlane> calls_;
};

}  // namespace holdfast::client
