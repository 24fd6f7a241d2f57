// The PoolAdmin service: what enters and leaves the pool, lists, routings, checks.
//
// Life cycle: made after the loop, destroyed after the gRPC server. Thread: gRPC's; changes go through the sequencer
// and are answered when durable, lists are read on the follower's thread, the pool store on the projector's.

#pragma once

#include "holdfast/admin/v1/admin.grpc.pb.h"
#include "server/pool_driver.h"
#include "server/read_context.h"

namespace holdfast::server {

class PoolService final : public admin::v1::PoolAdmin::CallbackService {
 public:
  PoolService(const ReadContext& reads, PoolDriver& driver);

  grpc::ServerBidiReactor<admin::v1::ImportProxiesRequest, admin::v1::ImportProxiesResponse>* ImportProxies(
      grpc::CallbackServerContext* context) override;
  grpc::ServerUnaryReactor* RemoveProxies(grpc::CallbackServerContext* context,
                                          const admin::v1::RemoveProxiesRequest* request,
                                          admin::v1::RemoveProxiesResponse* response) override;
  grpc::ServerWriteReactor<admin::v1::ListProxiesResponse>* ListProxies(
      grpc::CallbackServerContext* context, const admin::v1::ListProxiesRequest* request) override;
  grpc::ServerUnaryReactor* ApplyRoutings(grpc::CallbackServerContext* context,
                                          const admin::v1::ApplyRoutingsRequest* request,
                                          admin::v1::ApplyRoutingsResponse* response) override;
  grpc::ServerUnaryReactor* ListRoutings(grpc::CallbackServerContext* context,
                                         const admin::v1::ListRoutingsRequest* request,
                                         admin::v1::ListRoutingsResponse* response) override;

  grpc::ServerWriteReactor<admin::v1::ListChecksResponse>* ListChecks(
      grpc::CallbackServerContext* context, const admin::v1::ListChecksRequest* request) override;
  grpc::ServerUnaryReactor* CheckProxy(grpc::CallbackServerContext* context,
                                       const admin::v1::CheckProxyRequest* request,
                                       admin::v1::CheckProxyResponse* response) override;
  grpc::ServerWriteReactor<admin::v1::DiffPoolResponse>* DiffPool(grpc::CallbackServerContext* context,
                                                                  const admin::v1::DiffPoolRequest* request) override;
  grpc::ServerUnaryReactor* RebuildPool(grpc::CallbackServerContext* context,
                                        const admin::v1::RebuildPoolRequest* request,
                                        admin::v1::RebuildPoolResponse* response) override;
  grpc::ServerUnaryReactor* AdoptPool(grpc::CallbackServerContext* context, const admin::v1::AdoptPoolRequest* request,
                                      admin::v1::AdoptPoolResponse* response) override;

 private:
  const ReadContext reads_;
  PoolDriver& driver_;
};

}  // namespace holdfast::server
