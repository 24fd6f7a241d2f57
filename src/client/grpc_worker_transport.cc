#include "client/grpc_worker_transport.h"

#include <utility>

#include "client/grpc_stream.h"

namespace holdfast::client {

namespace wire = controlplane::v1;

GrpcWorkerTransport::GrpcWorkerTransport(std::shared_ptr<Scheduler> scheduler, ChannelSource channels)
    : calls_(std::move(scheduler), std::move(channels)) {}

void GrpcWorkerTransport::Register(const wire::RegisterWorkerRequest& request, Duration deadline,
                                   Done<wire::RegisterWorkerResponse> done) {
  calls_.Call(request, deadline, std::move(done),
              [](auto* async, auto* context, auto* message, auto* answer, auto deliver) {
                async->RegisterWorker(context, message, answer, std::move(deliver));
              });
}

void GrpcWorkerTransport::Acknowledge(const wire::AcknowledgeSnapshotRequest& request, Duration deadline,
                                      Done<wire::AcknowledgeSnapshotResponse> done) {
  calls_.Call(request, deadline, std::move(done),
              [](auto* async, auto* context, auto* message, auto* answer, auto deliver) {
                async->AcknowledgeSnapshot(context, message, answer, std::move(deliver));
              });
}

void GrpcWorkerTransport::ReportRuntime(const wire::ReportRuntimeRequest& request, Duration deadline,
                                        Done<wire::ReportRuntimeResponse> done) {
  calls_.Call(request, deadline, std::move(done),
              [](auto* async, auto* context, auto* message, auto* answer, auto deliver) {
                async->ReportRuntime(context, message, answer, std::move(deliver));
              });
}

void GrpcWorkerTransport::ReportOutcomes(const wire::ReportOutcomesRequest& request, Duration deadline,
                                         Done<wire::ReportOutcomesResponse> done) {
  calls_.Call(request, deadline, std::move(done),
              [](auto* async, auto* context, auto* message, auto* answer, auto deliver) {
                async->ReportOutcomes(context, message, answer, std::move(deliver));
              });
}

std::unique_ptr<UpdateStream> GrpcWorkerTransport::Watch(const wire::WatchSnapshotsRequest& request,
                                                         SnapshotEvents events) {
  const auto stub = calls_.stub();
  if (!stub) return StreamWithoutAddress(*calls_.scheduler(), std::move(events));
  return GrpcStream<wire::WatchSnapshotsRequest, wire::SnapshotUpdate>::Open(
      calls_.scheduler(), request, std::move(events), [stub](auto* context, const auto* message, auto* reactor) {
        stub->async()->WatchSnapshots(context, message, reactor);
      });
}

}  // namespace holdfast::client
