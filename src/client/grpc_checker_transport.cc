#include "client/grpc_checker_transport.h"

#include <utility>

#include "client/grpc_stream.h"

namespace holdfast::client {

namespace wire = controlplane::v1;

GrpcCheckerTransport::GrpcCheckerTransport(std::shared_ptr<Scheduler> scheduler, ChannelSource channels)
    : calls_(std::move(scheduler), std::move(channels)) {}

void GrpcCheckerTransport::Register(const wire::RegisterCheckerRequest& request, Duration deadline,
                                    Done<wire::RegisterCheckerResponse> done) {
  calls_.Call(request, deadline, std::move(done),
              [](auto* async, auto* context, auto* message, auto* answer, auto deliver) {
                async->RegisterChecker(context, message, answer, std::move(deliver));
              });
}

void GrpcCheckerTransport::ReportObservations(const wire::ReportObservationsRequest& request, Duration deadline,
                                              Done<wire::ReportObservationsResponse> done) {
  calls_.Call(request, deadline, std::move(done),
              [](auto* async, auto* context, auto* message, auto* answer, auto deliver) {
                async->ReportObservations(context, message, answer, std::move(deliver));
              });
}

std::unique_ptr<UpdateStream> GrpcCheckerTransport::Watch(const wire::WatchTasksRequest& request, TaskEvents events) {
  const auto stub = calls_.stub();
  if (!stub) return StreamWithoutAddress(*calls_.scheduler(), std::move(events));
  return GrpcStream<wire::WatchTasksRequest, wire::TaskUpdate>::Open(
      calls_.scheduler(), request, std::move(events), [stub](auto* context, const auto* message, auto* reactor) {
        stub->async()->WatchTasks(context, message, reactor);
      });
}

}  // namespace holdfast::client
