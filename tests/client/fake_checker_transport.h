// A checker's transport that a test holds in its hands: it sees each call and answers when and how it likes.

#pragma once

#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "client/checker_transport.h"
#include "tests/client/fake_transport.h"

namespace holdfast::client {

using FakeTaskStream = FakeStreamOf<controlplane::v1::WatchTasksRequest, controlplane::v1::TaskUpdate>;

// What the transport shows to the test; outlives it.
struct FakeCheckerWire {
  std::deque<FakeCall<controlplane::v1::RegisterCheckerRequest, controlplane::v1::RegisterCheckerResponse>> registers;
  std::deque<FakeCall<controlplane::v1::ReportObservationsRequest, controlplane::v1::ReportObservationsResponse>>
      reports;
  std::vector<std::shared_ptr<FakeTaskStream>> streams;
};

class FakeCheckerTransport : public CheckerTransport {
 public:
  explicit FakeCheckerTransport(std::shared_ptr<FakeCheckerWire> wire) : wire_(std::move(wire)) {}

  void Register(const controlplane::v1::RegisterCheckerRequest& request, Duration,
                Done<controlplane::v1::RegisterCheckerResponse> done) override {
    wire_->registers.push_back({request, std::move(done)});
  }
  void ReportObservations(const controlplane::v1::ReportObservationsRequest& request, Duration,
                          Done<controlplane::v1::ReportObservationsResponse> done) override {
    wire_->reports.push_back({request, std::move(done)});
  }
  std::unique_ptr<UpdateStream> Watch(const controlplane::v1::WatchTasksRequest& request, TaskEvents events) override {
    auto stream = std::make_shared<FakeTaskStream>();
    stream->request = request;
    stream->events = std::move(events);
    wire_->streams.push_back(stream);
    return std::make_unique<FakeStreamHandle<FakeTaskStream>>(stream);
  }

 private:
  const std::shared_ptr<FakeCheckerWire> wire_;
};

}  // namespace holdfast::client
