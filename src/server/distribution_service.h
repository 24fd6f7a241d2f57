// The Distribution service: clients take machines exclusively, and give them back (docs/extraction.md).
//
// Life cycle: made after the loop, closed before the gRPC server shuts down, destroyed after it. Thread: gRPC's; what
// is decided is answered when it is durable, an extraction when the pool store's answer is (extraction_waits.h). Does
// not: ask the store; who drives it is told by the log.

#pragma once

#include "holdfast/distribution/v1/distribution.grpc.pb.h"
#include "server/call_context.h"

namespace holdfast::server {

class DistributionService final : public distribution::v1::Distribution::CallbackService {
 public:
  explicit DistributionService(const CallContext& context);

  grpc::ServerUnaryReactor* Extract(grpc::CallbackServerContext* call_context,
                                    const distribution::v1::ExtractRequest* request,
                                    distribution::v1::ExtractResponse* response) override;
  grpc::ServerUnaryReactor* Release(grpc::CallbackServerContext* call_context,
                                    const distribution::v1::ReleaseRequest* request,
                                    distribution::v1::ReleaseResponse* response) override;

  // Calls of Extract that are under way end with the rejection; later ones with SHUTTING_DOWN.
  void CloseAll(const Rejection& rejection) { context_.extractions.CloseAll(rejection); }

 private:
  std::optional<Rejection> Refuse(const distribution::v1::ExtractRequest& request) const;

  const CallContext context_;
};

}  // namespace holdfast::server
