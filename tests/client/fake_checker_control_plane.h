// A CheckerControlPlane in the test's own process: it does what the test tells it to, over real gRPC on loopback.
//
// Answers calls by itself with something plausible and keeps what was reported; streams are written and ended by the
// test. It knows no rules: it is not a controller.

#pragma once

#include <grpcpp/server.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "controlplane/v1/controlplane.grpc.pb.h"

namespace holdfast::test {

namespace wire = controlplane::v1;

class FakeCheckerControlPlane final : public wire::CheckerControlPlane::CallbackService {
 public:
  FakeCheckerControlPlane();
  ~FakeCheckerControlPlane() override;

  const std::string& address() const { return address_; }

  // Waits until so many streams were opened in all, or so many observations reported; false after a bound.
  bool WaitForStreams(std::size_t count);
  bool WaitForObservations(std::size_t count);
  // On the newest stream.
  void Push(const wire::TaskUpdate& update);
  void EndStream(const grpc::Status& status);
  bool WaitForCancelled();
  std::vector<wire::WatchTasksRequest> watches() const;
  std::vector<wire::HealthObservation> observations() const;

  grpc::ServerUnaryReactor* RegisterChecker(grpc::CallbackServerContext* context,
                                            const wire::RegisterCheckerRequest* request,
                                            wire::RegisterCheckerResponse* response) override;
  grpc::ServerUnaryReactor* ReportObservations(grpc::CallbackServerContext* context,
                                               const wire::ReportObservationsRequest* request,
                                               wire::ReportObservationsResponse* response) override;
  grpc::ServerWriteReactor<wire::TaskUpdate>* WatchTasks(grpc::CallbackServerContext* context,
                                                         const wire::WatchTasksRequest* request) override;

 private:
  class Stream;

  mutable std::mutex mutex_;  // guards all below but server_ and address_
  std::condition_variable changed_;
  int sessions_ = 0;
  std::vector<wire::WatchTasksRequest> watches_;
  std::vector<wire::HealthObservation> observations_;
  std::shared_ptr<Stream> newest_;
  std::size_t cancelled_ = 0;
  std::string address_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace holdfast::test
