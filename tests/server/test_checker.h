// A checker as a test plays it: real calls over a channel of its own, no behaviour of its own.
//
// Thread: the test's.

#pragma once

#include <grpcpp/client_context.h>

#include <memory>
#include <string>
#include <utility>

#include "controlplane/v1/controlplane.grpc.pb.h"
#include "tests/server/daemon_fixture.h"
#include "tests/server/test_stream.h"

namespace holdfast::server {

using TestTasks = TestStream<controlplane::v1::TaskUpdate>;

// What a checker says of a task.
controlplane::v1::HealthObservation Observe(const controlplane::v1::CheckTask& task, controlplane::v1::Verdict verdict);

class TestChecker {
 public:
  TestChecker(TestDaemon& daemon, std::string checker_id)
      : channel_(daemon.NewChannel()),
        stub_(controlplane::v1::CheckerControlPlane::NewStub(channel_)),
        checker_id_(std::move(checker_id)) {}

  // Of all levels, 100 tasks at once.
  controlplane::v1::RegisterCheckerRequest RegisterRequest() const;
  controlplane::v1::WatchTasksRequest WatchRequest() const;
  controlplane::v1::ReportObservationsRequest ReportRequest(std::uint64_t sequence) const;

  grpc::Status Call(const controlplane::v1::RegisterCheckerRequest& request);
  grpc::Status Call(const controlplane::v1::ReportObservationsRequest& request);
  std::unique_ptr<TestTasks> Watch() { return Watch(WatchRequest()); }
  std::unique_ptr<TestTasks> Watch(const controlplane::v1::WatchTasksRequest& request) {
    return std::make_unique<TestTasks>(
        [&](grpc::ClientContext* context) { return stub_->WatchTasks(context, request); });
  }

  // Registers and keeps the session; fails the test if it is refused.
  void Register();
  // Registers and opens the task stream, which stays open.
  std::unique_ptr<TestTasks> Activate();
  // Reads up to the next task; fails the test where the stream ends instead.
  controlplane::v1::CheckTask ReadTask(TestTasks& tasks);
  // Reports with the next sequence; fails the test if it is refused.
  void Report(const controlplane::v1::HealthObservation& observation);
  void Answer(const controlplane::v1::CheckTask& task, controlplane::v1::Verdict verdict) {
    Report(Observe(task, verdict));
  }
  // A report without observations.
  void Heartbeat();

  const controlplane::v1::RegisterCheckerResponse& session() const { return session_; }
  const controlplane::v1::ReportObservationsResponse& reported() const { return reported_; }
  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }
  controlplane::v1::CheckerControlPlane::Stub& stub() { return *stub_; }

 private:
  void CallWell(const controlplane::v1::ReportObservationsRequest& request);

  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<controlplane::v1::CheckerControlPlane::Stub> stub_;
  const std::string checker_id_;
  std::uint64_t sequence_ = 0;  // of the last Report or Heartbeat
  controlplane::v1::RegisterCheckerResponse session_;
  controlplane::v1::ReportObservationsResponse reported_;
};

}  // namespace holdfast::server
