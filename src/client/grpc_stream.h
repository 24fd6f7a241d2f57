// One stream of updates over gRPC's callback API.
//
// The reactor belongs to itself: it lives until gRPC's OnDone, however early the handle (the UpdateStream that the
// client holds) is destroyed. Both share a `Subscription` that only the scheduler's thread touches: destroying the
// handle clears it, and whatever gRPC still brings is dropped there. Reads: one at a time, asked for by ReadNext.

#pragma once

#include <grpcpp/client_context.h>
#include <grpcpp/support/client_callback.h>

#include <functional>
#include <memory>
#include <utility>

#include "client/grpc_calls.h"
#include "client/scheduler.h"
#include "client/transport.h"

namespace holdfast::client {

template <class Request, class Update>
class GrpcStream : public UpdateStream {
 public:
  // Begins the call of `reactor`; kept as long as the call lives, and the stub in it.
  using Begin = std::function<void(grpc::ClientContext* context, const Request* request,
                                   grpc::ClientReadReactor<Update>* reactor)>;

  static std::unique_ptr<UpdateStream> Open(const std::shared_ptr<Scheduler>& scheduler, const Request& request,
                                            StreamEvents<Update> events, Begin begin) {
    auto subscription = std::make_shared<Subscription>();
    subscription->events = std::move(events);
    auto reactor = std::make_shared<Reactor>(scheduler, request, subscription, std::move(begin));
    reactor->Start(reactor);
    return std::unique_ptr<UpdateStream>(new GrpcStream(std::move(reactor), std::move(subscription)));
  }

  ~GrpcStream() override {
    if (!std::exchange(subscription_->live, false)) return;
    subscription_->events = {};
    reactor_->CancelAndLetGo();
  }

  void ReadNext() override {
    if (subscription_->live && !reactor_->let_go()) reactor_->ReadNext();
  }

 private:
  struct Subscription {
    bool live = true;
    StreamEvents<Update> events;
  };
  class Reactor;

  GrpcStream(std::shared_ptr<Reactor> reactor, std::shared_ptr<Subscription> subscription)
      : reactor_(std::move(reactor)), subscription_(std::move(subscription)) {}

  const std::shared_ptr<Reactor> reactor_;
  const std::shared_ptr<Subscription> subscription_;
};

template <class Request, class Update>
class GrpcStream<Request, Update>::Reactor : public grpc::ClientReadReactor<Update> {
 public:
  Reactor(std::shared_ptr<Scheduler> scheduler, const Request& request, std::shared_ptr<Subscription> subscription,
          Begin begin)
      : scheduler_(std::move(scheduler)),
        request_(request),
        subscription_(std::move(subscription)),
        begin_(std::move(begin)) {}

  // `self` keeps the reactor until OnDone; the hold lets the handle start reads from outside gRPC's callbacks.
  void Start(const std::shared_ptr<Reactor>& self) {
    self_ = self;
    begin_(&context_, &request_, this);
    this->AddHold();
    this->StartRead(&update_);
    this->StartCall();
  }

  // From the handle, on the scheduler's thread, never after the hold was let go.
  void ReadNext() { this->StartRead(&update_); }

  void CancelAndLetGo() {
    context_.TryCancel();
    LetGo();
  }

  void OnReadDone(bool ok) override {
    // A failed read means that the stream is over: the hold is let go on the scheduler's thread, once.
    auto update = ok ? std::make_shared<Update>(std::move(update_)) : nullptr;
    scheduler_->Post([subscription = subscription_, self = self_, update] {
      if (!update) self->LetGo();
      if (update && subscription->live) subscription->events.on_update(*update);
    });
  }

  void OnDone(const grpc::Status& status) override {
    scheduler_->Post([subscription = subscription_, result = ResultFrom(status)] {
      if (!std::exchange(subscription->live, false)) return;
      // The handler may destroy the stream, and with it the subscription's last owner but this task.
      const auto on_end = std::move(subscription->events.on_end);
      on_end(result);
    });
    self_.reset();
  }

  void LetGo() {
    if (!std::exchange(let_go_, true)) this->RemoveHold();
  }

  // Requires: the scheduler's thread.
  bool let_go() const { return let_go_; }

 private:
  const std::shared_ptr<Scheduler> scheduler_;
  const Request request_;
  const std::shared_ptr<Subscription> subscription_;
  const Begin begin_;
  grpc::ClientContext context_;
  Update update_;
  std::shared_ptr<Reactor> self_;
  bool let_go_ = false;  // scheduler's thread only
};

// A stream that has nowhere to go: it ends at once.
template <class Update>
std::unique_ptr<UpdateStream> StreamWithoutAddress(Scheduler& scheduler, StreamEvents<Update> events) {
  struct Nowhere : UpdateStream {
    void ReadNext() override {}
    const std::shared_ptr<bool> alive = std::make_shared<bool>(true);
  };
  auto nowhere = std::make_unique<Nowhere>();
  scheduler.Post([alive = std::weak_ptr(nowhere->alive), on_end = std::move(events.on_end)] {
    if (alive.lock()) on_end(NoAddress());
  });
  return nowhere;
}

}  // namespace holdfast::client
