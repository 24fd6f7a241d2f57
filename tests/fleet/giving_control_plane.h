// A WorkerControlPlane that answers every call well and gives each worker what the test says: for the fleet to judge.
//
// Over real gRPC on loopback. It knows no rules: whether what it gives is right is the test's business. Log time
// stands still.

#pragma once

#include <grpcpp/server.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "controlplane/v1/controlplane.grpc.pb.h"

namespace holdfast::fleet {

namespace wire = controlplane::v1;

class GivingControlPlane final : public wire::WorkerControlPlane::CallbackService {
 public:
  // The first and only update of a worker's stream.
  using Give = std::function<wire::SnapshotUpdate(const std::string& worker_id)>;
  static constexpr std::uint64_t kEpoch = 7;
  static constexpr std::uint64_t kVersion = 1'000;
  static constexpr std::int64_t kNowSeconds = 100;  // in the words of wire_builders.h

  // `beside`: another service of the same controller, which outlives it; null: none.
  explicit GivingControlPlane(Give give, grpc::Service* beside = nullptr);
  ~GivingControlPlane() override;

  const std::string& address() const { return address_; }

  grpc::ServerUnaryReactor* RegisterWorker(grpc::CallbackServerContext* context, const wire::RegisterWorkerRequest*,
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
  grpc::ServerWriteReactor<wire::SnapshotUpdate>* WatchSnapshots(grpc::CallbackServerContext*,
                                                                 const wire::WatchSnapshotsRequest* request) override;

 private:
  const Give give_;
  std::mutex mutex_;
  int sessions_ = 0;  // guarded by mutex_
  std::string address_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace holdfast::fleet
