// A transport that a test holds in its hands: it sees each call and answers when and how it likes.

#pragma once

#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "client/worker_transport.h"

namespace holdfast::client {

template <class Request, class Response>
struct FakeCall {
  Request request;
  Done<Response> done;
};

struct FakeStream {
  controlplane::v1::WatchSnapshotsRequest request;
  WorkerTransport::SnapshotEvents events;
  int reads = 1;
  bool alive = true;
};

// What the transport shows to the test; outlives it.
struct FakeWire {
  std::deque<FakeCall<controlplane::v1::RegisterWorkerRequest, controlplane::v1::RegisterWorkerResponse>> registers;
  std::deque<FakeCall<controlplane::v1::AcknowledgeSnapshotRequest, controlplane::v1::AcknowledgeSnapshotResponse>>
      acks;
  std::deque<FakeCall<controlplane::v1::ReportRuntimeRequest, controlplane::v1::ReportRuntimeResponse>> reports;
  std::deque<FakeCall<controlplane::v1::ReportOutcomesRequest, controlplane::v1::ReportOutcomesResponse>> outcomes;
  std::vector<std::shared_ptr<FakeStream>> streams;
  int reconnects = 0;
};

class FakeTransport : public WorkerTransport {
 public:
  explicit FakeTransport(std::shared_ptr<FakeWire> wire) : wire_(std::move(wire)) {}

  void Reconnect() override { ++wire_->reconnects; }
  void Register(const controlplane::v1::RegisterWorkerRequest& request, Duration,
                Done<controlplane::v1::RegisterWorkerResponse> done) override {
    wire_->registers.push_back({request, std::move(done)});
  }
  void Acknowledge(const controlplane::v1::AcknowledgeSnapshotRequest& request, Duration,
                   Done<controlplane::v1::AcknowledgeSnapshotResponse> done) override {
    wire_->acks.push_back({request, std::move(done)});
  }
  void ReportRuntime(const controlplane::v1::ReportRuntimeRequest& request, Duration,
                     Done<controlplane::v1::ReportRuntimeResponse> done) override {
    wire_->reports.push_back({request, std::move(done)});
  }
  void ReportOutcomes(const controlplane::v1::ReportOutcomesRequest& request, Duration,
                      Done<controlplane::v1::ReportOutcomesResponse> done) override {
    wire_->outcomes.push_back({request, std::move(done)});
  }
  std::unique_ptr<UpdateStream> Watch(const controlplane::v1::WatchSnapshotsRequest& request,
                                      SnapshotEvents events) override {
    struct Handle : UpdateStream {
      explicit Handle(std::shared_ptr<FakeStream> opened) : stream(std::move(opened)) {}
      ~Handle() override { stream->alive = false; }
      void ReadNext() override { ++stream->reads; }
      std::shared_ptr<FakeStream> stream;
    };
    auto stream = std::make_shared<FakeStream>();
    stream->request = request;
    stream->events = std::move(events);
    wire_->streams.push_back(stream);
    return std::make_unique<Handle>(stream);
  }

 private:
  const std::shared_ptr<FakeWire> wire_;
};

}  // namespace holdfast::client
