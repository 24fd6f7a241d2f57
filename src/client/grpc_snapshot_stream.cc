#include "client/grpc_snapshot_stream.h"

#include <utility>

namespace holdfast::client {
namespace {

using controlplane::v1::SnapshotUpdate;
using controlplane::v1::WatchSnapshotsRequest;
using controlplane::v1::WorkerControlPlane;

struct Subscription {
  bool live = true;
  WorkerTransport::StreamEvents events;
};

class Reactor : public grpc::ClientReadReactor<SnapshotUpdate> {
 public:
  Reactor(std::shared_ptr<Scheduler> scheduler, std::shared_ptr<WorkerControlPlane::Stub> stub,
          const WatchSnapshotsRequest& request, std::shared_ptr<Subscription> subscription)
      : scheduler_(std::move(scheduler)),
        stub_(std::move(stub)),
        request_(request),
        subscription_(std::move(subscription)) {}

  // `self` keeps the reactor until OnDone; the hold lets the handle start reads from outside gRPC's callbacks.
  void Start(const std::shared_ptr<Reactor>& self) {
    self_ = self;
    stub_->async()->WatchSnapshots(&context_, &request_, this);
    AddHold();
    StartRead(&update_);
    StartCall();
  }

  // From the handle, on the scheduler's thread, never after the hold was let go.
  void ReadNext() { StartRead(&update_); }

  void CancelAndLetGo() {
    context_.TryCancel();
    LetGo();
  }

  void OnReadDone(bool ok) override {
    // A failed read means that the stream is over: the hold is let go on the scheduler's thread, once.
    auto update = ok ? std::make_shared<SnapshotUpdate>(std::move(update_)) : nullptr;
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
    if (!std::exchange(let_go_, true)) RemoveHold();
  }

  // Requires: the scheduler's thread.
  bool let_go() const { return let_go_; }

 private:
  const std::shared_ptr<Scheduler> scheduler_;
  const std::shared_ptr<WorkerControlPlane::Stub> stub_;
  const WatchSnapshotsRequest request_;
  const std::shared_ptr<Subscription> subscription_;
  grpc::ClientContext context_;
  SnapshotUpdate update_;
  std::shared_ptr<Reactor> self_;
  bool let_go_ = false;  // scheduler's thread only
};

class Handle : public SnapshotStream {
 public:
  Handle(std::shared_ptr<Reactor> reactor, std::shared_ptr<Subscription> subscription)
      : reactor_(std::move(reactor)), subscription_(std::move(subscription)) {}

  ~Handle() override {
    if (!std::exchange(subscription_->live, false)) return;
    subscription_->events = {};
    reactor_->CancelAndLetGo();
  }

  void ReadNext() override {
    if (subscription_->live && !reactor_->let_go()) reactor_->ReadNext();
  }

 private:
  const std::shared_ptr<Reactor> reactor_;
  const std::shared_ptr<Subscription> subscription_;
};

}  // namespace

std::unique_ptr<SnapshotStream> OpenGrpcSnapshotStream(const std::shared_ptr<Scheduler>& scheduler,
                                                       const std::shared_ptr<WorkerControlPlane::Stub>& stub,
                                                       const WatchSnapshotsRequest& request,
                                                       WorkerTransport::StreamEvents events) {
  auto subscription = std::make_shared<Subscription>();
  subscription->events = std::move(events);
  auto reactor = std::make_shared<Reactor>(scheduler, stub, request, subscription);
  reactor->Start(reactor);
  return std::make_unique<Handle>(std::move(reactor), std::move(subscription));
}

CallResult ResultFrom(const grpc::Status& status) {
  return {.code = static_cast<absl::StatusCode>(status.error_code()),
          .message = status.error_message(),
          .detail = ParseErrorDetail(status.error_details())};
}

}  // namespace holdfast::client
