// WorkerTransport over gRPC's callback API. The only part of the client that includes gRPC.
//
// Made, called and destroyed on the scheduler's thread. gRPC's own threads only hand answers over to the scheduler.
// Each call owns itself until gRPC is done with it; destroying the transport cancels what is under way, and nothing of
// it is delivered. Channels come from a source that may give another one at each new session.

#pragma once

#include <grpcpp/channel.h>

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "client/scheduler.h"
#include "client/worker_transport.h"
#include "controlplane/v1/controlplane.grpc.pb.h"

namespace holdfast::client {

// Plaintext, with the contract's keepalive (20 s, 5 s), the reconnect backoff of the client, no shared connections
// with other channels, and room for what a controller may send. `target` is host:port or unix:path.
std::shared_ptr<grpc::Channel> MakeInsecureChannel(const std::string& target);

class GrpcWorkerTransport : public WorkerTransport {
 public:
  // Asked at the start of each session; null keeps the channel that there is.
  using ChannelSource = std::function<std::shared_ptr<grpc::Channel>()>;

  GrpcWorkerTransport(std::shared_ptr<Scheduler> scheduler, ChannelSource channels);
  ~GrpcWorkerTransport() override;

  void Reconnect() override;
  void Register(const controlplane::v1::RegisterWorkerRequest& request, Duration deadline,
                Done<controlplane::v1::RegisterWorkerResponse> done) override;
  void Acknowledge(const controlplane::v1::AcknowledgeSnapshotRequest& request, Duration deadline,
                   Done<controlplane::v1::AcknowledgeSnapshotResponse> done) override;
  void ReportRuntime(const controlplane::v1::ReportRuntimeRequest& request, Duration deadline,
                     Done<controlplane::v1::ReportRuntimeResponse> done) override;
  void ReportOutcomes(const controlplane::v1::ReportOutcomesRequest& request, Duration deadline,
                      Done<controlplane::v1::ReportOutcomesResponse> done) override;
  std::unique_ptr<SnapshotStream> Watch(const controlplane::v1::WatchSnapshotsRequest& request,
                                        StreamEvents events) override;

 private:
  template <class Request, class Response, class Method>
  void Call(const Request& request, Duration deadline, Done<Response> done, const Method& method);

  // What the calls of this transport share; gone means that nobody waits any more. Scheduler's thread only.
  struct InFlight {
    std::set<grpc::ClientContext*> contexts;
  };

  const std::shared_ptr<Scheduler> scheduler_;
  const ChannelSource channels_;
  std::shared_ptr<grpc::Channel> channel_;
  std::shared_ptr<controlplane::v1::WorkerControlPlane::Stub> stub_;
  std::shared_ptr<InFlight> in_flight_ = std::make_shared<InFlight>();
};

}  // namespace holdfast::client
