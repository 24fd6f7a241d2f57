// The unary calls of one service over gRPC's callback API, for a transport that names them.
//
// Made, called and destroyed on the scheduler's thread. gRPC's own threads only hand answers over to the scheduler.
// Each call owns itself until gRPC is done with it; destroying this cancels what is under way, and nothing of it is
// delivered. Streams: grpc_stream.h.

#pragma once

#include <grpc/support/time.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include <memory>
#include <set>
#include <utility>

#include "client/grpc_channel.h"
#include "client/scheduler.h"
#include "client/transport.h"

namespace holdfast::client {

// A gRPC status as the client's own value.
CallResult ResultFrom(const grpc::Status& status);

// How a call ends that has nowhere to go.
CallResult NoAddress();

template <class Service>
class GrpcCalls {
 public:
  using Stub = typename Service::Stub;

  GrpcCalls(std::shared_ptr<Scheduler> scheduler, ChannelSource channels)
      : scheduler_(std::move(scheduler)), channels_(std::move(channels)) {}
  ~GrpcCalls() {
    for (grpc::ClientContext* context : in_flight_->contexts) context->TryCancel();
  }

  const std::shared_ptr<Scheduler>& scheduler() const { return scheduler_; }

  void Reconnect() {
    std::shared_ptr<grpc::Channel> channel = channels_();
    if (!channel || channel == channel_) return;
    channel_ = std::move(channel);
    stub_ = Service::NewStub(channel_);
  }

  // Null while there is no address.
  const std::shared_ptr<Stub>& stub() {
    if (!stub_) Reconnect();
    return stub_;
  }

  // `method(stub.async(), context, request, response, deliver)` begins the call.
  template <class Request, class Response, class Method>
  void Call(const Request& request, Duration deadline, Done<Response> done, const Method& method);

 private:
  // What the calls share; gone means that nobody waits any more. Scheduler's thread only.
  struct InFlight {
    std::set<grpc::ClientContext*> contexts;
  };

  const std::shared_ptr<Scheduler> scheduler_;
  const ChannelSource channels_;
  std::shared_ptr<grpc::Channel> channel_;
  std::shared_ptr<Stub> stub_;
  std::shared_ptr<InFlight> in_flight_ = std::make_shared<InFlight>();
};

template <class Service>
template <class Request, class Response, class Method>
void GrpcCalls<Service>::Call(const Request& request, Duration deadline, Done<Response> done, const Method& method) {
  if (!stub()) {
    scheduler_->Post([alive = std::weak_ptr(in_flight_), done = std::move(done)] {
      if (alive.lock()) done(NoAddress(), Response());
    });
    return;
  }
  struct State {
    grpc::ClientContext context;
    Request request;
    Response response;
    std::shared_ptr<Stub> stub;
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

}  // namespace holdfast::client
