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

template <class Request, class Update>
struct FakeStreamOf {
  Request request;
  StreamEvents<Update> events;
  int reads = 1;
  bool alive = true;
};
using FakeStream = FakeStreamOf<controlplane::v1::WatchSnapshotsRequest, controlplane::v1::SnapshotUpdate>;

// What the client holds of a FakeStreamOf.
template <class Stream>
class FakeStreamHandle : public UpdateStream {
 public:
  explicit FakeStreamHandle(std::shared_ptr<Stream> stream) : stream_(std::move(stream)) {}
  ~FakeStreamHandle() override { stream_->alive = false; }
  void ReadNext() override { ++stream_->reads; }

 private:
  const std::shared_ptr<Stream> stream_;
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
    auto stream = std::make_shared<FakeStream>();
    stream->request = request;
    stream->events = std::move(events);
    wire_->streams.push_back(stream);
    return std::make_unique<FakeStreamHandle<FakeStream>>(stream);
  }

 private:
  const std::shared_ptr<FakeWire> wire_;
};

}  // namespace holdfast::client
