// A WorkerControlPlane in the test's own process: it does what the test tells it to, over real gRPC on loopback.
//
// Answers calls by itself with what it was given (a refusal, or something plausible); streams are written and ended by
// the test. It knows no rules: it is not a controller.

#pragma once

#include <grpcpp/server.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "controlplane/v1/controlplane.grpc.pb.h"

namespace holdfast::test {

namespace wire = controlplane::v1;

class FakeControlPlane final : public wire::WorkerControlPlane::CallbackService {
 public:
  FakeControlPlane();
  ~FakeControlPlane() override;

  const std::string& address() const { return address_; }

  // From now on each unary call ends with this status; OK: it is answered again.
  void Refuse(const grpc::Status& status);
  // Unary calls get no answer at all from now on.
  void Hang();

  // Waits until so many streams were opened in all; false after a bound.
  bool WaitForStreams(std::size_t count);
  // On the newest stream.
  void Push(const wire::SnapshotUpdate& update);
  void EndStream(const grpc::Status& status);
  bool WaitForCancelled();
  std::vector<wire::WatchSnapshotsRequest> watches() const;

  grpc::ServerUnaryReactor* RegisterWorker(grpc::CallbackServerContext* context,
                                           const wire::RegisterWorkerRequest* request,
                                           wire::RegisterWorkerResponse* response) override;
  grpc::ServerUnaryReactor* AcknowledgeSnapshot(grpc::CallbackServerContext* context,
                                                const wire::AcknowledgeSnapshotRequest* request,
                                                wire::AcknowledgeSnapshotResponse* response) override;
  grpc::ServerUnaryReactor* ReportRuntime(grpc::CallbackServerContext* context,
                                          const wire::ReportRuntimeRequest* request,
                                          wire::ReportRuntimeResponse* response) override;
  grpc::ServerUnaryReactor* ReportOutcomes(grpc::CallbackServerContext* context,
                                           const wire::ReportOutcomesRequest* request,
                                           wire::ReportOutcomesResponse* response) override;
  grpc::ServerWriteReactor<wire::SnapshotUpdate>* WatchSnapshots(grpc::CallbackServerContext* context,
                                                                 const wire::WatchSnapshotsRequest* request) override;

 private:
  class Stream;

  grpc::ServerUnaryReactor* Answer(grpc::CallbackServerContext* context);

  mutable std::mutex mutex_;  // guards all below but server_ and address_
  std::condition_variable changed_;
  grpc::Status status_;
  bool hanging_ = false;
  int sessions_ = 0;
  std::vector<wire::WatchSnapshotsRequest> watches_;
  std::shared_ptr<Stream> newest_;
  std::size_t cancelled_ = 0;
  std::string address_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace holdfast::test
