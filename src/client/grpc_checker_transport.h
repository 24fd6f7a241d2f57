// CheckerTransport over gRPC's callback API. Threads and life times: grpc_calls.h, grpc_stream.h.
//
// Channels come from a source that may give another one at each new session.

#pragma once

#include <memory>

#include "client/checker_transport.h"
#include "client/grpc_calls.h"
#include "controlplane/v1/controlplane.grpc.pb.h"

namespace holdfast::client {

class GrpcCheckerTransport : public CheckerTransport {
 public:
  GrpcCheckerTransport(std::shared_ptr<Scheduler> scheduler, ChannelSource channels);

  void Reconnect() override { calls_.Reconnect(); }
  void Register(const controlplane::v1::RegisterCheckerRequest& request, Duration deadline,
                Done<controlplane::v1::RegisterCheckerResponse> done) override;
  void ReportObservations(const controlplane::v1::ReportObservationsRequest& request, Duration deadline,
                          Done<controlplane::v1::ReportObservationsResponse> done) override;
  std::unique_ptr<UpdateStream> Watch(const controlplane::v1::WatchTasksRequest& request, TaskEvents events) override;

 private:
  GrpcCalls<controlplane::v1::CheckerControlPlane> calls_;
};

}  // namespace holdfast::client
