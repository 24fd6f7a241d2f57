// A worker as a test plays it: real calls over a channel of its own, no behaviour of its own.
//
// Thread: the test's.

#pragma once

#include <grpcpp/client_context.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "controlplane/v1/controlplane.grpc.pb.h"
#include "tests/server/daemon_fixture.h"
#include "tests/server/test_stream.h"

namespace holdfast::server {

// The head of an update, whichever kind it is.
struct UpdateHead {
  std::uint64_t version = 0;
  std::uint64_t epoch = 0;
  std::string checksum;
  std::int64_t valid_until_micros = 0;
};
UpdateHead HeadOf(const controlplane::v1::SnapshotUpdate& update);

using TestWatch = TestStream<controlplane::v1::SnapshotUpdate>;

class TestWorker {
 public:
  TestWorker(TestDaemon& daemon, std::string worker_id)
      : channel_(daemon.NewChannel()),
        stub_(controlplane::v1::WorkerControlPlane::NewStub(channel_)),
        worker_id_(std::move(worker_id)) {}

  controlplane::v1::RegisterWorkerRequest RegisterRequest() const;
  controlplane::v1::WatchSnapshotsRequest WatchRequest() const;
  controlplane::v1::AcknowledgeSnapshotRequest AckRequest(const UpdateHead& head) const;
  controlplane::v1::ReportRuntimeRequest ReportRequest(std::uint64_t sequence) const;
  controlplane::v1::ReportOutcomesRequest OutcomesRequest(std::uint64_t sequence) const;

  grpc::Status Call(const controlplane::v1::RegisterWorkerRequest& request);
  grpc::Status Call(const controlplane::v1::AcknowledgeSnapshotRequest& request);
  grpc::Status Call(const controlplane::v1::ReportRuntimeRequest& request);
  grpc::Status Call(const controlplane::v1::ReportOutcomesRequest& request);
  std::unique_ptr<TestWatch> Watch() { return Watch(WatchRequest()); }
  std::unique_ptr<TestWatch> Watch(const controlplane::v1::WatchSnapshotsRequest& request) {
    return std::make_unique<TestWatch>(
        [&](grpc::ClientContext* context) { return stub_->WatchSnapshots(context, request); });
  }

  // Registers and keeps the session; fails the test if it is refused.
  void Register();
  // Registers, watches, reads the first update and acknowledges it; the stream stays open.
  std::unique_ptr<TestWatch> Activate();
  // Reads one update and acknowledges it.
  UpdateHead ReadAndAcknowledge(TestWatch& watch);

  const controlplane::v1::RegisterWorkerResponse& session() const { return session_; }
  const controlplane::v1::AcknowledgeSnapshotResponse& acknowledged() const { return acknowledged_; }
  const controlplane::v1::ReportRuntimeResponse& reported() const { return reported_; }
  const controlplane::v1::ReportOutcomesResponse& outcomes() const { return outcomes_; }
  const UpdateHead& last() const { return last_; }
  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }
  controlplane::v1::WorkerControlPlane::Stub& stub() { return *stub_; }

 private:
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<controlplane::v1::WorkerControlPlane::Stub> stub_;
  const std::string worker_id_;
  controlplane::v1::RegisterWorkerResponse session_;
  controlplane::v1::AcknowledgeSnapshotResponse acknowledged_;
  controlplane::v1::ReportRuntimeResponse reported_;
  controlplane::v1::ReportOutcomesResponse outcomes_;
  UpdateHead last_;
};

}  // namespace holdfast::server
