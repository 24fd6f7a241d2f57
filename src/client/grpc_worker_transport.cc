#include "client/grpc_worker_transport.h"

#include <grpc/support/time.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <utility>

#include "client/grpc_snapshot_stream.h"

namespace holdfast::client {

using controlplane::v1::WorkerControlPlane;
namespace wire = controlplane::v1;

std::shared_ptr<grpc::Channel> MakeInsecureChannel(const std::string& target) {
  constexpr int kReceiveBytesMax = 16 * 1024 * 1024;
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kReceiveBytesMax);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 5'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 1'000);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 1'000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 10'000);
  // Streams a connection are limited: each channel has connections of its own.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  // A proxy from the environment has no place between a worker and its controller.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  return grpc::CreateCustomChannel(target, grpc::InsecureChannelCredentials(), arguments);
}

GrpcWorkerTransport::GrpcWorkerTransport(std::shared_ptr<Scheduler> scheduler, ChannelSource channels)
    : scheduler_(std::move(scheduler)), channels_(std::move(channels)) {}

GrpcWorkerTransport::~GrpcWorkerTransport() {
  for (grpc::ClientContext* context : in_flight_->contexts) context->TryCancel();
}

void GrpcWorkerTransport::Reconnect() {
  std::shared_ptr<grpc::Channel> channel = channels_();
  if (!channel || channel == channel_) return;
  channel_ = std::move(channel);
  stub_ = WorkerControlPlane::NewStub(channel_);
}

template <class Request, class Response, class Method>
void GrpcWorkerTransport::Call(const Request& request, Duration deadline, Done<Response> done, const Method& method) {
  if (!stub_) Reconnect();
  if (!stub_) {
    scheduler_->Post([alive = std::weak_ptr(in_flight_), done = std::move(done)] {
      if (alive.lock()) done({.code = absl::StatusCode::kUnavailable, .message = "no address to call yet"}, Response());
    });
    return;
  }
  struct State {
    grpc::ClientContext context;
    Request request;
    Response response;
    std::shared_ptr<WorkerControlPlane::Stub> stub;
  };
  auto state = std::make_shared<State>();
  state->request = request;
  state->stub = stub_;
  // A span, not an instant: the client reads no clock of its own.
  state->context.set_deadline(gpr_time_from_micros(deadline.count(), GPR_TIMESPAN));
  in_flight_->contexts.insert(&state->context);
  auto deliver = [scheduler = scheduler_, state, in_flight = std::weak_ptr(in_flight_),
                  done = std::move(done)](const grpc::Status& status) {
    scheduler->Post([state, in_flight, done, result = ResultFrom(status)] {
      const auto alive = in_flight.lock();
      if (!alive) return;
      alive->contexts.erase(&state->context);
      done(result, state->response);
    });
  };
  method(state->stub->async(), &state->context, &state->request, &state->response, std::move(deliver));
}

void GrpcWorkerTransport::Register(const wire::RegisterWorkerRequest& request, Duration deadline,
                                   Done<wire::RegisterWorkerResponse> done) {
  Call(request, deadline, std::move(done), [](auto* async, auto* context, auto* message, auto* answer, auto deliver) {
    async->RegisterWorker(context, message, answer, std::move(deliver));
  });
}

void GrpcWorkerTransport::Acknowledge(const wire::AcknowledgeSnapshotRequest& request, Duration deadline,
                                      Done<wire::AcknowledgeSnapshotResponse> done) {
  Call(request, deadline, std::move(done), [](auto* async, auto* context, auto* message, auto* answer, auto deliver) {
    async->AcknowledgeSnapshot(context, message, answer, std::move(deliver));
  });
}

void GrpcWorkerTransport::ReportRuntime(const wire::ReportRuntimeRequest& request, Duration deadline,
                                        Done<wire::ReportRuntimeResponse> done) {
  Call(request, deadline, std::move(done), [](auto* async, auto* context, auto* message, auto* answer, auto deliver) {
    async->ReportRuntime(context, message, answer, std::move(deliver));
  });
}

void GrpcWorkerTransport::ReportOutcomes(const wire::ReportOutcomesRequest& request, Duration deadline,
                                         Done<wire::ReportOutcomesResponse> done) {
  Call(request, deadline, std::move(done), [](auto* async, auto* context, auto* message, auto* answer, auto deliver) {
    async->ReportOutcomes(context, message, answer, std::move(deliver));
  });
}

std::unique_ptr<SnapshotStream> GrpcWorkerTransport::Watch(const wire::WatchSnapshotsRequest& request,
                                                           StreamEvents events) {
  if (!stub_) Reconnect();
  if (stub_) return OpenGrpcSnapshotStream(scheduler_, stub_, request, std::move(events));

  struct NoStream : SnapshotStream {
    std::shared_ptr<bool> alive = std::make_shared<bool>(true);
    void ReadNext() override {}
  };
  auto none = std::make_unique<NoStream>();
  scheduler_->Post([alive = std::weak_ptr(none->alive), on_end = std::move(events.on_end)] {
    if (alive.lock()) on_end({.code = absl::StatusCode::kUnavailable, .message = "no address to call yet"});
  });
  return none;
}

}  // namespace holdfast::client
